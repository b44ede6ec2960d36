/* Where a record lies among the cells and the centres of the paper's method
 * (Stemmer 2021). No allocation, no I/O; every pointer was checked by the
 * device before (finite numbers, sizes). */
#ifndef KITH_PLACES_H
#define KITH_PLACES_H

#include <stdint.h>

#include "question.h"

/* ---- grid_cell.c ---- */

/* Coordinate i of a record seen through the lens, clipped. */
double kith_i_lens_at(const kith_i_lens *lens, const double *x, uint32_t i);

/* The key of the cell of x (see kith_i_grid). */
uint64_t kith_i_grid_key(const kith_i_grid *grid, const double *x);

/* Position of key in an increasing list, or count. */
uint32_t kith_i_key_find(const uint64_t *keys, uint32_t count, uint64_t key);

/* ---- preferred_center.c ---- */

/* The centre that x is counted for: a(i, x), or b(i, x) when place->kept is
 * set; place->places: none. points are place->places x d. coin: 64 secret
 * uniform bits, which draw one repetition for each radius. */
uint64_t kith_i_prefer(const kith_i_place *place, uint32_t d, const double *x,
                       uint64_t coin);

#endif
