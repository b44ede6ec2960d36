/* The forest of boxes that A6 grows (auto_forest.c) and A7 reads the leaves of
 * (kith_i_auto_leaves.c). */
#ifndef KITH_AUTO_FOREST_H
#define KITH_AUTO_FOREST_H

#include "cluster/auto_i.h"
#include "kernel/forest.h"

enum { FOREST_ROOTS = 12 };

/* What is known of a box. */
typedef struct auto_count {
    double count, variance; /* of all releases; HUGE_VAL: not counted */
    double size, unsure;    /* by least squares, and its variance */
    uint32_t depth;         /* halvings so far */
    uint8_t bulk, far;      /* below the first root; in a shell */
} auto_count;

typedef struct auto_forest {
    uint32_t q, nodes, room;
    uint32_t roots;
    double edge[FOREST_ROOTS]; /* half width of a root's box, in spreads */
    kith_i_box *node;          /* first the roots, from the inside out */
    auto_count *rows;          /* of each node */
    double *box;               /* node x 2 x q: lower, upper corner */
    double *inverse;           /* 1 / spread^2 */
    int even;                  /* its boxes are all as full as each other */
} auto_forest;

/* As the gate sees it. */
static inline kith_i_forest kith_i_auto_forest_face(const auto_forest *f)
{
    return (kith_i_forest){f->q, f->roots, f->edge, f->inverse, f->node};
}

/* The sizes that fit all counts best (least squares). A box has no less than
 * nothing, and its halves add up to it; in shells, where most boxes are empty
 * and a few rows must not pay for that, it may. */
void kith_i_auto_fit_sizes(auto_forest *f);

/* A7: a point for each leaf that stands out of the noise. Leaves get their
 * cells. */
kith_status kith_i_auto_leaves(auto_run *run, const auto_space *space,
                               const auto_shares *shares, auto_forest *f,
                               auto_coreset *out, kith_error *err);

#endif
