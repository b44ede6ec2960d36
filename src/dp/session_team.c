/* A session in a team of ranks that hold parts of one dataset (kith/team.h).
 *
 * Claim: a release in a team has the law, and with a seed the bits, of one by a
 *   single process that holds all rows; only rank 0 ever has exact totals, and
 *   the others receive what was drawn.
 * Needs: ranks that trust each other and meet as ranks/meeting.c says.
 * Because: totals are integers modulo 2^64, so sums over ranks are sums over
 *   rows in any order (R4); rank 0 alone has entropy streams, whose numbers go
 *   with what it publishes; all ranks pay the same bills in their own copy of
 *   the account. A rank that fails or is about to ask something else stops all
 *   of them, in every meeting, before exact values are sent (I43, I44). */
#include "ask_digest.h"
#include "base/base_i.h"
#include "ranks/meeting.h"

kith_status kith_i_team_meet(kith_session *s, uint64_t digest, kith_status mine,
                             kith_error *err)
{
    if (s->team.ranks < 2)
        return mine;
    if (s->team_over)
        return mine ? mine
                    : kith_i_fail(err, KITH_ERR_TEAM,
                                  "this session's team has failed: open "
                                  "another, and pay for it");
    digest = kith_i_mix(digest, s->spent);
    digest = kith_i_mix(digest, s->receipt_count);
    digest = kith_i_mix(digest, s->streams);
    digest = kith_i_mix(digest, s->focused);
    kith_status status = kith_i_ranks_meet(&s->team, digest, mine, err);
    s->team_over = status != KITH_OK;
    return status;
}

kith_status kith_i_team_merge(kith_session *s, uint64_t digest,
                              kith_status mine, int64_t *totals, size_t count,
                              kith_error *err)
{
    kith_status status =
        kith_i_team_meet(s, kith_i_mix(digest, count), mine, err);
    if (status || s->team.ranks < 2)
        return status;
    s->team_over = s->team.sum(s->team.arg, (uint64_t *)totals, count) != 0;
    if (s->team.rank != 0)
        kith_i_wipe(totals, count * sizeof *totals);
    return s->team_over ? kith_i_ranks_lost(err) : KITH_OK;
}

int kith_i_session_draws(const kith_session *s)
{
    return s->data && s->team.rank == 0;
}

kith_status kith_i_team_publish(kith_session *s, kith_status status,
                                void *bytes, size_t count, kith_error *err)
{
    if (s->team.ranks < 2 || s->team_over)
        return status;
    status =
        kith_i_ranks_publish(&s->team, &s->streams, status, bytes, count, err);
    s->team_over = status != KITH_OK;
    return status;
}

kith_status kith_i_session_settle(kith_session *s, kith_status status,
                                  kith_error *err)
{
    static const uint64_t end = 0x656e64;
    return kith_i_team_meet(s, end, status, err);
}

kith_status kith_i_session_need_alone(const kith_session *s, const char *what,
                                      kith_error *err)
{
    if (s->team.ranks < 2)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "%s needs all rows in one place: it is not offered to "
                       "a team of ranks; run it in one process",
                       what);
}

kith_status kith_i_team_enter(kith_session *s, const kith_team *team,
                              kith_status mine, kith_error *err)
{
    if (!team)
        return mine;
    kith_status status = kith_i_ranks_check(team, mine ? NULL : err);
    if (status || team->ranks == 1)
        return mine ? mine : status;
    s->team = *team;
    s->team.size = sizeof s->team;
    status = kith_i_ranks_meet(team, 0, mine, err);
    if (!status)
        status = kith_i_ranks_compare(team, err);
    if (!status)
        status = kith_i_ranks_meet(team, kith_i_team_dataset(s), KITH_OK, err);
    uint64_t rows = status ? 0 : kith_i_dataset_rows(s->data);
    if (!status)
        status = kith_i_ranks_add_rows(
            team, &rows, s->privacy.neighbors == KITH_REPLACE_ONE, err);
    s->all_rows = status ? 0 : rows;
    s->team_over = status != KITH_OK;
    return status;
}
