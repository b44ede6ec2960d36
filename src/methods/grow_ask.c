/* What users are asked about a tree, and what they say. */
#include "grow_tree.h"

#include <math.h>

/* Nodes that were just made have no estimate, nor variance, and do not fall
 * short of anything. */
static int falls_short(const kith_i_grow *grow, const kith_i_grow_node *node)
{
    return node->depth >= grow->start_depth && grow->node[node->left].whole &&
           grow->node[node->right].whole &&
           node->estimate < grow->split_z * sqrt(node->variance);
}

/* Children come after their parent in the array: backwards is bottom-up. */
void kith_i_grow_merge(kith_i_grow *grow)
{
    for (uint32_t i = grow->nodes; i-- > 0;) {
        kith_i_grow_node *node = &grow->node[i];
        node->whole = !node->left || falls_short(grow, node);
    }
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *node = &grow->node[i];
        if (node->left)
            grow->node[node->left].part = grow->node[node->right].part =
                node->part || node->whole;
    }
}

kith_status kith_i_grow_publish(kith_i_local_run *run, const kith_i_grow *grow,
                                uint32_t depth, const kith_i_lens *lens,
                                kith_i_place *place, uint32_t **leaf,
                                kith_error *err)
{
    uint32_t leaves = 0, nodes = 0;
    kith_i_tree_node *tree = kith_i_local_take(run, grow->nodes, sizeof *tree);
    uint32_t *number = kith_i_local_take(run, grow->nodes, sizeof *number);
    *leaf = kith_i_local_take(run, grow->leaves, sizeof **leaf);
    if (!tree || !number || !*leaf)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < grow->nodes; i++)
        if (grow->node[i].depth <= depth && !grow->node[i].part)
            number[i] = nodes++;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *from = &grow->node[i];
        if (from->depth > depth || from->part)
            continue;
        kith_i_tree_node *to = &tree[number[i]];
        if (from->left && from->depth < depth && !from->whole) {
            to->axis = from->axis;
            to->threshold = from->threshold;
            to->left = number[from->left];
            to->right = number[from->right];
        } else {
            to->axis = -1;
            to->left = leaves;
            (*leaf)[leaves++] = i;
        }
    }
    *place = (kith_i_place){.kind = KITH_I_PLACE_TREE,
                            .places = leaves,
                            .lens = *lens,
                            .tree = tree,
                            .tree_nodes = nodes};
    return KITH_OK;
}

void kith_i_grow_take(kith_i_grow *grow, const uint32_t *leaf,
                      const kith_i_answer *answer)
{
    double precision = 1 / (answer->sd * answer->sd);
    int heard = answer->received > 0 && isfinite(precision) && precision > 0;
    if (heard && answer->per_share > 0)
        grow->users += 1 / answer->per_share;
    if (heard)
        for (uint32_t l = 0; l < answer->symbols; l++) {
            kith_i_grow_node *node = &grow->node[leaf[l]];
            double total = node->precision + precision;
            double old = node->precision / total, new = precision / total;
            node->mean +=
                (answer->fractions[l] - node->mean) * precision / total;
            node->per_share =
                old * old * node->per_share + new *new * answer->per_share;
            node->precision = total;
        }
    kith_i_grow_estimate(grow);
}
