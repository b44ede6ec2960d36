/* One noisy step of k-median.
 *
 * With r = |x - c| of a record x and its nearest centre c, the step releases
 * for each cluster the sum of (x - c)/max(r, tau) and the sum of
 * 1/max(r, tau), together, since both are bounded whatever the bounds of the
 * data are; their ratio is Weiszfeld's step for the sum of distances, rounded
 * off within tau (Huber). All else is post-processing. */
#include "kmedian_i.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/features.h"

enum { BINS_PER_OCTAVE = 4, OCTAVES = 16, BINS = BINS_PER_OCTAVE * OCTAVES };

/* Share of records within tau of their centre. */
static const double TAU_QUANTILE = 0.05;

/* Claim: no clipping but for rounding. Because: (x - c)/max(r, tau) is at most
 * 1 long and the inverse's part is a number in [0, 1]. */
uint64_t kith_i_median_radius(void)
{
    return (uint64_t)ceil(hypot(KITH_I_MEDIAN_UNIT, KITH_I_MEDIAN_INVERSE));
}

/* ---- the features of sparse centres ---- */

typedef struct {
    double most; /* of |centre| in this feature, over all centres */
    uint32_t feature;
} reach;

static int by_reach(const void *p, const void *q)
{
    const reach *a = p, *b = q;
    if (a->most != b->most)
        return a->most < b->most ? 1 : -1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/* From released centres alone. */
static kith_status find_features(kith_i_median_run *run, int plan,
                                 kith_error *err)
{
    uint32_t d = run->domain->dimension, k = run->k;
    uint32_t most = kith_i_most_features(run->domain);
    reach *list = kith_i_alloc(d, sizeof *list);
    run->slot = kith_i_alloc(d, sizeof *run->slot);
    run->features = kith_i_alloc(most, sizeof *run->features);
    if (!list || !run->slot || !run->features) {
        kith_i_free(list);
        return kith_i_fail_memory(err);
    }
    for (uint32_t i = 0; i < d; i++)
        list[i].feature = i;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < d; i++)
            list[i].most = fmax(list[i].most, fabs(run->centers[j * d + i]));
    qsort(list, d, sizeof *list, by_reach);
    run->width = 0;
    while (run->width < most &&
           (plan || run->width == 0 || list[run->width].most > 0))
        run->width++;
    for (uint32_t i = 0; i < d; i++)
        run->slot[i] = run->width;
    for (uint32_t t = 0; t < run->width; t++) {
        run->features[t] = list[t].feature;
        run->slot[list[t].feature] = t;
    }
    kith_i_free(list);
    run->part = kith_i_alloc((size_t)k * run->width, sizeof *run->part);
    return run->part ? KITH_OK : kith_i_fail_memory(err);
}

static void set_lattice(kith_i_median_run *run)
{
    kith_i_centers_set(&run->lattice, run->centers);
    size_t k = run->k, w = run->width;
    for (size_t j = 0; run->features && j < k; j++)
        for (size_t t = 0; t < w; t++) /* transposed, for sparse records */
            run->part[j * w + t] =
                run->lattice.coords[run->features[t] * k + j];
}

kith_status kith_i_median_open(kith_i_median_run *run, uint64_t rows,
                               kith_error *err)
{
    run->domain = kith_i_session_domain(run->session);
    uint32_t k = run->k, d = run->domain->dimension;
    run->width = d;
    run->lattice =
        (kith_i_centers){.k = k, .d = d, .sparse = run->domain->sparse};
    run->lattice.coords = kith_i_alloc((size_t)k * d, sizeof(double));
    run->lattice.squares = kith_i_alloc(k, sizeof(double));
    run->radius = kith_i_alloc(k, sizeof *run->radius);
    if (!run->lattice.coords || !run->lattice.squares || !run->radius)
        return kith_i_fail_memory(err);
    for (uint32_t j = 0; j < k; j++)
        run->radius[j] = kith_i_median_radius();
    kith_status status =
        run->domain->sparse ? find_features(run, rows > 0, err) : KITH_OK;
    if (!status)
        set_lattice(run);
    return status;
}

void kith_i_median_close(kith_i_median_run *run)
{
    kith_i_free(run->lattice.coords);
    kith_i_free(run->lattice.squares);
    kith_i_free(run->radius);
    kith_i_free(run->features);
    kith_i_free(run->slot);
    kith_i_free(run->part);
}

/* ---- tau ---- */

/* The first bin at which the noisy cumulated count reaches the fraction q of
 * the noisy total; bins below 2.5 standard deviations count as empty. */
