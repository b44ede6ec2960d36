/* Ranges of features from two histograms each.
 *
 * The gate sees codes (base/recode.h) and releases counts of cells, nothing
 * else. First the octaves: which sizes are there at all? Then 128 bins over the
 * octaves that can be seen, one more on each side: where do the values end?
 * Everything else is post-processing. A range that cannot be told from noise is
 * not made up: uncertain, or not found. */
#include "kith/bounds.h"

#include <math.h>
#include <stdio.h>

#include "base/base_i.h"
#include "base/recode.h"
#include "run/run.h"

enum {
    OCTAVES = 2 * KITH_I_CODE_OCTAVES + 1, /* zero is one */
    FINE = 128,                            /* bins of the second histogram */
    MOST_MERGED = 32                       /* of them, when single bins hide */
};
#define COUNT_SHARE .05 /* of the price: the number of rows */
#define SURE_GAUSS  5.0 /* sd: a bin is there */
#define SURE_PURE   6.5
#define LIKELY      2.5  /* next to one that is */
#define CERTAIN     .9   /* of the rows in bins that are seen: found */
#define HALF        .5   /* less: not found */
#define GENEROUS    .5   /* of what is seen, on both sides: width is cheap */
#define TINY        1e-6 /* of the width: a bound that is 0 */
#define FAR         8    /* uncertain: so many times the largest size seen */

typedef struct {
    kith_session *session;
    kith_i_loss each; /* the price of a histogram */
    double rows;
    int pure;
} finder;

/* Bins that end with these codes (increasing; the last is the largest code),
 * and their noisy counts. */
typedef struct {
    const char *what;
    uint32_t bins;
    int32_t ends[OCTAVES];
    double counts[OCTAVES], sd;
} histogram;

static kith_status count_bins(const finder *f, uint32_t feature, histogram *h,
                              kith_error *err)
{
    const kith_i_view *view = NULL;
    static const int32_t origin = -KITH_I_CODE_MOST;
    double limits[OCTAVES];
    for (uint32_t b = 0; b + 1 < h->bins; b++)
        limits[b] = pow(h->ends[b] - origin + .5, 2);
    kith_status status =
        kith_i_view_features(f->session, &feature, 1, &view, err);
    kith_i_distance_bins distances = {
        .bins = h->bins, .limits = limits, .origins = &origin};
    kith_i_ask ask = {.view = view, .place = {.bins = &distances}};
    char text[64];
    snprintf(text, sizeof text, "%s of feature %u,", h->what, feature + 1);
    kith_i_cells_spec spec = {
        .what = text, .cells = h->bins, .count_charge = f->each};
    kith_i_cells cells = {0};
    if (!status)
        status = kith_i_release_cells(f->session, &ask, &spec, &cells, err);
    for (uint32_t b = 0; !status && b < h->bins; b++)
        h->counts[b] = (double)cells.counts[b];
    h->sd = cells.count_sd;
    kith_i_cells_free(&cells);
    kith_i_labels_close(f->session, view);
    return status;
}

/* The first and the last bin that is there, for bins merged by `by`; returns
 * the rows in all of them. */
static double find_seen(const finder *f, const histogram *h, uint32_t by,
                        uint32_t *first, uint32_t *last)
{
    double merged[OCTAVES], sum = 0;
    int seen[OCTAVES] = {0};
    uint32_t n = h->bins / by;
    double noise = h->sd * sqrt(by), sure = f->pure ? SURE_PURE : SURE_GAUSS;
    for (uint32_t b = 0; b < n; b++) {
        merged[b] = 0;
        for (uint32_t i = 0; i < by; i++)
            merged[b] += h->counts[b * by + i];
        seen[b] = merged[b] >= fmax(sure * noise, 1);
    }
    for (uint32_t b = 1; b < n; b++)
        seen[b] |= seen[b - 1] && merged[b] >= LIKELY * noise;
    for (uint32_t b = n - 1; b-- > 0;)
        seen[b] |= seen[b + 1] && merged[b] >= LIKELY * noise;
    *first = *last = 0;
    for (uint32_t b = n; b-- > 0;)
        if (seen[b])
            *first = b * by;
    for (uint32_t b = 0; b < n; b++)
        if (seen[b]) {
            *last = b * by + by - 1;
            sum += merged[b];
        }
    return sum;
}

/* Outward to three digits. */
static double round_to(double x, double up)
{
    double unit = pow(10, floor(log10(fabs(x))) - 2);
    return up * ceil(up * x / unit) * unit;
}

static void round_out(kith_range *range)
{
    double tiny = TINY * (range->upper - range->lower);
    if (range->state == KITH_RANGE_NOT_FOUND)
        return;
    range->lower = fabs(range->lower) > tiny ? round_to(range->lower, -1) : 0;
    range->upper = fabs(range->upper) > tiny ? round_to(range->upper, 1) : 0;
}

