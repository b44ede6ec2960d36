/* The plane in which users vary most, and anchors found in it. */
#ifndef KITH_PLANE_H
#define KITH_PLANE_H

#include "grow_tree.h"
#include "refine_means.h"

/* ---- plane_find.c ---- */

typedef struct kith_i_local_plane {
    double *origin; /* d */
    double radius;  /* holds about 90 % of the users */
    kith_i_lens lens;
    double half[KITH_I_GROW_AXES];
    double moment; /* mean squared distance to the origin */
} kith_i_local_plane;

/* A first mean, where most users are around it, and the directions in which
 * they vary most. */
kith_status kith_i_plane_find(kith_i_local_run *run, double mean_share,
                              double radius_share, double moment_share,
                              kith_i_local_plane *plane, kith_error *err);
/* The same with random directions, when noise would hide the true ones. */
kith_status kith_i_plane_draw(kith_i_local_run *run, double mean_share,
                              double radius_share, kith_i_local_plane *plane,
                              kith_error *err);

/* ---- plane_anchors.c ---- */

kith_status kith_i_plane_open(kith_i_local_run *run,
                              const kith_i_local_plane *plane, uint32_t depth,
                              uint32_t room, kith_i_grow *grow,
                              kith_error *err);
/* The `wanted` points of R^d that the tree's cells are best seen from, with
 * shares (raw) and their variances. */
kith_status kith_i_plane_anchors(kith_i_local_run *run,
                                 const kith_i_local_plane *plane,
                                 kith_i_grow *grow, uint32_t wanted,
                                 kith_i_local_model *anchors, kith_error *err);

#endif
