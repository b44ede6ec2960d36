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
 * (item 23). The paper's last draw among Z(1)..Z(T) is left out: Z(T) is
 * returned.
 *
 * All swaps are valued in one pass (FastPAM: Schubert, Rousseeuw 2021). With
 * the distances d1 <= d2 to the nearest and second nearest of Z, a record
 * loses min(D_c, d1) after a swap that leaves its owner and min(D_c, d2) after
 * one that removes it. */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>

#include "dp/release_swap.h"

/* Rows that are scored together (their scores stay in the cache), and losses
 * that a compiler may do side by side. */
enum { BATCH = 64, LANES = 8 };

/* out[c] = |y - c|^2 / 2^shift, toward zero: exact up to that division. */
static void row_distances(const kith_i_swap_state *a, const int16_t *row,
                          const double *scores, int32_t *out)
{
    int64_t square = 0;
    for (uint32_t i = 0; i < a->points.d; i++)
        square += (int64_t)row[i] * row[i];
    double own = (double)square, unit = ldexp(1, -a->shift);
    uint32_t n = a->points.k, c = 0;
    for (; c + LANES <= n; c += LANES)
        for (uint32_t t = 0; t < LANES; t++)
            out[c + t] = (int32_t)((own + scores[c + t]) * unit);
    for (; c < n; c++)
        out[c] = (int32_t)((own + scores[c]) * unit);
}

/* The same for |y - c|: the square is an exact integer and sqrt is correctly
 * rounded, so this too depends on the one record only (R2). */
static void row_lengths(const kith_i_swap_state *a, const int16_t *row,
                        const double *scores, int32_t *out)
{
    int64_t square = 0;
    for (uint32_t i = 0; i < a->points.d; i++)
        square += (int64_t)row[i] * row[i];
    for (uint32_t c = 0; c < a->points.k; c++)
        out[c] = (int32_t)sqrt((double)square + scores[c]);
}

/* kept: holds the distances on entry. */
static uint32_t row_losses(const kith_i_swap_state *a, int32_t *restrict kept,
                           int32_t *restrict extra)
{
    uint32_t owner = 0;
    int32_t d1 = INT32_MAX, d2 = a->bound; /* no second: anything goes */
    for (uint32_t j = 0; j < a->k; j++) {
        int32_t d = kept[a->chosen[j]];
        if (d < d1) {
            d2 = j ? d1 : d2;
            d1 = d;
            owner = j;
        } else if (d < d2) {
            d2 = d;
        }
    }
    uint32_t n = a->points.k, c = 0;
    for (; c + LANES <= n; c += LANES)
        for (uint32_t t = 0; t < LANES; t++) {
            int32_t d = kept[c + t], least = d < d1 ? d : d1;
            extra[c + t] = (d < d2 ? d : d2) - least;
            kept[c + t] = least;
        }
    for (; c < n; c++) {
        int32_t d = kept[c], least = d < d1 ? d : d1;
        extra[c] = (d < d2 ? d : d2) - least;
        kept[c] = least;
    }
    return owner;
}

void kith_i_value_swaps(const void *arg, const kith_i_block *block,
                        double *scratch, uint32_t *owner, int32_t *kept,
                        int32_t *extra)
{
    const kith_i_swap_state *a = arg;
    size_t n = a->points.k, p = block->dimension;
    double *scores = scratch, *rest = scratch + BATCH * n;
    for (uint32_t first = 0; first < block->rows; first += BATCH) {
        uint32_t left = block->rows - first;
        kith_i_block part = {.rows = left < BATCH ? left : BATCH,
                             .dimension = block->dimension,
                             .dense = block->dense + first * p};
        kith_i_score_block(&a->points, &part, rest, scores);
        for (uint32_t r = 0; r < part.rows; r++) {
            size_t at = (size_t)(first + r) * n;
            (a->median ? row_lengths : row_distances)(
                a, part.dense + r * p, scores + r * n, kept + at);
            owner[first + r] = row_losses(a, kept + at, extra + at);
        }
    }
}

size_t kith_i_swap_scratch(uint32_t candidates, uint32_t p)
{
    return (size_t)BATCH * candidates +
           kith_i_assign_scratch(BATCH, candidates, p, 0);
}

static kith_status run_rounds(kith_session *session,
                              const kith_i_localswap_spec *spec,
                              const kith_i_swap_state *arg, uint32_t *chosen,
                              kith_error *err)
{
    kith_i_swap_map map = {.run = kith_i_value_swaps,
                           .arg = arg,
                           .view = spec->view,
                           .scratch =
                               kith_i_swap_scratch(spec->count, arg->points.d)};
    double step = kith_i_domain_step(kith_i_view_domain(spec->view));
    double unit = arg->median ? step : ldexp(step * step, arg->shift);
    for (uint32_t t = 0; t < spec->rounds; t++) {
        char what[64];
        snprintf(what, sizeof what, "swap %u of %u", t + 1, spec->rounds);
        kith_i_swap_spec release = {.what = what,
                                    .slots = spec->k,
                                    .candidates = spec->count,
                                    .bound = (uint32_t)arg->bound,
                                    .unit = unit,
                                    .charge = spec->charge / spec->rounds};
        kith_i_swap swap;
        kith_status status =
            kith_i_release_swap(session, &map, &release, &swap, err);
        if (status)
            return status;
        chosen[swap.slot] = swap.candidate;
    }
    return KITH_OK;
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
    kith_status status = arg.points.coords && arg.points.squares
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status) {
        kith_i_centers_set(&arg.points, spec->candidates);
        status = run_rounds(session, spec, &arg, chosen, err);
    }
    kith_i_free(arg.points.coords);
    kith_i_free(arg.points.squares);
    return status;
}
