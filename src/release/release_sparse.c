/* A histogram over a public domain too large to enumerate, thresholded.
 *
 * Claim: the output has exactly the law of: add independent noise to the
 *   count of every cell of the domain, empty cells included, and list those
 *   that reach the threshold. It costs charge.
 * Needs: a record-local key; threshold >= 1.
 * Because: the full noisy histogram has sensitivity 1 (L1 and L2) under
 *   add-remove, 2 and sqrt 2 under replace-one; listing is post-processing.
 *   Empty cells reach the threshold independently with the same probability,
 *   so the gaps between those that do, in the order of the keys, are
 *   independent geometric numbers, and their values follow the noise law
 *   given that it reaches the threshold. Skipping empty cells instead would
 *   make a neighbour's singleton cell an event of probability 0 against > 0:
 *   infinite loss (balcan.md, item 4). */
#include "release_sparse.h"

#include <math.h>
#include <mpfr.h>

#include "base/base_i.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "keys_out.h"
#include "noise/noise.h"
#include "sparse_ranks.h"

enum { MAX_EXPECTED_EMPTY = 1 << 22 };

typedef struct {
    kith_i_sparse_cell *cells;
    size_t count, capacity;
} cell_list;

static kith_status push(cell_list *list, uint64_t key, int64_t count,
                        kith_error *err)
{
    if (list->count == list->capacity) {
        size_t grown = list->capacity ? 2 * list->capacity : 64;
        kith_i_sparse_cell *cells =
            kith_i_resize(list->cells, list->capacity, grown, sizeof *cells);
        if (!cells)
            return kith_i_fail_memory(err);
        list->cells = cells;
        list->capacity = grown;
    }
    list->cells[list->count++] = (kith_i_sparse_cell){key, count};
    return KITH_OK;
}

static kith_status add_noise(const kith_session *s, uint64_t stream,
                             kith_i_scale scale, const kith_i_key_counts *all,
                             kith_error *err)
{
    kith_i_noise noise = {.kind = kith_i_session_noise(s),
                          .scales = &scale,
                          .per_scale = SIZE_MAX,
                          .source = &s->source,
                          .stream = stream,
                          .threads = s->threads};
    return kith_i_noise_add(&noise, all->counts, all->count, err);
}

/* Walk the empty cells that show and the m occupied ones (noise already
 * added) together, in the order of their keys. */
static kith_status list_cells(kith_session *s, const kith_i_sparse_spec *spec,
                              kith_i_scale scale,
                              const kith_i_key_counts *cells, cell_list *list,
                              kith_error *err)
{
    const uint64_t *keys = cells->keys;
    const int64_t *noisy = cells->counts;
    size_t m = cells->count;
    kith_i_noise_kind kind = kith_i_session_noise(s);
    kith_i_entropy e;
    kith_i_entropy_open(&e, &s->source, kith_i_session_stream(s) << 32);
    uint64_t empty = spec->domain_size - m;
    uint64_t rank = kith_i_sample_gap(&e, kind, scale, spec->threshold);
    size_t i = 0; /* occupied cells passed so far */
    kith_status status = KITH_OK;
    while (!status && !e.failed && (i < m || rank < empty)) {
        /* The empty cell of this rank has `rank` empty cells before it. */
        if (i < m && (rank >= empty || keys[i] - i <= rank)) {
            if (noisy[i] >= spec->threshold)
                status = push(list, keys[i], noisy[i], err);
            i++;
            continue;
        }
        int64_t value =
            kind == KITH_I_LAPLACE
                ? spec->threshold + kith_i_sample_geometric(&e, scale)
                : kith_i_sample_gaussian_tail(&e, scale, spec->threshold);
        status = push(list, rank + i, value, err);
        uint64_t gap = kith_i_sample_gap(&e, kind, scale, spec->threshold);
        rank = __builtin_add_overflow(rank, gap, &rank) ||
                       __builtin_add_overflow(rank, 1, &rank)
                   ? UINT64_MAX
                   : rank;
    }
    if (!status && e.failed)
        status = kith_i_fail_entropy(err);
    kith_i_entropy_close(&e);
    mpfr_free_cache();
    return status;
}

