/* Counts and sums by cell: histograms, cluster sizes, cluster sums, means.
 *
 * Claim: releasing the noisy counts costs count_charge, the noisy sums
 *   sum_charge, whatever is asked.
 * Needs: cells and values are record-local (ask.c); record values obey the
 * domain's bounds (dataset.c checks them in integers). Because: a record is in
 * one cell at most. Add-remove: it changes one count by 1 (L1 = L2 = 1) and one
 * cell's sum by a vector v, |v| <= r_cell, which aggregate.c enforces. The
 * noise of cell c is proportional to r_c, so in units of r_c the joint vector
 * of all sums changes by at most 1. Replace-one: a record leaves cell a and
 * enters cell b. Counts: L1 2, L2 sqrt 2. Sums, in units of the cells' radii:
 * |v - v'| <= 2 when a = b, sqrt(1 + 1) or 1 + 1 otherwise: at most 2 in either
 * norm. Discrete Laplace of scale D/eps per coordinate is eps-DP for L1
 * sensitivity D, K-norm noise of scale D/eps for L2 sensitivity D
 * (sampler_knorm.c); integer + round(Gaussian) is post-processing of the
 * Gaussian mechanism, D/sigma-GDP for L2 sensitivity D. */
#include <string.h>

#include "ask_digest.h"
#include "base/base_i.h"
#include "kernel/aggregate.h"
#include "kernel/kernel_i.h"
#include "noise/noise.h"

static size_t total_count(const kith_i_cells_spec *spec)
{
    return (spec->count_charge ? spec->cells : 0) +
           (spec->sum_charge ? (size_t)spec->cells * spec->width : 0);
}

typedef struct {
    const kith_i_ask *ask;
    const kith_i_domain *domain;
    const kith_i_cells_spec *spec;
    int pure; /* values are clipped in L1 */
    kith_i_ask_room room;
} cells_arg;

static int sums_are_records(const kith_i_ask *ask)
{
    return ask->value.kind == KITH_I_VALUE_RECORD;
}

/* Totals: counts, then sums, of those that are paid for. */
static void visit(const void *p, const kith_i_block *block, void *room,
                  int64_t *totals)
{
    const cells_arg *a = p;
    const kith_i_cells_spec *spec = a->spec;
    uint32_t *cell = kith_i_room_at(room, a->room.cell);
    int32_t *value = kith_i_room_at(room, a->room.value);
    int64_t *counts = spec->count_charge ? totals : NULL;
    int64_t *sums = spec->count_charge ? totals + spec->cells : totals;
    int plain = !spec->sum_charge || sums_are_records(a->ask);
    kith_i_ask_rows(a->ask, a->domain, block, spec->width,
                    kith_i_room_at(room, a->room.scratch), cell,
                    plain ? NULL : value);
    if (plain) {
        kith_i_accumulate_rows(block, cell, spec->cells,
                               spec->sum_charge ? sums : NULL, counts);
        return;
    }
    kith_i_values values = {.rows = block->rows,
                            .width = spec->width,
                            .cells = spec->cells,
                            .cell = cell,
                            .value = value,
                            .radius = spec->radius,
                            .pure = a->pure};
    kith_i_aggregate_values(&values, sums, counts);
}

static uint64_t digest(const kith_session *s, const void *p)
{
    const cells_arg *a = p;
    const kith_i_cells_spec *spec = a->spec;
    uint64_t h = kith_i_ask_digest(s, a->ask, spec->cells,
                                   spec->sum_charge ? spec->width : 0);
    return kith_i_mix_bytes(h, spec->radius,
                            spec->cells * sizeof *spec->radius);
}

/* The exact statistic, into totals. */
static kith_status tally_records(kith_session *s, const kith_i_ask *ask,
                                 const kith_i_cells_spec *spec, int64_t *totals,
                                 kith_error *err)
{
    int values = spec->sum_charge && !sums_are_records(ask);
    kith_i_tally tally = {.view = ask->view,
                          .beside = ask->place.by,
                          .totals = total_count(spec),
                          .visit = visit,
                          .digest = digest};
    cells_arg arg = {.ask = ask,
                     .domain = kith_i_ask_domain(s, ask),
                     .spec = spec,
                     .pure = s->measure == KITH_PURE_DP && !spec->ball,
                     .room = kith_i_ask_room_add(
                         s, ask, values ? spec->width : 0, &tally.room)};
    tally.arg = &arg;
    return kith_i_tally_rows(s, &tally, totals, err);
}

/* In pure DP, K-norm noise on an L2 ball: for values when the spec says so,
 * for records when its variance, (w+1) r2^2, is below that of Laplace noise,
 * 2 r1^2. Decided by public values. */
static int uses_knorm(const kith_session *s, const kith_i_domain *domain,
                      const kith_i_cells_spec *spec)
{
    if (s->measure != KITH_PURE_DP || !spec->sum_charge)
        return 0;
    if (spec->radius)
        return spec->ball;
    return ((kith_i_u128)spec->width + 1) * domain->l2_squared <
           2 * (kith_i_u128)domain->l1 * domain->l1;
}

/* What a release costs, and with which noise. */
typedef struct {
    kith_i_scale count, *sums; /* sums: one per cell */
    int knorm;
    kith_i_bill bills[2];
    size_t bill_count;
} cells_price;

static kith_status price_counts(const kith_session *s,
                                const kith_i_cells_spec *spec, cells_price *out,
                                kith_error *err)
{
    kith_i_moves one = kith_i_session_moves(s, KITH_I_COUNTS);
    kith_i_moved moved = {one.l1, one.l2_squared, 0, 1};
    kith_i_bill *bill = &out->bills[out->bill_count++];
    *bill = (kith_i_bill){
        .what = spec->what, .suffix = "counts", .loss = spec->count_charge};
    return kith_i_session_price(s, &moved, bill, &out->count, err);
}

