/* Advice: the largest k that makes sense follows the documented rule and falls
 * with the budget, rows and bounds; distinct centres are counted against a
 * naive comparison. */
#include <math.h>

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
    assert_int_equal(kith_kmeans_plan(rows, d, 0, &b, &p, &opt, &plan, NULL),
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
    double calm = floor(K * .25 * r->reach / r->noise);
    print_message("%u groups, by the noise %g\n", r->carried, calm);
    assert_int_equal(kith_result_sensible_clusters(r),
                     fmax(1, fmin(calm, r->carried)));
    assert_true(kith_result_sensible_clusters(r) < K);
    r->noise = r->reach / 1000; /* of itself no reason to warn */
    assert_int_equal(kith_result_sensible_clusters(r), r->carried);
    r->carried = 0;
    assert_true(kith_result_sensible_clusters(r) > K);
    kith_result_free(r);
    kith_session_close(s);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_fewer_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
