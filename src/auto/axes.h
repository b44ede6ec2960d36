/* axes.c: the space that clustering runs in: a few axes about the mean, and
 * the rows' coordinates in them (the view). All lengths are in steps of the
 * view's lattice. */
#ifndef KITH_AUTO_FRAME_H
#define KITH_AUTO_FRAME_H

#include "auto/scout.h"

typedef struct auto_frame {
    const kith_i_view *view;
    uint32_t q;
    int blind;          /* the axes are random: no second moments were bought */
    double finer;       /* lattice steps of the view per step of the rows */
    const double *mean; /* d: where the axes begin, steps of the rows */
    double *axes;       /* q x d, orthonormal rows */
    double *spread;     /* q: sd of the rows along them */
    double reach;       /* no row is further from the mean */
    double trace;       /* mean squared distance from it */
    double outside;     /* the part of that outside the axes */
} auto_frame;

/* A5. Sets the run's recipe to the one for random axes, if they are. */
kith_status kith_i_auto_find_frame(auto_run *run, const auto_scout *scout,
                                   auto_frame *frame);

/* A view of p axes for one of frame->q: more random ones. Only for random axes.
 */
kith_status kith_i_auto_widen(auto_run *run, const auto_frame *frame,
                              uint32_t p, auto_frame *wide);

/* From the view to the rows' lattice: mean + axes^T c (full: k x d). */
void kith_i_auto_lift(const auto_frame *frame, uint32_t k, uint32_t d,
                      const double *centers, double *full);

#endif
