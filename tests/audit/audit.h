/* An audit tries to disprove a privacy claim (R15): it cannot prove one.
 *
 * Two neighbouring datasets, many runs on each. On a training half an event
 * (one output above or below a limit, or equal to a value) is chosen that
 * looks most unlike; on fresh runs its probabilities under both datasets are
 * bounded by Clopper and Pearson, which gives a lower bound on epsilon that
 * is wrong with probability at most 1e-6. */
#ifndef KITH_TEST_AUDIT_H
#define KITH_TEST_AUDIT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { AUDIT_OUTPUTS = 8 };

/* Run the mechanism on n rows with this seed; fill `outputs` numbers. */
typedef void audit_fn(void *arg, const double *rows, size_t n, uint64_t seed,
                      double *out);

typedef struct {
    int output, kind; /* kind: 0 >=, 1 <=, 2 == */
    double limit;
} audit_event;

static inline int audit_hit(const audit_event *e, const double *out)
{
    double v = out[e->output];
    return e->kind == 0   ? v >= e->limit
           : e->kind == 1 ? v <= e->limit
                          : v == e->limit;
}

/* Pr[Binomial(n, p) >= s] */
static inline double audit_tail(size_t s, size_t n, double p)
{
    if (s == 0)
        return 1;
    if (p <= 0)
        return 0;
    if (p >= 1)
        return 1;
    double sum = 0;
    for (size_t i = s; i <= n; i++) {
        double term = exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
                          lgamma((double)(n - i) + 1) + (double)i * log(p) +
                          (double)(n - i) * log1p(-p));
        sum += term;
        if (term < sum * 1e-18 && (double)i > (double)n * p)
            break;
    }
    return sum < 1 ? sum : 1;
}

/* Clopper-Pearson: the p at which s or more successes have probability
 * alpha (lower), or s or fewer (upper). */
static inline double audit_lower(size_t s, size_t n, double alpha)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;
        if (audit_tail(s, n, p) < alpha)
            low = p;
        else
            high = p;
    }
    return low;
}

static inline double audit_upper(size_t s, size_t n, double alpha)
{
    return 1 - audit_lower(n - s, n, alpha);
}

static inline int audit_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double *audit_sample(audit_fn *run, void *arg, const double *rows,
                                   size_t n, size_t runs, uint64_t seed)
{
    double *out = calloc(runs * AUDIT_OUTPUTS, sizeof *out);
    for (size_t i = 0; i < runs; i++)
        run(arg, rows, n, seed + i, out + i * AUDIT_OUTPUTS);
    return out;
}

/* The event with the largest empirical log ratio (add-one smoothed, minus two
 * standard errors) of p against q. */
static inline audit_event audit_train(const double *p, const double *q,
                                      size_t runs)
{
    audit_event best = {0, 0, 0};
    double best_score = -HUGE_VAL;
    double *values = calloc(2 * runs, sizeof *values);
    for (int o = 0; o < AUDIT_OUTPUTS; o++) {
        for (size_t i = 0; i < runs; i++) {
            values[i] = p[i * AUDIT_OUTPUTS + (size_t)o];
            values[runs + i] = q[i * AUDIT_OUTPUTS + (size_t)o];
        }
        qsort(values, 2 * runs, sizeof *values, audit_order);
        for (size_t step = 0; step < 24; step++)
            for (int kind = 0; kind < 3; kind++) {
                audit_event e = {o, kind, values[step * (2 * runs - 1) / 23]};
                double a = 1, b = 1;
                for (size_t i = 0; i < runs; i++) {
                    a += audit_hit(&e, p + i * AUDIT_OUTPUTS);
                    b += audit_hit(&e, q + i * AUDIT_OUTPUTS);
                }
                double score = log(a / b) - 2 * sqrt(1 / a + 1 / b);
                if (score > best_score) {
                    best_score = score;
                    best = e;
                }
            }
    }
    free(values);
    return best;
}

/* Lower bound on epsilon from rows a (n rows) against rows b (m rows). */
static inline double audit_epsilon(audit_fn *run, void *arg, const double *a,
                                   size_t n, const double *b, size_t m,
                                   size_t runs)
{
    double *p = audit_sample(run, arg, a, n, runs, 1u << 20);
    double *q = audit_sample(run, arg, b, m, runs, 2u << 20);
    audit_event e = audit_train(p, q, runs);
    free(p);
    free(q);
    size_t hits_a = 0, hits_b = 0;
    double out[AUDIT_OUTPUTS];
    for (size_t i = 0; i < runs; i++) {
        memset(out, 0, sizeof out);
        run(arg, a, n, (3u << 20) + i, out);
        hits_a += (size_t)audit_hit(&e, out);
        memset(out, 0, sizeof out);
        run(arg, b, m, (4u << 20) + i, out);
        hits_b += (size_t)audit_hit(&e, out);
    }
    double low = audit_lower(hits_a, runs, 0.5e-6);
    double high = audit_upper(hits_b, runs, 0.5e-6);
    return low > 0 ? log(low / high) : -HUGE_VAL;
}

/* The larger of both directions. */
static inline double audit_both(audit_fn *run, void *arg, const double *a,
                                size_t n, const double *b, size_t m,
                                size_t runs)
{
    return fmax(audit_epsilon(run, arg, a, n, b, m, runs),
                audit_epsilon(run, arg, b, m, a, n, runs));
}

#endif
