/* A5: in which directions the rows spread, and the view along them. */
#include "auto/stages.h"

#include "kernel/planes.h"
#include "release/release_gram.h"

enum {
    LARGE_VIEW = 1 << 24,
    SOME_AXES = 32,   /* of a view that is large */
    COARSE_FROM = 256 /* features: a coarser lattice */
};

/* Noise edge of second moments of rows in the unit ball: what the largest
 * eigenvalue of pure noise would be. */
static double noise_edge(const auto_run *run, double share)
{
    double d = run->d;
    return kith_i_auto_sum_sd(run, share, d * (d + 1) / 2) * sqrt(2 * d);
}

/* Radius for the second moments, so that as many rows are clipped as k edges
 * are worth, and their share. 0 if they would drown. */
static void plan_moments(const auto_run *run, double *radius, double *share)
{
    const auto_recipe *r = run->recipe;
    const auto_hist *hist = &run->scout.norms;
    double d = run->d, tail = 0;
    *share = r->moments * (run->pure ? 1 : d / (d + r->wide));
    double limit = fmin(run->k * noise_edge(run, *share), hist->total / 2);
    uint32_t b = AUTO_BINS - 1;
    while (b > 0 && tail + hist->h[b] <= limit)
        tail += hist->h[b--];
    *radius = hist->up[b];
    double edge = *radius * *radius * noise_edge(run, *share);
    double fit = d > r->all_axes ? r->directions : r->few_features;
    if (fit * edge > run->n * hist->square ||
        edge / sqrt(2 * d) > 0x1p50) /* would not fit 64 bits */
        *share = 0;
}

/* As many directions as d allows. Where that would make a large view, no more
 * than keep it well below half of the rows in memory: the last step sees what
 * the view leaves out, and with so many rows it sees it well. */
static uint32_t most_axes(const auto_run *run)
{
    double d = run->d, most = fmin(d, run->recipe->most_axes);
    if (d > run->recipe->all_axes && run->n * most > LARGE_VIEW)
        most =
            fmin(most, fmax(fmin(SOME_AXES, floor(.45 * d)), floor(.38 * d)));
    return (uint32_t)most;
}

/* Without second moments: all features when there are few, else random
 * directions (public coins), more where noise leaves enough cells in them. */
static void blind_axes(auto_run *run)
{
    auto_frame *frame = &run->frame;
    uint32_t d = run->d, all = run->recipe->all_axes, q = d < all ? d : all;
    frame->blind = q < d;
    if (frame->blind) {
        const auto_recipe *r = run->recipe = kith_i_auto_recipe(run->pure, 1);
        double share = r->cells * kith_i_auto_left(run);
        double carry =
            run->n / (r->crowd * run->k * kith_i_auto_sum_sd(run, share, 0));
        q = (uint32_t)fmax(q, fmin(most_axes(run), carry));
    }
    frame->q = q;
    frame->axes = kith_i_pool_reals(&run->pool, (size_t)q * d);
    frame->spread = kith_i_pool_reals(&run->pool, q);
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t i = 0; i < q; i++) {
        frame->axes[(size_t)i * d + i] = 1;
        frame->spread[i] = sqrt(fmax(run->scout.trace / d, 1));
    }
    if (frame->blind)
        kith_i_plane_random(frame->axes, q, d, &run->coins);
    frame->outside = run->scout.trace * (1 - (double)q / d);
}

/* The second moments about the mean (matrix: d x d), in steps of the rows.
 * Returns the sd of their noise. */
static double buy_moments(auto_run *run, double radius, double share,
                          double *matrix)
{
    uint32_t d = run->d;
    double sd = 0;
    int64_t *gram = (int64_t *)(void *)matrix; /* in its place */
    int32_t *mean = kith_i_pool_take(&run->pool, d, sizeof *mean);
    if (kith_i_auto_failed(run))
        return sd;
    /* rows about the mean must fit int16: halved where they might not, or more
     * often where a coarser lattice will do (to the nearest: the gate clips
     * what that makes too long) */
    kith_i_ask ask = {
        .value = {.kind = KITH_I_VALUE_RESIDUAL, .origins = mean}};
    int *halve = &ask.value.halvings;
    for (uint32_t i = 0; i < d; i++) {
        mean[i] = (int32_t)run->scout.mean[i];
        if (run->domain->high_q[i] - mean[i] > INT16_MAX ||
            mean[i] - run->domain->low_q[i] > INT16_MAX)
            *halve = 1;
    }
    /* Many directions: their products are what takes time, and a coarser
     * lattice, on which they are exact in single precision, shows the
     * directions as well. */
    while (d >= COARSE_FROM &&
           ceil(ldexp(radius, -*halve)) > KITH_I_SMALL_VALUE)
        ++*halve;
    double unit = ldexp(1, *halve);
    kith_i_gram_spec spec = {.what = "second moments",
                             .cells = 1,
                             .width = d,
                             .radius = (uint64_t)fmax(ceil(radius / unit), 1),
                             .halvings = *halve,
                             .charge = kith_i_auto_charge(run, share)};
    if (!kith_i_auto_failed(run))
        run->status =
            kith_i_release_gram(run->session, &ask, &spec, gram, &sd, run->err);
    kith_i_auto_tick(run);
    for (size_t i = 0; i < (size_t)d * d; i++)
        matrix[i] = (double)gram[i] * unit * unit;
    return sd * unit * unit;
}

