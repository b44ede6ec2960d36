/* Digests of what is asked, by which the ranks of a team see that they are
 * about to ask the same (session_team.c). Every number that decides about a
 * row's place or value is in them. A guard against accidents: the law of what
 * is released does not depend on it. */
#ifndef KITH_ASK_DIGEST_H
#define KITH_ASK_DIGEST_H

#include "ask_private.h"
#include "base/mix.h"
#include "kernel/description_digest.h"

/* width: of a value; 0: none is asked for. */
uint64_t kith_i_ask_digest(const kith_session *session, const kith_i_ask *ask,
                           uint32_t cells, uint32_t width);
uint64_t kith_i_losses_digest(const kith_i_losses *losses);
uint64_t kith_i_view_digest(const kith_i_view *view); /* NULL: the records */
/* What must be the same on all ranks for their rows to be parts of one
 * dataset. */
uint64_t kith_i_team_dataset(const kith_session *session);

#endif
