/* An interactive adaptive histogram. */
#ifndef KITH_GROW_TREE_H
#define KITH_GROW_TREE_H

#include "method_run.h"

/* ---- grow_tree.c: adaptive histogram ---- */

enum { KITH_I_GROW_AXES = 3 };

typedef struct kith_i_grow_node {
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES];
    uint32_t left, right; /* 0: a leaf */
    uint32_t depth;
    int axis;
    double threshold;
    double mean, precision;    /* of the reports about this node as a leaf, */
    double per_share;          /* if it is empty; what a unit of share adds to
                                  the variance */
    double up, up_var;         /* of reports below and at the node */
    double estimate, variance; /* of all reports */
    double weight;             /* after pruning; terminals sum to 1 */
    int alive, terminal;
    int whole, part; /* asked about as one, with or without children; below
                      * such a one */
} kith_i_grow_node;

typedef struct kith_i_grow {
    uint32_t axes, nodes, leaves, room, start_depth;
    kith_i_grow_node *node; /* 2 room, children after their parent */
    double *score;          /* 2 room */
    double users;           /* their share f adds f / users to a variance */
    /* Set by kith_i_grow_open to what suits d <= 3: how many levels a leaf is
     * split at once. */
    uint32_t split_levels;
    /* sd that a leaf must stand out by to be split, and sd of the next group */
    double split_z, split_next;
    /* sd of a cell to be kept that is deeper than the first ones */
    double deep_z;
    /* Part of the sd to be kept that is enough next to a cell that is there; 1
     * (as opened): no cell has it easier. */
    double beside;
} kith_i_grow;

/* The box, cut into 2^depth equal cells to begin with, at most `room` of them
 * ever. */
typedef struct kith_i_grow_box {
    uint32_t axes;
    const double *low, *high;
    uint32_t depth, room;
} kith_i_grow_box;

kith_status kith_i_grow_open(kith_i_local_run *run, const kith_i_grow_box *box,
                             kith_i_grow *grow, kith_error *err);
/* All of it elsewhere: parts[a] of a leaf's side along axis a. */
void kith_i_grow_shift(kith_i_grow *grow, const double *parts);
void kith_i_grow_estimate(kith_i_grow *grow);
/* Split what is worth it when the next group sees cells with this sd. */
void kith_i_grow_split(kith_i_grow *grow, double next_sd);
/* Decide what is there: terminals and their weights. A node is that stands out
 * by enough sd, and a leaf that stands out by less and touches a terminal. */
void kith_i_grow_prune(kith_i_grow *grow);
/* points: terminals x axes (room for one more than leaves), with weight and
 * variance of the weight. rest: mass that no terminal covers becomes one more
 * point when it is more than a quarter. Returns their number. */
uint32_t kith_i_grow_points(const kith_i_grow *grow, int rest, double *points,
                            double *weights, double *variances);

/* ---- grow_ask.c: questions about a tree ----
 */

/* Nodes that were split and do not stand out (any more) by what a split asks
 * for are leaves again, for questions and for pruning: their parts would only
 * add noise. */
void kith_i_grow_merge(kith_i_grow *grow);
/* The tree as it is now, down to a depth, as the place of a question. leaf:
 * the node of each published leaf. */
kith_status kith_i_grow_publish(kith_i_local_run *run, const kith_i_grow *grow,
                                uint32_t depth, const kith_i_lens *lens,
                                kith_i_place *place, uint32_t **leaf,
                                kith_error *err);
/* Reports about published leaves, then least squares over the tree. */
void kith_i_grow_take(kith_i_grow *grow, const uint32_t *leaf,
                      const kith_i_answer *answer);

/* ---- lean_cells.c: where in a cell its users are ---- */

/* points: of kith_i_grow_points; those of leaves are moved towards denser
 * neighbours. */
void kith_i_grow_lean(const kith_i_grow *grow, double *points);

/* The leaves as they are, estimates with their sign. variance: of an empty one,
 * and what its users add as far as they are known (kith_i_blobs_weigh). */
typedef struct kith_i_grow_cell {
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES];
    double estimate, variance;
    double empty, per_share; /* variance: empty + per_share x share */
} kith_i_grow_cell;

/* Trees that users were asked about, and the one whose leaves an answer is made
 * of: the same if there is only one. plain: every cell is as noisy as an empty
 * one, and a fit has no parameters; `one-round` has it so, whose seeded answers
 * stay the same. */
typedef struct kith_i_grow_set {
    kith_i_grow *asked, *shown;
    uint32_t count;
    int plain;
} kith_i_grow_set;

/* cells: room for grow->leaves. */
uint32_t kith_i_grow_cells(const kith_i_grow *grow, kith_i_grow_cell *cells);

#endif
