/* Ranks of a team (kith/team.h) and how they talk. Nothing here knows rows,
 * noise or money. */
#ifndef KITH_MEETING_H
#define KITH_MEETING_H

#include "base/domain.h"
#include "kith/team.h"

/* KITH_ERR_ARGUMENT unless a team is whole. */
kith_status kith_i_ranks_check(const kith_team *team, kith_error *err);

/* Is everybody here, unharmed (mine), and about to do the same (digest)? Two
 * words to rank 0, one back; more only when something is wrong. */
kith_status kith_i_ranks_meet(const kith_team *team, uint64_t digest,
                              kith_status mine, kith_error *err);

/* What rank 0 has drawn, or why it could not (status), to everybody, with the
 * number of its entropy streams. */
kith_status kith_i_ranks_publish(const kith_team *team, uint64_t *streams,
                                 kith_status status, void *bytes, size_t count,
                                 kith_error *err);

/* rows: in, of this rank; out, of all ranks where that is public, else 0. */
kith_status kith_i_ranks_add_rows(const kith_team *team, uint64_t *rows,
                                  int is_public, kith_error *err);

/* ranks_alike.c: KITH_ERR_TEAM unless all ranks compute alike. */
kith_status kith_i_ranks_compare(const kith_team *team, kith_error *err);

kith_status kith_i_ranks_lost(kith_error *err); /* the transport failed */

#endif
