/* A8, A10, A11: noisy Lloyd steps on residuals. Each step releases sizes, one
 * histogram of distances and the clipped residual sums of the cells. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

/* Searches of the coreset, for many clusters fewer. */
enum { REPEATS = 8, FEW_REPEATS = 3 };
/* A few clusters have optima of nearly the same cost (rows on a closed curve):
 * to tell them apart takes more searches, and takes no time. */
enum { MORE_REPEATS = 64, FEW_CLUSTERS = 7 };

void kith_i_auto_step_free(auto_step *s)
{
    kith_i_free(s->move);
    kith_i_free(s->noise);
    kith_i_free(s->size);
    kith_i_free(s->rms);
    kith_i_free(s->beyond);
    kith_i_free(s->wide);
    memset(s, 0, sizeof *s);
}

/* A wide cell far out has few rows, and its scale may be that of a box: noise
 * would throw its centre about. No more than this part of the scale: shorter
 * steps, taken more often, go the same way (docs/history/auto.md). */
static const double loud = .25;

/* A mean of residuals nearly as long as they were allowed to be, and not by
 * noise: the rows are further away, all in one direction. */
static int was_clipped(double square, double noise, double radius)
{
    return square > .5 * radius * radius && square > 9 * noise;
}

/* Then look this much wider in the next step. */
static const double wider = 4;
static void look_beyond(const auto_step *found, double *scale)
{
    for (uint32_t j = 0; j < found->k; j++)
        scale[j] = fmax(scale[j], found->beyond[j]);
}

kith_status kith_i_auto_count_sizes(auto_run *run, const auto_locator *l,
                                    const char *what, double share,
                                    auto_sizes *known, auto_step *out,
                                    double *used, kith_error *err)
{
    kith_i_cells cells = {0};
    kith_status status = kith_i_auto_counts(run, l, what, share, &cells, err);
    out->size_sd = cells.count_sd;
    for (uint32_t j = 0; !status && j < out->k; j++)
        out->size[j] =
            run->plan > 0 ? run->plan / out->k : (double)cells.counts[j];
    if (!status && known)
        kith_i_auto_join_sizes(known, out->k, out->size_sd, out->size);
    for (uint32_t j = 0; !status && j < out->k; j++) {
        double sd = known ? sqrt(known->variance[j]) : out->size_sd;
        used[j] = fmax(fmax(out->size[j], 2 * sd), 1);
    }
    kith_i_cells_free(&cells);
    return status;
}

static kith_status step_new(auto_step *out, uint32_t k, uint32_t w,
                            kith_error *err)
{
    memset(out, 0, sizeof *out);
    out->k = k;
    out->width = w;
    out->move = kith_i_alloc((size_t)k * w, sizeof *out->move);
    out->noise = kith_i_alloc(k, sizeof *out->noise);
    out->size = kith_i_alloc(k, sizeof *out->size);
    out->rms = kith_i_alloc(k, sizeof *out->rms);
    out->beyond = kith_i_alloc(k, sizeof *out->beyond);
    out->wide = kith_i_alloc(k, sizeof *out->wide);
    return out->move && out->noise && out->size && out->rms && out->beyond &&
                   out->wide
               ? KITH_OK
               : kith_i_fail_memory(err);
}

/* Radii by those of the last histogram. unit: length of the noise of a sum in
 * the unit ball; calm: wide cells shall not be thrown about. */
static void set_radii(const auto_run *run, const double *scale,
                      const double *used, double unit, int calm, auto_step *out,
                      double *radius)
{
    for (uint32_t j = 0; j < out->k; j++) {
        double rho = run->radii.rho[out->wide[j]];
        if (calm && out->wide[j])
            rho = fmin(rho, loud * used[j] / unit);
        radius[j] = rho * scale[j];
        out->rms[j] = run->radii.kappa[out->wide[j]] * scale[j];
        out->loose = fmax(out->loose, run->radii.loose[out->wide[j]]);
    }
}

