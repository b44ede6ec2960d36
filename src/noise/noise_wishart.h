/* Wishart differences on exact sums: noise for pure DP that is paid for by the
 * trace of what a record adds (sampler_wishart.c). */
#ifndef KITH_NOISE_WISHART_H
#define KITH_NOISE_WISHART_H

#include "noise.h"
#include "sampler_wishart.h"

/* values: a symmetric p x p matrix of sums of v v'; scales[0] = b. Of the noise
 * source, stream and threads are used. On failure the values are wiped. */
kith_status kith_i_noise_add_wishart(const kith_i_noise *noise, uint32_t p,
                                     int64_t *values, kith_error *err);

/* values: the distinct entries (kernel/quartic.h) of a sum of t^4 in R^width.
 * As a matrix on pairs of indices, off-diagonal pairs weighted by sqrt 2, it is
 * a sum of v v' with |v| = |t|^2: noise on that matrix, made symmetric, then
 * rounded, modulo 2^64. On failure the caller wipes them. */
kith_status kith_i_noise_add_quartic(const kith_i_noise *noise, uint32_t width,
                                     int64_t *values, kith_error *err);

#endif
