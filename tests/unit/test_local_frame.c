/* Rounds are published in float32, about the middle of the bounds and in units
 * of their radius: an honest run is as good wherever the bounds lie and however
 * large they are. (In absolute units, clusters at a billion were not seen, and
 * bounds above 1e38 ended the run.) Seeded; at epsilon 4 the centres are off by
 * .02 (measured, .04 for weighted-centers), the limit is more than five times
 * that. */
#include <math.h>

#include "base/base_i.h"
#include "kith/kith.h"
#include "support/cmocka_all.h"

enum { N = 4000, D = 2, K = 3 };

static const double SPOTS[K][D] = {{-.6, -.5}, {.5, .6}, {.6, -.5}};

/* Centres of a run on users at middle + half * x. */
static uint32_t simulate(double middle, double half, kith_local_method method,
                         double centers[K * D])
{
    static double x[N * D];
    double low = middle - half, high = middle + half;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    kith_local_options opt;
    kith_i_coins coins;
    kith_error err = {0};
    uint32_t k, d;
    kith_i_coins_seed(&coins, 1, 2);
    for (size_t i = 0; i < N * D; i++) {
        double u = SPOTS[i / D % K][i % D] + .04 * kith_i_coins_normal(&coins);
        x[i] = middle + half * ldexp(rint(ldexp(u, 14)), -14);
    }
    assert_int_equal(kith_dataset_from_rows(x, N, D, &bounds, &data, NULL),
                     KITH_OK);
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.epsilon = 4;
    opt.method = method;
    opt.insecure = 1;
    opt.insecure_seed = opt.public_seed = 7;
    opt.threads = 1;
    if (kith_local_simulate(data, &opt, &result, NULL, &err))
        fail_msg("%s", err.message);
    const double *c = kith_result_centers(result, &k, &d);
    for (uint32_t i = 0; i < k * D; i++)
        centers[i] = (c[i] - middle) / half;
    kith_result_free(result);
    kith_dataset_free(data);
    return k;
}

static double off_by(const double *centers, uint32_t k, const double *spot)
{
    double best = HUGE_VAL;
    for (uint32_t i = 0; i < k; i++)
        best = fmin(best, hypot(centers[i * D] - spot[0],
                                centers[i * D + 1] - spot[1]));
    return best;
}

static void bounds_lie_anywhere(void **state)
{
    (void)state;
    static const kith_local_method methods[] = {
        KITH_LOCAL_AUTO, KITH_LOCAL_ONE_ROUND, KITH_LOCAL_WEIGHTED_CENTERS,
        KITH_LOCAL_MEAN};
    static const double cases[][2] = {
        {0, 1}, {1e9 + 5, 5}, {-1e12, 1}, {0, 1e39}, {0x1p200, 0x1p180}};
    static const double mean[D] = {.5 / 3, -.4 / 3};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
            double got[K * D];
            uint32_t k = simulate(cases[t][0], cases[t][1], methods[m], got);
            if (methods[m] == KITH_LOCAL_MEAN) {
                assert_int_equal(k, 1);
                assert_true(off_by(got, 1, mean) < .15);
                continue;
            }
            assert_int_equal(k, K);
            for (int j = 0; j < K; j++)
                assert_true(off_by(got, k, SPOTS[j]) < .2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_lie_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
