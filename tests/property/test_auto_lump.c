/* auto on two lumps, one of them a twentieth of the rows and far away: a
 * histogram whose noise hides the small one must not make auto clip it. Seeded,
 * so there are no false alarms. */
#include "support/make_data.h"

#include <math.h>

enum { D = 2, FAR_EVERY = 20, SEEDS = 4 };

static double *make_lumps(size_t n)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 7, 9);
    double *rows = malloc(n * D * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n * D; i++)
        rows[i] =
            i / D % FAR_EVERY ? .1 + .01 * kith_i_coins_normal(&coins) : .95;
    return rows;
}

/* Sum of squared distances from the nearest of k centres. */
static double cost_of(const double *rows, size_t n, const double *centers,
                      uint32_t k)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double square = 0;
            for (uint32_t i = 0; i < D; i++)
                square += pow(rows[r * D + i] - centers[j * D + i], 2);
            best = fmin(best, square);
        }
        sum += best;
    }
    return sum;
}

/* Mean cost over some seeds, relative to that of the exact mean. */
static double relative_cost(size_t n, uint32_t k, double epsilon, double delta)
{
    static const double low = 0, high = 1;
    kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
    double *rows = make_lumps(n), mean[D] = {0}, sum = 0;
    for (size_t i = 0; i < n * D; i++)
        mean[i % D] += rows[i] / (double)n;
    for (uint64_t seed = 500; seed < 500 + SEEDS; seed++) {
        kith_session *s = open_session(load(rows, n, D, box), epsilon, delta,
                                       KITH_ADD_REMOVE, 1, seed);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = k;
        opt.public_seed = seed;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_kmeans(s, &opt, &result, &err))
            fail_msg("%s", err.message);
        sum += cost_of(rows, n, kith_result_centers(result, NULL, NULL), k);
        kith_result_free(result);
        kith_session_close(s);
    }
    double one = cost_of(rows, n, mean, 1);
    free(rows);
    return sum / SEEDS / one;
}

/* One mean of so many rows is all but exact. */
static void test_one_mean(void **state)
{
    (void)state;
    assert_true(relative_cost(10000, 1, 1, 1e-6) < 1.005);
    assert_true(relative_cost(10000, 1, 1, 0) < 1.005);
    assert_true(relative_cost(50000, 1, .1, 1e-6) < 1.005);
}

/* Both lumps are found, where they are. */
static void test_two_lumps(void **state)
{
    (void)state;
    assert_true(relative_cost(50000, 2, .1, 0) < .02);
    assert_true(relative_cost(2000, 2, 1, 1e-6) < .05);
    assert_true(relative_cost(2000, 2, 1, 0) < .05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_mean),
                                       cmocka_unit_test(test_two_lumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
