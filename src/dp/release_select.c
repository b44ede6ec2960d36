/* Choose one of several candidates by their total loss (R5): integer scores,
 * exact coins, no exp().
 *
 * Claim: costs charge (choice.c).
 * Needs: a record-local loss in [0, bound] (clamped here).
 */
#include "dp_private.h"

#include "aggregate.h"
#include "base/base_i.h"
#include "select.h"

typedef struct {
    const kith_i_loss_map *map;
    const kith_i_select_spec *spec;
    struct select_worker {
        int64_t *totals;
        double *scratch;
        int32_t *losses;
    } * workers;
} select_arg;

static void visit(void *p, uint32_t worker, uint64_t first,
                  const kith_i_block *block)
{
    (void)first; /* a record's position must not matter */
    const select_arg *a = p;
    struct select_worker *w = &a->workers[worker];
    a->map->run(a->map->arg, block, w->scratch, w->losses);
    kith_i_aggregate_losses(w->losses, block->rows, a->spec->candidates,
                            (int32_t)a->spec->bound, w->totals);
}

static kith_status tally_losses(kith_session *s, const kith_i_loss_map *map,
                                const kith_i_select_spec *spec, int64_t *totals,
                                kith_error *err)
{
    if (!s->data)
        return KITH_OK;
    size_t n = spec->candidates;
    size_t block = kith_i_dataset_block_rows(s->data);
    struct select_worker *w = kith_i_alloc(s->threads, sizeof *w);
    int ok = w != NULL;
    for (uint32_t i = 0; ok && i < s->threads; i++) {
        ok &= !!(w[i].totals = kith_i_alloc(n, sizeof(int64_t)));
        ok &= !!(w[i].scratch = kith_i_alloc(map->scratch, sizeof(double)));
        ok &= !!(w[i].losses = kith_i_alloc(block * n, sizeof(int32_t)));
    }
    if (ok) {
        select_arg a = {map, spec, w};
        kith_i_session_fold(s, map->view, NULL, visit, &a);
    }
    for (uint32_t i = 0; w && i < s->threads; i++) {
        for (size_t c = 0; ok && c < n; c++)
            totals[c] += w[i].totals[c];
        kith_i_wipe_free(w[i].totals, n * sizeof(int64_t));
        kith_i_wipe_free(w[i].scratch, map->scratch * sizeof(double));
        kith_i_wipe_free(w[i].losses, block * n * sizeof(int32_t));
    }
    kith_i_free(w);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

kith_status kith_i_release_select(kith_session *s, const kith_i_loss_map *map,
                                  const kith_i_select_spec *spec, uint32_t *out,
                                  kith_error *err)
{
    if (spec->candidates == 0 || spec->bound == 0 || spec->bound > INT32_MAX)
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
    int64_t *totals = kith_i_alloc(spec->candidates, sizeof *totals);
    status = totals ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = tally_losses(s, map, spec, totals, err);
    /* A public base measure: the ratios of weights do not feel it. */
    for (uint32_t c = 0; !status && spec->handicap && c < spec->candidates; c++)
        totals[c] += spec->handicap[c];
    if (!status)
        status = kith_i_choice_draw(s, &b, totals, spec->candidates, out, err);
    kith_i_wipe_free(totals, spec->candidates * sizeof *totals);
    return status;
}
