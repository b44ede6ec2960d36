/* Advice: the largest k that makes sense follows the documented rule and falls
 * with the budget, rows and bounds; distinct centres are counted against a
 * naive comparison. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_i.h"
#include "support/make_data.h"

static uint32_t sensible(uint64_t rows, uint32_t d, double epsilon,
                         double delta, uint32_t k, double *noise)
{
    kith_bounds b = {.radius = 2};
    kith_privacy p = {epsilon, delta, KITH_ADD_REMOVE};
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = KITH_KMEANS_LLOYD;
    kith_result *plan = NULL;
    assert_int_equal(kith_kmeans_plan(&(kith_shape){rows, d, 0, 0}, &b, &p,
                                      &opt, &plan, NULL),
                     KITH_OK);
    uint32_t most = kith_result_sensible_clusters(plan);
    *noise = kith_result_noise(plan);
    assert_int_equal(kith_result_distinct_centers(plan), 0);
    kith_result_free(plan);
    return most;
}

static void test_rule(void **state)
{
    (void)state;
    double noise;
    for (int pure = 0; pure < 2; pure++)
        for (uint32_t k = 1; k < 100; k *= 7) {
            uint32_t most = sensible(20000, 10, 1, pure ? 0 : 1e-6, k, &noise);
            /* radius 2: a quarter is .5 */
            double want = fmax(1, floor(k * .5 / noise));
            assert_true(fabs(most - want) <= 1 + want * 1e-3);
            /* the rule is its own fixed point: at `most` it is not exceeded */
            double then;
            sensible(20000, 10, 1, pure ? 0 : 1e-6, most, &then);
            assert_true(then <= .5 * 1.01);
        }
    uint32_t base = sensible(20000, 10, 1, 0, 16, &noise);
    assert_true(sensible(2000, 10, 1, 0, 16, &noise) < base);
    assert_true(sensible(20000, 100, 1, 0, 16, &noise) < base);
    assert_true(sensible(20000, 10, .1, 0, 16, &noise) < base);
    assert_int_equal(sensible(10, 1000, .01, 0, 16, &noise), 1);
}

static void test_distinct(void **state)
{
    (void)state;
    double rows[2] = {0, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 0);
        kith_session *s = open_session(load(rows, 1, 2, unit_box()), 1, 0,
                                       KITH_ADD_REMOVE, 1, 1);
        const kith_i_domain *domain = kith_i_session_domain(s);
        enum { K = 12 };
        kith_result *r = kith_i_result_new(K, domain);
        for (int i = 0; i < K * 2; i++) {
            r->centers[i] = (double)kith_i_coins_below(&coins, 3) - 1;
            if (r->centers[i] == 0 && i % 3 == 0)
                r->centers[i] = -0.0; /* the same point */
        }
        uint32_t naive = 0;
        for (int a = 0; a < K; a++) {
            int first = 1;
            for (int b = 0; b < a; b++)
                first &= r->centers[2 * a] != r->centers[2 * b] ||
                         r->centers[2 * a + 1] != r->centers[2 * b + 1];
            naive += (uint32_t)first;
        }
        assert_int_equal(kith_i_result_advise(r, domain, NULL), KITH_OK);
        assert_int_equal(kith_result_distinct_centers(r), naive);
        kith_result_free(r);
        kith_session_close(s);
    }
}

/* Rows without clusters, as many as leave room for a few groups only: pure auto
 * makes k centres from those, and says so even where each group's noise is
 * calm. */
