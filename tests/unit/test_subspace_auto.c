/* The default method for planes: it finds them, whatever the budget's kind and
 * the neighbours; its answers are orthonormal for every shape of data; plans
 * price what runs pay; threads do not matter. */
#include <math.h>

#include "support/make_planes.h"

typedef struct {
    double epsilon, delta;
    kith_neighbors neighbors;
    uint32_t k, q, threads;
    uint64_t seed;
    kith_bounds bounds;
} setting;

static kith_result *run(const double *rows, size_t n, uint32_t d,
                        const setting *set)
{
    kith_session *s =
        open_session(load(rows, n, d, set->bounds), set->epsilon, set->delta,
                     set->neighbors, set->threads, set->seed);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = set->k;
    opt.subspace_dimension = set->q;
    opt.public_seed = set->seed;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_subspace(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

static void check_orthonormal(const kith_result *result)
{
    uint32_t k, d, q;
    const double *b = kith_result_bases(result, &k, &d, &q);
    assert_non_null(b);
    for (uint32_t l = 0; l < k; l++)
        for (uint32_t i = 0; i < q; i++)
            for (uint32_t j = 0; j <= i; j++) {
                double dot = 0;
                for (uint32_t t = 0; t < d; t++) {
                    const double *row = b + ((size_t)l * d + t) * q;
                    dot += row[i] * row[j];
                }
                assert_true(fabs(dot - (i == j)) < 1e-9);
            }
}

static double cost_of(const double *rows, size_t n, const kith_result *result)
{
    uint32_t k, d, q;
    const double *b = kith_result_bases(result, &k, &d, &q);
    return plane_cost(rows, n, d, b, k, q);
}

/* Ratios to the planes that the rows were made of. Limits are far above what
 * was measured (docs/subspace_auto.md) and far below one plane's (> 4). */
static void test_finds_planes(void **state)
{
    (void)state;
    enum { N = 10000, D = 10, K = 3, Q = 3 };
    double truth[K * Q * D], bases[K * D * Q];
    double *rows = make_planes(N, D, K, Q, .1, 1, truth);
    for (int l = 0; l < K; l++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < Q; j++)
                bases[(l * D + i) * Q + j] = truth[(l * Q + j) * D + i];
    double best = plane_cost(rows, N, D, bases, K, Q);
    for (int mode = 0; mode < 4; mode++) {
        int pure = mode & 1;
        setting set = {pure ? 2 : 1,
                       pure ? 0 : 1e-6,
                       mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE,
                       K,
                       Q,
                       2,
                       5,
                       unit_rows()};
        double ratio = 0;
        for (set.seed = 5; set.seed < 9; set.seed++) {
            kith_result *result = run(rows, N, D, &set);
            check_orthonormal(result);
            ratio += cost_of(rows, N, result) / best / 4;
            kith_result_free(result);
        }
        print_message("mode %d: %.4f x the truth\n", mode, ratio);
        assert_true(ratio < (pure ? 1.04 : 1.02));
    }
    free(rows);
}

/* With a budget that says nothing, and with a large one. Rows of all lengths
 * (clip), zero rows, a constant column, fewer rows than kq, one, none. */
static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        uint32_t d, k, q;
    } shapes[] = {{0, 5, 2, 2},    {1, 5, 2, 2},     {7, 6, 3, 2},
                  {300, 6, 1, 2},  {300, 6, 3, 6},   {300, 6, 2, 5},
                  {300, 2, 2, 1},  {300, 1, 2, 1},   {400, 8, 9, 2},
                  {200, 90, 2, 1}, {60, 120, 3, 50}, {500, 70, 2, 3}};
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++)
        for (int mode = 0; mode < 8; mode++) {
            size_t n = shapes[t].n;
            uint32_t d = shapes[t].d;
            double *rows = make_rows(n, d, 3, t);
            for (size_t r = 0; r < n; r++) {
                rows[r * d + d / 2] = r % 5 ? rows[r * d] : 0; /* rank */
                if (r % 4 == 0)
                    memset(rows + r * d, 0, d * sizeof *rows);
            }
            setting set = {mode & 1 ? 30 : .01,
                           mode & 2 ? 1e-6 : 0,
                           mode & 4 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE,
                           shapes[t].k,
                           shapes[t].q,
                           mode % 2 ? 2 : 1,
                           t,
                           t % 2 ? unit_rows() : ball(2)};
            kith_result *result = run(rows, n, d, &set);
            check_orthonormal(result);
            kith_result_free(result);
            free(rows);
        }
}