/* The receipt shows the cell with the largest scale: the others have the same
 * sensitivity / scale. */
static kith_status price_sums(const kith_session *s,
                              const kith_i_domain *domain,
                              const kith_i_cells_spec *spec, cells_price *out,
                              kith_error *err)
{
    kith_i_moves sum = kith_i_session_moves(s, KITH_I_SUMS);
    kith_i_bill *shown = &out->bills[out->bill_count++];
    uint64_t largest = 0;
    for (uint32_t c = 0; c < spec->cells; c++) {
        kith_i_scale *scale = &out->sums[c];
        uint64_t r = spec->radius ? spec->radius[c]
                     : out->knorm ? kith_i_domain_l2(domain)
                                  : domain->l1;
        kith_i_u128 square =
            spec->radius ? (kith_i_u128)r * r : domain->l2_squared;
        kith_i_moved moved = {
            .l1 = r * sum.l1,
            .l2_squared = square * sum.l2_squared,
            .degrees = out->knorm ? spec->width : 0,
            .unit = spec->unit > 0 ? spec->unit : kith_i_domain_step(domain)};
        kith_i_bill bill = {
            .what = spec->what, .suffix = "sums", .loss = spec->sum_charge};
        kith_status status = kith_i_session_price(s, &moved, &bill, scale, err);
        if (status)
            return status;
        if (scale->num >> scale->shift >= largest) {
            largest = scale->num >> scale->shift;
            *shown = bill;
        }
    }
    return KITH_OK;
}

static kith_status check_spec(const kith_session *s, const kith_i_ask *ask,
                              const kith_i_cells_spec *spec, kith_error *err)
{
    int records = sums_are_records(ask);
    int ok =
        spec->cells > 0 && spec->cells < KITH_I_NO_CELL &&
        (spec->count_charge || spec->sum_charge) &&
        (!spec->sum_charge || (spec->width > 0 && records == !spec->radius)) &&
        kith_i_ask_is_valid(s, ask, spec->cells,
                            spec->sum_charge ? spec->width : 0);
    for (uint32_t c = 0; ok && spec->radius && c < spec->cells; c++)
        ok = spec->radius[c] > 0 && spec->radius[c] <= (uint64_t)1 << 31;
    return ok ? KITH_OK
              : kith_i_fail(err, KITH_ERR_INTERNAL,
                            "a release was described wrongly: %s", spec->what);
}

static kith_status add_noise(kith_session *s, const kith_i_scale *scales,
                             size_t per_scale, int knorm, int64_t *values,
                             size_t count, kith_error *err)
{
    kith_i_noise noise = {.kind = kith_i_session_noise(s),
                          .scales = scales,
                          .per_scale = per_scale,
                          .source = &s->source,
                          .stream = kith_i_session_stream(s),
                          .threads = s->threads};
    if (!kith_i_session_draws(s)) /* I26 */
        return KITH_OK;
    /* I33: every cell, whatever is in it */
    return knorm
               ? kith_i_noise_add_knorm(&noise, values, count / per_scale, err)
               : kith_i_noise_add(&noise, values, count, err);
}

kith_status kith_i_release_cells(kith_session *s, const kith_i_ask *ask,
                                 const kith_i_cells_spec *spec,
                                 kith_i_cells *out, kith_error *err)
{
    memset(out, 0, sizeof *out);
    const kith_i_domain *domain = kith_i_ask_domain(s, ask);
    kith_status status = check_spec(s, ask, spec, err);
    if (status)
        return status;
    size_t totals = total_count(spec);
    cells_price price = {.count = {1, 0}, .knorm = uses_knorm(s, domain, spec)};
    price.sums = kith_i_alloc(spec->cells, sizeof *price.sums);
    int64_t *room = out->room = kith_i_alloc(totals, sizeof *room);
    out->sum_sd = kith_i_alloc(spec->cells, sizeof *out->sum_sd);
    if (!price.sums || !room || !out->sum_sd)
        status = kith_i_fail_memory(err);
    if (!status && spec->count_charge)
        status = price_counts(s, spec, &price, err);
    if (!status && spec->sum_charge)
        status = price_sums(s, domain, spec, &price, err);
    if (!status)
        status = kith_i_session_pay(s, price.bills, price.bill_count, err);
    if (!status) {
        out->counts = spec->count_charge ? room : NULL;
        out->sums = spec->sum_charge ? room : NULL;
        if (out->counts && out->sums)
            out->sums += spec->cells;
        status = tally_records(s, ask, spec, room, err);
    }
    if (!status) {
        if (out->counts)
            status = add_noise(s, &price.count, spec->cells, 0, out->counts,
                               spec->cells, err);
        if (!status && out->sums)
            status =
                add_noise(s, price.sums, spec->width, price.knorm, out->sums,
                          (size_t)spec->cells * spec->width, err);
        status =
            kith_i_team_publish(s, status, room, totals * sizeof *room, err);
    }
    if (!status) {
        out->count_sd = kith_i_session_sd(s, price.count, 0);
        for (uint32_t c = 0; spec->sum_charge && c < spec->cells; c++)
            out->sum_sd[c] = kith_i_session_sd(s, price.sums[c],
                                               price.knorm ? spec->width : 0);
    } else { /* exact sums must not outlive a failure: I21 */
        if (room)
            kith_i_wipe(room, totals * sizeof *room);
        kith_i_cells_free(out);
    }
    kith_i_free(price.sums);
    return status;
}

void kith_i_cells_free(kith_i_cells *cells)
{
    kith_i_free(cells->room);
    kith_i_free(cells->sum_sd);
    memset(cells, 0, sizeof *cells);
}
