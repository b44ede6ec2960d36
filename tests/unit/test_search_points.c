/* k-means of weighted points: against all partitions of a few points, on
 * clusters that one start misses, and for any number of threads. */
#include "solver/search_points.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

enum { N = 9, D = 2, K = 3 };

/* Cost of a partition given as digits of code to the base K. */
static double cost_of_code(const kith_i_points *p, uint32_t code)
{
    double sum[K][D] = {{0}}, mass[K] = {0}, square = 0;
    for (uint32_t i = 0; i < N; i++, code /= K) {
        mass[code % K] += p->weights[i];
        for (int a = 0; a < D; a++) {
            double x = p->coords[i * D + (uint32_t)a];
            sum[code % K][a] += p->weights[i] * x;
            square += p->weights[i] * x * x;
        }
    }
    for (int j = 0; j < K; j++)
        for (int a = 0; mass[j] > 0 && a < D; a++)
            square -= sum[j][a] * sum[j][a] / mass[j];
    return square;
}

static double cost_of_centers(const kith_i_points *p, uint32_t k,
                              const double *centers)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        double square;
        (void)kith_i_nearest(p->coords + (size_t)i * p->d, centers, k, p->d,
                             &square);
        sum += p->weights[i] * square;
    }
    return sum;
}

static void test_all_partitions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double coords[N * D], weights[N], centers[K * D], best = HUGE_VAL;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 1);
        for (int i = 0; i < N * D; i++)
            coords[i] = kith_i_coins_normal(&coins);
        for (int i = 0; i < N; i++)
            weights[i] = 1 + 3 * kith_i_coins_unit(&coins);
        kith_i_points points = {coords, weights, N, D};
        for (uint32_t code = 0; code < 19683; code++) /* 3^9 */
            best = fmin(best, cost_of_code(&points, code));
        kith_i_search search = {K, 8, 4, 1, 1};
        assert_int_equal(
            kith_i_search_points(&points, &search, &coins, centers, NULL),
            KITH_OK);
        double found = cost_of_centers(&points, K, centers);
        assert_true(found >= best * (1 - 1e-9));
        assert_true(found <= best * (1 + 1e-9));
    }
}

/* Forty tight clusters: every one has its centre. One start without swaps
 * misses some, as was seen. */
static void test_clusters(void **state)
{
    (void)state;
    enum { CLUSTERS = 40, EACH = 5, POINTS = CLUSTERS * EACH };
    static double coords[POINTS * D], weights[POINTS], centers[CLUSTERS * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    for (uint32_t i = 0; i < POINTS; i++) {
        weights[i] = 1;
        coords[i * D] = i % CLUSTERS % 8 + .01 * kith_i_coins_normal(&coins);
        coords[i * D + 1] =
            i % CLUSTERS / 8 + .01 * kith_i_coins_normal(&coins);
    }
    kith_i_points points = {coords, weights, POINTS, D};
    kith_i_search search = {CLUSTERS, 3, 4, 1, 1};
    assert_int_equal(
        kith_i_search_points(&points, &search, &coins, centers, NULL), KITH_OK);
    assert_true(cost_of_centers(&points, CLUSTERS, centers) <
                2 * POINTS * D * 1e-4);
}

static void test_threads(void **state)
{
    (void)state;
    enum { POINTS = 500, MANY = 12 };
    static double coords[POINTS * D], weights[POINTS];
    double first[MANY * D], now[MANY * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 1);
    for (int i = 0; i < POINTS * D; i++)
        coords[i] = kith_i_coins_normal(&coins);
    for (int i = 0; i < POINTS; i++)
        weights[i] = kith_i_coins_unit(&coins);
    kith_i_points points = {coords, weights, POINTS, D};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        kith_i_search search = {MANY, 5, 2, 1, threads};
        kith_i_coins same;
        kith_i_coins_seed(&same, 5, 1);
        assert_int_equal(kith_i_search_points(&points, &search, &same,
                                              threads > 1 ? now : first, NULL),
                         KITH_OK);
        if (threads > 1)
            assert_memory_equal(first, now, sizeof first);
    }
}

/* Every point is a centre. */
static void test_few_points(void **state)
{
    (void)state;
    const double coords[] = {1, 2, 3, 4}, weights[] = {1, 1};
    double centers[5 * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 1);
    kith_i_points points = {coords, weights, 2, D};
    kith_i_search search = {5, 3, 3, 1, 2};
    assert_int_equal(
        kith_i_search_points(&points, &search, &coins, centers, NULL), KITH_OK);
    assert_true(cost_of_centers(&points, 5, centers) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_partitions), cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_few_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