static uint32_t quantile(const kith_i_cells *cells, uint32_t bins, double q)
{
    double total = 0, below = 0, least = 2.5 * cells->count_sd;
    for (uint32_t b = 0; b < bins; b++)
        if ((double)cells->counts[b] >= least)
            total += (double)cells->counts[b];
    uint32_t bin = 0;
    for (; bin + 1 < bins; bin++) {
        if ((double)cells->counts[bin] >= least)
            below += (double)cells->counts[bin];
        if (total > 0 && below >= q * total)
            break;
    }
    return bin;
}

kith_status kith_i_median_tau(kith_i_median_run *run, kith_i_loss charge,
                              kith_error *err)
{
    double most = 2 * (double)kith_i_domain_l2(run->domain);
    double limits[BINS - 1];
    for (int b = 0; b < BINS - 1; b++) {
        double edge = most * exp2((double)(b + 1 - BINS) / BINS_PER_OCTAVE);
        limits[b] = edge * edge;
    }
    kith_i_distance_bins bins = {.bins = BINS, .limits = limits};
    kith_i_ask ask = {.place = {.kind = KITH_I_PLACE_NEAREST,
                                .centers = &run->lattice,
                                .bins = &bins}};
    kith_i_cells_spec spec = {
        .what = "distances", .cells = BINS, .count_charge = charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    uint32_t bin = quantile(&cells, BINS, TAU_QUANTILE);
    kith_i_cells_free(&cells);
    run->tau = fmax(1, most * exp2((bin + 1.0 - BINS) / BINS_PER_OCTAVE));
    return KITH_OK;
}

/* ---- a step ---- */

/* Move one centre. sum: width + 1 released numbers with noise of this standard
 * deviation each. A centre whose sum of inverse distances may be nothing but
 * noise, or whose step would be moved by noise beyond the bounds, stays. */
static void move_center(const kith_i_median_run *run, const int64_t *sum,
                        double sd, double *center)
{
    uint32_t d = run->width;
    double pulls = (double)sum[d] / KITH_I_MEDIAN_INVERSE / run->tau;
    if ((double)sum[d] < 2 * sd || pulls <= 0)
        return;
    double scale = 1 / (KITH_I_MEDIAN_UNIT * pulls), square = 0;
    double noise = d * (sd * scale) * (sd * scale);
    if (noise > (double)run->domain->l2_squared)
        return;
    for (uint32_t i = 0; i < d; i++)
        square += ((double)sum[i] * scale) * ((double)sum[i] * scale);
    /* the part of the step that is not noise (positive-part James-Stein) */
    double keep = kith_i_shrink(square, noise);
    for (uint32_t i = 0; i < d; i++)
        center[run->features ? run->features[i] : i] +=
            keep * scale * (double)sum[i];
    kith_i_domain_clip(run->domain, center);
}

kith_status kith_i_median_move(kith_i_median_run *run,
                               const kith_i_median_step *step, double rows,
                               double *noise, kith_error *err)
{
    uint32_t d = run->domain->dimension, w = run->width, k = run->k;
    set_lattice(run);
    kith_i_pull arg = {.centers = &run->lattice,
                       .slot = run->slot,
                       .part = run->part,
                       .width = w,
                       .tau = run->tau,
                       .unit = KITH_I_MEDIAN_UNIT,
                       .inverse = KITH_I_MEDIAN_INVERSE};
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &run->lattice},
        .value = {.kind = KITH_I_VALUE_PULL, .pull = &arg}};
    kith_i_cells_spec spec = {.what = step->what,
                              .cells = k,
                              .width = w + 1,
                              .radius = run->radius,
                              .ball = 1,
                              .unit = 1 / (double)KITH_I_MEDIAN_UNIT,
                              .count_charge = step->count_charge,
                              .sum_charge = step->charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    double total = 0;
    for (uint32_t j = 0; j < k; j++) {
        const int64_t *sum = cells.sums + (size_t)j * (w + 1);
        total += (double)sum[w];
        move_center(run, sum, cells.sum_sd[j], run->centers + (size_t)j * d);
        if (cells.counts)
            run->weights[j] = fmax((double)cells.counts[j], 0);
    }
    /* Of an average cluster; in a plan all its records are at distance tau. */
    double parts = rows > 0 ? rows : total / KITH_I_MEDIAN_INVERSE;
    double pulls = fmax(parts, 1) / k / run->tau;
    *noise = cells.sum_sd[0] * sqrt(w) / (KITH_I_MEDIAN_UNIT * pulls);
    kith_i_cells_free(&cells);
    return KITH_OK;
}
