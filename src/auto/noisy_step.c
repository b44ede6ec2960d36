/* A8, A10, A11: noisy Lloyd steps on residuals. */
#include "auto/stages.h"

static auto_sizes sizes_new(auto_run *run, uint32_t k)
{
    return (auto_sizes){.mean = kith_i_pool_reals(&run->pool, k),
                        .variance = kith_i_pool_reals(&run->pool, k),
                        .squares = kith_i_pool_reals(&run->pool, k)};
}

/* What has no variance is not known. */
static void forget(auto_sizes *sizes, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        if (!(sizes->variance[j] > 0))
            sizes->variance[j] = HUGE_VAL;
}

auto_step kith_i_auto_step_new(auto_run *run, const char *what, uint32_t k,
                               uint32_t width)
{
    kith_i_pool *pool = &run->pool;
    auto_step out = {.k = k,
                     .width = width,
                     .what = what,
                     .scale = kith_i_pool_reals(pool, k),
                     .counts = run->shares.counts,
                     .hist = run->shares.hist,
                     .sizes = sizes_new(run, k),
                     .move = kith_i_pool_reals(pool, (size_t)k * width),
                     .noise = kith_i_pool_reals(pool, k),
                     .used = kith_i_pool_reals(pool, k),
                     .kept = kith_i_pool_reals(pool, k),
                     .rms = kith_i_pool_reals(pool, k)};
    if (!kith_i_auto_failed(run))
        forget(&out.sizes, k);
    return out;
}

auto_sizes kith_i_auto_weigh(auto_run *run, uint32_t k, const double *centers)
{
    const auto_summary *s = &run->summary;
    auto_sizes out = sizes_new(run, k);
    if (kith_i_auto_failed(run))
        return out;
    for (uint32_t i = 0; i < s->n; i++) {
        double square;
        uint32_t j = kith_i_nearest(s->points + (size_t)i * s->q, centers, k,
                                    s->q, &square);
        out.mean[j] += s->size[i];
        out.variance[j] += s->unsure[i];
        out.squares[j] += s->size[i] * (square + s->within[i]);
        out.total += s->size[i];
        out.cost += s->size[i] * (square + s->within[i]);
    }
    out.cost = out.total > 0 ? out.cost / out.total : 0;
    forget(&out, k);
    return out;
}

/* A few rows of the common distance are added to each, and none is much
 * narrower than usual. */
void kith_i_auto_scales(auto_run *run, uint32_t k, const double *centers,
                        double *scale)
{
    auto_sizes at = kith_i_auto_weigh(run, k, centers);
    const auto_recipe *r = run->recipe;
    double prior = r->prior * at.total / k;
    for (uint32_t j = 0; !kith_i_auto_failed(run) && j < k; j++) {
        double square = (at.squares[j] + prior * at.cost) /
                        fmax(at.mean[j] + prior, 1e-300);
        scale[j] = sqrt(fmax(fmax(square, r->narrowest * at.cost), 1));
    }
}

/* Clusters change from step to step, and so do their sizes, by a part of them
 * that the difference of the two counts shows (what noise does not explain of
 * it). So much less is known of the earlier size; then both, by precision. */
void kith_i_auto_join_sizes(const auto_recipe *recipe, auto_sizes *known,
                            uint32_t k, double sd, const int64_t *counts)
{
    double drift = 0, total = 0, many = 0;
    for (uint32_t j = 0; j < k; j++) {
        if (!(known->variance[j] < HUGE_VAL))
            continue;
        double c = fmax(known->mean[j], sd);
        double apart = (double)counts[j] - known->mean[j];
        drift += (apart * apart - sd * sd - known->variance[j]) / c;
        total += c;
        many++;
    }
    drift = total > 0 ? fmax(0, drift / total) : 0;
    drift = drift * many / (many + recipe->steady);
    for (uint32_t j = 0; j < k; j++) {
        double c = fmax(known->mean[j], sd);
        known->variance[j] += drift * c * c;
        kith_i_auto_join(&known->mean[j], &known->variance[j],
                         (double)counts[j], sd * sd);
    }
}

/* Sizes by one release, joined with what is known of them. */
static void count_sizes(auto_run *run, const auto_place *place, auto_step *step)
{
    auto_sizes *sizes = &step->sizes;
    kith_i_cells cells =
        kith_i_auto_counts(run, place, step->what, step->share * step->counts);
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t j = 0; run->plan > 0 && j < step->k; j++)
        cells.counts[j] = (int64_t)(run->plan / step->k);
    kith_i_auto_join_sizes(run->recipe, sizes, step->k, cells.count_sd,
                           cells.counts);
    for (uint32_t j = 0; j < step->k; j++)
        step->used[j] =
            fmax(1, fmax(sizes->mean[j],
                         run->recipe->sure * sqrt(sizes->variance[j])));
}

