/* The default for sparse rows: the profile against a naive sum, its noise; a
 * session that looks at some features against one on rows cut to them; whole
 * runs: planted topics are found, centres are sparse, spend and plan agree,
 * threads and order do not matter. */
#include <math.h>

#include "cluster/cluster_i.h"
#include "dp/dp_i.h"
#include "release/release_features.h"
#include "support/sparse_data.h"

enum { D = 300, N = 900, K = 3, WORDS = 5 };

static double *make_topics(uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 5);
    double *rows = calloc((size_t)N * D, sizeof *rows);
    for (int r = 0; r < N; r++) {
        double *x = rows + (size_t)r * D;
        for (int t = 0; t < WORDS; t++)
            x[100 + r % K * WORDS + t] = .3 + .02 * t;
        for (int t = 0; t < 6; t++)
            x[kith_i_coins_below(&coins, 100)] = .2;
    }
    return rows;
}

static kith_bounds bounds_of(int box)
{
    static const double zero = 0, one = 1;
    kith_bounds b = {.radius = 1, .sparsity = 16};
    if (box) {
        b.lower = &zero;
        b.upper = &one;
        b.box_count = 1;
    }
    return b;
}

static void test_profile(void **state)
{
    (void)state;
    double *rows = make_topics(1);
    for (int pure = 0; pure < 2; pure++)
        for (int dense = 0; dense < 2; dense++) {
            kith_dataset *data = dense ? load(rows, N, D, bounds_of(0))
                                       : load_sparse(rows, N, D, bounds_of(0));
            kith_session *s = open_session(data, 4096, pure ? 0 : 1e-3,
                                           KITH_ADD_REMOVE, 2, 1);
            int64_t sums[D];
            double sd = 0, want[D] = {0};
            assert_int_equal(kith_i_release_profile(s, "profile",
                                                    kith_i_session_left(s),
                                                    sums, &sd, NULL),
                             KITH_OK);
            assert_true(kith_i_session_left(s) == 0 && sd > 0);
            for (int r = 0; r < N; r++) {
                double l1 = 0, l2 = 0;
                for (int i = 0; i < D; i++) {
                    double v = rows[r * D + i];
                    l1 += fabs(v);
                    l2 += v * v;
                }
                for (int i = 0; i < D; i++)
                    want[i] += rows[r * D + i] * KITH_I_PROFILE_NORM /
                               (pure ? l1 : sqrt(l2));
            }
            /* truncation costs up to 2 a row; the noise 8 deviations */
            for (int i = 0; i < D; i++)
                assert_true(fabs((double)sums[i] - want[i]) <=
                            2 * N + 8 * sd + 1);
            kith_session_close(s);
        }
    free(rows);
}

/* No row is longer than the norm it is charged for, whatever it is. */
static void test_profile_bound(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (int run = 0; run < 60; run++) {
        enum { W = 30 };
        double row[W];
        double size = pow(2, -14 * kith_i_coins_unit(&coins));
        for (int i = 0; i < W; i++)
            row[i] = (kith_i_coins_unit(&coins) * 2 - 1) * size;
        for (int pure = 0; pure < 2; pure++) {
            kith_session *s =
                open_session(load(row, 1, W, unit_box()), 4096, pure ? 0 : .5,
                             KITH_ADD_REMOVE, 1, (uint64_t)run);
            int64_t sums[W];
            double sd, norm = 0;
            assert_int_equal(kith_i_release_profile(s, "profile",
                                                    kith_i_session_left(s),
                                                    sums, &sd, NULL),
                             KITH_OK);
            for (int i = 0; i < W; i++)
                norm += pure ? fabs((double)sums[i])
                             : (double)sums[i] * (double)sums[i];
            norm = pure ? norm : sqrt(norm);
            assert_true(norm <= KITH_I_PROFILE_NORM + W * 10 * sd);
            assert_true(norm >= KITH_I_PROFILE_NORM * .5 - W * 10 * sd);
            kith_session_close(s);
        }
    }
}

/* How far a row moves the difference of two scores, in bounds of an entry: by
 * adjacency, and whether entries can be negative. */
static void test_price_of_features(void **state)
{
    (void)state;
    static const double times[2][2] = {{1, 2}, {2, 4}}; /* replace, signed */
    static const double low[2] = {0, -1}, high = 1;
    enum { W = 6, BOUND = 700 };
    double row[W] = {.1, .2, .3, .4, .5, .6};
    for (int mode = 0; mode < 4; mode++) {
        int replace = mode / 2, negative = mode % 2;
        kith_bounds box = {
            .lower = &low[negative],
            .upper = &high,
            .box_count = 1,
            .sparsity = 3}; /* the origin is 0: the lattice keeps the sign */
        kith_session *s =
            open_session(load(row, 1, W, box), 1, 0,
                         replace ? KITH_REPLACE_ONE : KITH_ADD_REMOVE, 1, 1);
        kith_i_features_spec spec = {.what = "features",
                                     .cells = 1,
                                     .picks = 2,
                                     .bound = BOUND,
                                     .charge = kith_i_session_left(s)};
        uint32_t out[2];
        kith_receipt *list;
        size_t count;
        assert_int_equal(
            kith_i_release_features(s, &(kith_i_ask){0}, &spec, out, NULL),
            KITH_OK);
        assert_int_equal(kith_i_session_receipts(s, &list, &count, NULL),
                         KITH_OK);
        double step = kith_i_domain_step(kith_i_session_domain(s));
        /* each of two picks has half of epsilon = 1 */
        double want = times[replace][negative] * BOUND * step / 0.5;
        assert_int_equal(count, 1);
        assert_true(fabs(list[0].scale / want - 1) < 1e-9);
        assert_true(fabs(list[0].sensitivity / (2 * want * 0.5) - 1) < 1e-9);
        kith_i_free((void *)(uintptr_t)list[0].what);
        kith_i_free(list);
        kith_session_close(s);
    }
}