/* Means from sums. */
static void set_moves(const kith_i_cells *cells, const double *scale,
                      const double *used, const double *radius, auto_step *out)
{
    uint32_t k = out->k, w = out->width;
    for (uint32_t j = 0; j < k; j++) {
        out->noise[j] = cells->sum_sd[j] / used[j];
        out->sum_sd += cells->sum_sd[j] * cells->sum_sd[j] / k;
        double square = 0;
        for (uint32_t i = 0; i < w; i++) {
            double v = (double)cells->sums[(size_t)j * w + i] / used[j];
            out->move[(size_t)j * w + i] = v;
            square += v * v;
        }
        if (was_clipped(square, w * pow(out->noise[j], 2), radius[j]))
            out->beyond[j] = wider * scale[j];
    }
    out->sum_sd = sqrt(out->sum_sd);
}

kith_status kith_i_auto_take_step(auto_run *run, auto_locator *l,
                                  const auto_shares *shares,
                                  const double *scale, double share,
                                  const char *what, auto_sizes *known,
                                  auto_step *out, kith_error *err)
{
    uint32_t k = l->cells, w = l->width;
    auto_hist hists[AUTO_CLASSES];
    kith_i_cells cells = {0};
    double counts = share * shares->counts, sums = share * (1 - shares->counts);
    double *used = kith_i_alloc(k, sizeof *used);
    double *radius = kith_i_alloc(k, sizeof *radius);
    kith_status status = step_new(out, k, w, err);
    if (!status && (!used || !radius))
        status = kith_i_fail_memory(err);
    if (!status)
        status = kith_i_auto_locator_label(run, l, err);
    if (!status)
        status = kith_i_auto_count_sizes(run, l, what, counts, known, out, used,
                                         err);
    if (!status)
        l->wide = kith_i_auto_find_wide(scale, used, k, out->wide);
    if (!status && shares->hist > 0) {
        status = kith_i_auto_histogram(run, l, scale, "residuals,", .05, 20, 60,
                                       shares->hist, hists, err);
        if (!status)
            kith_i_auto_radius(run, hists, l->wide, scale, used, k, sums, w, 1,
                               &run->radii);
    }
    l->wide = NULL;
    if (!status) {
        double unit = sqrt(w) * kith_i_auto_sum_sd(run, sums, w);
        set_radii(run, scale, used, unit, k <= run->k && run->shells, out,
                  radius);
        status = kith_i_auto_residuals(run, l, what, radius, sums, &cells, err);
    }
    if (!status)
        set_moves(&cells, scale, used, radius, out);
    kith_i_cells_free(&cells);
    kith_i_free(used);
    kith_i_free(radius);
    if (status)
        kith_i_auto_step_free(out);
    return status;
}

void kith_i_auto_shrink(const double *move, size_t stride, uint32_t w,
                        uint32_t k, const double *noise, double dim,
                        double *factor)
{
    double pooled = 0;
    for (uint32_t j = 0; j < k; j++) {
        double square = 0, expect = dim * noise[j] * noise[j];
        for (uint32_t i = 0; i < w; i++)
            square += move[j * stride + i] * move[j * stride + i];
        double ratio = expect > 0 ? square / expect : HUGE_VAL;
        factor[j] = ratio > 1 ? 1 - 1 / ratio : 0;
        pooled += fmin(ratio, 9);
    }
    double t = fmax(0, pooled / k - 1);
    for (uint32_t j = 0; j < k; j++)
        factor[j] = fmax(factor[j], t / (1 + t));
}

/* A step in the view: new centres, and what it found. */
kith_status kith_i_auto_step_in_view(auto_run *run, const auto_space *space,
                                     const auto_shares *shares, uint32_t k,
                                     const kith_i_centers *by,
                                     const double *scale, double share,
                                     const char *what, auto_sizes *known,
                                     double *centers, auto_step *found,
                                     kith_error *err)
{
    uint32_t q = space->q;
    size_t size = (size_t)k * q;
    const kith_i_domain *domain = kith_i_view_domain(space->view);
    kith_i_centers lattice = {.k = k, .d = q};
    lattice.coords = kith_i_alloc(size, sizeof *lattice.coords);
    lattice.squares = kith_i_alloc(k, sizeof *lattice.squares);
    double *factor = kith_i_alloc(k, sizeof *factor);
    auto_locator l = {.centers = &lattice,
                      .view = space->view,
                      .by = space->view,
                      .cells = k,
                      .width = q};
    if (by) {
        l.centers = by;
        l.by = space->narrow;
    }
    kith_status status = KITH_OK;
    if (!lattice.coords || !lattice.squares || !factor)
        status = kith_i_fail_memory(err);
    for (size_t i = 0; !status && i < size; i++)
        centers[i] = nearbyint(centers[i]); /* residuals are from these */
    if (!status)
        status = kith_i_auto_locator_set(&l, centers, err);
    if (!status) {
        kith_i_centers_set(&lattice, centers);
        status = kith_i_auto_take_step(run, &l, shares, scale, share, what,
                                       known, found, err);
    }
    if (!status) {
        kith_i_auto_shrink(found->move, q, q, k, found->noise, q, factor);
        for (uint32_t j = 0; j < k; j++) {
            /* nobody is seen there: it stays */
            if (known && found->size[j] < 2 * sqrt(known->variance[j]))
                continue;
            for (uint32_t i = 0; i < q; i++)
                centers[(size_t)j * q + i] +=
                    factor[j] * found->move[(size_t)j * q + i];
            kith_i_domain_clip(domain, centers + (size_t)j * q);
        }
    }
    kith_i_auto_locator_free(run, &l);
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    kith_i_free(factor);
    return status;
}

