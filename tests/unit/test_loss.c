/* budget/loss.c against GMP rationals: every scale pays for its loss exactly
 * and is the smallest that does; shares never add up to more than the total. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "budget/budget_i.h"

static void set_u128(mpz_t z, kith_i_u128 value)
{
    uint64_t words[2] = {(uint64_t)(value >> 64), (uint64_t)value};
    mpz_import(z, 2, 1, 8, 0, 0, words);
}

/* q = value / 2^shift */
static void set_ratio(mpq_t q, kith_i_u128 value, unsigned shift)
{
    mpz_t z;
    mpz_init(z);
    set_u128(z, value);
    mpq_set_z(q, z);
    mpq_div_2exp(q, q, shift);
    mpz_clear(z);
}

/* Whether sensitivity^power / (num / 2^shift)^power <= loss / 2^50. */
static int pays(kith_i_u128 sensitivity, int power, uint64_t num,
                unsigned shift, kith_i_loss loss)
{
    mpq_t sens, scale, cost;
    mpq_inits(sens, scale, cost, NULL);
    set_ratio(sens, sensitivity, 0);
    set_ratio(scale, num, shift);
    set_ratio(cost, loss, KITH_I_LOSS_BITS);
    if (power == 2)
        mpq_mul(scale, scale, scale);
    mpq_mul(cost, cost, scale);
    int ok = mpq_cmp(sens, cost) <= 0;
    mpq_clears(sens, scale, cost, NULL);
    return ok;
}

static void check_scale(kith_i_u128 sensitivity, int power, kith_i_loss loss,
                        kith_i_scale s)
{
    assert_true(s.num >= 1 && s.num < (uint64_t)1 << 62);
    assert_true(pays(sensitivity, power, s.num, s.shift, loss));
    assert_false(pays(sensitivity, power, s.num - 1, s.shift, loss));
    if (s.shift > 0) /* 40 or 41 bits: within 2^-38 of the best real scale */
        assert_true(s.num >= (uint64_t)1 << 39 && s.num <= (uint64_t)1 << 41);
}

/* A number with a random number of bits, so that every size is met. */
static uint64_t any_size(kith_i_coins *coins)
{
    return (kith_i_coins_u64(coins) | (uint64_t)1 << 63) >>
           kith_i_coins_below(coins, 64);
}

static void scales_pay_for_their_loss(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    unsigned fitted = 0, refused = 0;
    for (int i = 0; i < 20000; i++) {
        kith_i_u128 square = any_size(&coins);
        if (i % 2)
            square *= any_size(&coins);
        kith_i_loss loss = any_size(&coins);
        kith_i_scale s = {0, 0};
        kith_error err;
        kith_status status = kith_i_scale_gaussian(square, loss, &s, &err);
        if (status == KITH_OK) {
            check_scale(square, 2, loss, s);
            fitted++;
        } else {
            assert_int_equal(status, KITH_ERR_BUDGET);
            assert_true(s.num == 0); /* untouched */
            assert_false(pays(square, 2, ((uint64_t)1 << 62) - 1, 0, loss));
            refused++;
        }
        uint64_t linear = any_size(&coins);
        s = (kith_i_scale){0, 0};
        status = kith_i_scale_laplace(linear, loss, &s, &err);
        if (status == KITH_OK) {
            check_scale(linear, 1, loss, s);
        } else {
            assert_int_equal(status, KITH_ERR_BUDGET);
            assert_false(pays(linear, 1, ((uint64_t)1 << 62) - 1, 0, loss));
        }
    }
    assert_true(fitted > 10000 && refused > 100);
}

static void scale_known_answers(void **state)
{
    (void)state;
    kith_i_scale s;
    /* sensitivity 3, mu^2 = 1/4: sigma = 6 without any rounding */
    assert_int_equal(kith_i_scale_gaussian(9, (kith_i_loss)1 << 48, &s, NULL),
                     KITH_OK);
    assert_true(kith_i_scale_value(s) == 6);
    /* epsilon = 1/8: t = 40 */
    assert_int_equal(kith_i_scale_laplace(5, (kith_i_loss)1 << 47, &s, NULL),
                     KITH_OK);
    assert_true(kith_i_scale_value(s) == 40);
    assert_int_equal(kith_i_scale_gaussian(1, UINT64_MAX, &s, NULL), KITH_OK);
    check_scale(1, 2, UINT64_MAX, s);
    assert_true(s.shift > 0);
}

static void scale_refusals(void **state)
{
    (void)state;
    kith_i_scale s = {7, 7};
    kith_error err;
    assert_int_equal(kith_i_scale_gaussian(9, 0, &s, &err), KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "epsilon"));
    assert_int_equal(kith_i_scale_laplace(9, 0, &s, &err), KITH_ERR_BUDGET);
    assert_int_equal(kith_i_scale_gaussian(0, 1, &s, &err), KITH_ERR_PRIVACY);
    assert_int_equal(kith_i_scale_laplace(0, 1, &s, NULL), KITH_ERR_PRIVACY);
    assert_int_equal(kith_i_scale_laplace(UINT64_MAX, 1, &s, &err),
                     KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "bounds"));
    assert_true(s.num == 7 && s.shift == 7);
}