/* Radii by the last histogram: larger where there are more rows. */
static void set_radii(const auto_run *run, double share, auto_step *step,
                      double *radius)
{
    const auto_hist *lengths = &step->lengths;
    auto_sum sum = {kith_i_auto_sum_sd(run, share, step->width), step->width,
                    lengths->square};
    step->loose = kith_i_auto_looseness(lengths);
    step->kappa = sqrt(sum.square);
    for (uint32_t j = 0; j < step->k; j++) {
        auto_clip clip =
            step->clip ? *step->clip
                       : kith_i_auto_clip(run, lengths, &sum, step->used[j]);
        step->kept[j] = clip.kept;
        radius[j] = clip.radius * step->scale[j];
        step->rms[j] = step->kappa * step->scale[j];
    }
}

/* Means and their noise from sums. */
static void set_moves(const kith_i_cells *cells, auto_step *out)
{
    uint32_t k = out->k, w = out->width;
    out->sum_sd = 0;
    for (uint32_t j = 0; j < k; j++) {
        double sd = cells->sum_sd[j] / out->kept[j];
        out->noise[j] = sd / out->used[j];
        out->sum_sd += sd * sd / k;
        for (uint32_t i = 0; i < w; i++)
            out->move[(size_t)j * w + i] =
                (double)cells->sums[(size_t)j * w + i] /
                (out->used[j] * out->kept[j]);
    }
    out->sum_sd = sqrt(out->sum_sd);
}

void kith_i_auto_take_step(auto_run *run, const kith_i_view *view,
                           double *centers, double *full, auto_step *step)
{
    size_t mark = run->pool.count;
    uint32_t k = step->k;
    double sums = step->share * (1 - step->counts);
    double *radius = kith_i_pool_reals(&run->pool, k);
    kith_i_centers lattice = {0};
    auto_place place = {.centers = &lattice,
                        .view = full ? NULL : view,
                        .by = view,
                        .forest = step->forest,
                        .cells = k,
                        .width = step->width,
                        .taxicab = step->clip && step->clip->taxicab,
                        .origin = full ? full : centers};
    kith_i_round(full ? full : centers, (size_t)k * step->width);
    uint32_t d = view ? kith_i_view_domain(view)->dimension : run->d;
    if (!step->forest)
        lattice = kith_i_auto_lattice(run, k, d, centers);
    /* finding leaves again costs less than keeping labels */
    kith_i_auto_place_open(run, &place, !step->forest);
    if (step->counts > 0)
        count_sizes(run, &place, step);
    if (step->hist > 0) {
        auto_look look = {
            "residuals,",         step->scale, run->recipe->shortest,
            run->recipe->longest, 1,           step->hist};
        kith_i_auto_histogram(run, &place, &look, &step->lengths);
    }
    if (!kith_i_auto_failed(run))
        set_radii(run, sums, step, radius);
    kith_i_cells cells =
        kith_i_auto_residuals(run, &place, step->what, radius, sums);
    if (!kith_i_auto_failed(run))
        set_moves(&cells, step);
    kith_i_labels_close(run->session, place.labels);
    kith_i_pool_drop(&run->pool, mark);
}

void kith_i_auto_shrink(const double *move, uint32_t width, uint32_t k,
                        const double *noise, double *factor)
{
    double pooled = 0;
    for (uint32_t j = 0; j < k; j++) {
        const double *m = move + (size_t)j * width;
        double square = kith_i_dot(m, m, width);
        double expect = width * noise[j] * noise[j];
        factor[j] = kith_i_shrink(square, expect);
        pooled += square < 9 * expect ? square / expect : 9;
    }
    double t = fmax(0, pooled / k - 1);
    for (uint32_t j = 0; j < k; j++)
        factor[j] = fmax(factor[j], t / (1 + t));
}

void kith_i_auto_step_in(auto_run *run, const kith_i_view *view,
                         double *centers, auto_step *step)
{
    uint32_t q = step->width, k = step->k;
    double *factor = kith_i_pool_reals(&run->pool, k);
    if (kith_i_auto_failed(run))
        return;
    kith_i_auto_take_step(run, view, centers, NULL, step);
    kith_i_auto_shrink(step->move, q, k, step->noise, factor);
    for (uint32_t j = 0; j < k; j++) {
        double *c = centers + (size_t)j * q;
        kith_i_add_scaled(c, factor[j], step->move + (size_t)j * q, q);
        kith_i_domain_clip(view ? kith_i_view_domain(view) : run->domain, c);
    }
}