/* A10: rounds in the view. */
static kith_status take_rounds(auto_run *run, const auto_space *space,
                               const auto_shares *shares,
                               const auto_coreset *coreset, auto_sizes *known,
                               double *centers, double *scale, auto_step *found,
                               kith_error *err)
{
    /* Later steps count for more; but not 1.25^1000 times more. */
    double sum = 0, growth = 1;
    double faster = pow(AUTO_GROWTH, fmin(1, 24.0 / fmax(shares->rounds, 1)));
    for (uint32_t t = 0; t < shares->rounds; t++) {
        sum += growth;
        growth *= faster;
    }
    kith_status status = KITH_OK;
    growth = 1;
    for (uint32_t t = 0; !status && t < shares->rounds; t++) {
        kith_i_auto_scales(coreset, run->k, centers, scale);
        look_beyond(found, scale);
        kith_i_auto_step_free(found);
        auto_shares now = *shares;
        now.hist = t < shares->hists ? now.hist : 0;
        status = kith_i_auto_step_in_view(
            run, space, &now, run->k, NULL, scale, shares->lloyd * growth / sum,
            "cluster", known, centers, found, err);
        growth *= faster;
    }
    return status;
}

/* A11: the last step, in all dimensions. found: of A10. */
static kith_status take_last(auto_run *run, const auto_space *space,
                             const auto_shares *shares,
                             const auto_coreset *coreset, auto_sizes *known,
                             double *centers, double *scale, double *full,
                             auto_step *found, kith_error *err)
{
    uint32_t k = run->k, d = run->d;
    kith_i_auto_scales(coreset, k, centers, scale);
    look_beyond(found, scale);
    if (space->q < d)
        return kith_i_auto_recover(run, space, shares, scale, known, centers,
                                   full, found, err);
    kith_i_auto_step_free(found);
    kith_status status = kith_i_auto_step_in_view(run, space, shares, k, NULL,
                                                  scale, shares->rec, "cluster",
                                                  known, centers, found, err);
    if (!status)
        kith_i_auto_lift(space, k, d, centers, full);
    return status;
}

/* rms becomes squared distances, without what the move of the centre, as far as
 * it is not noise, has gained. */
static void set_squares(auto_step *found)
{
    uint32_t w = found->width;
    for (uint32_t j = 0; j < found->k; j++) {
        double square = found->rms[j] * found->rms[j],
               moved = -(double)w * pow(found->noise[j], 2);
        for (uint32_t i = 0; i < w; i++)
            moved += pow(found->move[(size_t)j * w + i], 2);
        found->rms[j] = fmax(square - fmax(moved, 0), square / 8);
    }
}

/* A12. */
static void set_result(const auto_run *run, const auto_space *space,
                       uint32_t rounds, auto_step *found, double *full,
                       kith_result *result)
{
    for (uint32_t j = 0; j < run->k; j++) {
        result->weights[j] = fmax(found->size[j], 0);
        kith_i_domain_clip(run->domain, full + (size_t)j * run->d);
    }
    double step = space->q < run->d
                      ? kith_i_domain_step(run->domain)
                      : kith_i_domain_step(kith_i_view_domain(space->view));
    result->noise = kith_i_auto_center_noise(run, found->sum_sd, run->k) * step;
    result->rounds = rounds;
    set_squares(found);
    kith_i_result_expect(result, found->rms, step * step, found->loose);
    kith_i_result_set_centers(result, run->domain, full);
}