/* q = d: the whole space, and nothing is asked of the rows. */
static void test_whole_space(void **state)
{
    (void)state;
    double *rows = make_rows(50, 4, 2, 1);
    setting set = {1, 1e-6, KITH_ADD_REMOVE, 2, 4, 1, 1, unit_rows()};
    kith_result *result = run(rows, 50, 4, &set);
    assert_int_equal(kith_result_receipt_count(result), 0);
    assert_true(cost_of(rows, 50, result) < 1e-12);
    kith_result_free(result);
    free(rows);
}

/* Threads and the order of the rows do not matter: equal bits. */
static void test_invariance(void **state)
{
    (void)state;
    enum { N = 3000, D = 12, K = 3, Q = 2 };
    double *rows = make_planes(N, D, K, Q, .05, 2, NULL);
    double *turned = malloc(N * D * sizeof *turned);
    for (size_t r = 0; r < N; r++)
        memcpy(turned + r * D, rows + (N - 1 - r) * D, D * sizeof *rows);
    for (int pure = 0; pure < 2; pure++) {
        setting set = {3, pure ? 0 : 1e-6, KITH_ADD_REMOVE, K, Q, 1,
                       9, unit_rows()};
        kith_result *a = run(rows, N, D, &set);
        set.threads = 3;
        kith_result *b = run(turned, N, D, &set);
        assert_memory_equal(kith_result_bases(a, NULL, NULL, NULL),
                            kith_result_bases(b, NULL, NULL, NULL),
                            K * Q * D * sizeof(double));
        kith_result_free(a);
        kith_result_free(b);
    }
    free(rows);
    free(turned);
}

/* Never much worse than one private plane: on rows without clusters, and where
 * the budget is too small for them. */
static void test_floor(void **state)
{
    (void)state;
    enum { N = 4000, D = 20, K = 4, Q = 2 };
    double *rows = make_planes(N, D, K, Q, .05, 3, NULL);
    double *blob = make_planes(N, D, 1, 6, .3, 4, NULL);
    for (int mode = 0; mode < 10; mode++) {
        const double *x = mode & 1 ? blob : rows;
        size_t n = mode < 8 ? N : 400; /* at last almost nothing to go by */
        setting set = {mode & 2 ? 1 : .2,
                       mode & 4 ? 0 : 1e-6,
                       KITH_REPLACE_ONE,
                       K,
                       Q,
                       2,
                       6,
                       unit_rows()};
        double many = 0, one = 0;
        for (set.seed = 0; set.seed < 6; set.seed++) {
            set.k = K;
            kith_result *a = run(x, n, D, &set);
            set.k = 1;
            kith_result *b = run(x, n, D, &set);
            many += cost_of(x, n, a) / 6;
            one += cost_of(x, n, b) / 6;
            kith_result_free(a);
            kith_result_free(b);
        }
        print_message("mode %d: %.4f, one plane %.4f\n", mode, many, one);
        assert_true(many < 1.02 * one);
    }
    free(rows);
    free(blob);
}

/* Rows that are clipped only, and shorter than the radius: what is to be seen
 * follows from their lengths. k planes are not worse than one, beyond the price
 * of choosing and the noise of 8 runs; rows that reach the radius get the whole
 * pipeline. */
