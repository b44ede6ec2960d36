/* The spend trace adds up (R7): for every d from 1 to 1000, both measures,
 * both adjacencies, ball and box, several k and rounds, the losses on the
 * receipts sum to no more than was declared, each loss is what sensitivity
 * over scale says, and nearly all of the budget is used. The expected total
 * is recomputed here by bisection on the formula, not by the library. */
#include <math.h>

#include "support/make_data.h"
#include "support/stat.h"

static void check(uint32_t d, uint32_t k, uint32_t rounds, kith_privacy privacy,
                  kith_bounds bounds, double mu)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.method = KITH_KMEANS_LLOYD;
    opt.rounds = rounds;
    kith_result *plan = NULL;
    kith_error err = {0};
    if (kith_kmeans_plan(&(kith_shape){1000, d, 0, 0}, &bounds, &privacy, &opt,
                         &plan, &err))
        fail_msg("%s", err.message);
    double spent = 0;
    int pure = privacy.delta == 0;
    double radius = bounds.radius > 0 ? bounds.radius : sqrt(d);
    double l1 = bounds.radius > 0 ? sqrt(d) * radius : d;
    double twice = privacy.neighbors == KITH_REPLACE_ONE ? 2 : 1;
    /* records in pure DP: K-norm noise where its variance is smaller */
    int knorm = pure && (d + 1.0) * radius * radius < 2 * l1 * l1;
    size_t count = kith_result_receipt_count(plan);
    assert_int_equal(count, 2 * rounds);
    for (size_t i = 0; i < count; i++) {
        kith_receipt r;
        kith_result_receipt(plan, i, &r);
        assert_int_equal(r.measure, pure ? KITH_PURE_DP : KITH_GAUSSIAN_DP);
        assert_true(r.sensitivity / r.scale <= r.loss);
        assert_true(r.sensitivity / r.scale >= r.loss * (1 - 1e-9));
        spent += pure ? r.loss : r.loss * r.loss;
        /* the sensitivity is what the bounds say, up to a lattice step */
        double want = i % 2 == 0 ? (pure ? twice : sqrt(twice))
                                 : twice * (pure && !knorm ? l1 : radius);
        assert_true(fabs(r.sensitivity - want) <= want * 1e-3);
        assert_string_equal(r.mechanism, !pure            ? "rounded-gaussian"
                                         : i % 2 && knorm ? "k-norm"
                                                          : "discrete-laplace");
    }
    double declared = pure ? privacy.epsilon : mu * mu;
    assert_true(spent <= declared * (1 + 1e-12));
    assert_true(spent >= declared * (1 - 1e-9));
    kith_result_free(plan);
}

static void test_every_dimension(void **state)
{
    (void)state;
    static const double epsilons[] = {1, 0.1, 7};
    double mus[3];
    for (int e = 0; e < 3; e++)
        mus[e] = gaussian_mu(epsilons[e], 1e-6);
    for (uint32_t d = 1; d <= 1000; d++)
        for (int mode = 0; mode < 8; mode++) {
            if (d > 40 && d % 7 && mode != (int)(d % 8))
                continue; /* every d, all modes for some */
            int e = (int)(d % 3);
            kith_privacy privacy = {epsilons[e], mode & 1 ? 1e-6 : 0,
                                    mode & 2 ? KITH_REPLACE_ONE
                                             : KITH_ADD_REMOVE};
            check(d, 1 + d % 3, 1 + d % 6, privacy,
                  mode & 4 ? unit_box() : ball(1.5), mus[e]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
