/* auto on rows with little to show, where a summary is bought for nothing or
 * shows too little: it must not do worse than lloyd. Seeded, so there are no
 * false alarms. */
#include "support/auto_compare.h"

static double draw_uniform(kith_i_coins *coins)
{
    return kith_i_coins_unit(coins);
}

static double draw_exponential(kith_i_coins *coins)
{
    return fmin(1, -.12 * log(1 - kith_i_coins_unit(coins)));
}

/* Rows about some random places. */
static table make_blobs(size_t n, uint32_t d, uint32_t places, double spread)
{
    table t = make_table(places + n, d, draw_uniform, 0, 1);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 3);
    for (size_t r = places; r < t.n; r++)
        for (uint32_t i = 0; i < d; i++) {
            double at = t.rows[r % places * d + i];
            double v = .1 + .8 * at + spread * kith_i_coins_normal(&coins);
            t.rows[r * d + i] = fmax(0, fmin(1, v));
        }
    return t;
}

/* A closed curve that is the same from all its points. */
static table make_ring(size_t n)
{
    table t = make_table(n, 6, draw_uniform, 0, 1);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 3);
    for (size_t r = 0; r < n; r++) {
        double angle = 2 * M_PI * kith_i_coins_unit(&coins);
        for (int i = 0; i < 6; i++) {
            double turn = (1 + i / 2) * angle;
            t.rows[r * 6 + (size_t)i] = .5 +
                                        .3 * (i % 2 ? sin(turn) : cos(turn)) +
                                        .02 * kith_i_coins_normal(&coins);
        }
    }
    return t;
}

/* Where there are no clusters the summary is bought in vain, and costs little
 * (1.02); but not where there are some. */
static void test_even(void **state)
{
    (void)state;
    assert_true(compare(make_table(20000, 10, draw_uniform, 0, 1), 10, 1, 0) <
                1.03);
    assert_true(compare(make_blobs(20000, 10, 10, .05), 10, 1, 0) < .97);
}

/* The best clusters in sixteen random axes are not quite those in thirty. */
static void test_random_axes(void **state)
{
    (void)state;
    assert_true(compare(make_blobs(5000, 30, 6, .1), 3, 4, 0) < 1.1);
}

/* Many optima of nearly the same cost. */
static void test_ring(void **state)
{
    (void)state;
    assert_true(compare(make_ring(20000), 3, 1, 1e-6) < 1);
}

/* Noisy rounds alone, rows in a corner of the bounds: they start there (1.18
 * when they start all over the bounds). */
static void test_corner(void **state)
{
    (void)state;
    assert_true(
        compare(make_table(5000, 10, draw_exponential, 0, 1), 20, 1, 0) < 1);
    /* but not about a mean that is noise itself (1.005 then) */
    assert_true(compare(make_table(5000, 50, draw_uniform, 0, 1), 5, .1, 1e-6) <
                1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even), cmocka_unit_test(test_random_axes),
        cmocka_unit_test(test_ring), cmocka_unit_test(test_corner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
