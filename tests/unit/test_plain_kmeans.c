/* Non-private k-means: a fixed point of Lloyd, the same for every number of
 * threads and for dense and sparse storage, and sane in the corners. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base_i.h"
#include "kith/kith.h"
#include "plain/plain_i.h"

static const double minus_one = -1, one = 1;
static const kith_bounds unit_box = {
    .lower = &minus_one, .upper = &one, .box_count = 1};

/* k blobs in [-1,1]^d, row r in blob r % k. */
static double *make_blobs(uint64_t seed, size_t n, uint32_t d, uint32_t k,
                          double spread)
{
    kith_i_coins coins;
    double *x = malloc(n * d * sizeof *x);
    double *middle = malloc(k * d * sizeof *middle);
    kith_i_coins_seed(&coins, seed, 7);
    for (size_t i = 0; i < (size_t)k * d; i++)
        middle[i] = 1.4 * kith_i_coins_unit(&coins) - 0.7;
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < d; i++) {
            double v = middle[r % k * d + i] +
                       spread * (2 * kith_i_coins_unit(&coins) - 1);
            x[r * d + i] = v > 1 ? 1 : v < -1 ? -1 : v;
        }
    free(middle);
    return x;
}

static kith_dataset *make_data(const double *x, size_t n, uint32_t d)
{
    kith_dataset *data = NULL;
    kith_error err;
    assert_int_equal(kith_dataset_from_rows(x, n, d, &unit_box, &data, &err),
                     KITH_OK);
    return data;
}

static kith_result *run(const kith_dataset *data, uint32_t k, uint32_t starts,
                        uint32_t threads, uint64_t seed)
{
    kith_plain_options opt;
    kith_result *result = NULL;
    kith_plain_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.starts = starts;
    opt.threads = threads;
    opt.seed = seed;
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, NULL), KITH_OK);
    assert_string_equal(kith_result_guarantee(result), "none");
    assert_int_equal(kith_result_public_seed(result), seed);
    return result;
}

/* Cost of centres c by the book; means and sizes of the clusters. */
static double naive_round(const double *x, size_t n, uint32_t d,
                          const double *c, uint32_t k, double *means,
                          double *sizes)
{
    double cost = 0;
    memset(means, 0, k * d * sizeof *means);
    memset(sizes, 0, k * sizeof *sizes);
    for (size_t r = 0; r < n; r++) {
        double least = HUGE_VAL;
        size_t best = 0;
        for (size_t j = 0; j < k; j++) {
            double s = 0;
            for (size_t i = 0; i < d; i++)
                s += pow(x[r * d + i] - c[j * d + i], 2);
            if (s < least) {
                least = s;
                best = j;
            }
        }
        cost += least;
        sizes[best]++;
        for (size_t i = 0; i < d; i++)
            means[best * d + i] += x[r * d + i];
    }
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < d && sizes[j] > 0; i++)
            means[j * d + i] /= sizes[j];
    return cost;
}

/* Separated blobs: sizes and means exactly those of the blobs (up to the
 * lattice). */
static void test_recovers_blobs(void **state)
{
    (void)state;
    enum { N = 1500, D = 5, K = 4 };
    double *x = make_blobs(1, N, D, K, 0.02);
    kith_dataset *data = make_data(x, N, D);
    kith_result *result = run(data, K, 3, 1, 5);
    uint32_t k, d;
    const double *c = kith_result_centers(result, &k, &d);
    const double *w = kith_result_weights(result);
    double means[K * D], sizes[K], blob[K * D] = {0};
    assert_int_equal(k, K);
    assert_int_equal(d, D);
    for (size_t r = 0; r < N; r++)
        for (size_t i = 0; i < D; i++)
            blob[r % K * D + i] += x[r * D + i] / (N / K);
    naive_round(x, N, D, c, K, means, sizes);
    for (int j = 0; j < K; j++) {
        int found = 0;
        assert_true(w[j] == N / K && sizes[j] == N / K);
        for (int b = 0; b < K; b++) {
            double s = 0;
            for (int i = 0; i < D; i++)
                s = fmax(s, fabs(c[j * D + i] - blob[b * D + i]));
            found += s < 2 * kith_dataset_step(data);
        }
        assert_int_equal(found, 1);
    }
    kith_result_free(result);
    kith_dataset_free(data);
    free(x);
}