static uint64_t digest(const kith_session *s, const kith_i_keys *ask,
                       const kith_i_sparse_spec *spec)
{
    if (s->team.ranks < 2)
        return 0;
    uint64_t h = kith_i_mix(kith_i_view_digest(ask->view), spec->domain_size);
    h = kith_i_mix(h, (uint64_t)spec->threshold);
    return kith_i_mix(h, kith_i_tree_digest(ask->tree));
}

static kith_status check_spec(const kith_session *s,
                              const kith_i_sparse_spec *spec,
                              kith_i_scale scale, kith_error *err)
{
    double z = (double)spec->threshold / kith_i_scale_value(scale);
    double tail =
        s->measure == KITH_PURE_DP ? exp(-z) / 2 : erfc(z / sqrt(2)) / 2;
    if ((double)spec->domain_size * tail > MAX_EXPECTED_EMPTY)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the threshold is so low that millions of empty "
                           "cells would be listed: raise it");
    return KITH_OK;
}

kith_status kith_i_release_sparse(kith_session *s, const kith_i_keys *ask,
                                  const kith_i_sparse_spec *spec,
                                  kith_i_sparse_cell **out, size_t *count,
                                  double *sd, kith_error *err)
{
    *out = NULL;
    *count = 0;
    if (spec->domain_size == 0 || spec->domain_size > (uint64_t)1 << 62 ||
        spec->threshold < 1)
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a release was described wrongly: %s", spec->what);
    kith_i_moves one = kith_i_session_moves(s, KITH_I_COUNTS);
    kith_i_moved moved = {one.l1, one.l2_squared, 0, 1};
    kith_i_bill bill = {.what = spec->what, .loss = spec->charge};
    kith_i_scale scale;
    kith_status status = kith_i_session_price(s, &moved, &bill, &scale, err);
    if (!status)
        status = check_spec(s, spec, scale, err);
    if (status)
        return status;
    kith_i_key_copy copy;
    status = kith_i_key_copy_open(s, &bill, ask->view, ask->tree, &copy, err);
    if (status)
        return status;
    uint64_t *other = kith_i_alloc(copy.n, sizeof *other);
    int64_t *counts = kith_i_alloc(copy.n, sizeof *counts);
    kith_i_key_counts mine = {copy.keys, counts, 0}, all = {0};
    cell_list list = {0};
    if (!other || !counts)
        status = kith_i_fail_memory(err);
    if (!status) /* sorted: the order of the records is lost */
        mine.count = kith_i_aggregate_keys(copy.keys, other, copy.n,
                                           spec->domain_size, counts);
    if (!status)
        status = kith_i_watch_check(&s->watch, err);
    if (s->data)
        status = kith_i_key_counts_gather(s, digest(s, ask, spec), status,
                                          &mine, &all, err);
    int over = s->team_over;
    uint64_t stream = kith_i_session_stream(s);
    if (!status && kith_i_session_draws(s))
        status = add_noise(s, stream, scale, &all, err);
    if (!status && kith_i_session_draws(s))
        status = list_cells(s, spec, scale, &all, &list, err);
    if (!over)
        status =
            kith_i_sparse_publish(s, status, &list.cells, &list.count, err);
    kith_i_key_counts_free(s, &all);
    kith_i_wipe_free(other, copy.n * sizeof *other);
    kith_i_wipe_free(counts, copy.n * sizeof *counts);
    kith_i_key_copy_close(&copy);
    if (status) {
        kith_i_wipe_free(list.cells, list.capacity * sizeof *list.cells);
        return status;
    }
    *out = list.cells;
    *count = list.count;
    *sd = kith_i_session_sd(s, scale, 0);
    return KITH_OK;
}
