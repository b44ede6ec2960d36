/* Vectors of plain doubles, on public or released values or in a solver: short
 * loops whose order is fixed, so that their bits do not depend on a library. */
#ifndef KITH_VECTORS_H
#define KITH_VECTORS_H

#include <math.h>
#include <stddef.h>

static inline double kith_i_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double kith_i_sum(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* to += factor x */
static inline void kith_i_add_scaled(double *to, double factor, const double *x,
                                     size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * x[i];
}

static inline void kith_i_multiply_by(double *x, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
}

/* To whole numbers: points of a lattice. */
static inline void kith_i_round(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = nearbyint(x[i]);
}

#endif
