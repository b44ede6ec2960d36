/* Are the numbers that describe a question such that a row's answer is exact
 * and reads that row alone? Methods fill them (kith_i_centers_set, ...), and
 * the gate looks again before it prices: a wrong description may cost accuracy,
 * never privacy (R2, I34). Everything here is public or released. */
#ifndef KITH_DESCRIPTION_H
#define KITH_DESCRIPTION_H

#include "cube_tree.h"
#include "forest.h"
#include "kernel_i.h"
#include "plane_rows.h"

/* Whole numbers on the lattice, with their squares: nothing that assign.c adds
 * can round. */
int kith_i_centers_are_exact(const kith_i_centers *centers);

/* Whole axes so short that no product with a row of this length or less, in
 * whatever order it is added up, reaches 2^51. */
int kith_i_axes_are_exact(const kith_i_axes *axes, double longest_row);

/* Every walk ends, at a node that is there, and compares coordinates that a
 * row has. */
int kith_i_forest_is_whole(const kith_i_forest *forest);

/* Every cube can be halved once more, and a level finds its keys. */
int kith_i_tree_is_whole(const kith_i_tree *tree);

/* Residuals of rows (below 2^15) and their squares fit their types. */
int kith_i_origins_are_near(const int32_t *origins, size_t count);

/* Distances above 0 to divide by, and results that fit their type. */
int kith_i_pull_is_whole(const kith_i_pull *pull, int sparse);

#endif