/* The axes whose eigenvalue stands out of the noise's largest (edge); their
 * spread, and what is outside of them. */
static void keep_axes(auto_run *run, const double *values, uint32_t want,
                      double edge)
{
    auto_frame *frame = &run->frame;
    uint32_t d = run->d, least = run->recipe->least_axes, q = 0;
    double inside = 0;
    least = d < least ? d : least;
    while (q < want && values[q] > edge)
        q++;
    frame->q = q < least ? least : q;
    for (uint32_t i = 0; i < frame->q; i++) {
        double v = values[i];
        v = v > edge ? (v + sqrt(v * v - edge * edge)) / 2 : edge / 2;
        inside += v / run->n;
        frame->spread[i] = sqrt(fmax(v / run->n, 1));
    }
    frame->outside = frame->q < d ? fmax(0, run->scout.trace - inside) : 0;
}

/* A plan has no moments. It takes the variance in the i-th direction to fall
 * like exp(-5 i / d), which is between tables of very different sorts; many
 * features say the same things, so that d is at most 100. */
static void assume_moments(const auto_run *run, uint32_t want, double *values)
{
    const auto_recipe *r = run->recipe;
    double next = exp(-r->falls / fmin(run->d, r->alike));
    double all = 1 - pow(next, run->d);
    for (uint32_t i = 0; i < want; i++)
        values[i] = run->n * run->scout.trace * (1 - next) * pow(next, i) / all;
}

static void find_axes(auto_run *run, double radius, double share)
{
    auto_frame *frame = &run->frame;
    uint32_t d = run->d, want = most_axes(run);
    frame->axes = kith_i_pool_reals(&run->pool, (size_t)want * d);
    frame->spread = kith_i_pool_reals(&run->pool, want);
    size_t mark = run->pool.count;
    double *matrix = kith_i_pool_reals(&run->pool, (size_t)d * d);
    double *values = kith_i_pool_reals(&run->pool, want);
    double sd = buy_moments(run, radius, share, matrix);
    if (kith_i_auto_failed(run))
        return;
    run->status =
        kith_i_eigen_alone(matrix, d, want, values, frame->axes, run->err);
    if (run->plan > 0)
        assume_moments(run, want, values);
    keep_axes(run, values, want, sd * sqrt(2.0 * d));
    kith_i_pool_drop(&run->pool, mark);
}

/* The view along the axes; lengths so far are in steps of the rows. */
static void open_view(auto_run *run)
{
    auto_frame *frame = &run->frame;
    double step = kith_i_domain_step(run->domain);
    if (kith_i_auto_failed(run))
        return;
    run->status =
        kith_i_view_open(run->session, frame->axes, frame->q, run->scout.mean,
                         run->scout.reach * step, &frame->view, run->err);
    if (run->status)
        return;
    double finer = step / kith_i_domain_step(kith_i_view_domain(frame->view));
    frame->finer = finer;
    frame->reach = run->scout.reach * finer;
    frame->trace = run->scout.trace * finer * finer;
    frame->outside *= finer * finer;
    kith_i_multiply_by(frame->spread, finer, frame->q);
}

void kith_i_auto_find_frame(auto_run *run)
{
    double radius, share;
    plan_moments(run, &radius, &share);
    if (share > 0)
        find_axes(run, radius, share);
    else
        blind_axes(run);
    open_view(run);
}

void kith_i_auto_along(const auto_run *run, double factor, const double *c,
                       double *to)
{
    for (uint32_t a = 0; a < run->frame.q; a++)
        kith_i_add_scaled(to, factor * c[a],
                          run->frame.axes + (size_t)a * run->d, run->d);
}

void kith_i_auto_lift(const auto_run *run, uint32_t k, const double *centers,
                      double *full)
{
    uint32_t q = run->frame.q, d = run->d;
    for (uint32_t j = 0; j < k; j++) {
        memcpy(full + (size_t)j * d, run->scout.mean, d * sizeof *full);
        kith_i_auto_along(run, 1 / run->frame.finer, centers + (size_t)j * q,
                          full + (size_t)j * d);
    }
}