/* Overlapping blobs: no row-by-row answer to compare with, but Lloyd by the
 * book must not find anything left to gain beyond the lattice's rounding; and
 * six starts are never worse than the first of them, and sometimes better. */
static void test_fixed_point_and_starts(void **state)
{
    (void)state;
    enum { N = 1000, D = 6, K = 8 };
    double *x = make_blobs(2, N, D, K, 0.6);
    kith_dataset *data = make_data(x, N, D);
    double means[K * D], sizes[K], cost[2];
    double slack = 4 * kith_dataset_step(data);
    int better = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        for (uint32_t t = 0; t < 2; t++) {
            kith_result *result = run(data, K, t ? 6 : 1, 1, seed);
            const double *c = kith_result_centers(result, NULL, NULL);
            cost[t] = naive_round(x, N, D, c, K, means, sizes);
            for (size_t i = 0; i < (size_t)K * D; i++)
                assert_true(fabs(means[i] - c[i]) < slack);
            assert_true(kith_result_rounds(result) > 1);
            kith_result_free(result);
        }
        assert_true(cost[1] <= cost[0] * (1 + 1e-6));
        better += cost[1] < cost[0] * (1 - 1e-4);
    }
    assert_true(better > 0);
    kith_dataset_free(data);
    free(x);
}

/* Three centres on one spot: the two that have no rows go to the two farthest
 * rows, the exact cost is that of the centres before. */
static void test_empty_clusters_move(void **state)
{
    (void)state;
    const double x[4] = {0, 0.25, -0.5, 0.125};
    kith_dataset *data = make_data(x, 4, 1);
    double step = kith_dataset_step(data);
    kith_i_plain_run r = {.data = data,
                          .n = 4,
                          .k = 3,
                          .d = 1,
                          .workers = 2,
                          .candidates = kith_i_seed_candidates(3),
                          .centers = {.k = 3, .d = 1}};
    kith_i_u128 cost = 0;
    assert_true(kith_i_plain_alloc(&r));
    kith_i_plain_measure(&r);
    kith_i_centers_set(&r.centers, r.real); /* zeros */
    assert_true(kith_i_plain_round(&r, &cost));
    assert_true((double)cost * step * step == 0.0625 + 0.25 + 0.015625);
    assert_true(r.real[0] * step == -0.03125);
    assert_true(r.real[1] * step == -0.5 && r.real[2] * step == 0.25);
    assert_true(r.counts[0] == 4 && r.counts[1] == 0 && r.counts[2] == 0);
    assert_true(kith_i_plain_round(&r, &cost));
    assert_false(kith_i_plain_round(&r, &cost)); /* settled */
    assert_true(r.real[0] == 0 && r.real[2] * step == 0.1875);
    assert_true(r.counts[0] == 1 && r.counts[1] == 1 && r.counts[2] == 2);
    assert_true((double)cost * step * step == 2 * 0.00390625);
    kith_i_plain_free(&r);
    kith_dataset_free(data);
}

static void assert_same(const kith_result *a, const kith_result *b)
{
    uint32_t k, d;
    const double *ca = kith_result_centers(a, &k, &d);
    const double *cb = kith_result_centers(b, NULL, NULL);
    assert_memory_equal(ca, cb, k * d * sizeof *ca);
    assert_memory_equal(kith_result_weights(a), kith_result_weights(b),
                        k * sizeof *ca);
    assert_int_equal(kith_result_rounds(a), kith_result_rounds(b));
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    enum { N = 5000, D = 9, K = 12 };
    double *x = make_blobs(3, N, D, K, 0.5);
    kith_dataset *data = make_data(x, N, D);
    kith_result *first = run(data, K, 2, 1, 99);
    for (uint32_t threads = 2; threads <= 5; threads++) {
        kith_result *other = run(data, K, 2, threads, 99);
        assert_same(first, other);
        kith_result_free(other);
    }
    kith_result *other = run(data, K, 1, 1, 100);
    const double *a = kith_result_centers(first, NULL, NULL);
    const double *b = kith_result_centers(other, NULL, NULL);
    assert_memory_not_equal(a, b, K * D * sizeof *a); /* the seed matters */
    kith_result_free(other);
    kith_result_free(first);
    kith_dataset_free(data);
    free(x);
}