static void test_fewer_groups(void **state)
{
    (void)state;
    enum { N = 2000, D = 30, K = 40 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    double *rows = malloc(N * D * sizeof *rows);
    for (size_t i = 0; i < N * D; i++)
        rows[i] = 2 * kith_i_coins_unit(&coins) - 1;
    kith_session *s =
        open_session(load(rows, N, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    kith_result *r = NULL;
    assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
    assert_in_range(r->carried, 1, K - 1);
    print_message("%u groups, by the noise %g\n", r->carried, r->room);
    assert_int_equal(kith_result_sensible_clusters(r),
                     fmax(1, floor(fmin(r->room, r->carried))));
    assert_true(kith_result_sensible_clusters(r) < K);
    r->room = 1000; /* of itself no reason to warn */
    assert_int_equal(kith_result_sensible_clusters(r), r->carried);
    r->carried = 0;
    assert_true(kith_result_sensible_clusters(r) > K);
    kith_result_free(r);
    kith_session_close(s);
    free(rows);
}

/* The default: the advice does not depend on the k that was asked for, so that
 * who follows it gets no other; the noise grows like k. By hand: n/(2 sqrt(d))
 * over the noise of a sum of vectors of length 1 with a tenth of the budget. */
static void test_auto_plan(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows;
        uint32_t d;
        double epsilon, delta;
    } all[] = {{3000, 2, 1, 1e-6},
               {10000, 100, .1, 1e-6},
               {10000, 100, .1, 0},
               {3000, 20, 1, 0},
               {50, 2, 100, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kith_bounds b = {.radius = 2};
        kith_privacy p = {all[i].epsilon, all[i].delta, KITH_ADD_REMOVE};
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        uint32_t first = 0;
        double noise = 0;
        for (opt.clusters = 64; opt.clusters <= 1024; opt.clusters *= 4) {
            kith_result *plan = NULL;
            assert_int_equal(
                kith_kmeans_plan(&(kith_shape){all[i].rows, all[i].d, 0, 0}, &b,
                                 &p, &opt, &plan, NULL),
                KITH_OK);
            uint32_t most = kith_result_sensible_clusters(plan);
            assert_in_range(most, 1, all[i].rows);
            assert_int_equal(most, first ? first : most);
            assert_true(kith_result_noise(plan) > 1.3 * noise);
            first = most;
            noise = kith_result_noise(plan);
            kith_result_free(plan);
        }
        double mu;
        if (i == 0) {
            assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
            assert_int_equal(first, floor(3000 * mu * sqrt(.1 / 2) / 2));
        }
    }
}

/* Weights of a run are sizes of parts of the rows: they add up to the noisy
 * number of rows, whatever k; and the advice is not more than that. */
static void test_weights_add_up(void **state)
{
    (void)state;
    enum { N = 3000, D = 20 };
    static const struct {
        uint32_t k;
        kith_kmeans_method method;
        double delta, slack; /* false alarms: < 1e-6 */
    } all[] = {{64, KITH_KMEANS_AUTO, 0, 1400},
               {1000, KITH_KMEANS_AUTO, 0, 1400},
               {1000, KITH_KMEANS_AUTO, 1e-6, 410},
               {64, KITH_KMEANS_LLOYD, 1e-6, 900},
               {64, KITH_KMEANS_BALCAN, 1e-6, 300}};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 6, 0);
    double *rows = malloc(N * D * sizeof *rows);
    for (size_t i = 0; i < N * D; i++)
        rows[i] = 2 * kith_i_coins_unit(&coins) - 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kith_session *s = open_session(load(rows, N, D, unit_box()), 1,
                                       all[i].delta, KITH_ADD_REMOVE, 1, 1);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = all[i].k;
        opt.method = all[i].method;
        kith_result *r = NULL;
        assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
        double sum = 0;
        for (uint32_t j = 0; j < all[i].k; j++) {
            assert_true(r->weights[j] >= 0);
            sum += r->weights[j];
        }
        print_message("%u clusters: %g rows, %u sensible\n", all[i].k, sum,
                      kith_result_sensible_clusters(r));
        assert_true(fabs(sum - N) < all[i].slack);
        assert_true(fabs(sum - r->rows) < 1e-6 * N);
        assert_true(kith_result_sensible_clusters(r) < 64);
        kith_result_free(r);
        kith_session_close(s);
    }
    free(rows);
}

/* The nearest sizes, not shares of the noise: by hand. */
static void test_weights_settle(void **state)
{
    (void)state;
    static const double given[3][4] = {
        {100, 12, 3, 0}, {10, 20, 0, 0}, {1e18, 1, 0, 0}};
    static const double rows[3] = {105, 60, 1};
    static const double want[3][4] = {
        {96.5, 8.5, 0, 0}, {20, 40, 0, 0}, {0, 0, 0, 0}};
    double row[2] = {0, 0};
    kith_session *s =
        open_session(load(row, 1, 2, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    const kith_i_domain *domain = kith_i_session_domain(s);
    for (int i = 0; i < 3; i++) {
        kith_result *r = kith_i_result_new(4, domain);
        memcpy(r->weights, given[i], sizeof given[i]);
        r->rows = rows[i];
        assert_int_equal(kith_i_result_advise(r, domain, NULL), KITH_OK);
        for (int j = 0; j < 4; j++)
            assert_true(fabs(r->weights[j] - want[i][j]) < 1e-9);
        kith_result_free(r);
    }
    /* a size that is just the cut: rounding must not go round in circles */
    for (int i = 1; i < 2000; i++) {
        kith_result *r = kith_i_result_new(2, domain);
        r->rows = i / 7.;
        r->weights[0] = i % 9 + r->rows;
        r->weights[1] = i % 9;
        assert_int_equal(kith_i_result_advise(r, domain, NULL), KITH_OK);
        assert_true(fabs(r->weights[0] - r->rows) < 1e-9);
        assert_true(r->weights[1] >= 0 && r->weights[1] < 1e-9);
        kith_result_free(r);
    }
    kith_session_close(s);
}

/* A budget that says nothing: one cluster, whatever the noise adds up to. */
static void test_no_budget(void **state)
{
    (void)state;
    double rows[200];
    for (int i = 0; i < 200; i++)
        rows[i] = i % 7 / 7.;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        kith_session *s = open_session(load(rows, 100, 2, unit_box()), 1e-9, 0,
                                       KITH_ADD_REMOVE, 1, seed);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = 500;
        opt.method = KITH_KMEANS_LLOYD;
        kith_result *r = NULL;
        assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
        assert_in_range(kith_result_sensible_clusters(r), 1, 4);
        kith_result_free(r);
        kith_session_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_fewer_groups),
        cmocka_unit_test(test_auto_plan),
        cmocka_unit_test(test_weights_add_up),
        cmocka_unit_test(test_weights_settle),
        cmocka_unit_test(test_no_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
