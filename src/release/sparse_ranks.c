/* The one release whose exact values are as many as rows: keys and counts go to
 * rank 0, which adds up those of the same cell. */
#include "sparse_ranks.h"

#include <stdlib.h>

#include "base/base_i.h"
#include "ranks/meeting.h"

enum { MOST_KEYS = 1 << 26 }; /* a gigabyte of them on rank 0 */

static int by_key(const void *a, const void *b)
{
    const kith_i_sparse_cell *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Pairs of all ranks, sorted here and wiped; each key once. */
static kith_status merge(kith_i_sparse_cell *pairs, size_t n,
                         kith_i_key_counts *out, kith_error *err)
{
    out->keys = kith_i_alloc(n, sizeof *out->keys);
    out->counts = kith_i_alloc(n, sizeof *out->counts);
    int ok = out->keys && out->counts;
    if (ok && n > 0)
        qsort(pairs, n, sizeof *pairs, by_key);
    size_t m = 0;
    for (size_t i = 0; ok && i < n; i++) {
        if (i == 0 || pairs[i].key != pairs[i - 1].key)
            out->keys[m++] = pairs[i].key;
        out->counts[m - 1] += pairs[i].count;
    }
    out->count = m;
    if (n > 0)
        kith_i_wipe(pairs, n * sizeof *pairs);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* Would they fit on rank 0? Everybody is told. */
static kith_status check_size(kith_session *s, size_t mine, kith_error *err)
{
    uint64_t all = mine;
    kith_status status = KITH_OK;
    s->team_over = s->team.sum(s->team.arg, &all, 1) != 0;
    if (s->team_over)
        return kith_i_ranks_lost(err);
    if (s->team.rank == 0 && all > MOST_KEYS)
        status = kith_i_fail(err, KITH_ERR_MEMORY,
                             "a histogram over so many cells does not fit on "
                             "rank 0: use method auto or lloyd");
    return kith_i_team_publish(s, status, NULL, 0, err);
}

kith_status kith_i_key_counts_gather(kith_session *s, uint64_t digest,
                                     kith_status status,
                                     const kith_i_key_counts *mine,
                                     kith_i_key_counts *out, kith_error *err)
{
    if (s->team.ranks < 2) {
        *out = *mine;
        return status;
    }
    size_t n = status ? 0 : mine->count, total = 0;
    void *all = NULL;
    kith_i_sparse_cell *pairs = kith_i_alloc(n, sizeof *pairs);
    if (!status && !pairs)
        status = kith_i_fail_memory(err);
    for (size_t i = 0; !status && i < n; i++)
        pairs[i] = (kith_i_sparse_cell){mine->keys[i], mine->counts[i]};
    status = kith_i_team_meet(s, digest, status, err);
    if (!status)
        status = check_size(s, n, err);
    if (!status &&
        s->team.gather(s->team.arg, pairs, n * sizeof *pairs, &all, &total)) {
        s->team_over = 1;
        status = kith_i_ranks_lost(err);
    }
    if (!status && s->team.rank == 0)
        status = merge(all, total / sizeof *pairs, out, err);
    kith_i_wipe_free(pairs, n * sizeof *pairs);
    return status;
}

void kith_i_key_counts_free(const kith_session *s, kith_i_key_counts *gathered)
{
    if (s->team.ranks < 2)
        return;
    kith_i_wipe_free(gathered->keys, gathered->count * sizeof(uint64_t));
    kith_i_wipe_free(gathered->counts, gathered->count * sizeof(int64_t));
}

kith_status kith_i_sparse_publish(kith_session *s, kith_status status,
                                  kith_i_sparse_cell **cells, size_t *count,
                                  kith_error *err)
{
    uint64_t n = *count;
    status = kith_i_team_publish(s, status, &n, sizeof n, err);
    if (!status && s->team.rank > 0) {
        *cells = kith_i_alloc(n, sizeof **cells);
        *count = n;
        if (!*cells)
            status = kith_i_fail_memory(err);
    }
    if (s->team.ranks > 1 && !s->team_over) { /* has everybody room? */
        status = kith_i_team_meet(s, n, status, err);
        if (!status)
            status = kith_i_team_publish(s, KITH_OK, *cells, n * sizeof **cells,
                                         err);
    }
    return status;
}
