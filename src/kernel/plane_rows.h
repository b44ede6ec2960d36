/* Rows and planes: which plane a quantised row is nearest to, and how far it
 * is from it. */
#ifndef KITH_PLANE_ROWS_H
#define KITH_PLANE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"

/* Several sets of k planes each, as integer-valued axes: every axis is a row
 * of a plane times 2^24, rounded. Filled by kith_i_axes_set; the array is the
 * caller's: sets * k * q * d doubles. */
typedef struct kith_i_axes {
    uint32_t sets, k, q, d;
    double *coords;
} kith_i_axes;

/* planes: sets x k x q x d, orthonormal rows. */
void kith_i_axes_set(kith_i_axes *out, const double *planes);

/* Doubles of scratch that one call needs. */
size_t kith_i_axes_scratch(const kith_i_axes *axes, uint32_t block_rows);

/* cell[r] = the plane (of the first set) that x_r is nearest to, the lowest one
 * on ties. A function of the single row (R2). */
void kith_i_axes_cells(const kith_i_axes *axes, const kith_i_block *block,
                       double *scratch, uint32_t *cell);

/* loss[r * sets + s] = squared distance of x_r from the nearest plane of set
 * s, times 2^-shift, toward zero, at most 2^31 - 1. Record-local. */
void kith_i_axes_losses(const kith_i_axes *axes, const kith_i_block *block,
                        int shift, double *scratch, int32_t *loss);

#endif
