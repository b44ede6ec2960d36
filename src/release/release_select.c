/* Choose one of several candidates by their total loss (R5): integer scores,
 * exact coins, no exp().
 *
 * Claim: costs charge (choice.c).
 * Needs: a record-local loss in [0, bound] (clamped here).
 */
#include "release_select.h"

#include "base/base_i.h"
#include "choice.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "kernel/description.h"

typedef struct {
    const kith_i_losses *losses;
    const kith_i_select_spec *spec;
    size_t values; /* offset in a worker's room */
} select_arg;

static uint32_t candidates_of(const kith_i_losses *losses)
{
    if (!losses->sets == !losses->planes)
        return 0;
    return losses->sets ? losses->sets->count : losses->planes->sets;
}

/* Totals of 2^31 rows (R4) and these stay apart from the ends of their type. */
static int handicaps_are_small(const kith_i_select_spec *spec)
{
    const int64_t most = INT64_C(1) << 61;
    for (uint32_t c = 0; spec->handicap && c < spec->candidates; c++)
        if (spec->handicap[c] < -most || spec->handicap[c] > most)
            return 0;
    return 1;
}

static int is_valid(const kith_session *s, const kith_i_losses *losses)
{
    const kith_i_domain *m = losses->view ? losses->view->domain : s->domain;
    if (candidates_of(losses) == 0)
        return 0;
    if (losses->planes)
        return losses->planes->d == m->dimension && !m->sparse &&
               kith_i_axes_are_exact(losses->planes,
                                     (double)kith_i_domain_l2(m));
    for (uint32_t t = 0; t < losses->sets->count; t++) {
        const kith_i_centers *c = &losses->sets->set[t];
        if (c->d != m->dimension || c->k != losses->sets->set->k ||
            c->sparse != m->sparse || !kith_i_centers_are_exact(c))
            return 0;
    }
    return 1;
}

static void visit(const void *p, const kith_i_block *block, void *room,
                  int64_t *totals)
{
    const select_arg *a = p;
    const kith_i_losses *l = a->losses;
    int32_t *values = kith_i_room_at(room, a->values);
    if (l->sets)
        kith_i_center_losses(l->sets, block, room, values);
    else
        kith_i_axes_losses(l->planes, block, l->shift, room, values);
    kith_i_aggregate_losses(values, block->rows, a->spec->candidates,
                            (int32_t)a->spec->bound, totals);
}

static uint64_t digest(const kith_session *s, const void *p)
{
    (void)s;
    const select_arg *a = p;
    return kith_i_mix(kith_i_losses_digest(a->losses), a->spec->bound);
}

static kith_status tally_losses(kith_session *s, const kith_i_losses *losses,
                                const kith_i_select_spec *spec, int64_t *totals,
                                kith_error *err)
{
    select_arg arg = {.losses = losses, .spec = spec};
    kith_i_tally tally = {.view = losses->view,
                          .totals = spec->candidates,
                          .visit = visit,
                          .digest = digest,
                          .arg = &arg};
    size_t scratch =
        losses->sets ? kith_i_center_losses_scratch(losses->sets)
                     : kith_i_axes_scratch(losses->planes, KITH_I_BLOCK_ROWS);
    kith_i_room_add(&tally.room, scratch, sizeof(double));
    arg.values = kith_i_room_add(&tally.room,
                                 (size_t)KITH_I_BLOCK_ROWS * spec->candidates,
                                 sizeof(int32_t));
    return kith_i_tally_rows(s, &tally, totals, err);
}

kith_status kith_i_release_select(kith_session *s, const kith_i_losses *losses,
                                  const kith_i_select_spec *spec, uint32_t *out,
                                  kith_error *err)
{
    if (spec->candidates != candidates_of(losses) || spec->bound == 0 ||
        spec->bound > INT32_MAX || !is_valid(s, losses) ||
        !handicaps_are_small(spec))
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
        status = tally_losses(s, losses, spec, totals, err);
    /* A public base measure: the ratios of weights do not feel it. */
    for (uint32_t c = 0; !status && spec->handicap && c < spec->candidates; c++)
        totals[c] += spec->handicap[c];
    if (!status)
        status = kith_i_choice_draw(s, &b, totals, spec->candidates, out, err);
    kith_i_wipe_free(totals, spec->candidates * sizeof *totals);
    return status;
}
