/* Inside the gate: what a session does in a team of ranks (kith/team.h).
 *
 * A release is: fold, sum to rank 0, noise there, publish. Alone, all of it
 * does nothing: totals are whole, everybody draws. */
#ifndef KITH_DP_TEAM_H
#define KITH_DP_TEAM_H

#include "base/mix.h"
#include "dp_private.h"

/* Take part from now on, after everybody has said that it can: ranks of one
 * make, with the same bounds and privacy. mine: how this rank fared so far.
 * Before anything is charged. */
kith_status kith_i_team_enter(kith_session *session, const kith_team *team,
                              kith_status mine, kith_error *err);

/* team_alike.c: KITH_ERR_TEAM unless all ranks compute alike; and a digest of
 * what must be the same for their rows to be parts of one dataset. */
kith_status kith_i_team_compare(const kith_team *team, kith_error *err);
uint64_t kith_i_team_dataset(const kith_session *session);
kith_status kith_i_team_lost(kith_error *err); /* the transport failed */

/* Is everybody here, unharmed, and about to do the same (digest)? */
kith_status kith_i_team_meet(kith_session *session, uint64_t digest,
                             kith_status mine, kith_error *err);

/* Rank 0's totals become those of all ranks; the others' are wiped. mine: how
 * the fold went here. */
kith_status kith_i_team_merge(kith_session *session, uint64_t digest,
                              kith_status mine, int64_t *totals, size_t count,
                              kith_error *err);

/* Does this session visit rows, and is it the one that draws? */
int kith_i_session_draws(const kith_session *session);

/* What rank 0 has drawn, or why it could not (status), to everybody. */
kith_status kith_i_team_publish(kith_session *session, kith_status status,
                                void *bytes, size_t count, kith_error *err);

#endif
