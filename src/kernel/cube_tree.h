/* A tree of cubes over quantised rows, as released: which cube is a row in? */
#ifndef KITH_CUBE_TREE_H
#define KITH_CUBE_TREE_H

#include <stddef.h>
#include <stdint.h>

#define KITH_I_NO_KEY UINT64_MAX /* the row is in no cube */

typedef struct kith_i_sparse_cell {
    uint64_t key;
    int64_t count; /* noisy */
} kith_i_sparse_cell;

enum { KITH_I_TREE_LEVELS = 12, KITH_I_TREE_DIMENSION = 20 };

/* A tree of cubes over a view. The root is [low_i, low_i + edge)^p in lattice
 * units; each cube has 2^p halves in every direction. A level lists its active
 * cubes as keys (index of the parent in the level above) * 2^p + (which half,
 * one bit for each direction), increasing. All of it is released. */
typedef struct kith_i_tree {
    uint32_t p, depth; /* depth: levels below the root that have cubes */
    int32_t low[KITH_I_TREE_DIMENSION];
    int32_t edge; /* a multiple of 2^KITH_I_TREE_LEVELS */
    struct kith_i_tree_level {
        kith_i_sparse_cell *cubes;
        size_t count;
    } level[KITH_I_TREE_LEVELS];
} kith_i_tree;

/* Where a row falls among the children of the cubes at the tree's depth:
 * KITH_I_NO_KEY when its cube is not active. */
uint64_t kith_i_tree_key(const kith_i_tree *tree, const int16_t *row);

#endif
