/* The summary: weighted points that stand for the rows, made of released
 * values. tree.c counts boxes, leaves.c gives them means, cells.c refines
 * them. */
#ifndef KITH_AUTO_SUMMARY_H
#define KITH_AUTO_SUMMARY_H

#include "auto/axes.h"

/* Lengths in steps of the view. */
typedef struct auto_summary {
    uint32_t n, q;
    double *points; /* n x q */
    double *size;   /* rows that a point stands for */
    double *unsure; /* noise variance of that */
    double *noise;  /* sd of one coordinate of a point */
    double *weight; /* for solving: less where a point is mostly noise */
    double *within; /* mean squared distance of its rows from it */
} auto_summary;

/* There is room for so many points for each cluster at least. */
enum { AUTO_HALVES = 4 };
/* Halve the widest points, if they have this many rows, on paper until there
 * are so many: boxes stand for rows all over them. */
void kith_i_auto_halve(auto_run *run, auto_summary *summary, uint32_t many,
                       double least);

/* What is left of the budget, divided. */
typedef struct auto_shares {
    double tree, leaf, cells, steps, last;
    double choice; /* of the last centres or one mean; 0: none */
    double hist;   /* for one histogram */
    double counts; /* part of a step that goes to sizes */
    uint32_t cell_steps, rounds;
    uint32_t hists; /* rounds that buy one; the others use the last radius */
} auto_shares;
auto_shares kith_i_auto_divide(const auto_run *run, const auto_frame *frame);
/* What the steps have, divided again for another number of clusters. */
void kith_i_auto_divide_again(const auto_run *run, uint32_t q,
                              auto_shares *shares);

/* ---- tree.c ---------------------------------------------------------------
 */

enum { AUTO_ROOTS = 12 };

/* What is known of a box. */
typedef struct auto_count {
    double count, variance; /* of all releases; HUGE_VAL: not counted */
    double size, unsure;    /* by least squares, and its variance */
    int near;               /* below the first root */
} auto_count;

typedef struct auto_tree {
    kith_i_forest face; /* as the gate sees it */
    uint32_t nodes, room;
    double edge[AUTO_ROOTS]; /* half width of a root's box, in spreads */
    kith_i_box *node;        /* first the roots, from the inside out */
    auto_count *rows;        /* of each node */
    double *box;             /* node x 2 x q: lower, upper corner */
    double *inverse;         /* 1 / spread^2 */
} auto_tree;

/* A6: grows until nothing is worth cutting. What it does not need of its share
 * goes to the later stages. Free it. */
kith_status kith_i_auto_grow(auto_run *run, const auto_scout *scout,
                             const auto_frame *frame, auto_shares *shares,
                             auto_tree *tree);
void kith_i_auto_tree_free(auto_tree *tree);
/* All but what finds the leaf of a row: boxes are most of a tree. */
void kith_i_auto_tree_trim(auto_tree *tree);

/* The sizes that fit all counts best (least squares). A box has no less than
 * nothing, and its halves add up to it. */
void kith_i_auto_fit_sizes(auto_tree *tree);

/* ---- leaves.c -------------------------------------------------------------
 */

/* A7: a point for each leaf that stands out of the noise. */
kith_status kith_i_auto_leaves(auto_run *run, const auto_frame *frame,
                               const auto_shares *shares, auto_tree *tree,
                               auto_summary *out);

/* ---- cells.c --------------------------------------------------------------
 */

/* A8: the summary is clustered into more cells than clusters, whose sizes and
 * means are bought; they replace it. Without room for that its share goes to
 * the later steps. */
kith_status kith_i_auto_cells(auto_run *run, const auto_frame *frame,
                              auto_shares *shares, auto_summary *summary);

#endif