/* The last code of octave o, from -KITH_I_CODE_OCTAVES on. */
static int32_t octave_end(int32_t o)
{
    return o > 0    ? o << KITH_I_CODE_BITS
           : o == 0 ? 0
                    : -((-o - 1) << KITH_I_CODE_BITS) - 1;
}

/* Where the values lie inside of [low, high], as far as noise shows it. */
static kith_status narrow(const finder *f, uint32_t feature, double low,
                          double high, kith_range *range, kith_error *err)
{
    histogram h = {.what = "fine values", .bins = FINE};
    double width = (high - low) / FINE;
    for (uint32_t b = 0; b < FINE; b++)
        h.ends[b] = kith_i_code_of(low + (b + 1) * width) - 1;
    for (uint32_t b = 1; b < FINE; b++) /* codes may be coarser than bins */
        h.ends[b] = h.ends[b] < h.ends[b - 1] ? h.ends[b - 1] : h.ends[b];
    h.ends[FINE - 1] = KITH_I_CODE_MOST;
    kith_status status = count_bins(f, feature, &h, err);
    for (uint32_t by = 1; !status && by <= MOST_MERGED; by *= 2) {
        uint32_t first, last;
        double seen = find_seen(f, &h, by, &first, &last);
        if (seen < (1 + CERTAIN) / 2 * f->rows)
            continue;
        double margin = by * width + (last + 1 - first) * width * GENEROUS;
        range->lower = fmax(low, low + first * width - margin);
        range->upper = fmin(high, low + (last + 1) * width + margin);
        break;
    }
    return status;
}

static kith_status find_one(const finder *f, uint32_t feature, int together,
                            kith_range *range, kith_error *err)
{
    histogram h = {.what = "octaves", .bins = OCTAVES};
    uint32_t first, last;
    for (int32_t b = 0; b < OCTAVES; b++)
        h.ends[b] = octave_end(b - KITH_I_CODE_OCTAVES);
    kith_status status = count_bins(f, feature, &h, err);
    if (status)
        return status;
    double seen = find_seen(f, &h, 1, &first, &last);
    first -= first > 0;
    last += last + 1 < OCTAVES;
    double low =
        kith_i_code_lower(first ? h.ends[first - 1] + 1 : -KITH_I_CODE_MOST);
    double high = kith_i_code_upper(h.ends[last]);
    *range = (kith_range){low, high, KITH_RANGE_FOUND};
    /* paid in any case: what was seen must not decide what is asked */
    status = narrow(f, feature, low, high, range, err);
    double size = fmax(fabs(low), fabs(high)) / 2; /* without the margin */
    if (together) {
        range->upper = fmax(fabs(range->lower), fabs(range->upper));
        range->lower = -range->upper;
    }
    if (seen < CERTAIN * f->rows)
        *range = (kith_range){-FAR * size, FAR * size, KITH_RANGE_UNCERTAIN};
    if (!(seen >= HALF * f->rows) || !(f->rows > 0))
        *range = (kith_range){(double)NAN, (double)NAN, KITH_RANGE_NOT_FOUND};
    round_out(range);
    return status;
}

kith_status kith_bounds_find(kith_session *session, double share, int together,
                             kith_range *ranges, double *rows, double *hidden,
                             kith_error *err)
{
    if (!session || !ranges || !rows || !hidden)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a session and room for the ranges are needed");
    const kith_i_domain *domain = kith_i_session_domain(session);
    if (!domain->coded || (domain->coded == 2) != !!together)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "bounds are found on rows of "
                           "kith_dataset_load_sizes");
    if (!(share > 0 && share <= 1))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the share for bounds is above 0 and at most 1");
    uint32_t d = domain->dimension, count = together ? 1 : d;
    finder f = {.session = session,
                .pure = kith_i_session_measure(session) == KITH_PURE_DP};
    kith_i_loss all = kith_i_loss_share(kith_i_session_left(session), share);
    kith_i_loss first = kith_i_loss_share(all, COUNT_SHARE);
    f.each = (all - first) / (2 * (kith_i_loss)count);
    if (first == 0 || f.each == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the budget is too small to be divided among the "
                           "features: raise epsilon, or find one range for "
                           "all of them");
    double sd; /* the number of rows is for judging what is seen */
    kith_status status = kith_i_run_count(session, first, &f.rows, &sd, err);
    for (uint32_t i = 0; !status && i < count; i++)
        status = find_one(&f, i, together, &ranges[i], err);
    for (uint32_t i = count; !status && i < d; i++)
        ranges[i] = ranges[0];
    *rows = f.rows;
    *hidden = 9 * (f.pure ? sqrt(2) : 1) /
              (f.pure ? kith_i_loss_value(f.each, KITH_PURE_DP)
                      : kith_i_loss_value(f.each, KITH_GAUSSIAN_DP));
    return kith_i_session_settle(session, status, err);
}
