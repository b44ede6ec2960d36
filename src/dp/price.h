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

/* Scale for one release from its sensitivity: in Gaussian DP
 * sqrt(l2_squared), in pure DP l1. Refuses scales beyond 2^54, so that a sum
 * (< 2^62) and its noise fit int64 (R4). */
kith_status kith_i_session_scale(const kith_session *session,
                                 kith_i_u128 l2_squared, uint64_t l1,
                                 kith_i_loss charge, kith_i_scale *out,
                                 kith_error *err);

/* Standard deviation of the session's noise at this scale. */
double kith_i_session_sd(const kith_session *session, kith_i_scale scale);

/* Whom the session's draws come from. */
const kith_i_entropy_source *kith_i_session_source(const kith_session *session);
/* No data: nothing is visited, nothing drawn. */
int kith_i_session_is_plan(const kith_session *session);
/* Is all of the budget there, neither spent nor held, and no ledger asked? What
 * does not add up with other releases needs a session of its own. */
int kith_i_session_is_whole(const kith_session *session);

#endif
