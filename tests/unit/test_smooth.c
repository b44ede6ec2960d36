/* Smooth sensitivity of the medoid: against a naive computation, as a bound on
 * what neighbours can do, smooth between them; and its constants against the
 * exact hockey-stick divergence of two Gaussians. */
#include <math.h>

#include "base/base_i.h"
#include "dp/smooth.h"
#include "support/cmocka_all.h"

enum { MOST = 40 };

/* Points on a line, |x| <= 2^24: squares up to 2^50. */
static void fill_squares(const double *x, uint32_t m, uint64_t *squares)
{
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++)
            squares[i * m + j] = (uint64_t)((x[i] - x[j]) * (x[i] - x[j]));
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double radius(const double *x, uint32_t m, uint32_t i, uint32_t t,
                     double diameter)
{
    if (t > m)
        return diameter;
    double far[MOST];
    for (uint32_t j = 0; j < m; j++)
        far[j] = fabs(x[i] - x[j]);
    qsort(far, m, sizeof *far, order);
    return far[t - 1];
}

/* The definition, in plain doubles. */
static double naive(const double *x, uint32_t m, uint32_t s, double diameter,
                    double beta)
{
    uint32_t t0 = (m + s) / 2 + 1;
    double best = 0;
    for (uint32_t n = 0; n < 4 * MOST; n++) {
        double r[MOST], h = diameter;
        uint32_t j = 1 + (n + 1) * s, t = t0 + (n + 1) * s;
        for (uint32_t i = 0; i < m; i++)
            r[i] = radius(x, m, i, t, diameter);
        qsort(r, m, sizeof *r, order);
        if (j <= m)
            h = r[j - 1];
        best = fmax(best, 2 * h * exp(-beta * n));
    }
    return fmax(best, 1024);
}

static double medoid_of(const double *x, uint32_t m, uint32_t s,
                        double diameter, double beta, double *bound)
{
    uint64_t squares[MOST * MOST], work[MOST];
    uint32_t medoid;
    fill_squares(x, m, squares);
    uint64_t square = kith_i_smooth_medoid(
        squares, m, s, (uint64_t)(diameter * diameter), beta, work, &medoid);
    *bound = sqrt((double)square);
    return x[medoid];
}

static double point(kith_i_coins *coins, int kind, double diameter)
{
    if (kind == 0)
        return floor(kith_i_coins_unit(coins) * diameter);
    if (kind == 1) /* a tight cluster and strays */
        return kith_i_coins_below(coins, 5)
                   ? diameter / 2 + floor(kith_i_coins_normal(coins) * 3000)
                   : floor(kith_i_coins_unit(coins) * diameter);
    return kith_i_coins_below(coins, 2) ? 0 : diameter; /* two heaps */
}

static void test_bound(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    double diameter = 0x1p24;
    static const double betas[] = {0, .01, .1, .15};
    for (int round = 0; round < 4000; round++) {
        uint32_t m = 1 + (uint32_t)kith_i_coins_below(&coins, MOST - 1);
        uint32_t s = 1 + (uint32_t)kith_i_coins_below(&coins, 3);
        int kind = (int)kith_i_coins_below(&coins, 3);
        double beta = betas[round % 4], x[MOST], y[MOST], bx, by;
        for (uint32_t i = 0; i < m; i++)
            x[i] = point(&coins, kind, diameter);
        memcpy(y, x, sizeof y);
        for (uint32_t t = 0; t < s; t++) /* at most s answers change */
            y[kith_i_coins_below(&coins, m)] =
                kith_i_coins_below(&coins, 2) ? point(&coins, 0, diameter)
                                              : point(&coins, kind, diameter);
        double gx = medoid_of(x, m, s, diameter, beta, &bx);
        double gy = medoid_of(y, m, s, diameter, beta, &by);
        double want = naive(x, m, s, diameter, beta);
        assert_true(bx >= want * (1 - 1e-12) && bx <= want * (1 + 1e-6));
        assert_true(fabs(gx - gy) <= bx && fabs(gx - gy) <= by);
        double slack = exp(beta) * (1 + 0x1p-20);
        assert_true(bx <= by * slack && by <= bx * slack);
    }
}

/* ---- constants ------------------------------------------------------------
 */

/* Pr[chi-square with D degrees > x], by the trapezoidal rule on the density of
 * the square root. */
