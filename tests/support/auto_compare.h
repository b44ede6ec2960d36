/* Mean costs of auto, of lloyd and of one private mean on rows that a test
 * draws by itself. All seeded: the same figures in every run. */
#ifndef KITH_TEST_AUTO_COMPARE_H
#define KITH_TEST_AUTO_COMPARE_H

#include "support/make_data.h"

#include <math.h>

enum { SEEDS = 6 };

typedef struct {
    size_t n;
    uint32_t d;
    double low, high;
    double *rows;
    kith_neighbors neighbors;
} table;

typedef double draw_fn(kith_i_coins *coins);

static inline table make_table(size_t n, uint32_t d, draw_fn *draw, double low,
                               double high)
{
    table t = {
        n, d, low, high, malloc(n * d * sizeof *t.rows), KITH_ADD_REMOVE};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 3);
    assert_non_null(t.rows);
    for (size_t i = 0; i < n * d; i++)
        t.rows[i] = draw(&coins);
    return t;
}

/* Sum of squared distances of n rows from the nearest of k centres. */
static inline double cost_of(const double *rows, size_t n, uint32_t d,
                             const double *centers, uint32_t k)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double square = 0;
            for (uint32_t i = 0; i < d && square < best; i++)
                square += pow(rows[r * d + i] - centers[j * d + i], 2);
            best = fmin(best, square);
        }
        sum += best;
    }
    return sum;
}

/* One seeded run; free it (kith_result_free). */
static inline kith_result *run_once(const table *t, uint32_t k,
                                    kith_kmeans_method method, double epsilon,
                                    double delta, uint64_t seed)
{
    kith_bounds box = {.lower = &t->low, .upper = &t->high, .box_count = 1};
    kith_session *s = open_session(load(t->rows, t->n, t->d, box), epsilon,
                                   delta, t->neighbors, 1, seed);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = method;
    opt.public_seed = seed;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

static inline double run_cost(const table *t, uint32_t k,
                              kith_kmeans_method method, double epsilon,
                              double delta, uint64_t seed)
{
    kith_result *r = run_once(t, k, method, epsilon, delta, seed);
    double cost =
        cost_of(t->rows, t->n, t->d, kith_result_centers(r, NULL, NULL), k);
    kith_result_free(r);
    return cost;
}

/* Mean cost over some seeds. */
static inline double mean_cost(const table *t, uint32_t k,
                               kith_kmeans_method method, double epsilon,
                               double delta)
{
    double sum = 0;
    for (uint64_t seed = 900; seed < 900 + SEEDS; seed++)
        sum += run_cost(t, k, method, epsilon, delta, seed);
    return sum / SEEDS;
}

/* auto over one mean: what it must never do worse than, beyond the resolution
 * of one selection (docs/auto.md). */
static inline double against_mean(table t, uint32_t k, double epsilon,
                                  double delta)
{
    double mine = mean_cost(&t, k, KITH_KMEANS_AUTO, epsilon, delta);
    double one = mean_cost(&t, 1, KITH_KMEANS_AUTO, epsilon, delta);
    free(t.rows);
    print_message("auto %g, one mean %g\n", mine, one);
    return mine / one;
}

/* auto over the better of lloyd and one mean. */
static inline double compare(table t, uint32_t k, double epsilon, double delta)
{
    double mine = mean_cost(&t, k, KITH_KMEANS_AUTO, epsilon, delta);
    double lloyd = mean_cost(&t, k, KITH_KMEANS_LLOYD, epsilon, delta);
    double one = mean_cost(&t, 1, KITH_KMEANS_AUTO, epsilon, delta);
    free(t.rows);
    print_message("auto %g, lloyd %g, one mean %g\n", mine, lloyd, one);
    return mine / fmin(lloyd, one);
}

#endif