/* Sums of a focused session are those of the rows cut to the features. */
static void test_focus(void **state)
{
    (void)state;
    static const uint32_t features[3] = {2, 101, 114};
    double *rows = make_topics(2);
    kith_session *s = open_session(load_sparse(rows, N, D, bounds_of(1)), 4096,
                                   0, KITH_ADD_REMOVE, 2, 1);
    const kith_i_domain *whole = kith_i_session_domain(s);
    const kith_i_view *view;
    assert_int_equal(kith_i_view_features(s, features, 3, &view, NULL),
                     KITH_OK);
    kith_i_session_focus(s, view);
    const kith_i_domain *m = kith_i_session_domain(s);
    assert_int_equal(m->dimension, 3);
    assert_true(m->low_q[0] == 0 && m->sparsity == 3 && !m->sparse);
    assert_true((double)m->l2_squared * ldexp(1, -2 * m->scale_log2) <= 1.0001);
    kith_i_cells_spec spec = {.what = "sums",
                              .cells = 1,
                              .width = 3,
                              .sum_charge = kith_i_session_left(s)};
    kith_i_cells cells;
    assert_int_equal(
        kith_i_release_cells(s, &(kith_i_ask){0}, &spec, &cells, NULL),
        KITH_OK);
    for (int j = 0; j < 3; j++) {
        double want = 0;
        for (int r = 0; r < N; r++)
            want += rows[r * D + (int)features[j]];
        assert_true(fabs(ldexp((double)cells.sums[j], -m->scale_log2) - want) <
                    .1 + want * .001);
    }
    kith_i_cells_free(&cells);
    kith_i_session_focus(s, NULL);
    assert_ptr_equal(kith_i_session_domain(s), whole);
    kith_i_session_focus(s, view); /* closing puts it right */
    kith_session_close(s);
    free(rows);
}

static kith_result *cluster(kith_dataset *data, kith_privacy p,
                            uint32_t threads)
{
    kith_session *s =
        open_session(data, p.epsilon, p.delta, p.neighbors, threads, 5);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_kmeans(s, &opt, &result, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return result;
}

static void test_runs(void **state)
{
    (void)state;
    double *rows = make_topics(3), *turned = malloc(sizeof(double) * N * D);
    for (int r = 0; r < N; r++)
        memcpy(turned + (size_t)r * D, rows + (size_t)(N - 1 - r) * D,
               D * sizeof *rows);
    for (int mode = 0; mode < 4; mode++) {
        kith_privacy p = {4, mode & 1 ? 1e-6 : 0,
                          mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_result *a = cluster(load_sparse(rows, N, D, bounds_of(1)), p, 1);
        kith_result *b = cluster(load_sparse(turned, N, D, bounds_of(1)), p, 3);
        const double *c = kith_result_centers(a, NULL, NULL);
        assert_memory_equal(c, kith_result_centers(b, NULL, NULL),
                            sizeof(double) * K * D);
        int entries = 0;
        for (int i = 0; i < K * D; i++)
            entries += c[i] != 0;
        assert_true(entries > 0 && entries <= K * 64);
        /* cost of the rows against that of one mean and of the topics */
        double cost = 0, single = 0, mean[D] = {0};
        for (int r = 0; r < N; r++)
            for (int i = 0; i < D; i++)
                mean[i] += rows[r * D + i] / N;
        for (int r = 0; r < N; r++) {
            double best = HUGE_VAL;
            for (int j = 0; j < K; j++) {
                double s = 0;
                for (int i = 0; i < D; i++)
                    s += pow(rows[r * D + i] - c[j * D + i], 2);
                best = fmin(best, s);
            }
            cost += best;
            for (int i = 0; i < D; i++)
                single += pow(rows[r * D + i] - mean[i], 2);
        }
        assert_true(cost < (p.delta > 0 ? .6 : .85) * single);
        kith_result_free(a);
        kith_result_free(b);
    }
    free(rows);
    free(turned);
}

static void test_plan(void **state)
{
    (void)state;
    kith_bounds bounds = bounds_of(1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    for (int pure = 0; pure < 2; pure++) {
        kith_privacy p = {1, pure ? 0 : 1e-6, KITH_ADD_REMOVE};
        kith_result *plan = NULL;
        assert_int_equal(kith_kmeans_plan(&(kith_shape){N, D, 1, 0}, &bounds,
                                          &p, &opt, &plan, NULL),
                         KITH_OK);
        kith_receipt first;
        kith_result_receipt(plan, 0, &first);
        assert_string_equal(first.what, "profile of all rows");
        double total = 0, mu = 0;
        for (size_t i = 0; i < kith_result_receipt_count(plan); i++) {
            kith_receipt r;
            kith_result_receipt(plan, i, &r);
            total += pure ? r.loss : r.loss * r.loss;
        }
        assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
        assert_true(total <= (pure ? 1 : mu * mu) * (1 + 1e-12));
        assert_true(total >= (pure ? 1 : mu * mu) * .9);
        kith_result_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_profile_bound),
        cmocka_unit_test(test_price_of_features),
        cmocka_unit_test(test_focus),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
