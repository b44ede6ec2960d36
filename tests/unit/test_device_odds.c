/* Odds without a library against MPFR: never above e^epsilon, and the largest
 * that are not. */
#include <math.h>
#include <stdint.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"
#include "device/odds.h"
#include "support/cmocka_all.h"

/* floor(2^shift e^(loss / 2^50)), shift as the header says. */
static kith_i_odds reference(uint64_t loss)
{
    mpfr_t e;
    mpfr_init2(e, 256);
    mpfr_set_uj(e, loss, MPFR_RNDD);
    mpfr_div_2ui(e, e, KITH_I_REPORT_LOSS_BITS, MPFR_RNDD);
    mpfr_exp(e, e, MPFR_RNDD);
    mpfr_exp_t bits = mpfr_get_exp(e);
    unsigned shift = bits + 32 > 48 ? (unsigned)(48 - bits) : 32;
    mpfr_mul_2ui(e, e, shift, MPFR_RNDD);
    kith_i_odds odds = {mpfr_get_uj(e, MPFR_RNDD), UINT64_C(1) << shift};
    mpfr_clear(e);
    return odds;
}

static void same(uint64_t loss)
{
    kith_i_odds mine = kith_i_odds_floor(loss), exact = reference(loss);
    assert_int_equal(mine.num, exact.num);
    assert_int_equal(mine.den, exact.den);
    assert_true(mine.num < UINT64_C(1) << 48 && mine.num >= mine.den);
}

/* 200,000 losses of all sizes, and those next to powers of two of e^epsilon,
 * where the shift changes. */
static void test_against_mpfr(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (int i = 0; i < 200000; i++) {
        int size = 1 + (int)kith_i_coins_below(&coins, 55);
        uint64_t loss = kith_i_coins_u64(&coins) % KITH_I_REPORT_LOSS_MAX;
        same(1 + (i % 2 ? loss : loss >> (55 - size)));
    }
    for (int n = 1; n <= 28; n++) {
        uint64_t edge = (uint64_t)ldexp(n * M_LN2, KITH_I_REPORT_LOSS_BITS);
        for (uint64_t loss = edge - 40; loss <= edge + 40; loss++)
            same(loss);
    }
    for (uint64_t loss = 0; loss < 300; loss++) {
        same(loss << 20);
        same(KITH_I_REPORT_LOSS_MAX - loss);
    }
    mpfr_free_cache();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_mpfr)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
