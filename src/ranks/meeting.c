/* Ranks that talk: are all well, and what has rank 0 to say? Whatever they
 * compute; a session's part is in dp/session_team.c.
 *
 * Claim: every rank leaves a meeting with the same answer, and a failure of one
 *   is the failure of all (I44); what rank 0 publishes reaches all, or none
 *   goes on.
 * Needs: a transport that adds modulo 2^64; ranks that trust each other. */
#include "meeting.h"

#include <stdio.h>

#include "base/base_i.h"

/* How a rank fared, for those who did better. */
typedef struct {
    uint64_t digest;
    uint32_t rank, status;
    char why[512];
} report;

kith_status kith_i_ranks_lost(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_TEAM,
                       "the ranks lost touch with each other: nothing was "
                       "released; look at the messages of the other ranks, "
                       "and start again");
}

/* The lowest rank that failed, or that differs from rank 0. */
static report find_culprit(const report *all, uint32_t ranks)
{
    report found = {.status = KITH_ERR_INTERNAL};
    for (uint32_t i = ranks; i-- > 0;)
        if (all[i].digest != all[0].digest) {
            found = all[i];
            found.status = KITH_ERR_TEAM;
            snprintf(found.why, sizeof found.why,
                     "asks for something else than rank 0: the ranks have "
                     "parted ways, and nothing was released; run the same "
                     "program with the same options on machines of one make");
        }
    for (uint32_t i = ranks; i-- > 0;)
        if (all[i].status)
            found = all[i];
    found.why[sizeof found.why - 1] = 0;
    return found;
}

/* Not all is well: who, and why? */
static kith_status tell_all(const kith_team *t, uint64_t digest,
                            kith_status mine, kith_error *err)
{
    report r = {.digest = digest, .rank = t->rank, .status = (uint32_t)mine};
    if (mine)
        snprintf(r.why, sizeof r.why, "%s",
                 err && err->status == mine ? err->message
                                            : kith_status_name(mine));
    void *all = NULL;
    size_t total = 0;
    if (t->gather(t->arg, &r, sizeof r, &all, &total))
        return kith_i_ranks_lost(err);
    if (t->rank == 0 && total == t->ranks * sizeof r)
        r = find_culprit(all, t->ranks);
    if (t->share(t->arg, &r, sizeof r))
        return kith_i_ranks_lost(err);
    return kith_i_fail(err, (kith_status)r.status, "rank %u %s%s",
                       (unsigned)r.rank,
                       r.status == KITH_ERR_TEAM ? "" : "failed: ", r.why);
}

/* Two words to rank 0, one back; more only when something is wrong. */
kith_status kith_i_ranks_meet(const kith_team *t, uint64_t digest,
                              kith_status mine, kith_error *err)
{
    uint64_t words[2] = {mine != KITH_OK, digest};
    if (t->sum(t->arg, words, 2))
        return kith_i_ranks_lost(err);
    uint64_t well = words[0] == 0 && words[1] == t->ranks * digest;
    if (t->share(t->arg, &well, sizeof well))
        return kith_i_ranks_lost(err);
    return well ? KITH_OK : tell_all(t, digest, mine, err);
}

kith_status kith_i_ranks_check(const kith_team *t, kith_error *err)
{
    if (t && t->size >= sizeof *t && t->ranks > 0 && t->rank < t->ranks &&
        t->sum && t->share && t->gather)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "a team needs its size, a rank below the number of "
                       "ranks, and its three functions");
}

kith_status kith_team_agree(const kith_team *team, kith_status mine,
                            kith_error *err)
{
    kith_status status = kith_i_ranks_check(team, err);
    if (status || !team)
        return status;
    return team->ranks == 1 ? mine : kith_i_ranks_meet(team, 0, mine, err);
}

kith_status kith_i_ranks_publish(const kith_team *t, uint64_t *streams,
                                 kith_status status, void *bytes, size_t count,
                                 kith_error *err)
{
    struct {
        uint64_t streams;
        uint32_t status;
        char why[512];
    } news = {.streams = *streams, .status = (uint32_t)status};
    if (status && err)
        snprintf(news.why, sizeof news.why, "%s", err->message);
    if (t->share(t->arg, &news, sizeof news) ||
        (!news.status && count > 0 && t->share(t->arg, bytes, count)))
        return kith_i_ranks_lost(err);
    *streams = news.streams;
    return news.status ? kith_i_fail(err, (kith_status)news.status,
                                     "rank 0 failed: %s", news.why)
                       : KITH_OK;
}

kith_status kith_i_ranks_add_rows(const kith_team *t, uint64_t *rows,
                                  int is_public, kith_error *err)
{
    uint64_t all = *rows, fits = 0;
    if (t->sum(t->arg, &all, 1))
        return kith_i_ranks_lost(err);
    if (t->rank == 0) /* each is at most KITH_I_MAX_ROWS: no wrap */
        fits = all <= KITH_I_MAX_ROWS;
    if (t->share(t->arg, &fits, sizeof fits))
        return kith_i_ranks_lost(err);
    if (!fits)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "more than %u rows on all ranks together: split "
                           "the data, or sample it",
                           KITH_I_MAX_ROWS);
    *rows = 0;
    if (!is_public)
        return KITH_OK;
    if (t->share(t->arg, &all, sizeof all))
        return kith_i_ranks_lost(err);
    *rows = all;
    return KITH_OK;
}