static double chi_tail(double dimension, double x)
{
    double center = sqrt(dimension), from = sqrt(fmax(x, 0)), sum = 0;
    double to = fmax(center, from) + 14, step = 1e-4 * (to - from);
    if (from < center - 14)
        return 1;
    for (int i = 0; i <= 10000; i++) {
        double r = from + i * step;
        double log_density = (dimension - 1) * log(fmax(r, 1e-300)) -
                             r * r / 2 - (dimension / 2 - 1) * log(2) -
                             lgamma(dimension / 2);
        sum += exp(log_density) * step * (i == 0 || i == 10000 ? .5 : 1);
    }
    return sum;
}

/* sup over events of P - e^epsilon Q for P = N(0, I), Q = N(0, e^(2l) I). */
static double dilation_delta(double dimension, double l, double epsilon)
{
    /* log p/q = D l - |z|^2 (1 - e^(-2l)) / 2 */
    double c = (1 - exp(-2 * l)) / 2;
    double edge = (dimension * l - epsilon) / c;
    double grow = exp(-2 * l); /* |z|^2 under Q is e^(2l) chi-square */
    if (l > 0)                 /* the event: |z|^2 < edge */
        return (1 - chi_tail(dimension, edge)) -
               exp(epsilon) * (1 - chi_tail(dimension, edge * grow));
    return chi_tail(dimension, edge) -
           exp(epsilon) * chi_tail(dimension, edge * grow);
}

static void test_constants(void **state)
{
    (void)state;
    static const double dimensions[] = {1, 3, 45, 2250};
    static const double epsilons[] = {.1, 1, 10};
    for (int d = 0; d < 4; d++)
        for (int e = 0; e < 3; e++) {
            double epsilon = epsilons[e], delta = 1e-4;
            kith_i_smooth s;
            assert_int_equal(
                kith_i_smooth_set(epsilon, delta, dimensions[d], &s, NULL),
                KITH_OK);
            assert_true(s.beta > 0 && s.beta < .15);
            /* never smaller than the constant recalled in the paper would be
             * by much, and at D = 2250 far larger */
            double paper = epsilon / (4 * (dimensions[d] + log(2 / delta)));
            assert_true(s.beta > .6 * fmin(paper, .15));
            double rest = delta / 2 * exp(-epsilon / 2);
            for (int sign = -1; sign < 2; sign += 2) {
                double got =
                    dilation_delta(dimensions[d], sign * s.beta, epsilon / 2);
                if (!(got <= rest + 1e-9)) /* accuracy of the integral */
                    fail_msg("D %g epsilon %g: %g > %g", dimensions[d], epsilon,
                             got, rest);
            }
            double alpha = kith_i_loss_value(s.alpha_squared, KITH_GAUSSIAN_DP);
            assert_true(kith_i_gdp_delta(epsilon / 2, alpha) <=
                        delta / 2 * (1 + 1e-6));
        }
}

/* Divergence of N(0, s) and N(shift, t), from the one or the other. */
static double divergence(double s, double t, double shift, double epsilon,
                         int back)
{
    double sum = 0, step = 1e-4 * s;
    for (int i = -200000; i <= 200000; i++) {
        double x = i * step;
        double p = exp(-x * x / (2 * s * s)) / s;
        double q = exp(-pow((x - shift) / t, 2) / 2) / t;
        sum += fmax(back ? q - exp(epsilon) * p : p - exp(epsilon) * q, 0);
    }
    return sum * step / sqrt(2 * M_PI);
}

/* One dimension, the whole mechanism, by quadrature; a third of the noise must
 * break it. */
static void test_line(void **state)
{
    (void)state;
    static const double epsilons[] = {.3, 1, 4};
    for (int e = 0; e < 3; e++)
        for (int way = 0; way < 4; way++) {
            double epsilon = epsilons[e], delta = 1e-4;
            kith_i_smooth c;
            assert_int_equal(kith_i_smooth_set(epsilon, delta, 1, &c, NULL),
                             KITH_OK);
            double alpha = sqrt(ldexp((double)c.alpha_squared, -50));
            double s = 1 / alpha, t = s * exp(way & 1 ? -c.beta : c.beta);
            double shift = fmin(1, t * alpha); /* at most either bound */
            assert_true(divergence(s, t, shift, epsilon, way & 2) <= delta);
            assert_true(divergence(s / 3, t / 3, shift, epsilon, way & 2) >
                        delta);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
