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
#include "plane_rating.h"
#include "run/run.h"

typedef struct kith_i_subspace_run {
    kith_session *session;
    const kith_subspace_options *opt;
    uint32_t k, q, d;  /* q <= d */
    uint64_t rows;     /* what a plan assumes, 0 in a real run */
    double counted;    /* rows: public, assumed, or a noisy count; 0: none */
    double counted_sd; /* its noise, if no receipt of a count tells; or 0 */
    kith_i_coins coins;
    double *planes;  /* k x q x d: the answer */
    uint32_t rounds; /* set by the method: how many it made */
    /* set by the method: by how much noise turns a plane. A plan predicts it;
     * a real run reads it off released values, or it is NaN */
    double noise;
    kith_i_plane_rating rating; /* of what it was read off, in a plan too */
    int blind; /* set by the method: it could not afford to look for clusters */
    kith_chain_diagnostics *diagnostics; /* set by a chain if asked; owned */
} kith_i_subspace_run;

/* The noise of an average plane, by what its matrix would be if 1/k of the rows
 * (a plan's), as long as the bounds allow, filled it evenly; `noise` tells the
 * matrix's width and noise, `length` is the bound of a row's length squared. */
void kith_i_subspace_foretell(kith_i_subspace_run *run,
                              const kith_i_noisy_matrix *noise, double length);

/* What a plan predicts for planes drawn with density exp(-b loss), b as a
 * charge allows: the angle (root of the summed squares) between such a plane
 * and the best one, for 1/k of the rows, as long as the bounds allow, that fill
 * a plane evenly. Turned by the tangent X (q x (d-q)) it loses b n/(kq) |X|^2.
 * Labels are taken as known. NaN in a real run: nothing is released but the
 * planes, so nobody knows. 0 where a plane is the whole space. */
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
