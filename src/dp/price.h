/* What a release needs to price itself and to draw, and nothing by which a
 * session could be changed: for the side door too. */
#ifndef KITH_PRICE_H
#define KITH_PRICE_H

#include "budget/moves.h"
#include "dp_i.h"
#include "noise/entropy.h"
#include "noise/sampler.h"

/* What a release will cost and say. */
typedef struct kith_i_bill {
    const char *what, *suffix; /* joined with a blank; suffix may be NULL */
    const char *mechanism, *norm;
    double sensitivity, scale;
    kith_i_loss loss;
} kith_i_bill;

/* How far one row moves a statistic of this session. */
kith_i_moves kith_i_session_moves(const kith_session *session,
                                  kith_i_statistic what);

/* A stream number no other draw of this session has used. */
uint64_t kith_i_session_stream(kith_session *session);

/* Noise of the session's measure. */
kith_i_noise_kind kith_i_session_noise(const kith_session *session);
const char *kith_i_session_mechanism(const kith_session *session);

/* How far one row moves what is released: moves.h times the bound that is
 * enforced. */
typedef struct kith_i_moved {
    uint64_t l1;            /* pure: in L1; K-norm: in L2; Wishart: the trace */
    kith_i_u128 l2_squared; /* Gaussian: in L2, squared */
    size_t degrees; /* pure: one coordinate of the noise has the variance of
                       (degrees + 1) scales squared; 0: Laplace noise, 2 */
    double unit;    /* of the integers that are released, for the receipt */
} kith_i_moved;

/* The scale of the noise for bill->loss, and on the bill mechanism, norm,
 * sensitivity and scale: all of the same numbers. Refuses scales beyond 2^54,
 * so that a sum (< 2^62) and its noise fit int64 (R4). */
kith_status kith_i_session_price(const kith_session *session,
                                 const kith_i_moved *moved, kith_i_bill *bill,
                                 kith_i_scale *out, kith_error *err);

/* Standard deviation of one coordinate of noise of this scale. */
double kith_i_session_sd(const kith_session *session, kith_i_scale scale,
                         size_t degrees);

/* Whom the session's draws come from. */
const kith_i_entropy_source *kith_i_session_source(const kith_session *session);
/* No data: nothing is visited, nothing drawn. */
int kith_i_session_is_plan(const kith_session *session);
/* Is all of the budget there, neither spent nor held, and no ledger asked? What
 * does not add up with other releases needs a session of its own. */
int kith_i_session_is_whole(const kith_session *session);

#endif
