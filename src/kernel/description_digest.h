/* Digests of the numbers that describe a question (description.h): the ranks of
 * a team compare them (dp/ask_digest.h). NULL: 0. */
#ifndef KITH_DESCRIPTION_DIGEST_H
#define KITH_DESCRIPTION_DIGEST_H

#include "cube_tree.h"
#include "forest.h"
#include "kernel_i.h"
#include "plane_rows.h"
#include "row_losses.h"
#include "row_values.h"

uint64_t kith_i_centers_digest(const kith_i_centers *centers);
uint64_t kith_i_axes_digest(const kith_i_axes *axes);
uint64_t kith_i_forest_digest(const kith_i_forest *forest);
uint64_t kith_i_bins_digest(const kith_i_distance_bins *bins, size_t places,
                            size_t dimension);
uint64_t kith_i_pull_digest(const kith_i_pull *pull);
/* These are not NULL. */
uint64_t kith_i_swap_digest(const kith_i_swap_state *state);
uint64_t kith_i_tree_digest(const kith_i_tree *tree);

#endif
