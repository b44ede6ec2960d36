/* Statistics for tests: every assertion has a false-alarm rate <= 1e-6 for the
 * ideal law, and seeds make it the same answer every time. */
#ifndef KITH_TEST_STAT_H
#define KITH_TEST_STAT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* ln(1e6): exp(-ALARM) is the false-alarm rate of each assertion. */
#define ALARM 13.815510557964274

/* Upper limit of a chi-square variable with k degrees of freedom that is
 * passed with probability at most 1e-6 (Laurent, Massart 2000, Lemma 1). */
static inline double chi_square_limit(size_t k)
{
    return (double)k + 2 * sqrt((double)k * ALARM) + 2 * ALARM;
}

/* Pearson's statistic of observed counts against probabilities; the rest
 * 1 - sum p is one more cell with `rest` observations. Cells with fewer than
 * 5 expected are pooled into the rest. */
static inline double chi_square(const uint64_t *seen, const double *p,
                                size_t cells, uint64_t rest, uint64_t draws,
                                size_t *degrees)
{
    double sum = 0, pooled = 1;
    uint64_t pool = rest;
    *degrees = 0;
    for (size_t i = 0; i < cells; i++) {
        double expect = p[i] * (double)draws;
        if (expect < 5) {
            pool += seen[i];
            continue;
        }
        pooled -= p[i];
        sum += ((double)seen[i] - expect) * ((double)seen[i] - expect) / expect;
        ++*degrees;
    }
    double expect = pooled * (double)draws;
    if (expect >= 5)
        sum += ((double)pool - expect) * ((double)pool - expect) / expect;
    else
        --*degrees;
    return sum;
}

/* Is a count of successes in n trials of probability p believable? Two-sided
 * Bernstein bound at 1e-6. */
static inline int believable(uint64_t successes, uint64_t n, double p)
{
    double mean = (double)n * p, x = ALARM + log(2.0);
    double slack = sqrt(2 * mean * (1 - p) * x) + 2 * x / 3;
    return fabs((double)successes - mean) <= slack + 1;
}

/* The mu of Gaussian DP that (epsilon, delta) allows, by bisection on the
 * formula: nothing of the library. */
static inline double gaussian_mu(double epsilon, double delta)
{
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        double mu = (low + high) / 2;
        double value =
            erfc((epsilon / mu - mu / 2) / sqrt(2)) / 2 -
            exp(epsilon) * erfc((epsilon / mu + mu / 2) / sqrt(2)) / 2;
        if (value > delta)
            high = mu;
        else
            low = mu;
    }
    return low;
}

#endif
