/* See audit_stat.h. Quantiles by bisection: slow, short and right. */
#include "audit_stat.h"

#include <math.h>

enum { STEPS = 100 };

double audit_normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

double audit_normal_inverse(double p)
{
    double lo = -9, hi = 9;
    for (int i = 0; i < STEPS; i++) {
        double middle = (lo + hi) / 2;
        if (audit_normal(middle) < p)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* P(X >= hits), X binomial. */
static double upper_tail(size_t hits, size_t tries, double p)
{
    double n = (double)tries, sum = 0;
    if (hits == 0)
        return 1;
    if (p <= 0 || p >= 1)
        return p >= 1;
    for (size_t i = hits; i <= tries; i++) {
        double k = (double)i;
        double term = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                          k * log(p) + (n - k) * log1p(-p));
        sum += term;
        if (k > n * p && term < 1e-18 * sum)
            break; /* they only shrink from here on */
    }
    return fmin(sum, 1);
}

double audit_at_least(size_t hits, size_t tries, double alpha)
{
    double lo = 0, hi = tries ? (double)hits / (double)tries : 0;
    for (int i = 0; i < STEPS; i++) {
        double middle = (lo + hi) / 2;
        if (upper_tail(hits, tries, middle) < alpha)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}