static void test_short_rows(void **state)
{
    (void)state;
    enum { N = 5000, D = 10, K = 5, Q = 2, SEEDS = 8 };
    double *rows = make_planes(N, D, K, Q, .1, 4, NULL);
    double *less = malloc(sizeof *less * N * D);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 4);
    for (size_t r = 0; r < N; r++) { /* length .15, a decaying spectrum */
        double *x = less + r * D, square = 0;
        for (int i = 0; i < D; i++) {
            x[i] = pow(.7, i) * kith_i_coins_normal(&coins);
            square += x[i] * x[i];
        }
        for (int i = 0; i < D; i++)
            x[i] *= .15 / sqrt(square);
    }
    for (int mode = 0; mode < 4; mode++) {
        setting set = {
            1, mode & 1 ? 0 : 1e-6, KITH_REPLACE_ONE, K, Q, 1, 0, ball(1)};
        if (mode & 2)
            set.neighbors = KITH_ADD_REMOVE;
        double many = 0, one = 0;
        size_t count = 0;
        for (set.seed = 0; set.seed < SEEDS; set.seed++) {
            set.k = K;
            kith_result *a = run(less, N, D, &set);
            count = kith_result_receipt_count(a);
            set.k = 1;
            kith_result *b = run(less, N, D, &set);
            many += cost_of(less, N, a) / SEEDS;
            one += cost_of(less, N, b) / SEEDS;
            kith_result_free(a);
            kith_result_free(b);
        }
        set.k = K;
        set.epsilon = 8;
        kith_result *long_rows = run(rows, N, D, &set);
        print_message("mode %d: %.4f, one plane %.4f, %zu releases; %zu\n",
                      mode, many, one, count,
                      kith_result_receipt_count(long_rows));
        assert_true(many < 1.1 * one);
        assert_true(kith_result_receipt_count(long_rows) > count);
        kith_result_free(long_rows);
    }
    free(rows);
    free(less);
}

/* A plan has the receipts of the run, to the last digit, if neighbours replace
 * a row (the number of rows is then public). */
static void test_plan(void **state)
{
    (void)state;
    static const double epsilons[] = {.05, .5, 2, 40};
    enum { N = 4000, D = 12, K = 3, Q = 2 };
    double *rows = make_planes(N, D, K, Q, .05, 2, NULL);
    for (int mode = 0; mode < 8; mode++) {
        setting set = {epsilons[mode / 2],
                       mode & 1 ? 0 : 1e-6,
                       KITH_REPLACE_ONE,
                       K,
                       Q,
                       1,
                       9,
                       unit_rows()};
        kith_result *real = run(rows, N, D, &set), *plan = NULL;
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = K;
        opt.subspace_dimension = Q;
        kith_privacy privacy = {set.epsilon, set.delta, set.neighbors};
        kith_error err = {0};
        if (kith_subspace_plan(&(kith_shape){N, D, 0, 0}, &set.bounds, &privacy,
                               &opt, &plan, &err))
            fail_msg("%s", err.message);
        assert_null(kith_result_bases(plan, NULL, NULL, NULL));
        size_t count = kith_result_receipt_count(plan);
        assert_int_equal(count, kith_result_receipt_count(real));
        /* hopeless: one release; plenty: the whole pipeline */
        assert_true(mode / 2 == 0 ? count == 1 : mode / 2 < 3 || count >= 4);
        for (size_t i = 0; i < count; i++) {
            kith_receipt a, b;
            kith_result_receipt(plan, i, &a);
            kith_result_receipt(real, i, &b);
            assert_string_equal(a.what, b.what);
            assert_string_equal(a.mechanism, b.mechanism);
            assert_true(a.loss == b.loss && a.scale == b.scale &&
                        a.sensitivity == b.sensitivity);
        }
        kith_result_free(plan);
        kith_result_free(real);
    }
    free(rows);
}

static int stop_at(void *arg, unsigned done, unsigned total)
{
    assert_true(done <= total);
    return done >= *(unsigned *)arg;
}

static void test_cancel(void **state)
{
    (void)state;
    double *rows = make_planes(3000, 12, 3, 2, .05, 2, NULL);
    for (unsigned at = 1; at < 5; at++) {
        kith_session *s = open_session(load(rows, 3000, 12, unit_rows()), 3,
                                       1e-6, KITH_ADD_REMOVE, 1, 1);
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = 3;
        opt.subspace_dimension = 2;
        opt.progress = stop_at;
        opt.progress_arg = &at;
        kith_result *result = NULL;
        assert_int_equal(kith_subspace(s, &opt, &result, NULL),
                         KITH_ERR_CANCELLED);
        assert_null(result);
        kith_session_close(s);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_planes), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_whole_space),  cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_floor),        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_cancel),       cmocka_unit_test(test_short_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
