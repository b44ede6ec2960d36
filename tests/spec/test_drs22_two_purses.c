/* Dong, Roth, Su 2022, Theorem 3.2 and section 3: the composition of
 * randomised response RR(E) and a Gaussian pair G_mu, the promise of an
 * account with two purses (T16, T17; budget/purse.c has the proof).
 *
 * Compared with the definition: the hockey-stick divergence of the product
 * pair, integrated numerically over the Gaussian axis for both answers of
 * randomised response; and with figures that were worked out apart from this
 * code, in the tables below. */
#include <math.h>

#include "budget/purse.h"
#include "support/cmocka_all.h"
#include "support/gdp_delta.h"

/* Integral of (P - e^eps Q)+ over x for one answer with log-odds l and
 * probability w under P: the loss at x is l + mu x - mu^2 / 2 for x drawn from
 * N(mu, 1). Simpson's rule, long double. */
static long double one_answer(double eps, double l, double w, double mu)
{
    enum { STEPS = 20000 };
    long double from = (eps - l + mu * mu / 2) / mu, sum = 0;
    long double low = from > mu - 12 ? from : mu - 12, width = 24;
    for (int i = 0; i <= STEPS; i++) {
        long double x = low + width * i / STEPS, z = x - mu;
        long double loss = l + mu * x - mu * mu / 2.0L;
        long double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        long double density = expl(-z * z / 2) * 0.398942280401432677940L;
        sum += weight * density * -expm1l(eps - loss);
    }
    return w * sum * width / STEPS / 3;
}

static double divergence(double eps, double e, double mu)
{
    double p = 1 / (1 + exp(-e));
    return (double)(one_answer(eps, e, p, mu) + one_answer(eps, -e, 1 - p, mu));
}

static kith_i_loss units(double value)
{
    return (kith_i_loss)ldexp(value, KITH_I_LOSS_BITS);
}

static kith_i_loss price(double epsilon, double delta)
{
    kith_privacy privacy = {epsilon, delta, KITH_ADD_REMOVE};
    kith_measure measure;
    kith_i_loss total = 0;
    assert_int_equal(kith_i_privacy_total(&privacy, &measure, &total, NULL),
                     KITH_OK);
    return total;
}

static void delta_is_the_divergence(void **state)
{
    (void)state;
    const double es[] = {0.05, 0.5, 1, 3}, mus[] = {0.1, 0.2367, 0.7, 2};
    const double epsilons[] = {0, 0.3, 1, 2.5, 4};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++) {
                double want = divergence(epsilons[k], es[i], mus[j]);
                kith_i_purses caps = {units(es[i]), units(mus[j] * mus[j])};
                double got = purses_delta(caps, epsilons[k]);
                if (want > 1e-18 && fabs(got / want - 1) > 1e-7)
                    fail_msg("E %g mu %g at %g: %.12g, not %.12g", es[i],
                             mus[j], epsilons[k], got, want);
            }
}

/* One purse alone is what it always was. */
static void corners(void **state)
{
    (void)state;
    kith_i_purses pure = {units(1), 0}, gauss = {0, price(1, 1e-6)};
    assert_true(purses_delta(pure, 1) == 0);
    assert_true(kith_i_purses_epsilon(pure, 0) == 1);
    double p = exp(1) / (1 + exp(1)); /* below E: p - e^eps (1 - p) */
    assert_true(fabs(purses_delta(pure, .5) - (p - exp(.5) * (1 - p))) < 1e-15);
    double delta = purses_delta(gauss, 1);
    assert_true(delta <= 1e-6 && delta > 1e-6 * (1 - 1e-11));
    double mu = 0.2367043806634343;
    assert_true(fabs(delta / gdp_delta(1, mu) - 1) < 1e-9);
    assert_true(kith_i_purses_epsilon(gauss, 0) == HUGE_VAL);
    assert_true(purses_delta((kith_i_purses){0, 0}, 0) == 0);
    assert_true(kith_i_purses_epsilon((kith_i_purses){0, 0}, 0) == 0);
}

static void near(double got, double want, double error)
{
    if (!(fabs(got - want) <= error))
        fail_msg("%.6g, the table has %g", got, want);
}

static void table_of_views(void **state)
{
    (void)state;
    const struct {
        double pure;
        int times, gaussians;
        double as_mu, purses;
    } rows[] = {{1, 1, 1, 6.34, 1.98},
                {.5, 1, 4, 3.71, 2.57},
                {1, 3, 3, 12.2, 4.81},
                {.1, 10, 3, 2.61, 2.79}};
    kith_i_loss one = price(1, 1e-6);
    for (int i = 0; i < 4; i++) {
        kith_i_purses both = {(kith_i_loss)rows[i].times * units(rows[i].pure),
                              (kith_i_loss)rows[i].gaussians * one};
        near(kith_i_purses_epsilon(both, 1e-6), rows[i].purses, .005);
        kith_i_loss converted = kith_i_pure_as_gaussian(units(rows[i].pure));
        kith_i_purses all = {0, both.gauss +
                                    (kith_i_loss)rows[i].times * converted};
        near(kith_i_purses_epsilon(all, 1e-6), rows[i].as_mu,
             rows[i].as_mu > 10 ? .05 : .0055);
    }
    /* 100 x .05 converted: 2.9 at delta 1e-6, not 5; pure 1 is mu 1.232, as
     * much as 27 runs; a (1, 1e-6) account takes pure runs to 0.189. */
    kith_i_loss small = kith_i_pure_as_gaussian(units(.05));
    near(kith_i_purses_epsilon((kith_i_purses){0, 100 * small}, 1e-6), 2.9,
         .05);
    kith_i_loss pure_one = kith_i_pure_as_gaussian(units(1));
    near(kith_i_loss_value(pure_one, KITH_GAUSSIAN_DP), 1.232, .0005);
    assert_int_equal(pure_one / one, 27);
    assert_true(kith_i_pure_as_gaussian(units(.1885)) <= one);
    assert_true(kith_i_pure_as_gaussian(units(.1895)) > one);
}

