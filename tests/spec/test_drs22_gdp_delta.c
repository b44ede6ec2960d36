/* Dong, Roth, Su 2022, "Gaussian differential privacy" (arXiv 1905.02383),
 * Theorem 2.7 and Corollary 2.13: adding N(0, sigma^2) to a statistic of
 * sensitivity D is mu-GDP with mu = D/sigma, which is (eps, delta(eps))-DP for
 * all eps with
 *     delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2).
 *
 * Compared with the definition: the hockey-stick divergence
 *     delta(eps) = integral of max(0, p(x) - e^eps q(x)) dx
 * of N(mu, 1) from N(0, 1), integrated numerically; and of the rounded
 * Gaussian on the integers (R1), summed from its exact law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "budget/budget_i.h"
#include "support/gdp_delta.h"

static long double density(long double x)
{
    return expl(-x * x / 2) * 0.39894228040143267793994605993438187L;
}

/* p - e^eps q = phi(x - mu) (1 - e^(eps - mu x + mu^2/2)), positive from
 * x = eps/mu + mu/2 on, where it dies out like e^(-decay x). No cancellation;
 * Simpson's rule. */
static double hockey_stick(double epsilon, double mean)
{
    enum { STEPS = 40000 };
    long double eps = (long double)epsilon, mu = (long double)mean;
    long double from = eps / mu + mu / 2, decay = fmaxl(0, from - mu);
    long double width = fminl(14, 60 / (1 + decay)), sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        long double x = from + width * i / STEPS;
        long double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * density(x - mu) * -expm1l(eps - mu * x + mu * mu / 2);
    }
    return (double)(sum * width / STEPS / 3);
}

static void delta_is_the_divergence(void **state)
{
    (void)state;
    const double epsilons[] = {0, 0.01, 0.1, 1, 3, 10};
    const double mus[] = {0.02, 0.1, 0.2367, 1, 2.5};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 5; j++) {
            double expected = hockey_stick(epsilons[i], mus[j]);
            double got = gdp_delta(epsilons[i], mus[j]);
            if (expected < 1e-300) { /* beyond Simpson's reach */
                assert_true(got < 1e-290);
                continue;
            }
            if (fabs(got / expected - 1) > 1e-11)
                fail_msg("delta(%g; %g): %.17g, not %.17g", epsilons[i], mus[j],
                         got, expected);
        }
}

/* ---- the rounded Gaussian ------------------------------------------------ */

/* Pr[round(sigma N) = k], from the nearer tail so that no digits cancel. */
static long double rounded_law(long k, long double sigma)
{
    long double a = fabsl((long double)k) - 0.5L, b = a + 1;
    long double s = sigma * sqrtl(2);
    return (erfcl(a / s) - erfcl(b / s)) / 2;
}

static double rounded_divergence(double epsilon, long shift, double sd)
{
    long double factor = expl((long double)epsilon), sum = 0;
    long double sigma = (long double)sd;
    long reach = (long)(12 * sigma) + shift;
    for (long k = -reach; k <= reach; k++) {
        long double gap =
            rounded_law(k - shift, sigma) - factor * rounded_law(k, sigma);
        sum += gap > 0 ? gap : 0;
    }
    return (double)sum;
}

/* Rounding is post-processing: never more than the curve; and the curve is
 * not generous, because half the noise breaks it. */
static void rounding_costs_nothing(void **state)
{
    (void)state;
    const double sigmas[] = {0.7, 2, 7.3, 40};
    const long shifts[] = {1, 3, 10};
    const double epsilons[] = {0, 0.1, 0.5, 1, 2};
    unsigned broken = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 5; k++) {
                double sigma = sigmas[i], eps = epsilons[k];
                double claim = gdp_delta(eps, (double)shifts[j] / sigma);
                claim *= 1 + 1e-12; /* for the sum in long double */
                assert_true(rounded_divergence(eps, shifts[j], sigma) <= claim);
                if (sigma >= 2 && claim > 1e-20 && claim < 0.9) {
                    double half = rounded_divergence(eps, shifts[j], sigma / 2);
                    assert_true(half > claim);
                    broken++;
                }
            }
    assert_true(broken > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_is_the_divergence),
        cmocka_unit_test(rounding_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
