/* Choose one of several candidates by their total loss (R5): integer scores,
 * exact coins, no exp().
 *
 * Claim: costs charge.
 * Needs: a record-local loss in [0, bound] (clamped here).
 * Because: with weight exp(-b L_c) for total losses L_c, and a range e of the
 *   charge (kith_i_selection_range):
 *   add-remove: every L_c moves by 0..bound, all in one direction, so
 *     b = e / bound suffices (no factor 2);
 *   replace-one: every L_c moves within +-bound: b = e / (2 bound).
 *   Pure DP: permute-and-flip (McKenna, Sheldon 2020) with these coins is
 *   e-DP and never worse than the exponential mechanism. Gaussian DP: the
 *   exponential mechanism has log-ratios in an interval of length e (bounded
 *   range; Durfee, Rogers 2019), worth mu <= 0.6267 e. b is rounded down. */
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
    int replace = s->privacy.neighbors == KITH_REPLACE_ONE;
    int pure = s->measure == KITH_PURE_DP;
    kith_i_loss range = kith_i_selection_range(s->measure, spec->charge);
    kith_i_exponent b = kith_i_exponent_for(range, spec->bound, replace);
    kith_i_bill bill = {.what = spec->what,
                        .mechanism = pure ? "permute-and-flip" : "exponential",
                        .norm = "score",
                        .sensitivity = spec->bound,
                        .scale = kith_i_exponent_value(b) > 0
                                     ? 1 / kith_i_exponent_value(b)
                                     : 0,
                        .loss = spec->charge};
    kith_status status = kith_i_session_pay(s, &bill, 1, err);
    if (status)
        return status;
    int64_t *totals = kith_i_alloc(spec->candidates, sizeof *totals);
    uint32_t *order = kith_i_alloc(spec->candidates, sizeof *order);
    status = totals && order ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = tally_losses(s, map, spec, totals, err);
    if (!status && s->data) {
        kith_i_entropy e;
        kith_i_entropy_open(&e, &s->source, kith_i_session_stream(s) << 32);
        uint32_t chosen =
            pure ? kith_i_permute_and_flip(&e, b, totals, spec->candidates,
                                           order)
                 : kith_i_exponential(&e, b, totals, spec->candidates);
        if (e.failed)
            status = kith_i_fail(err, KITH_ERR_ENTROPY,
                                 "the secure random generator failed: nothing "
                                 "was released, the budget stays spent");
        else
            *out = chosen;
        kith_i_entropy_close(&e);
    } else if (!status) {
        *out = 0;
    }
    kith_i_wipe_free(totals, spec->candidates * sizeof *totals);
    kith_i_free(order);
    return status;
}