static void test_sparse_is_dense(void **state)
{
    (void)state;
    enum { N = 1200, D = 40, K = 5 };
    double *x = make_blobs(4, N, D, K, 0.3);
    char path[] = "/tmp/kith_plain_XXXXXX.svm";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    for (size_t r = 0; r < N; r++) {
        fprintf(f, "0");
        for (size_t i = 0; i < D; i++) {
            if ((r * 7 + i * 3) % 4)
                x[r * D + i] = 0;
            else
                fprintf(f, " %zu:%.17g", i + 1, x[r * D + i]);
        }
        fprintf(f, "\n");
    }
    fclose(f);
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.dimension = D;
    const char *paths[] = {path};
    kith_dataset *sparse = NULL, *dense = make_data(x, N, D);
    kith_error err;
    assert_int_equal(
        kith_dataset_open(paths, 1, &source, &unit_box, &sparse, &err),
        KITH_OK);
    kith_result *a = run(dense, K, 2, 1, 3), *b = run(sparse, K, 2, 2, 3);
    assert_same(a, b);
    kith_result_free(a);
    kith_result_free(b);
    kith_dataset_free(dense);
    kith_dataset_free(sparse);
    unlink(path);
    free(x);
}

static void test_too_few_rows(void **state)
{
    (void)state;
    /* two distinct rows, five centres: every row sits on a centre */
    const double x[3 * 2] = {0.5, -0.5, 0.5, -0.5, -0.25, 0.75};
    for (size_t n = 1; n <= 3; n++) {
        kith_dataset *data = make_data(x, n, 2);
        kith_result *result = run(data, 5, 2, 1, n);
        const double *c = kith_result_centers(result, NULL, NULL);
        const double *w = kith_result_weights(result);
        double means[5 * 2], sizes[5], total = 0;
        assert_true(naive_round(x, n, 2, c, 5, means, sizes) < 1e-6);
        for (int j = 0; j < 5; j++)
            total += w[j];
        assert_true(total == (double)n);
        kith_result_free(result);
        kith_dataset_free(data);
    }
}

static void test_no_rows(void **state)
{
    (void)state;
    const double x[2] = {0, 0};
    kith_dataset *data = NULL;
    if (kith_dataset_from_rows(x, 0, 2, &unit_box, &data, NULL))
        return; /* a dataset without rows is refused earlier */
    kith_result *result = run(data, 3, 2, 2, 1);
    const double *c = kith_result_centers(result, NULL, NULL);
    for (int i = 0; i < 6; i++)
        assert_true(c[i] == 0);
    kith_result_free(result);
    kith_dataset_free(data);
}

static int stop_at_once(void *arg, unsigned done, unsigned total)
{
    unsigned *seen = arg;
    seen[0] = done;
    seen[1] = total;
    return 1;
}

static void test_refusals(void **state)
{
    (void)state;
    double *x = make_blobs(5, 100, 3, 3, 0.5);
    kith_dataset *data = make_data(x, 100, 3);
    kith_result *result = (kith_result *)x;
    kith_plain_options opt;
    kith_error err;
    unsigned seen[2] = {0, 0};
    kith_plain_options_init(&opt, sizeof opt);
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, &err),
                     KITH_ERR_ARGUMENT); /* no clusters */
    assert_null(result);
    opt.clusters = 3;
    opt.starts = 4;
    opt.max_rounds = 50;
    opt.progress = stop_at_once;
    opt.progress_arg = seen;
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, &err),
                     KITH_ERR_CANCELLED);
    assert_null(result);
    assert_int_equal(seen[1], 200);
    assert_int_equal(kith_plain_kmeans(data, NULL, &result, &err),
                     KITH_ERR_ARGUMENT);
    opt.size = 0;
    assert_int_equal(kith_plain_kmeans(data, &opt, &result, &err),
                     KITH_ERR_ARGUMENT);
    kith_dataset_free(data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers_blobs),
        cmocka_unit_test(test_fixed_point_and_starts),
        cmocka_unit_test(test_empty_clusters_move),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_sparse_is_dense),
        cmocka_unit_test(test_too_few_rows),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