/* A10 to A12. */
static kith_status finish(auto_run *run, const auto_space *space,
                          const auto_shares *shares,
                          const auto_coreset *coreset, double *centers,
                          double *scale, double *full, kith_result *result,
                          kith_error *err)
{
    uint32_t k = run->k;
    auto_step found = {0};
    auto_sizes known = {kith_i_alloc(k, sizeof *known.mean),
                        kith_i_alloc(k, sizeof *known.variance)};
    kith_status status =
        known.mean && known.variance ? KITH_OK : kith_i_fail_memory(err);
    if (!status && run->shells)
        kith_i_auto_sum_sizes(coreset, k, centers, known.mean, known.variance);
    for (uint32_t j = 0; !status && j < k; j++)
        if (!(known.variance[j] > 0))
            known.variance[j] = HUGE_VAL;
    if (!status)
        status = take_rounds(run, space, shares, coreset, &known, centers,
                             scale, &found, err);
    if (!status && space->blind) {
        status = kith_i_auto_finish_blind(run, space, shares, coreset, centers,
                                          full, result, err);
    } else if (!status) {
        status = take_last(run, space, shares, coreset, &known, centers, scale,
                           full, &found, err);
        if (!status)
            set_result(run, space, shares->rounds, &found, full, result);
    }
    kith_i_free(known.mean);
    kith_i_free(known.variance);
    kith_i_auto_step_free(&found);
    return status;
}

/* A8, if its cells are worth having. count_sd: of the sizes of the coreset. */
static kith_status make_finer(auto_run *run, const auto_space *space,
                              auto_shares *shares, auto_coreset *coreset,
                              double *count_sd, kith_error *err)
{
    uint32_t k = run->k, q = space->q;
    double share = shares->over / shares->over_steps;
    double unit = kith_i_auto_sum_sd(run, share, q);
    double most =
        kith_i_auto_most_cells(run->pure, k, run->n_hat, sqrt(q) * unit);
    most = fmin(most, coreset->n);
    *count_sd = kith_i_auto_count_sd(run, share * shares->counts);
    if (most > k)
        return kith_i_auto_over_cluster(run, space, shares, (uint32_t)most,
                                        coreset, err);
    kith_i_auto_drop_doubtful(run, space, coreset);
    double rest = shares->over + shares->over_steps * shares->hist;
    *(shares->rounds ? &shares->lloyd : &shares->rec) += rest;
    return KITH_OK;
}

kith_status kith_i_auto_refine(auto_run *run, const auto_space *space,
                               auto_shares *shares, auto_coreset *coreset,
                               kith_result *result, kith_error *err)
{
    uint32_t k = run->k, q = space->q;
    int made_up = shares->over_steps == 0; /* auto_even.c */
    double sd = 0;
    if (run->plan <= 0)
        result->carried = coreset->n; /* places that were seen */
    kith_status status =
        made_up ? KITH_OK : make_finer(run, space, shares, coreset, &sd, err);
    if (!status && coreset->n < k && !space->blind && run->plan <= 0)
        status = kith_i_auto_halve_points(run, k, coreset, err);
    double *centers = kith_i_alloc((size_t)k * q, sizeof *centers);
    double *scale = kith_i_alloc(2 * (size_t)k, sizeof *scale);
    double *full = kith_i_alloc((size_t)k * run->d, sizeof *full);
    if (!status && (!centers || !scale || !full))
        status = kith_i_fail_memory(err);
    uint32_t repeats = made_up || k > AUTO_MANY_CLUSTERS ? FEW_REPEATS
                       : k <= FEW_CLUSTERS               ? MORE_REPEATS
                                                         : REPEATS;
    if (!status)
        status = kith_i_auto_solve(run, coreset, k, repeats, AUTO_SEEDINGS, 1,
                                   centers, err);
    if (!status && !made_up)
        status = kith_i_auto_leave_some(run, space, coreset, sd, repeats,
                                        centers, err);
    if (!status)
        status = finish(run, space, shares, coreset, centers, scale, full,
                        result, err);
    kith_i_free(centers);
    kith_i_free(scale);
    kith_i_free(full);
    return status;
}
