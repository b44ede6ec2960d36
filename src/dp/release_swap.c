/* Choose one of all swaps "candidate c takes the place of slot j" by the total
 * loss after the swap (R5): one pass for all k x C of them.
 *
 * Claim: costs charge.
 * Needs: a record-local owner, kept and extra (clamped by aggregate.c).
 * Because: a record adds kept_c in [0, bound] to the total of every swap
 *   (j, c) with j not its owner, and kept_c + extra_c in [0, bound] to those
 *   of its owner. So every one of the k x C totals moves by 0..bound, all in
 *   one direction, when a record is added, and within +-bound when one is
 *   replaced. That is the situation of release_select.c, with swaps for
 *   candidates: weight exponent e / bound (add-remove), e / (2 bound)
 *   (replace-one); permute-and-flip in pure DP, the exponential mechanism in
 *   Gaussian DP. The loss before the swap is the same for all swaps and may
 *   be left out: it would double the sensitivity (central.md, item 10). */
#include "release_swap.h"

#include "aggregate.h"
#include "base/base_i.h"
#include "dp_private.h"
#include "select.h"

typedef struct {
    const kith_i_swap_map *map;
    const kith_i_swap_spec *spec;
    struct swap_worker {
        int64_t *kept_totals, *extra_totals;
        double *scratch;
        uint32_t *owner;
        int32_t *kept, *extra;
    } * workers;
} swap_arg;

static void visit(void *p, uint32_t worker, uint64_t first,
                  const kith_i_block *block)
{
    (void)first; /* a record's position must not matter */
    const swap_arg *a = p;
    struct swap_worker *w = &a->workers[worker];
    a->map->run(a->map->arg, block, w->scratch, w->owner, w->kept, w->extra);
    kith_i_swaps swaps = {.rows = block->rows,
                          .slots = a->spec->slots,
                          .candidates = a->spec->candidates,
                          .bound = (int32_t)a->spec->bound,
                          .owner = w->owner,
                          .kept = w->kept,
                          .extra = w->extra};
    kith_i_aggregate_swaps(&swaps, w->kept_totals, w->extra_totals);
}

/* totals[j * candidates + c]: the loss after swap (j, c). */
static kith_status tally_swaps(kith_session *s, const kith_i_swap_map *map,
                               const kith_i_swap_spec *spec, int64_t *totals,
                               kith_error *err)
{
    if (!s->data)
        return KITH_OK;
    size_t n = spec->candidates, all = n * spec->slots;
    size_t block = kith_i_dataset_block_rows(s->data);
    struct swap_worker *w = kith_i_alloc(s->threads, sizeof *w);
    int ok = w != NULL;
    for (uint32_t i = 0; ok && i < s->threads; i++) {
        ok &= !!(w[i].kept_totals = kith_i_alloc(n, sizeof(int64_t)));
        ok &= !!(w[i].extra_totals = kith_i_alloc(all, sizeof(int64_t)));
        ok &= !!(w[i].scratch = kith_i_alloc(map->scratch, sizeof(double)));
        ok &= !!(w[i].owner = kith_i_alloc(block, sizeof(uint32_t)));
        ok &= !!(w[i].kept = kith_i_alloc(block * n, sizeof(int32_t)));
        ok &= !!(w[i].extra = kith_i_alloc(block * n, sizeof(int32_t)));
    }
    if (ok) {
        swap_arg a = {map, spec, w};
        kith_i_session_fold(s, map->view, NULL, visit, &a);
    }
    for (uint32_t i = 0; w && i < s->threads; i++) {
        for (size_t t = 0; ok && t < all; t++)
            totals[t] += w[i].kept_totals[t % n] + w[i].extra_totals[t];
        kith_i_wipe_free(w[i].kept_totals, n * sizeof(int64_t));
        kith_i_wipe_free(w[i].extra_totals, all * sizeof(int64_t));
        kith_i_wipe_free(w[i].scratch, map->scratch * sizeof(double));
        kith_i_wipe_free(w[i].owner, block * sizeof(uint32_t));
        kith_i_wipe_free(w[i].kept, block * n * sizeof(int32_t));
        kith_i_wipe_free(w[i].extra, block * n * sizeof(int32_t));
    }
    kith_i_free(w);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

kith_status kith_i_release_swap(kith_session *s, const kith_i_swap_map *map,
                                const kith_i_swap_spec *spec, kith_i_swap *out,
                                kith_error *err)
{
    uint64_t all = (uint64_t)spec->slots * spec->candidates;
    if (all == 0 || all > UINT32_MAX || spec->bound == 0 ||
        spec->bound > INT32_MAX)
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a release was described wrongly: %s", spec->what);
    kith_i_exponent b;
    kith_i_choice choice = {.what = spec->what,
                            .bound = spec->bound,
                            .unit = spec->unit,
                            .charge = spec->charge};
    kith_status status = kith_i_choice_pay(s, &choice, &b, err);
    if (status)
        return status;
    int64_t *totals = kith_i_alloc(all, sizeof *totals);
    uint32_t chosen = 0;
    status = totals ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = tally_swaps(s, map, spec, totals, err);
    if (!status)
        status = kith_i_choice_draw(s, &b, totals, (uint32_t)all, &chosen, err);
    if (!status)
        *out =
            (kith_i_swap){chosen / spec->candidates, chosen % spec->candidates};
    kith_i_wipe_free(totals, all * sizeof *totals);
    return status;
}
