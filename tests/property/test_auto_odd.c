/* auto on rows that a summary sees little of: it must not do worse than one
 * private mean, and mostly not worse than lloyd. Heavy tails, bounds a hundred
 * times too wide, rows without clusters. Seeded, so there are no false alarms.
 */
#include "support/auto_compare.h"

static double draw_pareto(kith_i_coins *coins)
{
    return fmin(1, (pow(1 - kith_i_coins_unit(coins), -1 / 1.5) - 1) / 300);
}

static double draw_normal(kith_i_coins *coins)
{
    return .5 + .1 * kith_i_coins_normal(coins);
}

static double draw_exponential(kith_i_coins *coins)
{
    return -log(1 - kith_i_coins_unit(coins));
}

static double draw_two(kith_i_coins *coins)
{
    double at = kith_i_coins_unit(coins) < .5 ? .2 : .8;
    return at + .02 * kith_i_coins_normal(coins);
}

/* A few rows carry the cost, too few for any count. */
static void test_tails(void **state)
{
    (void)state;
    assert_true(
        against_mean(make_table(5000, 1, draw_pareto, 0, 1), 16, 1, 1e-6) < .8);
    assert_true(against_mean(make_table(20000, 1, draw_pareto, 0, 1), 8, 1, 0) <
                .8);
    assert_true(compare(make_table(50000, 2, draw_exponential, -13, 13), 50, .1,
                        0) < 1);
}

static void test_wide_bounds(void **state)
{
    (void)state;
    assert_true(compare(make_table(1000, 2, draw_two, -50, 50), 8, .5, 1e-6) <
                .5);
    assert_true(compare(make_table(1000, 2, draw_two, -50, 50), 8, 1, 0) < .5);
    assert_true(compare(make_table(1000, 30, draw_two, -50, 50), 8, 1, 1e-6) <
                1);
    /* all rows are in the first bin of distances, and k is far too large */
    assert_true(
        compare(make_table(5000, 8, draw_normal, -150, 150), 10, 4, 1e-6) < 1);
    assert_true(compare(make_table(5000, 8, draw_normal, -150, 150), 2, 4, 0) <
                1.05);
    assert_true(compare(make_table(20000, 8, draw_normal, -150, 150), 200, 1,
                        1e-6) < 1);
}

/* Noise must not be taken for clusters. */
static void test_no_clusters(void **state)
{
    (void)state;
    assert_true(compare(make_table(1000, 40, draw_normal, 0, 1), 8, 1, 1e-6) <
                1);
    assert_true(compare(make_table(2000, 10, draw_normal, 0, 1), 16, .2, 0) <
                1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tails),
                                       cmocka_unit_test(test_wide_bounds),
                                       cmocka_unit_test(test_no_clusters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
