/* From centres of the summary to centres of the rows. refine.c: rounds in the
 * view; lift.c: the last step, in all features; blind.c: the same where the
 * axes are random. */
#ifndef KITH_AUTO_REFINE_H
#define KITH_AUTO_REFINE_H

#include "auto/noisy_step.h"

/* What refining starts from. */
typedef struct auto_start {
    const auto_scout *scout;
    const auto_frame *frame;
    const auto_shares *shares;
    const auto_summary *summary;
    double *centers; /* k x q, in the view */
    int far;         /* there are boxes beyond the outliers */
} auto_start;

/* What is found: in steps of the rows. */
typedef struct auto_found {
    double *full;     /* k x d */
    double *sizes;    /* k */
    double noise;     /* sd of a coordinate of a cluster's sum */
    double *squares;  /* k: expected squared distances of the rows */
    double loose;     /* their relative sd; < 0: they are not known */
    uint32_t carried; /* places that were told apart */
} auto_found;

/* A10 and A11. */
kith_status kith_i_auto_refine(auto_run *run, const auto_start *start,
                               auto_found *found);

/* A11. job: of A10's last step, with what is known of sizes; before: what that
 * step found (k 0: there was none). */
kith_status kith_i_auto_last(auto_run *run, const auto_start *start,
                             auto_job *job, const auto_step *before,
                             auto_found *found);
kith_status kith_i_auto_last_blind(auto_run *run, const auto_start *start,
                                   auto_found *found);

/* Move the centres (full: k x d) by residual means in full space: their part
 * inside the axes is a correction, the rest is believed as far as it is not
 * noise. places: where the centres are in the frame. */
kith_status kith_i_auto_move_full(auto_run *run, const auto_frame *frame,
                                  const double *places, auto_step *step,
                                  double *full);

#endif
