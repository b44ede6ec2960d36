/* L-BFGS (Nocedal 1980) with a bisecting line search for the weak Wolfe
 * conditions (Lewis, Overton 2013), so that every pair it keeps has s.y > 0. */
#include "lbfgs.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "vectors.h"

enum { MEMORY = KITH_I_LBFGS_MEMORY, TRIALS = 25, IDLE = 3 };
#define SUFFICIENT 1e-4
#define CURVATURE  .9

typedef struct {
    size_t n;
    uint32_t count, newest; /* pairs kept; position of the newest */
    double *s, *y;          /* MEMORY x n */
    double rho[MEMORY];
} history;

size_t kith_i_lbfgs_scratch(size_t n)
{
    return n * (2 * MEMORY + 4);
}

/* direction = -H gradient, by the two loops. */
static void find_direction(const history *h, const double *gradient,
                           double *direction)
{
    double alpha[MEMORY] = {0};
    size_t n = h->n;
    for (size_t i = 0; i < n; i++)
        direction[i] = -gradient[i];
    for (uint32_t t = 0; t < h->count; t++) {
        uint32_t j = (h->newest + MEMORY - t) % MEMORY;
        alpha[j] = h->rho[j] * kith_i_dot(h->s + j * n, direction, n);
        for (size_t i = 0; i < n; i++)
            direction[i] -= alpha[j] * h->y[j * n + i];
    }
    if (h->count > 0) {
        const double *y = h->y + h->newest * n;
        double scale = 1 / (h->rho[h->newest] * kith_i_dot(y, y, n));
        for (size_t i = 0; i < n; i++)
            direction[i] *= scale;
    }
    for (uint32_t t = h->count; t-- > 0;) {
        uint32_t j = (h->newest + MEMORY - t) % MEMORY;
        double beta = h->rho[j] * kith_i_dot(h->y + j * n, direction, n);
        for (size_t i = 0; i < n; i++)
            direction[i] += (alpha[j] - beta) * h->s[j * n + i];
    }
}

typedef struct {
    kith_i_smooth_fn *f;
    void *arg;
    size_t n;
    const double *x, *direction;
    double value, slope; /* at x, along the direction */
} line;

/* Fills to and its gradient; the step, or 0 if none was found. */
static double search_line(const line *l, double step, double *to,
                          double *gradient, double *value)
{
    double low = 0, high = HUGE_VAL;
    for (int t = 0; t < TRIALS; t++) {
        for (size_t i = 0; i < l->n; i++)
            to[i] = l->x[i] + step * l->direction[i];
        *value = l->f(l->arg, to, gradient);
        if (!(*value <= l->value + SUFFICIENT * step * l->slope))
            high = step;
        else if (kith_i_dot(gradient, l->direction, l->n) <
                 CURVATURE * l->slope)
            low = step;
        else
            return step;
        step = high < HUGE_VAL ? (low + high) / 2 : 2 * low;
    }
    return *value < l->value ? step : 0;
}

static void remember(history *h, const double *from, const double *to,
                     const double *before, const double *after)
{
    uint32_t j = h->count ? (h->newest + 1) % MEMORY : 0;
    double *s = h->s + j * h->n, *y = h->y + j * h->n;
    for (size_t i = 0; i < h->n; i++) {
        s[i] = to[i] - from[i];
        y[i] = after[i] - before[i];
    }
    double product = kith_i_dot(s, y, h->n);
    if (!(product > 0))
        return;
    h->rho[j] = 1 / product;
    h->newest = j;
    h->count += h->count < MEMORY;
}

double kith_i_lbfgs(kith_i_smooth_fn *f, void *arg, size_t n,
                    uint32_t iterations, double gain, double *x,
                    double *scratch)
{
    history h = {.n = n, .s = scratch, .y = scratch + MEMORY * n};
    double *gradient = scratch + 2 * MEMORY * n, *after = gradient + n;
    double *to = after + n, *direction = to + n;
    double value = f(arg, x, gradient);
    int idle = 0;
    for (uint32_t t = 0; t < iterations && idle < IDLE && !kith_i_stop_wanted();
         t++) {
        find_direction(&h, gradient, direction);
        double slope = kith_i_dot(gradient, direction, n), reached = value;
        double step =
            h.count ? 1 : 1 / (1 + sqrt(kith_i_dot(gradient, gradient, n)));
        if (!(slope < 0))
            break;
        line l = {f, arg, n, x, direction, value, slope};
        if (search_line(&l, step, to, after, &reached) == 0)
            break;
        remember(&h, x, to, gradient, after);
        idle = value - reached <= gain * fabs(value) ? idle + 1 : 0;
        memcpy(x, to, n * sizeof *x);
        memcpy(gradient, after, n * sizeof *x);
        value = reached;
    }
    return value;
}