static void accounts_of_the_page(void **state)
{
    (void)state;
    const struct {
        double epsilon, pure, mu, runs;
    } rows[] = {{4, 1, .6563, 7.7}, {2, 1, .2404, 0}, {4, 0, .838, 12.5}};
    kith_i_loss one = price(1, 1e-6);
    for (int i = 0; i < 3; i++) {
        kith_privacy promise = {rows[i].epsilon, 1e-6, KITH_ADD_REMOVE};
        kith_i_purses caps;
        assert_int_equal(
            kith_i_purses_solve(&promise, rows[i].pure, &caps, NULL), KITH_OK);
        near(kith_i_loss_value(caps.gauss, KITH_GAUSSIAN_DP), rows[i].mu,
             rows[i].pure > 0 ? .00005 : .0005);
        if (rows[i].runs > 0)
            near((double)caps.gauss / (double)one, rows[i].runs, .05);
        assert_true(purses_delta(caps, promise.epsilon) <= 1e-6);
        caps.gauss += 4; /* and no more fits */
        assert_true(purses_delta(caps, promise.epsilon) > 1e-6);
    }
}

static void refusals(void **state)
{
    (void)state;
    kith_i_purses caps;
    kith_privacy pure = {2, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_i_purses_solve(&pure, 0, &caps, NULL), KITH_OK);
    assert_true(caps.pure == units(2) && caps.gauss == 0);
    assert_int_equal(kith_i_purses_solve(&pure, 1, &caps, NULL),
                     KITH_ERR_PRIVACY);
    kith_privacy both = {2, 1e-6, KITH_ADD_REMOVE};
    assert_int_equal(kith_i_purses_solve(&both, 2.5, &caps, NULL),
                     KITH_ERR_PRIVACY);
    assert_int_equal(kith_i_purses_solve(&both, NAN, &caps, NULL),
                     KITH_ERR_PRIVACY);
    both.epsilon = 0;
    assert_int_equal(kith_i_purses_solve(&both, 0, &caps, NULL),
                     KITH_ERR_PRIVACY);
    /* All of epsilon pure: nothing is left beside it but what delta allows. */
    both.epsilon = 2;
    assert_int_equal(kith_i_purses_solve(&both, 2, &caps, NULL), KITH_OK);
    assert_true(purses_delta(caps, 2) <= 1e-6);
}

/* What is named in a refusal does fit, and one step more does not. */
static void the_fit_fits(void **state)
{
    (void)state;
    const double shares[] = {1, .3, 1e-3, 1e-6};
    for (int i = 0; i < 4; i++) {
        kith_i_loss left = (kith_i_loss)((double)price(3, 1e-6) * shares[i]);
        double epsilon = kith_i_purse_fits(left, 1e-6);
        assert_true(epsilon > 0 && price(epsilon, 1e-6) <= left);
        assert_true(price(epsilon * 1.002, 1e-6) > left);
        left = (kith_i_loss)((double)units(3) * shares[i]);
        epsilon = kith_i_purse_fits(left, 0);
        assert_true(price(epsilon, 0) <= left);
        assert_true(price(epsilon * 1.002, 0) > left);
    }
    assert_true(kith_i_purse_fits(0, 1e-6) == 0);
    /* As people write it, if that fits: five runs of .4 are 2. */
    assert_true(kith_i_purse_fits(units(2) / 5, 0) == .4);
    assert_true(kith_i_purse_fits(price(.7, 1e-6), 1e-6) == .7);
    assert_true(kith_i_purse_fits(price(.7, 1e-6) - 1, 1e-6) == .6999);
    /* What roundings leave is nothing. */
    assert_true(kith_i_purse_fits(1, 0) == 0);
    assert_true(kith_i_purse_fits(7000, 1e-6) == 0);
}

/* A pure run that is paid from the Gaussian purse. */
static void the_fit_fits_converted(void **state)
{
    (void)state;
    const double shares[] = {100, 1, .3, 1e-3, 1e-6};
    for (int i = 0; i < 5; i++) {
        kith_i_loss left = (kith_i_loss)((double)price(3, 1e-6) * shares[i]);
        double epsilon = kith_i_purse_fits_converted(left);
        assert_true(epsilon > 0);
        assert_true(kith_i_pure_as_gaussian(units(epsilon)) <= left);
        assert_true(kith_i_pure_as_gaussian(units(epsilon * 1.002)) > left);
    }
    kith_i_loss left = kith_i_pure_as_gaussian(units(.1));
    assert_true(kith_i_purse_fits_converted(left) == .1);
    assert_true(kith_i_purse_fits_converted(left - 1) == .09999);
    assert_true(kith_i_purse_fits_converted(0) == 0);
    assert_true(kith_i_purse_fits_converted(KITH_I_PURSE_MAX) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_is_the_divergence),
        cmocka_unit_test(corners),
        cmocka_unit_test(table_of_views),
        cmocka_unit_test(accounts_of_the_page),
        cmocka_unit_test(refusals),
        cmocka_unit_test(the_fit_fits),
        cmocka_unit_test(the_fit_fits_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
