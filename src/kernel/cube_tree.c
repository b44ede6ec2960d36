/* Which cube of a tree of cubes is a row in? */
#include "cube_tree.h"

/* Which half of its cube of level a - 1 a row is in, in every direction. */
static uint64_t half_of(const kith_i_tree *tree, const int16_t *row, uint32_t a)
{
    uint64_t code = 0;
    int32_t edge = tree->edge >> a;
    for (uint32_t i = 0; i < tree->p; i++)
        code |= (uint64_t)((row[i] - tree->low[i]) / edge & 1) << i;
    return code;
}

static int find_cube(const struct kith_i_tree_level *level, uint64_t key,
                     size_t *out)
{
    size_t low = 0, high = level->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (level->cubes[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return low < level->count && level->cubes[low].key == key;
}

uint64_t kith_i_tree_key(const kith_i_tree *tree, const int16_t *row)
{
    size_t cube = 0;
    for (uint32_t a = 1; a <= tree->depth; a++) {
        uint64_t key = (uint64_t)cube << tree->p | half_of(tree, row, a);
        if (!find_cube(&tree->level[a - 1], key, &cube))
            return KITH_I_NO_KEY;
    }
    return (uint64_t)cube << tree->p | half_of(tree, row, tree->depth + 1);
}
