/* Algorithm 3 of Balcan et al. 2017, localswap, repaired.
 *
 *   Z <- k uniform draws from C                             public coins
 *   for t = 1..T
 *       (z, c) <- one of all k |C| swaps, with weight exp(-e L(Z - z + c) / B)
 *       Z <- Z - z + c
 *
 * Repairs (docs/balcan.md): T = min(k, 20); candidates are in the ball, so the
 * loss of a record is at most B = 4 L^2; the loss is monotone in the records,
 * so the exponent has no factor 2; selection is exact, on integers
 * (release_swap.c); Z may hold a candidate twice, and a swap may leave Z as it
 * is. With the k-median loss a record's loss is a distance, at most B = 2 L
 * (item 23). The paper's last draw, of t with weight exp(-e L(Z(t)) / B), costs
 * as much as a swap and is made on request only: else Z(T) is returned. */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "release/release_select.h"
#include "release/release_swap.h"

/* What a swap, or the last draw, pays. */
static kith_i_loss draw_charge(const kith_i_localswap_spec *spec)
{
    return spec->charge / (spec->rounds + (spec->last_draw ? 1 : 0));
}

/* history: room for the Z(t), rounds x k; NULL: not kept. */
static kith_status run_rounds(kith_session *session,
                              const kith_i_localswap_spec *spec,
                              const kith_i_swap_state *arg, uint32_t *chosen,
                              uint32_t *history, kith_error *err)
{
    double step = kith_i_domain_step(kith_i_view_domain(spec->view));
    double unit = arg->median ? step : ldexp(step * step, arg->shift);
    for (uint32_t t = 0; t < spec->rounds; t++) {
        char what[64];
        snprintf(what, sizeof what, "swap %u of %u", t + 1, spec->rounds);
        kith_i_swap_spec release = {.what = what,
                                    .view = spec->view,
                                    .slots = spec->k,
                                    .candidates = spec->count,
                                    .bound = (uint32_t)arg->bound,
                                    .unit = unit,
                                    .charge = draw_charge(spec)};
        kith_i_swap swap;
        kith_status status =
            kith_i_release_swap(session, arg, &release, &swap, err);
        if (status)
            return status;
        chosen[swap.slot] = swap.candidate;
        if (history)
            memcpy(history + (size_t)t * spec->k, chosen,
                   spec->k * sizeof *chosen);
    }
    return KITH_OK;
}

/* chosen: one of the rounds' Z(t), those of small loss likelier. */
static kith_status draw_last(kith_session *session,
                             const kith_i_localswap_spec *spec,
                             const kith_i_swap_state *state,
                             const uint32_t *history, uint32_t *chosen,
                             kith_error *err)
{
    uint32_t k = spec->k, p = state->points.d, best = 0;
    size_t each = (size_t)k * (p + 1);
    double *room = kith_i_alloc(spec->rounds * each, sizeof *room);
    kith_i_centers *set = kith_i_alloc(spec->rounds, sizeof *set);
    kith_status status = room && set ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t t = 0; !status && t < spec->rounds; t++) {
        set[t] = (kith_i_centers){.k = k,
                                  .d = p,
                                  .coords = room + t * each,
                                  .squares = room + t * each + (size_t)k * p};
        for (uint32_t j = 0; j < k; j++) {
            uint32_t c = history[(size_t)t * k + j];
            memcpy(set[t].coords + (size_t)j * p,
                   state->points.coords + (size_t)c * p, p * sizeof *room);
            set[t].squares[j] = state->points.squares[c];
        }
    }
    if (!status) {
        double step = kith_i_domain_step(kith_i_view_domain(spec->view));
        kith_i_center_sets sets = {
            .count = spec->rounds, .set = set, .shift = state->shift};
        kith_i_losses losses = {.view = spec->view, .sets = &sets};
        kith_i_select_spec select = {.what = "choice among the swaps",
                                     .candidates = spec->rounds,
                                     .bound = (uint32_t)state->bound,
                                     .unit = ldexp(step * step, state->shift),
                                     .charge = draw_charge(spec)};
        status = kith_i_release_select(session, &losses, &select, &best, err);
    }
    if (!status)
        memcpy(chosen, history + (size_t)best * k, k * sizeof *chosen);
    kith_i_free(room);
    kith_i_free(set);
    return status;
}

static void set_bound(kith_i_swap_state *state, const kith_i_domain *domain)
{
    uint64_t bound = 4 * domain->l2_squared; /* (2 radius)^2 < 2^33 */
    state->shift = 0;
    if (state->median) {
        state->bound = (int32_t)(2 * kith_i_domain_l2(domain));
        return;
    }
    while (bound >> state->shift > INT32_MAX)
        state->shift++;
    state->bound = (int32_t)(bound >> state->shift);
}

kith_status kith_i_localswap(kith_session *session,
                             const kith_i_localswap_spec *spec,
                             kith_i_coins *coins, uint32_t *chosen,
                             kith_error *err)
{
    const kith_i_domain *domain = kith_i_view_domain(spec->view);
    kith_i_swap_state arg = {
        .points = {.k = spec->count, .d = domain->dimension},
        .chosen = chosen,
        .median = spec->median,
        .k = spec->k};
    set_bound(&arg, domain);
    for (uint32_t j = 0; j < spec->k; j++)
        chosen[j] = (uint32_t)kith_i_coins_below(coins, spec->count);
    arg.points.coords = kith_i_alloc((size_t)spec->count * domain->dimension,
                                     sizeof *arg.points.coords);
    arg.points.squares = kith_i_alloc(spec->count, sizeof *arg.points.squares);
    int last = spec->last_draw && !spec->median && spec->rounds > 0;
    uint32_t *history =
        last ? kith_i_alloc((size_t)spec->rounds * spec->k, sizeof *history)
             : NULL;
    kith_status status =
        arg.points.coords && arg.points.squares && (history || !last)
            ? KITH_OK
            : kith_i_fail_memory(err);
    if (!status) {
        kith_i_centers_set(&arg.points, spec->candidates);
        status = run_rounds(session, spec, &arg, chosen, history, err);
    }
    if (!status && last)
        status = draw_last(session, spec, &arg, history, chosen, err);
    kith_i_free(history);
    kith_i_free(arg.points.coords);
    kith_i_free(arg.points.squares);
    return status;
}
