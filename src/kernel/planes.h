/* Planes: linear subspaces as q orthonormal rows of d numbers (q x d), the
 * layout inside the library; a result shows them as d x q. Plain doubles on
 * public or released values, or inside a non-private solver. */
#ifndef KITH_PLANES_H
#define KITH_PLANES_H

#include "base/base_i.h"

#define KITH_I_PLANE_TOO_LARGE                                                 \
    "there are %u features: a plane of dimension %u does not fit"

/* ---- orthonormal.c ---- */

/* Make row j orthogonal to those before it, which are orthonormal; its length
 * after that. */
double kith_i_orthogonal_row(double *rows, uint32_t j, uint32_t d);

/* The same; what is taken off row j is taken off row j of `along` too (or
 * NULL). The square of the length. */
double kith_i_orthogonal_row_along(double *rows, double *along, uint32_t j,
                                   uint32_t d);

/* The first, and of length 1; 0 if nothing is left of it. */
int kith_i_orthonormal_row(double *rows, uint32_t j, uint32_t d);

/* Make q rows of d numbers orthonormal, in place (q <= d). A row that depends
 * on the ones before it is replaced by a random direction. */
void kith_i_orthonormalize(double *rows, uint32_t q, uint32_t d,
                           kith_i_coins *coins);

/* A uniformly random plane. */
void kith_i_plane_random(double *rows, uint32_t q, uint32_t d,
                         kith_i_coins *coins);

#endif
