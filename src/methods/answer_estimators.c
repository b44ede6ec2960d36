/* Small estimators on answers: projection on the simplex, eigenvalues without
 * their noise, James-Stein. */
#include "method_run.h"

#include <math.h>
#include <string.h>

double kith_i_norm_squared(const double *v, size_t d)
{
    double s = 0;
    for (size_t i = 0; i < d; i++)
        s += v[i] * v[i];
    return s;
}

static double left_at(const double *p, const double *var, size_t n, double t)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fmax(0, p[i] - t * var[i]);
    return sum;
}

void kith_i_norm_sub(const double *p, const double *var, size_t n, double *out)
{
    /* At t = high every entry is at most 0; at t = low one alone has 1. Only
     * ratios of the variances matter: infinite ones are as good as equal. */
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        if (!(var[i] > 0) || !isfinite(var[i]) || !isfinite(p[i])) {
            for (size_t j = 0; j < n; j++)
                out[j] = 1 / (double)n;
            return;
        }
        low = fmin(low, (p[i] - 1) / var[i]);
        high = fmax(high, p[i] / var[i]);
    }
    for (int step = 0; step < 200 && high > low; step++) {
        double t = low + (high - low) / 2;
        if (t == low || t == high)
            break;
        if (left_at(p, var, n, t) > 1)
            low = t;
        else
            high = t;
    }
    double sum = left_at(p, var, n, low);
    for (size_t i = 0; i < n; i++)
        out[i] = fmax(0, p[i] - low * var[i]) / sum;
}

double kith_i_debias(double value, double variance, double d)
{
    double inner = value * value - 4 * variance * d;
    return value > 0 && inner > 0 ? (value + sqrt(inner)) / 2 : 0;
}

double kith_i_james_stein(const double *s, size_t d, double sd)
{
    if (!isfinite(sd))
        return 0;
    if (d <= 2)
        return 1;
    double square = kith_i_norm_squared(s, d);
    double gone = (double)(d - 2) * sd * sd;
    return kith_i_shrink(square, gone);
}

int kith_i_solve_positive(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double s = a[i * n + j];
            for (size_t t = 0; t < j; t++)
                s -= a[i * n + t] * a[j * n + t];
            if (i == j && !(s > 0))
                return -1;
            a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < i; t++)
            b[i] -= a[i * n + t] * b[t];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t t = i + 1; t < n; t++)
            b[i] -= a[t * n + i] * b[t];
        b[i] /= a[i * n + i];
    }
    return 0;
}
