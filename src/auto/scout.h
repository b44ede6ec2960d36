/* scout.c: how many rows there are, where their mean is, and how far from it
 * they reach. All lengths are in steps of the rows' lattice. */
#ifndef KITH_AUTO_SCOUT_H
#define KITH_AUTO_SCOUT_H

#include "auto/asks.h"

typedef struct auto_scout {
    double *mean;    /* d, of the rows */
    double astray;   /* squared distance that it may be off */
    double reach;    /* no row is further from it */
    auto_hist norms; /* distances from it */
    double trace;    /* their mean square */
    double *zero;    /* d: the caller's zero, clamped to the bounds */
    int taxicab;     /* L1 lengths about it were looked at: */
    auto_hist taxicabs;
} auto_scout;

/* Fills run->n too. */
kith_status kith_i_auto_scout(auto_run *run, auto_scout *scout);

/* A clipped sum in full space that has no good origin yet: which norm, which
 * radius, and what comes of it. */
typedef struct auto_plain {
    int taxicab;
    auto_clip clip;
} auto_plain;

/* Best way to sum k clusters with this share. about: lengths from where the
 * sums are taken; trace: their mean square. */
auto_plain kith_i_auto_plan_plain(const auto_run *run, const auto_scout *scout,
                                  const auto_hist *about, double k,
                                  double share);

/* The mean, better than before, with this share. Rows that noise hides are not
 * clipped where that costs next to nothing. *noise: squared distance that noise
 * has moved it. */
kith_status kith_i_auto_better_mean(auto_run *run, auto_scout *scout,
                                    double share, double *noise);

#endif