static void over_sqrt2_is_smallest(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    for (int i = 0; i < 5000; i++) {
        uint64_t num = any_size(&coins) >> 2;
        if (num == 0)
            num = 1;
        kith_i_scale half =
            kith_i_scale_over_sqrt2((kith_i_scale){num, (uint32_t)i % 50});
        assert_int_equal(half.shift, i % 50);
        kith_i_u128 h = half.num, less = half.num - 1;
        assert_true(2 * h * h >= (kith_i_u128)num * num);
        assert_true(2 * less * less < (kith_i_u128)num * num);
    }
}

static void scale_value_never_overstates(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    mpq_t shown, next, exact;
    mpq_inits(shown, next, exact, NULL);
    for (int i = 0; i < 5000; i++) {
        kith_i_scale s = {any_size(&coins) >> 2 | 1, (uint32_t)i % 60};
        double value = kith_i_scale_value(s);
        mpq_set_d(shown, value);
        mpq_set_d(next, nextafter(value, HUGE_VAL));
        set_ratio(exact, s.num, s.shift);
        assert_true(mpq_cmp(shown, exact) <= 0);
        assert_true(mpq_cmp(exact, next) < 0);
    }
    mpq_clears(shown, next, exact, NULL);
}

static void loss_value_rounds_up(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 0);
    mpq_t shown, below, exact;
    mpq_inits(shown, below, exact, NULL);
    assert_true(kith_i_loss_value(0, KITH_PURE_DP) == 0);
    assert_true(kith_i_loss_value(0, KITH_GAUSSIAN_DP) == 0);
    for (int i = 0; i < 10000; i++) {
        kith_measure measure = i % 2 ? KITH_PURE_DP : KITH_GAUSSIAN_DP;
        kith_i_loss loss = i < 4 ? UINT64_MAX - (unsigned)i : any_size(&coins);
        double value = kith_i_loss_value(loss, measure);
        mpq_set_d(shown, value);
        mpq_set_d(below, nextafter(value, 0));
        if (measure == KITH_GAUSSIAN_DP) {
            mpq_mul(shown, shown, shown);
            mpq_mul(below, below, below);
        }
        set_ratio(exact, loss, KITH_I_LOSS_BITS);
        assert_true(mpq_cmp(shown, exact) >= 0);
        assert_true(mpq_cmp(below, exact) < 0);
    }
    mpq_clears(shown, below, exact, NULL);
    assert_true(kith_i_loss_value((kith_i_loss)1 << 50, KITH_PURE_DP) == 1);
    assert_true(kith_i_loss_value((kith_i_loss)1 << 46, KITH_GAUSSIAN_DP) ==
                0.25);
}

static void share_is_exact_floor(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    mpq_t product, total_q;
    mpz_t floor_z, got;
    mpq_inits(product, total_q, NULL);
    mpz_inits(floor_z, got, NULL);
    for (int i = 0; i < 10000; i++) {
        kith_i_loss total = any_size(&coins);
        double share = kith_i_coins_unit(&coins);
        if (i % 3 == 0)
            share = ldexp(share, -(int)kith_i_coins_below(&coins, 1070));
        set_ratio(total_q, total, 0);
        mpq_set_d(product, share);
        mpq_mul(product, product, total_q);
        mpz_fdiv_q(floor_z, mpq_numref(product), mpq_denref(product));
        set_u128(got, kith_i_loss_share(total, share));
        assert_true(mpz_cmp(floor_z, got) == 0);
    }
    mpz_clears(floor_z, got, NULL);
    mpq_clears(product, total_q, NULL);
    assert_true(kith_i_loss_share(1000, (double)NAN) == 0);
    assert_true(kith_i_loss_share(1000, -1) == 0);
    assert_true(kith_i_loss_share(1000, 1) == 1000);
    assert_true(kith_i_loss_share(UINT64_MAX, 2) == UINT64_MAX);
    assert_true(kith_i_loss_share(UINT64_MAX, 0.5) == UINT64_MAX / 2);
    assert_true(kith_i_loss_share(UINT64_MAX, 0x1p-1074) == 0);
}

/* Real shares that add up to exactly 1 (multiples of 2^-53) never give out
 * more than the total, and lose less than a unit each. */
static void shares_never_exceed_total(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 0);
    for (int i = 0; i < 2000; i++) {
        kith_i_loss total = any_size(&coins), sum = 0;
        uint64_t left = (uint64_t)1 << 53;
        unsigned parts = 2 + (unsigned)kith_i_coins_below(&coins, 30);
        for (unsigned j = 0; j < parts; j++) {
            uint64_t part = j + 1 == parts
                                ? left
                                : kith_i_coins_below(&coins, left / 2 + 1);
            left -= part;
            kith_i_loss spent =
                kith_i_loss_share(total, ldexp((double)part, -53));
            assert_true(spent <= total - sum);
            sum += spent;
        }
        assert_true(total - sum < parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_pay_for_their_loss),
        cmocka_unit_test(scale_known_answers),
        cmocka_unit_test(scale_refusals),
        cmocka_unit_test(over_sqrt2_is_smallest),
        cmocka_unit_test(scale_value_never_overstates),
        cmocka_unit_test(loss_value_rounds_up),
        cmocka_unit_test(share_is_exact_floor),
        cmocka_unit_test(shares_never_exceed_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
