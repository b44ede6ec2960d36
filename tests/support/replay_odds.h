/* Exact probabilities of selections, and how far apart two of them are: the
 * arithmetic of noise_replay.c. */
#ifndef KITH_TEST_REPLAY_ODDS_H
#define KITH_TEST_REPLAY_ODDS_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static inline double least_of(const double *v, size_t n)
{
    double least = v[0];
    for (size_t i = 1; i < n; i++)
        least = fmin(least, v[i]);
    return least;
}

static inline double most_of(const double *v, size_t n)
{
    double most = v[0];
    for (size_t i = 1; i < n; i++)
        most = fmax(most, v[i]);
    return most;
}

/* Node i of m and its weight, for the integral over [0, 1]: exact for
 * polynomials of degree below 2m (Gauss, Legendre). */
static inline double node(size_t i, size_t m, double *weight)
{
    double x = cos(M_PI * ((double)i + .75) / ((double)m + .5)), slope = 1;
    for (int round = 0; round < 8; round++) {
        double p = 1, before = 0;
        for (size_t j = 0; j < m; j++) {
            double t = (double)j, next = (2 * t + 1) * x * p - t * before;
            before = p;
            p = next / (t + 1);
        }
        slope = (double)m * (x * p - before) / (x * x - 1);
        x -= p / slope;
    }
    *weight = 1 / ((1 - x * x) * slope * slope);
    return (1 + x) / 2;
}

/* Permute-and-flip: log Pr[c] for each of n candidates of these total losses,
 * weight exponent b. Give every candidate a uniform arrival time. One that
 * arrives at t is chosen if its coin says so (q_c) and nobody was chosen
 * before: Pr[c] = q_c integral over t of the product over j != c of (1 - t
 * q_j), a polynomial of degree n - 1 whose terms below are all positive. */
static inline void flip_logs(double b, const double *totals, size_t n,
                             double *out)
{
    double least = least_of(totals, n);
    double *q = calloc(n, sizeof *q);
    for (size_t c = 0; c < n; c++) {
        q[c] = exp(-b * (totals[c] - least));
        out[c] = 0;
    }
    for (size_t m = n / 2 + 1, i = 0; i < m; i++) {
        double weight, t = node(i, m, &weight), all = 0;
        for (size_t c = 0; c < n; c++)
            all += log1p(-t * q[c]);
        for (size_t c = 0; c < n; c++)
            out[c] += weight * exp(all) / (1 - t * q[c]);
    }
    for (size_t c = 0; c < n; c++)
        out[c] = log(out[c]) - b * (totals[c] - least);
    free(q);
}

/* The exponential mechanism. */
static inline void exponential_logs(double b, const double *totals, size_t n,
                                    double *out)
{
    double least = least_of(totals, n), sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += exp(-b * (totals[c] - least));
    for (size_t c = 0; c < n; c++)
        out[c] = -b * (totals[c] - least) - log(sum);
}

typedef struct {
    double ratio, p, q;
} outcome;

static inline int by_ratio(const void *a, const void *b)
{
    double x = ((const outcome *)a)->ratio, y = ((const outcome *)b)->ratio;
    return (x < y) - (x > y);
}

/* The z that a normal exceeds with probability low (= 1 - high). */
static inline double upper_quantile(double low, double high)
{
    if (low > high)
        return -upper_quantile(high, low);
    double from = 0, to = 40;
    for (int i = 0; i < 60; i++) {
        double z = (from + to) / 2;
        *(erfc(z / sqrt(2)) / 2 > low ? &from : &to) = z;
    }
    return from;
}

/* The smallest mu for which two distributions, given by logs, are mu-GDP. The
 * trade-off curve is made of chords between the likelihood ratio tests, and
 * that of a Gaussian is convex: it is enough to look at those tests. */
static inline double gdp_of(const double *p, const double *q, size_t n)
{
    outcome *all = calloc(n, sizeof *all);
    double *p_rest = calloc(n + 1, sizeof *p_rest);
    double *q_rest = calloc(n + 1, sizeof *q_rest), p_sum = 0, q_sum = 0;
    double mu = 0;
    for (size_t i = 0; i < n; i++)
        all[i] = (outcome){p[i] - q[i], exp(p[i]), exp(q[i])};
    qsort(all, n, sizeof *all, by_ratio);
    for (size_t i = n; i-- > 0;) {
        p_rest[i] = p_rest[i + 1] + all[i].p;
        q_rest[i] = q_rest[i + 1] + all[i].q;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        p_sum += all[i].p;
        q_sum += all[i].q;
        if (fmin(q_sum, p_rest[i + 1]) > 1e-280)
            mu = fmax(mu, upper_quantile(q_sum, q_rest[i + 1]) -
                              upper_quantile(p_sum, p_rest[i + 1]));
    }
    free(all);
    free(p_rest);
    free(q_rest);
    return mu;
}

#endif
