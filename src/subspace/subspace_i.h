/* subspace: the private methods, as short scripts over releases (dp) and
 * arithmetic on released values. Each fills planes (k x q x d, orthonormal
 * rows) of a run. */
#ifndef KITH_SUBSPACE_I_H
#define KITH_SUBSPACE_I_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "kernel/kernel_i.h"
#include "kernel/planes.h"
#include "kith/subspace.h"
#include "run/run.h"

typedef struct kith_i_subspace_run {
    kith_session *session;
    const kith_subspace_options *opt;
    uint32_t k, q, d; /* q <= d */
    uint64_t rows;    /* what a plan assumes, 0 in a real run */
    kith_i_coins coins;
    double *planes;  /* k x q x d: the answer */
    uint32_t rounds; /* set by the method: how many it made */
    double noise;    /* set by the method: predicted, a plan shows it; or NaN */
    kith_chain_diagnostics *diagnostics; /* set by a chain if asked; owned */
} kith_i_subspace_run;

/* What a plan predicts for planes drawn with density exp(-b loss), b as a
 * charge allows: the angle (root of the summed squares) between such a plane
 * and the best one, for 1/k of the rows, as long as the bounds allow, that fill
 * a plane evenly. Turned by the tangent X (q x (d-q)) it loses b n/(kq) |X|^2.
 * Labels are taken as known. 0 in a real run. */
double kith_i_subspace_angle(const kith_i_subspace_run *run,
                             kith_i_loss charge);
/* That b, for rows as long as the bounds allow. */
double kith_i_subspace_exponent(const kith_i_subspace_run *run,
                                kith_i_loss charge);

typedef kith_status kith_i_subspace_fn(kith_i_subspace_run *run,
                                       kith_error *err);

kith_i_subspace_fn kith_i_subspace_auto, kith_i_subspace_sulq,
    kith_i_subspace_bingham, kith_i_subspace_gibbs, kith_i_subspace_mincost,
    kith_i_subspace_aggregate;

#endif
