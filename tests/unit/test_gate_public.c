/* What the gate takes or gives as public: the number of rows where neighbours
 * replace one, handicaps of candidates, scales of entries that repeat. */
#include <math.h>

#include "base/wide.h"
#include "dp/dp_i.h"
#include "release/release_select.h"
#include "support/make_data.h"
#include "support/stat.h"

enum { N = 37, D = 3 };

static void test_rows(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 2, 1);
    kith_session *s = open_session(load(rows, N, D, ball(1)), 1, 1e-6,
                                   KITH_REPLACE_ONE, 1, 1);
    assert_int_equal(kith_i_session_rows(s), N);
    kith_session_close(s);
    s = open_session(load(rows, N, D, ball(1)), 1, 1e-6, KITH_ADD_REMOVE, 1, 1);
    assert_int_equal(kith_i_session_rows(s), 0); /* private there */
    kith_session_close(s);
    kith_bounds bounds = ball(1);
    kith_i_domain *domain = NULL;
    kith_privacy privacy = {1, 1e-6, KITH_REPLACE_ONE};
    assert_int_equal(kith_i_domain_new(&bounds, D, 0, &domain, NULL), KITH_OK);
    assert_int_equal(kith_i_session_open_plan(domain, 0, &privacy, &s, NULL),
                     KITH_OK);
    assert_int_equal(kith_i_session_rows(s), 0); /* a plan has none */
    kith_session_close(s);
    free(rows);
}

/* Equal losses, one candidate with a handicap of h: its odds are exp(-b h) with
 * b = range / bound, whatever the data; permute-and-flip for two candidates
 * has Pr[worse] = exp(-b h) / 2. False alarm <= 2e-6. */
static void test_handicap(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    double *rows = make_rows(N, D, 2, 1);
    for (int pure = 0; pure < 2; pure++) {
        kith_session *s = open_session(load(rows, N, D, ball(1)), 4000,
                                       pure ? 0 : 1e-6, KITH_ADD_REMOVE, 1, 3);
        const int64_t handicap[2] = {0, 70};
        kith_i_loss charge = kith_i_session_left(s) / (DRAWS + 1);
        kith_i_select_spec spec = {.what = "choice",
                                   .candidates = 2,
                                   .bound = 100,
                                   .charge = charge,
                                   .handicap = handicap};
        double b = ldexp((double)kith_i_selection_range(
                             kith_i_session_measure(s), charge),
                         -KITH_I_LOSS_BITS) /
                   100;
        double coords[D] = {9, 9, 9}, square = 3 * 81; /* both the same */
        kith_i_centers one = {
            .k = 1, .d = D, .coords = coords, .squares = &square};
        kith_i_center_sets sets = {
            .set = (kith_i_centers[]){one, one}, .count = 2, .shift = 20};
        kith_i_losses losses = {.sets = &sets};
        uint64_t worse = 0;
        for (int i = 0; i < DRAWS; i++) {
            uint32_t chosen = 7;
            assert_int_equal(
                kith_i_release_select(s, &losses, &spec, &chosen, NULL),
                KITH_OK);
            worse += chosen;
        }
        double odds = exp(-b * 70);
        double p = pure ? odds / 2 : odds / (1 + odds);
        assert_true(p < .49); /* it is felt */
        assert_true(believable(worse, DRAWS, p));
        kith_session_close(s);
    }
    free(rows);
}

/* The smallest integer whose square times g reaches num^2. */
static void test_scale_over_root(void **state)
{
    (void)state;
    static const uint32_t weights[] = {1, 2, 4, 6, 12, 24, 1000003};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    for (int t = 0; t < 2000; t++)
        for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
            uint64_t num = kith_i_coins_u64(&coins) >> (2 + t % 60);
            num += num == 0;
            uint32_t g = weights[i];
            kith_i_scale out =
                kith_i_scale_over_root((kith_i_scale){num, 17}, g);
            assert_int_equal(out.shift, 17);
            long double root = sqrtl((long double)num * (long double)num / g);
            assert_true(fabsl((long double)out.num - root) <= 1.5L);
            if (num < (uint64_t)1 << 50) { /* exactly */
                kith_i_u128 square = (kith_i_u128)num * num;
                assert_true((kith_i_u128)out.num * out.num * g >= square);
                uint64_t less = out.num - 1;
                assert_true((kith_i_u128)less * less * g < square);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_handicap),
        cmocka_unit_test(test_scale_over_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
