/* Counts and sums by cell: histograms, cluster sizes, cluster sums, means.
 *
 * Claim: releasing the noisy counts costs count_charge, the noisy sums
 *   sum_charge, whatever the map does.
 * Needs: the map is record-local (R2); record values obey the domain's bounds
 *   (dataset.c checks them in integers).
 * Because: a record is in one cell at most. Add-remove: it changes one count
 *   by 1 (L1 = L2 = 1) and one cell's sum by a vector v, |v| <= r_cell, which
 *   aggregate.c enforces. The noise of cell c is proportional to r_c, so in
 * units of r_c the joint vector of all sums changes by at most 1. Replace-one:
 * a record leaves cell a and enters cell b. Counts: L1 2, L2 sqrt 2. Sums, in
 *   units of the cells' radii: |v - v'| <= 2 when a = b, sqrt(1 + 1) or 1 + 1
 *   otherwise: at most 2 in either norm. Discrete Laplace of scale D/eps per
 *   coordinate is eps-DP for L1 sensitivity D, K-norm noise of scale D/eps for
 *   L2 sensitivity D (sampler_knorm.c); integer + round(Gaussian) is
 *   post-processing of the Gaussian mechanism, D/sigma-GDP for L2
 *   sensitivity D. */
#include "dp_private.h"

#include <math.h>
#include <string.h>

#include "aggregate.h"
#include "base/base_i.h"
#include "kernel/kernel_i.h"
#include "noise/noise.h"

typedef struct {
    const kith_i_map *map;
    const kith_i_cells_spec *spec;
    kith_measure measure;
    struct tally {
        int64_t *counts, *sums;
        double *scratch;
        uint32_t *cell;
        int32_t *value;
    } * workers;
} fold_arg;

static void visit(void *p, uint32_t worker, uint64_t first,
                  const kith_i_block *block)
{
    (void)first; /* a record's position must not matter */
    const fold_arg *a = p;
    const kith_i_cells_spec *spec = a->spec;
    struct tally *t = &a->workers[worker];
    if (a->map->run)
        a->map->run(a->map->arg, block, t->scratch, t->cell,
                    spec->radius ? t->value : NULL);
    else
        memset(t->cell, 0, block->rows * sizeof *t->cell);
    if (!spec->radius || spec->width == 0) {
        kith_i_accumulate_rows(block, t->cell, spec->cells, t->sums, t->counts);
        return;
    }
    kith_i_values values = {.rows = block->rows,
                            .width = spec->width,
                            .cells = spec->cells,
                            .cell = t->cell,
                            .value = t->value,
                            .radius = spec->radius,
                            .pure = a->measure == KITH_PURE_DP && !spec->ball};
    kith_i_aggregate_values(&values, t->sums, t->counts);
}

static void free_tallies(struct tally *w, uint32_t count, size_t cells,
                         size_t sums, size_t scratch, size_t rows,
                         size_t values)
{
    for (uint32_t i = 0; w && i < count; i++) {
        if (i > 0) { /* worker 0 writes into the output */
            kith_i_wipe_free(w[i].counts, cells * sizeof *w[i].counts);
            kith_i_wipe_free(w[i].sums, sums * sizeof *w[i].sums);
        }
        kith_i_wipe_free(w[i].scratch, scratch * sizeof *w[i].scratch);
        kith_i_wipe_free(w[i].cell, rows * sizeof *w[i].cell);
        kith_i_wipe_free(w[i].value, values * sizeof *w[i].value);
    }
    kith_i_free(w);
}

