/* auto on rows that a summary sees little of: it must not do worse than lloyd,
 * nor than one private mean. Heavy tails, bounds a hundred times too wide, rows
 * without clusters. Seeded, so there are no false alarms. */
#include "support/make_data.h"

#include <math.h>

enum { SEEDS = 6 };

typedef struct {
    size_t n;
    uint32_t d;
    double low, high;
    double *rows;
} table;

typedef double draw_fn(kith_i_coins *coins);

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

static table make_table(size_t n, uint32_t d, draw_fn *draw, double low,
                        double high)
{
    table t = {n, d, low, high, malloc(n * d * sizeof *t.rows)};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 3);
    assert_non_null(t.rows);
    for (size_t i = 0; i < n * d; i++)
        t.rows[i] = draw(&coins);
    return t;
}

static double cost_of(const table *t, const double *centers, uint32_t k)
{
    double sum = 0;
    for (size_t r = 0; r < t->n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double square = 0;
            for (uint32_t i = 0; i < t->d; i++)
                square += pow(t->rows[r * t->d + i] - centers[j * t->d + i], 2);
            best = fmin(best, square);
        }
        sum += best;
    }
    return sum;
}

/* Mean cost over some seeds. */
static double mean_cost(const table *t, uint32_t k, kith_kmeans_method method,
                        double epsilon, double delta)
{
    kith_bounds box = {.lower = &t->low, .upper = &t->high, .box_count = 1};
    double sum = 0;
    for (uint64_t seed = 900; seed < 900 + SEEDS; seed++) {
        kith_session *s = open_session(load(t->rows, t->n, t->d, box), epsilon,
                                       delta, KITH_ADD_REMOVE, 1, seed);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = k;
        opt.method = method;
        opt.public_seed = seed;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_kmeans(s, &opt, &result, &err))
            fail_msg("%s", err.message);
        sum += cost_of(t, kith_result_centers(result, NULL, NULL), k);
        kith_result_free(result);
        kith_session_close(s);
    }
    return sum / SEEDS;
}

/* auto over the better of lloyd and one mean. */
static double compare(table t, uint32_t k, double epsilon, double delta)
{
    double mine = mean_cost(&t, k, KITH_KMEANS_AUTO, epsilon, delta);
    double lloyd = mean_cost(&t, k, KITH_KMEANS_LLOYD, epsilon, delta);
    double one = mean_cost(&t, 1, KITH_KMEANS_AUTO, epsilon, delta);
    free(t.rows);
    print_message("auto %g, lloyd %g, one mean %g\n", mine, lloyd, one);
    return mine / fmin(lloyd, one);
}

/* A few rows carry the cost, too few for any count. */
static void test_tails(void **state)
{
    (void)state;
    assert_true(compare(make_table(5000, 1, draw_pareto, 0, 1), 16, 1, 1e-6) <
                .8);
    assert_true(compare(make_table(20000, 1, draw_pareto, 0, 1), 8, 1, 0) < .9);
    /* some rows are far away: lloyd's centres must not be drawn together (1.57
     * then; 1.21 is the price of having looked) */
    assert_true(compare(make_table(50000, 2, draw_exponential, -13, 13), 50, .1,
                        0) < 1.4);
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
