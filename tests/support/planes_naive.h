/* Rows near planes, and the plainest figures about planes, for tests. Planes
 * are k x q x d here, orthonormal rows. */
#ifndef KITH_TEST_PLANES_NAIVE_H
#define KITH_TEST_PLANES_NAIVE_H

#include <math.h>

#include "base/base_i.h"
#include "kernel/planes.h"
#include "support/cmocka_all.h"

/* n rows of length 1 from k random planes (row i: plane i % k), noise sd. */
static inline double *planes_rows(uint32_t n, uint32_t d, uint32_t k,
                                  uint32_t q, double sd, uint64_t seed,
                                  double *planes)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 77);
    double *rows = calloc((size_t)n * d + 1, sizeof *rows);
    for (uint32_t l = 0; l < k; l++)
        kith_i_plane_random(planes + (size_t)l * q * d, q, d, &coins);
    for (size_t i = 0; i < n; i++) {
        double *x = rows + i * d, length = 0;
        for (uint32_t j = 0; j < q; j++) {
            double c = kith_i_coins_normal(&coins);
            for (uint32_t t = 0; t < d; t++)
                x[t] += c * planes[((i % k) * q + j) * d + t];
        }
        for (uint32_t t = 0; t < d; t++)
            length += x[t] * x[t];
        for (uint32_t t = 0; t < d; t++)
            x[t] = x[t] / sqrt(length) + sd * kith_i_coins_normal(&coins);
    }
    return rows;
}

/* Squared distance of a row to a plane. */
static inline double planes_distance(const double *x, const double *plane,
                                     uint32_t q, uint32_t d)
{
    double sum = 0;
    for (uint32_t t = 0; t < d; t++) {
        double rest = x[t];
        for (uint32_t j = 0; j < q; j++) {
            double c = 0;
            for (uint32_t s = 0; s < d; s++)
                c += x[s] * plane[(size_t)j * d + s];
            rest -= c * plane[(size_t)j * d + t];
        }
        sum += rest * rest;
    }
    return sum;
}

static inline double planes_cost(const double *rows, uint32_t n, uint32_t d,
                                 const double *planes, uint32_t k, uint32_t q)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double best = HUGE_VAL;
        for (size_t l = 0; l < k; l++)
            best = fmin(
                best, planes_distance(rows + i * d, planes + l * q * d, q, d));
        sum += best;
    }
    return sum;
}

/* |sin Theta|_F^2 between two planes. */
static inline double planes_angle(const double *a, const double *b, uint32_t q,
                                  uint32_t d)
{
    double sum = 0;
    for (uint32_t j = 0; j < q; j++)
        sum += planes_distance(b + (size_t)j * d, a, q, d);
    return sum;
}

/* Least summed angle over all permutations of the rest, planes l.. of a. */
static inline double planes_permute(const double *a, const double *b,
                                    uint32_t k, uint32_t q, uint32_t d,
                                    uint32_t l, unsigned used)
{
    double best = l == k ? 0 : HUGE_VAL;
    for (uint32_t m = 0; l < k && m < k; m++)
        if (!(used >> m & 1))
            best = fmin(
                best, planes_angle(a + (size_t)l * q * d, b + (size_t)m * q * d,
                                   q, d) +
                          planes_permute(a, b, k, q, d, l + 1, used | 1u << m));
    return best;
}

/* d_W by trying all permutations: small k only. */
static inline double planes_apart(const double *a, const double *b, uint32_t k,
                                  uint32_t q, uint32_t d)
{
    return sqrt(planes_permute(a, b, k, q, d, 0, 0));
}

static inline void planes_check(const double *planes, uint32_t k, uint32_t q,
                                uint32_t d)
{
    for (size_t l = 0; l < k; l++)
        for (size_t i = 0; i < q; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t t = 0; t < d; t++)
                    sum += planes[(l * q + i) * d + t] *
                           planes[(l * q + j) * d + t];
                if (!(fabs(sum - (i == j)) < 1e-9))
                    fail_msg("plane %zu: rows %zu, %zu: %g", l, i, j, sum);
            }
}

#endif