/* The exact statistic, into out. */
static kith_status tally_records(kith_session *s, const kith_i_map *map,
                                 const kith_i_cells_spec *spec,
                                 kith_i_cells *out, kith_error *err)
{
    if (!s->data)
        return KITH_OK;
    uint32_t threads = s->threads, block = kith_i_dataset_block_rows(s->data);
    size_t sums = (size_t)spec->cells * spec->width;
    size_t values = spec->radius ? (size_t)block * spec->width : 0;
    struct tally *w = kith_i_alloc(threads, sizeof *w);
    int ok = w != NULL;
    for (uint32_t i = 0; ok && i < threads; i++) {
        w[i].counts = i ? NULL : out->counts;
        w[i].sums = i ? NULL : out->sums;
        if (i && out->counts)
            ok &= !!(w[i].counts = kith_i_alloc(spec->cells, sizeof(int64_t)));
        if (i && out->sums)
            ok &= !!(w[i].sums = kith_i_alloc(sums, sizeof(int64_t)));
        ok &= !!(w[i].scratch = kith_i_alloc(map->scratch, sizeof(double)));
        ok &= !!(w[i].cell = kith_i_alloc(block, sizeof(uint32_t)));
        ok &= !!(w[i].value = kith_i_alloc(values, sizeof(int32_t)));
    }
    if (ok) {
        fold_arg arg = {map, spec, s->measure, w};
        kith_i_session_fold(s, map->view, map->beside, visit, &arg);
        for (uint32_t i = 1; i < threads; i++) {
            for (uint32_t c = 0; out->counts && c < spec->cells; c++)
                out->counts[c] += w[i].counts[c];
            for (size_t j = 0; out->sums && j < sums; j++)
                out->sums[j] += w[i].sums[j];
        }
    }
    free_tallies(w, threads, spec->cells, sums, map->scratch, block, values);
    return ok ? KITH_OK : kith_i_fail_memory(err);
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

/* Sensitivities and scales. Counts: 1 | 2 (L1), 1 | 2 (L2 squared). Sums:
 * r | 2r in either norm. */
static kith_status price(const kith_session *s, const kith_i_domain *domain,
                         const kith_i_cells_spec *spec,
                         kith_i_scale *count_scale, kith_i_scale *sum_scales,
                         kith_i_bill *bills, size_t *bill_count,
                         kith_error *err)
{
    uint64_t twice = s->privacy.neighbors == KITH_REPLACE_ONE ? 2 : 1;
    int pure = s->measure == KITH_PURE_DP;
    double step = spec->unit > 0 ? spec->unit : kith_i_domain_step(domain);
    kith_i_bill bill = {.what = spec->what,
                        .mechanism = kith_i_session_mechanism(s),
                        .norm = pure ? "l1" : "l2"};
    size_t n = 0;
    if (spec->count_charge) {
        kith_status status = kith_i_session_scale(
            s, twice, twice, spec->count_charge, count_scale, err);
        if (status)
            return status;
        bill.suffix = "counts";
        bill.sensitivity = pure ? (double)twice : sqrt((double)twice);
        bill.scale = kith_i_scale_value(*count_scale);
        bill.loss = spec->count_charge;
        bills[n++] = bill;
    }
    uint64_t largest = 0;
    int knorm = uses_knorm(s, domain, spec);
    if (knorm) {
        bill.mechanism = "k-norm";
        bill.norm = "l2";
    }
    for (uint32_t c = 0; spec->sum_charge && c < spec->cells; c++) {
        uint64_t r = spec->radius ? spec->radius[c]
                     : knorm      ? kith_i_domain_l2(domain)
                                  : domain->l1;
        kith_i_u128 square =
            spec->radius ? (kith_i_u128)r * r : domain->l2_squared;
        kith_status status =
            knorm ? kith_i_session_scale_knorm(s, r * twice, spec->width,
                                               spec->sum_charge, &sum_scales[c],
                                               err)
                  : kith_i_session_scale(s, square * twice * twice, r * twice,
                                         spec->sum_charge, &sum_scales[c], err);
        if (status)
            return status;
        if (sum_scales[c].num >> sum_scales[c].shift >= largest) {
            largest = sum_scales[c].num >> sum_scales[c].shift;
            bill.sensitivity = (double)twice * step *
                               (pure ? (double)r : sqrt((double)square));
            bill.scale = kith_i_scale_value(sum_scales[c]) * step;
        }
    }
    if (spec->sum_charge) {
        bill.suffix = "sums";
        bill.loss = spec->sum_charge;
        bills[n++] = bill;
    }
    *bill_count = n;
    return KITH_OK;
}

static kith_status check_spec(const kith_i_domain *domain,
                              const kith_i_cells_spec *spec, kith_error *err)
{
    int ok =
        spec->cells > 0 && spec->cells < KITH_I_NO_CELL &&
        (spec->count_charge || spec->sum_charge) &&
        (!spec->sum_charge || spec->width > 0) &&
        (spec->radius || spec->width == 0 || spec->width == domain->dimension);
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
    if (!s->data) /* I26 */
        return KITH_OK;
    /* I33: every cell, whatever is in it */
    return knorm
               ? kith_i_noise_add_knorm(&noise, values, count / per_scale, err)
               : kith_i_noise_add(&noise, values, count, err);
}

kith_status kith_i_release_cells(kith_session *s, const kith_i_map *map,
                                 const kith_i_cells_spec *spec,
                                 kith_i_cells *out, kith_error *err)
{
    memset(out, 0, sizeof *out);
    const kith_i_domain *domain = kith_i_map_domain(s, map);
    kith_status status = check_spec(domain, spec, err);
    if (status)
        return status;
    size_t sums = (size_t)spec->cells * spec->width;
    kith_i_scale count_scale = {1, 0};
    kith_i_scale *sum_scales = kith_i_alloc(spec->cells, sizeof *sum_scales);
    if (spec->count_charge)
        out->counts = kith_i_alloc(spec->cells, sizeof *out->counts);
    if (spec->sum_charge)
        out->sums = kith_i_alloc(sums, sizeof *out->sums);
    out->sum_sd = kith_i_alloc(spec->cells, sizeof *out->sum_sd);
    if (!sum_scales || !out->sum_sd || (spec->count_charge && !out->counts) ||
        (spec->sum_charge && !out->sums))
        status = kith_i_fail_memory(err);
    kith_i_bill bills[2];
    size_t bill_count = 0;
    if (!status)
        status = price(s, domain, spec, &count_scale, sum_scales, bills,
                       &bill_count, err);
    if (!status)
        status = kith_i_session_pay(s, bills, bill_count, err);
    if (!status)
        status = tally_records(s, map, spec, out, err);
    if (!status && out->counts)
        status = add_noise(s, &count_scale, spec->cells, 0, out->counts,
                           spec->cells, err);
    int knorm = uses_knorm(s, domain, spec);
    if (!status && out->sums)
        status =
            add_noise(s, sum_scales, spec->width, knorm, out->sums, sums, err);
    if (!status) {
        out->count_sd = kith_i_session_sd(s, count_scale);
        for (uint32_t c = 0; spec->sum_charge && c < spec->cells; c++)
            out->sum_sd[c] = knorm ? kith_i_scale_value(sum_scales[c]) *
                                         sqrt(spec->width + 1.0)
                                   : kith_i_session_sd(s, sum_scales[c]);
    } else { /* exact sums must not outlive a failure */
        if (out->counts)
            kith_i_wipe(out->counts, spec->cells * sizeof *out->counts);
        if (out->sums)
            kith_i_wipe(out->sums, sums * sizeof *out->sums);
        kith_i_cells_free(out);
    }
    kith_i_free(sum_scales);
    return status;
}

void kith_i_cells_free(kith_i_cells *cells)
{
    kith_i_free(cells->counts);
    kith_i_free(cells->sums);
    kith_i_free(cells->sum_sd);
    memset(cells, 0, sizeof *cells);
}
