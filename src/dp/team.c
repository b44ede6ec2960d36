/* Ranks that hold parts of one dataset (kith/team.h).
 *
 * Claim: a release in a team has the law, and with a seed the bits, of one by a
 *   single process that holds all rows; only rank 0 ever has exact totals, and
 *   the others receive what was drawn.
 * Needs: a transport that adds modulo 2^64; ranks that trust each other.
 * Because: totals are integers modulo 2^64, so sums over ranks are sums over
 *   rows in any order (R4); rank 0 alone has entropy streams, whose numbers go
 *   with what it publishes; all ranks pay the same bills in their own copy of
 *   the account. A rank that fails or is about to ask something else stops all
 *   of them, in every meeting, before exact values are sent (I43, I44). */
#include "team.h"

#include <stdio.h>

#include "base/base_i.h"

/* How a rank fared, for those who did better. */
typedef struct {
    uint64_t digest;
    uint32_t rank, status;
    char why[512];
} report;

kith_status kith_i_team_lost(kith_error *err)
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
        return kith_i_team_lost(err);
    if (t->rank == 0 && total == t->ranks * sizeof r)
        r = find_culprit(all, t->ranks);
    if (t->share(t->arg, &r, sizeof r))
        return kith_i_team_lost(err);
    return kith_i_fail(err, (kith_status)r.status, "rank %u %s%s",
                       (unsigned)r.rank,
                       r.status == KITH_ERR_TEAM ? "" : "failed: ", r.why);
}

/* Two words to rank 0, one back; more only when something is wrong. */
static kith_status meet(const kith_team *t, uint64_t digest, kith_status mine,
                        kith_error *err)
{
    uint64_t words[2] = {mine != KITH_OK, digest};
    if (t->sum(t->arg, words, 2))
        return kith_i_team_lost(err);
    uint64_t well = words[0] == 0 && words[1] == t->ranks * digest;
    if (t->share(t->arg, &well, sizeof well))
        return kith_i_team_lost(err);
    return well ? KITH_OK : tell_all(t, digest, mine, err);
}

static int is_whole(const kith_team *t)
{
    return t->size >= sizeof *t && t->ranks > 0 && t->rank < t->ranks &&
           t->sum && t->share && t->gather;
}

static kith_status fail_shape(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "a team needs its size, a rank below the number of "
                       "ranks, and its three functions");
}

kith_status kith_team_agree(const kith_team *team, kith_status mine,
                            kith_error *err)
{
    if (!team || !is_whole(team))
        return fail_shape(err);
    return team->ranks == 1 ? mine : meet(team, 0, mine, err);
}

/* ---- in a session ---------------------------------------------------------
 */

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
    kith_status status = meet(&s->team, digest, mine, err);
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
    return s->team_over ? kith_i_team_lost(err) : KITH_OK;
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
    struct {
        uint64_t streams;
        uint32_t status;
        char why[512];
    } news = {.streams = s->streams, .status = (uint32_t)status};
    if (status && err)
        snprintf(news.why, sizeof news.why, "%s", err->message);
    const kith_team *t = &s->team;
    s->team_over =
        t->share(t->arg, &news, sizeof news) ||
        (!news.status && count > 0 && t->share(t->arg, bytes, count));
    if (s->team_over)
        return kith_i_team_lost(err);
    s->streams = news.streams;
    s->team_over = news.status != KITH_OK;
    return s->team_over ? kith_i_fail(err, (kith_status)news.status,
                                      "rank 0 failed: %s", news.why)
                        : KITH_OK;
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

/* ---- the start ------------------------------------------------------------
 */

/* The rows of all ranks: where their number is public, to all of them. */
static kith_status add_rows(kith_session *s, kith_error *err)
{
    const kith_team *t = &s->team;
    uint64_t all = kith_i_dataset_rows(s->data), fits = 0;
    if (t->sum(t->arg, &all, 1))
        return kith_i_team_lost(err);
    if (t->rank == 0) /* each is at most KITH_I_MAX_ROWS: no wrap */
        fits = all <= KITH_I_MAX_ROWS;
    if (t->share(t->arg, &fits, sizeof fits))
        return kith_i_team_lost(err);
    if (!fits)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "more than %u rows on all ranks together: split "
                           "the data, or sample it",
                           KITH_I_MAX_ROWS);
    if (s->privacy.neighbors == KITH_REPLACE_ONE) {
        if (t->share(t->arg, &all, sizeof all))
            return kith_i_team_lost(err);
        s->all_rows = all;
    }
    return KITH_OK;
}

kith_status kith_i_team_enter(kith_session *s, const kith_team *team,
                              kith_status mine, kith_error *err)
{
    if (!team)
        return mine;
    if (!is_whole(team))
        return mine ? mine : fail_shape(err);
    if (team->ranks == 1)
        return mine;
    s->team = *team;
    s->team.size = sizeof s->team;
    kith_status status = meet(team, 0, mine, err);
    if (!status)
        status = kith_i_team_compare(team, err);
    if (!status)
        status = meet(team, kith_i_team_dataset(s), KITH_OK, err);
    if (!status)
        status = add_rows(s, err);
    s->team_over = status != KITH_OK;
    return status;
}
