/* Rows near planes through the origin, for tests of subspace clustering. */
#ifndef KITH_TEST_MAKE_PLANES_H
#define KITH_TEST_MAKE_PLANES_H

#include <math.h>

#include "kernel/planes.h"
#include "support/make_data.h"

/* n rows of length 1 about k random planes of dimension q, with noise sigma in
 * each coordinate. truth: k x q x d, or NULL. */
static inline double *make_planes(size_t n, uint32_t d, uint32_t k, uint32_t q,
                                  double sigma, uint64_t seed, double *truth)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 8);
    double *planes = malloc((size_t)k * q * d * sizeof *planes);
    double *rows = calloc(n * d + 1, sizeof *rows);
    for (uint32_t l = 0; l < k; l++)
        kith_i_plane_random(planes + (size_t)l * q * d, q, d, &coins);
    for (size_t r = 0; r < n; r++) {
        const double *plane =
            planes + (size_t)kith_i_coins_below(&coins, k) * q * d;
        double *row = rows + r * d, length = 0, y[64];
        for (uint32_t j = 0; j < q; j++) {
            y[j] = kith_i_coins_normal(&coins);
            length += y[j] * y[j];
        }
        for (uint32_t i = 0; i < d; i++) {
            for (uint32_t j = 0; j < q; j++)
                row[i] += y[j] / sqrt(length) * plane[j * d + i];
            row[i] += sigma * kith_i_coins_normal(&coins);
        }
        length = 0;
        for (uint32_t i = 0; i < d; i++)
            length += row[i] * row[i];
        for (uint32_t i = 0; i < d; i++)
            row[i] /= sqrt(length);
    }
    if (truth)
        memcpy(truth, planes, (size_t)k * q * d * sizeof *planes);
    free(planes);
    return rows;
}

/* Mean squared distance of rows from the nearest of k planes, as a result
 * shows them: k x d x q. */
static inline double plane_cost(const double *rows, size_t n, uint32_t d,
                                const double *bases, uint32_t k, uint32_t q)
{
    double total = 0;
    for (size_t r = 0; r < n; r++) {
        const double *x = rows + r * d;
        double length = 0, best = 0;
        for (uint32_t i = 0; i < d; i++)
            length += x[i] * x[i];
        for (uint32_t l = 0; l < k; l++) {
            double inside = 0;
            for (uint32_t j = 0; j < q; j++) {
                double dot = 0;
                for (uint32_t i = 0; i < d; i++)
                    dot += x[i] * bases[((size_t)l * d + i) * q + j];
                inside += dot * dot;
            }
            best = fmax(best, inside);
        }
        total += length - best;
    }
    return n ? total / (double)n : 0;
}

static inline kith_bounds unit_rows(void)
{
    kith_bounds bounds = unit_box();
    bounds.unit_rows = 1;
    return bounds;
}

#endif
