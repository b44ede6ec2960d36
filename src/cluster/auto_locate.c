/* Where a record is: its cell and its residual, as maps for the gate. All of
 * it is a function of the one record and of released values (R2): exact
 * integers, or doubles in a fixed order. */
#include "cluster/auto_forest.h"

#include <math.h>
#include <string.h>

kith_status kith_i_auto_locator_set(auto_locator *out, const double *origins,
                                    kith_error *err)
{
    size_t n = (size_t)out->cells * out->width;
    out->origins = kith_i_alloc(n, sizeof *out->origins);
    if (!out->origins)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        out->origins[i] =
            (int32_t)fmax(-65535, fmin(65535, nearbyint(origins[i])));
    return KITH_OK;
}

void kith_i_auto_locator_free(auto_run *run, auto_locator *locator)
{
    kith_i_labels_close(run->session, locator->labels);
    kith_i_free(locator->origins);
    locator->origins = NULL;
    locator->labels = NULL;
}

/* Where its labels, its forest or its centres say that a row is. */
static kith_i_place place_of(const auto_locator *l, kith_i_forest *face)
{
    if (l->labels)
        return (kith_i_place){
            .kind = KITH_I_PLACE_LABEL, .places = l->cells, .by = l->labels};
    if (l->forest) {
        *face = kith_i_auto_forest_face(l->forest);
        return (kith_i_place){
            .kind = KITH_I_PLACE_TREE, .places = l->cells, .forest = face};
    }
    if (l->cells == 1)
        return (kith_i_place){.kind = KITH_I_PLACE_ONE};
    return (kith_i_place){.kind = KITH_I_PLACE_NEAREST, .centers = l->centers};
}

/* Too many cells for labels: they are found again for each release. */
kith_status kith_i_auto_locator_label(auto_run *run, auto_locator *l,
                                      kith_error *err)
{
    if (l->cells > KITH_I_MOST_LABELS && l->by == l->view)
        return KITH_OK;
    if (l->cells > KITH_I_MOST_LABELS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "auto makes at most %u clusters of rows this wide: "
                           "ask for fewer, or use --method lloyd",
                           KITH_I_MOST_LABELS);
    kith_i_forest face;
    kith_i_ask ask = {.view = l->by, .place = place_of(l, &face)};
    const kith_i_view *labels;
    kith_status status = kith_i_labels_open(run->session, &ask, &labels, err);
    if (!status)
        l->labels = labels;
    return status;
}

kith_status kith_i_auto_counts(auto_run *run, const auto_locator *locator,
                               const char *what, double share,
                               kith_i_cells *out, kith_error *err)
{
    kith_i_cells_spec spec = {.what = what, .cells = locator->cells};
    kith_status status =
        kith_i_auto_charge(run, share, &spec.count_charge, err);
    if (status)
        return status;
    kith_i_forest face;
    kith_i_ask ask = {.view = locator->view, .place = place_of(locator, &face)};
    status = kith_i_release_cells(run->session, &ask, &spec, out, err);
    if (!status && (status = kith_i_auto_tick(run, err)))
        kith_i_cells_free(out);
    return status;
}

/* No row is further from the origin of cell c than this: a radius beyond it,
 * from a histogram that is mostly noise, would buy noise and nothing else. */
static double furthest(const auto_run *run, const auto_locator *l, uint32_t c)
{
    const kith_i_domain *domain =
        l->view ? kith_i_view_domain(l->view) : run->domain;
    const int32_t *origin = l->origins + (size_t)c * l->width;
    double square = 0, absolute = 0, longest = (double)kith_i_domain_l2(domain);
    for (uint32_t i = 0; i < l->width; i++) {
        square += pow(origin[i], 2);
        absolute += fabs((double)origin[i]);
    }
    return l->taxicab ? sqrt(l->width) * longest + absolute
                      : longest + sqrt(square);
}

kith_status kith_i_auto_residuals(auto_run *run, const auto_locator *locator,
                                  const char *what, const double *radius,
                                  double share, kith_i_cells *out,
                                  kith_error *err)
{
    kith_i_cells_spec spec = {
        .what = what, .cells = locator->cells, .width = locator->width};
    kith_status status = kith_i_auto_charge(run, share, &spec.sum_charge, err);
    if (status)
        return status;
    uint64_t *limits = kith_i_alloc(locator->cells, sizeof *limits);
    if (!limits)
        return kith_i_fail_memory(err);
    for (uint32_t c = 0; c < locator->cells; c++) {
        double r = fmin(radius[c], furthest(run, locator, c));
        r = fmin(ceil(r), 0x1p30);
        limits[c] = r >= 1 ? (uint64_t)r : 1;
    }
    spec.radius = limits;
    spec.ball = !locator->taxicab;
    kith_i_forest face;
    kith_i_ask ask = {.view = locator->view,
                      .place = place_of(locator, &face),
                      .value = {.kind = KITH_I_VALUE_RESIDUAL,
                                .origins = locator->origins,
                                .by_cell = 1}};
    status = kith_i_release_cells(run->session, &ask, &spec, out, err);
    kith_i_free(limits);
    if (!status && (status = kith_i_auto_tick(run, err)))
        kith_i_cells_free(out);
    return status;
}

/* ---- histograms of distances ----------------------------------------------
 */

kith_status kith_i_auto_histogram(auto_run *run, const auto_locator *locator,
                                  const double *scale, const char *what,
                                  double lo, double hi, uint32_t bins,
                                  double share, auto_hist *out, kith_error *err)
{
    size_t edges = bins - 1;
    double *limits = kith_i_alloc(locator->cells * edges, sizeof *limits);
    if (!limits)
        return kith_i_fail_memory(err);
    uint32_t classes = locator->wide ? AUTO_CLASSES : 1;
    memset(out, 0, sizeof *out);
    out->bins = bins;
    for (uint32_t b = 0; b < bins; b++) {
        out->up[b] = lo * pow(hi / lo, (double)b / (double)edges);
        out->mid[b] = b ? sqrt(out->up[b - 1] * out->up[b]) : 0.7 * lo;
    }
    for (uint32_t c = 0; c < locator->cells; c++)
        for (uint32_t b = 0; b < edges; b++) {
            double r = out->up[b] * scale[c];
            limits[c * edges + b] = r * r;
        }
    kith_i_forest face;
    kith_i_distance_bins distances = {.bins = bins,
                                      .limits = limits,
                                      .by_cell = 1,
                                      .origins = locator->origins,
                                      .taxicab = locator->taxicab,
                                      .class_of = locator->wide,
                                      .classes = classes};
    kith_i_ask ask = {.view = locator->view, .place = place_of(locator, &face)};
    ask.place.bins = &distances;
    kith_i_cells_spec spec = {.what = what, .cells = bins * classes};
    kith_i_cells cells = {0};
    kith_status status =
        kith_i_auto_charge(run, share, &spec.count_charge, err);
    if (!status)
        status = kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    kith_i_free(limits);
    if (status)
        return status;
    /* residuals are about one scale long; norms may be anything */
    double prior = lo < 1 && hi > 1 ? 1 : hi;
    for (uint32_t c = 0; c < classes; c++) {
        out[c] = out[0];
        kith_i_auto_hist_clean(&out[c], cells.counts + c * bins, cells.count_sd,
                               run->pure, prior);
        for (uint32_t b = 0; run->plan > 0 && b < bins; b++)
            out[c].h[b] *= run->plan; /* all of the rows a plan assumes */
        out[c].total *= run->plan > 0 ? run->plan : 1;
    }
    kith_i_cells_free(&cells);
    return kith_i_auto_tick(run, err);
}
