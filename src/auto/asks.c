/* What the gate is asked: cells, residuals, histograms of distances. */
#include "auto/auto_run.h"

kith_i_centers kith_i_auto_lattice(auto_run *run, uint32_t k, uint32_t d,
                                   const double *coords)
{
    kith_i_centers out = {.k = k,
                          .d = d,
                          .coords =
                              kith_i_pool_reals(&run->pool, (size_t)k * d),
                          .squares = kith_i_pool_reals(&run->pool, k)};
    if (!kith_i_auto_failed(run))
        kith_i_centers_set(&out, coords);
    return out;
}

/* Where its labels, its forest or its centres say that a row is. */
static kith_i_place place_of(const auto_place *p)
{
    if (p->labels)
        return (kith_i_place){
            .kind = KITH_I_PLACE_LABEL, .places = p->cells, .by = p->labels};
    if (p->forest)
        return (kith_i_place){
            .kind = KITH_I_PLACE_TREE, .places = p->cells, .forest = p->forest};
    if (p->cells == 1)
        return (kith_i_place){.kind = KITH_I_PLACE_ONE};
    return (kith_i_place){.kind = KITH_I_PLACE_NEAREST, .centers = p->centers};
}

/* Too many cells for labels: they are found again for each release. */
static void find_labels(auto_run *run, auto_place *p)
{
    kith_i_ask ask = {.view = p->by, .place = place_of(p)};
    if (p->cells <= KITH_I_MOST_LABELS)
        run->status =
            kith_i_labels_open(run->session, &ask, &p->labels, run->err);
    else if (p->by != p->view)
        run->status =
            kith_i_fail(run->err, KITH_ERR_ARGUMENT,
                        "auto makes at most %u clusters of rows this wide: "
                        "ask for fewer, or use --method lloyd",
                        KITH_I_MOST_LABELS);
}

void kith_i_auto_place_open(auto_run *run, auto_place *p, int label)
{
    size_t n = (size_t)p->cells * p->width;
    p->origins = kith_i_pool_take(&run->pool, n, sizeof *p->origins);
    if (kith_i_auto_failed(run))
        return;
    for (size_t i = 0; i < n; i++)
        p->origins[i] =
            (int32_t)fmax(-65535, fmin(65535, nearbyint(p->origin[i])));
    if (label)
        find_labels(run, p);
}

static kith_i_cells release(auto_run *run, const kith_i_ask *ask,
                            const kith_i_cells_spec *spec)
{
    kith_i_cells out = {0};
    if (kith_i_auto_failed(run))
        return out;
    run->status = kith_i_release_cells(run->session, ask, spec, &out, run->err);
    if (!run->status && out.sum_sd)
        out.sum_sd = kith_i_pool_own(&run->pool, out.sum_sd);
    if (!run->status)
        out.room = kith_i_pool_own(&run->pool, out.room);
    kith_i_auto_tick(run);
    return out;
}

kith_i_cells kith_i_auto_counts(auto_run *run, const auto_place *p,
                                const char *what, double share)
{
    kith_i_cells_spec spec = {.what = what,
                              .cells = p->cells,
                              .count_charge = kith_i_auto_charge(run, share)};
    kith_i_ask ask = {.view = p->view, .place = place_of(p)};
    return release(run, &ask, &spec);
}

/* No row is further from the origin of cell c than this: a radius beyond it,
 * from a histogram that is mostly noise, would buy noise and nothing else. */
static double furthest(const auto_run *run, const auto_place *p, uint32_t c)
{
    const kith_i_domain *domain =
        p->view ? kith_i_view_domain(p->view) : run->domain;
    const int32_t *origin = p->origins + (size_t)c * p->width;
    double square = 0, absolute = 0, longest = (double)kith_i_domain_l2(domain);
    for (uint32_t i = 0; i < p->width; i++) {
        square += pow(origin[i], 2);
        absolute += fabs((double)origin[i]);
    }
    return p->taxicab ? sqrt(p->width) * longest + absolute
                      : longest + sqrt(square);
}

kith_i_cells kith_i_auto_residuals(auto_run *run, const auto_place *p,
                                   const char *what, const double *radius,
                                   double share)
{
    uint64_t *limits = kith_i_pool_take(&run->pool, p->cells, sizeof *limits);
    if (kith_i_auto_failed(run))
        return (kith_i_cells){0};
    for (uint32_t c = 0; c < p->cells; c++) {
        double r = fmin(ceil(fmin(radius[c], furthest(run, p, c))), 0x1p30);
        limits[c] = r >= 1 ? (uint64_t)r : 1;
    }
    kith_i_cells_spec spec = {.what = what,
                              .cells = p->cells,
                              .width = p->width,
                              .radius = limits,
                              .ball = !p->taxicab,
                              .sum_charge = kith_i_auto_charge(run, share)};
    kith_i_ask ask = {.view = p->view,
                      .place = place_of(p),
                      .value = {.kind = KITH_I_VALUE_RESIDUAL,
                                .origins = p->origins,
                                .by_cell = 1}};
    return release(run, &ask, &spec);
}

/* Squared limits of the bins, for each cell by its scale. */
static double *set_limits(auto_run *run, const auto_look *look, uint32_t cells,
                          auto_hist *out)
{
    size_t edges = AUTO_BINS - 1;
    double *limits = kith_i_pool_reals(&run->pool, cells * edges);
    memset(out, 0, sizeof *out);
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        out->up[b] =
            look->lo * pow(look->hi / look->lo, (double)b / (double)edges);
        out->mid[b] = b ? sqrt(out->up[b - 1] * out->up[b]) : .7 * look->lo;
    }
    for (uint32_t c = 0; !kith_i_auto_failed(run) && c < cells; c++)
        for (uint32_t b = 0; b < edges; b++)
            limits[c * edges + b] = pow(out->up[b] * look->scale[c], 2);
    return limits;
}

void kith_i_auto_histogram(auto_run *run, const auto_place *p,
                           const auto_look *look, auto_hist *out)
{
    size_t mark = run->pool.count; /* limits go: many, where cells are many */
    kith_i_distance_bins distances = {.bins = AUTO_BINS,
                                      .limits =
                                          set_limits(run, look, p->cells, out),
                                      .by_cell = 1,
                                      .origins = p->origins,
                                      .taxicab = p->taxicab};
    kith_i_ask ask = {.view = p->view, .place = place_of(p)};
    ask.place.bins = &distances;
    kith_i_cells_spec spec = {.what = look->what,
                              .cells = AUTO_BINS,
                              .count_charge =
                                  kith_i_auto_charge(run, look->share)};
    kith_i_cells cells = release(run, &ask, &spec);
    if (!kith_i_auto_failed(run))
        kith_i_auto_hist_clean(run->recipe, cells.counts, cells.count_sd,
                               look->prior, out);
    double all = run->plan > 0 ? run->plan : 1; /* that a plan assumes */
    kith_i_multiply_by(out->h, all, AUTO_BINS);
    out->total *= all;
    kith_i_pool_drop(&run->pool, mark);
}
