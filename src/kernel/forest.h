/* Trees of boxes over quantised rows: which leaf is a row in? */
#ifndef KITH_FOREST_H
#define KITH_FOREST_H

#include <stddef.h>
#include <stdint.h>

/* A box, parted at `middle` in the direction `axis` if it has children. */
typedef struct kith_i_box {
    int32_t middle; /* rounded down: whole numbers are to the right of it if
                       they are larger */
    uint32_t axis;
    int32_t child; /* the first of two, side by side; -1: none */
    uint32_t cell; /* what a row in this leaf is told */
} kith_i_box;

/* Roots in order: inside an ellipsoid, outside of it, then shells by the
 * largest coordinate (from the third root on). */
typedef struct kith_i_forest {
    uint32_t q, roots;
    const double *edge;     /* half width of a root's box, in spreads */
    const double *inverse;  /* q: 1 / spread^2 */
    const kith_i_box *node; /* first the roots; */
    uint32_t nodes;         /* so many; children stand behind their parents */
} kith_i_forest;

/* The root of the outliers or of a shell, by the largest squared coordinate in
 * units of the spread. */
uint32_t kith_i_forest_shell(const kith_i_forest *f, double most);

/* cell[r] of rows of q values each. Record-local (R2): squared distances are
 * added up in a fixed order, all else is comparisons. */
void kith_i_forest_cells(const kith_i_forest *f, const int16_t *rows,
                         uint32_t count, uint32_t *cell);

#endif
