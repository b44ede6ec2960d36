/* The one frame in which a release visits rows: allocate, fold, merge, wipe.
 *
 * Claim: the totals do not depend on the number of workers, on blocks or on the
 *   order of rows, and nothing exact is left in memory but the totals.
 * Because: integers modulo 2^64 add up in any order (R4); every worker's room
 *   and totals are wiped whatever happens. A row's position is not handed on.
 *   A fold that the caller stops (fold.c) fails the release, so that sums over
 *   some of the rows never meet their noise. */
#include "ask_private.h"
#include "base/base_i.h"
#include "kernel/aggregate.h"

typedef struct {
    kith_session *session;
    const kith_i_tally *tally;
    struct tally_worker {
        int64_t *totals;
        void *room;
    } * workers;
} tally_job;

static void visit(void *p, uint32_t worker, uint64_t first,
                  const kith_i_block *block)
{
    (void)first; /* a record's position must not matter */
    const tally_job *job = p;
    const struct tally_worker *w = &job->workers[worker];
    job->tally->visit(job->tally->arg, block, w->room, w->totals);
}

kith_status kith_i_tally_rows(kith_session *s, const kith_i_tally *tally,
                              int64_t *totals, kith_error *err)
{
    if (!s->data)
        return KITH_OK;
    uint32_t threads = s->threads;
    struct tally_worker *w = kith_i_alloc(threads, sizeof *w);
    int ok = w != NULL;
    for (uint32_t i = 0; ok && i < threads; i++) {
        w[i].totals = i ? kith_i_alloc(tally->totals, sizeof *totals) : totals;
        w[i].room = kith_i_alloc(tally->room, 1);
        ok = w[i].totals && w[i].room;
    }
    kith_status status = ok ? KITH_OK : kith_i_fail_memory(err);
    if (ok) {
        tally_job job = {s, tally, w};
        status = kith_i_session_fold(s, tally->view, tally->beside, visit, &job,
                                     err);
    }
    for (uint32_t i = 0; w && i < threads; i++) {
        if (ok && i > 0) /* each worker's sums once */
            kith_i_add_wrapping(w[i].totals, tally->totals, totals);
        if (i > 0)
            kith_i_wipe_free(w[i].totals, tally->totals * sizeof *totals);
        kith_i_wipe_free(w[i].room, tally->room);
    }
    kith_i_free(w);
    if (s->team.ranks < 2)
        return status;
    return kith_i_team_merge(s, tally->digest(s, tally->arg), status, totals,
                             tally->totals, err);
}
