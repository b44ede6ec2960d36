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
 *   be left out: it would double the sensitivity (balcan.md, item 10). */
#include "release_swap.h"

#include "base/base_i.h"
#include "choice.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "kernel/description.h"

typedef struct {
    const kith_i_swap_state *state;
    const kith_i_swap_spec *spec;
    size_t owner, kept, extra; /* offsets in a worker's room */
} swap_arg;

/* Totals: of the candidates, then of slots x candidates. */
static void visit(const void *p, const kith_i_block *block, void *room,
                  int64_t *totals)
{
    const swap_arg *a = p;
    uint32_t *owner = kith_i_room_at(room, a->owner);
    int32_t *kept = kith_i_room_at(room, a->kept);
    int32_t *extra = kith_i_room_at(room, a->extra);
    kith_i_swap_losses(a->state, block, room, owner, kept, extra);
    kith_i_swaps swaps = {.rows = block->rows,
                          .slots = a->spec->slots,
                          .candidates = a->spec->candidates,
                          .bound = (int32_t)a->spec->bound,
                          .owner = owner,
                          .kept = kept,
                          .extra = extra};
    kith_i_aggregate_swaps(&swaps, totals, totals + a->spec->candidates);
}

static uint64_t digest(const kith_session *s, const void *p)
{
    (void)s;
    const swap_arg *a = p;
    uint64_t h = kith_i_mix(kith_i_view_digest(a->spec->view), a->spec->slots);
    return kith_i_mix(kith_i_mix(h, a->spec->bound),
                      kith_i_swap_digest(a->state));
}

/* totals[n + j * n + c]: the loss after swap (j, c), n candidates. */
static kith_status tally_swaps(kith_session *s, const kith_i_swap_state *state,
                               const kith_i_swap_spec *spec, int64_t *totals,
                               kith_error *err)
{
    size_t n = spec->candidates, all = n * spec->slots;
    swap_arg arg = {.state = state, .spec = spec};
    kith_i_tally tally = {.view = spec->view,
                          .totals = n + all,
                          .visit = visit,
                          .digest = digest,
                          .arg = &arg};
    kith_i_room_add(&tally.room,
                    kith_i_swap_scratch(spec->candidates, state->points.d),
                    sizeof(double));
    size_t rows = KITH_I_BLOCK_ROWS;
    arg.owner = kith_i_room_add(&tally.room, rows, sizeof(uint32_t));
    arg.kept = kith_i_room_add(&tally.room, rows * n, sizeof(int32_t));
    arg.extra = kith_i_room_add(&tally.room, rows * n, sizeof(int32_t));
    kith_status status = kith_i_tally_rows(s, &tally, totals, err);
    for (size_t t = 0; !status && t < all; t++)
        totals[n + t] += totals[t % n];
    return status;
}

/* A chosen one that is no candidate would be looked up in what other rows left
 * behind (R2). */
static int is_valid(const kith_i_domain *m, const kith_i_swap_state *state,
                    const kith_i_swap_spec *spec)
{
    if (!state->chosen || m->sparse || state->points.d != m->dimension ||
        state->points.k != spec->candidates || state->k != spec->slots ||
        !kith_i_centers_are_exact(&state->points))
        return 0;
    for (uint32_t j = 0; j < state->k; j++)
        if (state->chosen[j] >= spec->candidates)
            return 0;
    return 1;
}

kith_status kith_i_release_swap(kith_session *s, const kith_i_swap_state *state,
                                const kith_i_swap_spec *spec, kith_i_swap *out,
                                kith_error *err)
{
    uint64_t all = (uint64_t)spec->slots * spec->candidates;
    const kith_i_domain *m = spec->view ? spec->view->domain : s->domain;
    if (all == 0 || all > UINT32_MAX || spec->bound == 0 ||
        spec->bound > INT32_MAX || !is_valid(m, state, spec))
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
    size_t n = spec->candidates, size = n + all;
    int64_t *totals = kith_i_alloc(size, sizeof *totals);
    uint32_t chosen = 0;
    status = totals ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = tally_swaps(s, state, spec, totals, err);
    if (!status)
        status =
            kith_i_choice_draw(s, &b, totals + n, (uint32_t)all, &chosen, err);
    if (!status)
        *out =
            (kith_i_swap){chosen / spec->candidates, chosen % spec->candidates};
    kith_i_wipe_free(totals, size * sizeof *totals);
    return status;
}
