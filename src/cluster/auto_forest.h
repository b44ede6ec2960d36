/* The forest of boxes that A6 grows (auto_forest.c) and A7 reads the leaves of
 * (kith_i_auto_leaves.c). */
#ifndef KITH_AUTO_FOREST_H
#define KITH_AUTO_FOREST_H

#include "cluster/auto_i.h"

enum { FOREST_ROOTS = 12 };

typedef struct {
    int32_t middle; /* of its box, rounded down: whole numbers are to the
                       right of it if they are larger */
    uint32_t axis;
    int32_t child;    /* the first of two, side by side; -1: none */
    uint32_t cell;    /* in the release at hand */
    double count, sd; /* of the last release; in a shell, of all of them */
    uint8_t far;      /* below the far root */
} forest_node;

typedef struct auto_forest {
    uint32_t q, nodes, room;
    uint32_t roots;
    uint32_t shells, shells_end; /* boxes of the shells */
    double edge[FOREST_ROOTS];   /* half width of a root's box, in spreads */
    forest_node *node;           /* first the roots, from the inside out */
    double *box;                 /* node x 2 x q: lower, upper corner */
    double *inverse;             /* 1 / spread^2 */
    int even;                    /* its boxes are all as full as each other */
} auto_forest;

/* The root of the outliers or of a shell, by the largest squared coordinate in
 * units of the spread. */
uint32_t kith_i_auto_forest_shell(const auto_forest *f, double most);

/* A7: a point for each leaf that stands out of the noise. Leaves get their
 * cells. */
kith_status kith_i_auto_leaves(auto_run *run, const auto_space *space,
                               const auto_shares *shares, auto_forest *f,
                               auto_coreset *out, kith_error *err);

#endif
