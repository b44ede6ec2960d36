/* Refinement: where the centres' users are (a histogram of distances), then
 * their mean offset from the centre, recentred and clipped to a radius of each
 * cluster's own, so that the noise follows the cluster's size and not the
 * domain's. For k-median the same vectors make one Weiszfeld step: clipped
 * offsets are the gradient of the distance, smoothed within the radius. */
#include "refine_means.h"

#include <math.h>
#include <string.h>

enum { BANDS = KITH_I_REFINE_BANDS };
static const double TYPICAL = 0.85; /* where a band's users are, of its edge */
static const double FLOOR = 0.35;   /* the radius holds this share at least */
/* By how much of itself a cluster's share may change when centres move. */
static const double DRIFT = 0.3;

kith_status kith_i_model_new(kith_i_local_run *run, uint32_t count,
                             kith_i_local_model *out, kith_error *err)
{
    size_t n = count, d = run->task->d;
    double *at = kith_i_local_numbers(run, n, 2 * d + 10 + BANDS);
    if (!at)
        return kith_i_fail_memory(err);
    double **arrays[] = {&out->var,    &out->raw,    &out->raw_var,
                         &out->share,  &out->radius, &out->bias,
                         &out->spread, &out->pull,   &out->sd};
    out->count = count;
    out->d = run->task->d;
    out->center = at;
    out->move = at + n * d;
    out->profile = at + 2 * n * d;
    at += n * (2 * d + BANDS);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = at + i * n;
    for (size_t i = 0; i < n; i++)
        out->raw[i] = 1 / (double)n;
    return KITH_OK;
}

static double edge(double top, uint32_t band)
{
    return top * exp2(-0.5 * band);
}

kith_i_question kith_i_refine_histogram(const kith_i_local_run *run,
                                        const kith_i_local_model *model,
                                        double share, double top)
{
    kith_i_question q =
        kith_i_local_question(run, "nearest centre and distance to it", share,
                              KITH_I_REPORT_DISTANCE);
    q.place.kind = KITH_I_PLACE_NEAREST;
    q.place.places = model->count;
    q.place.points = q.centers = model->center;
    q.bands = BANDS;
    q.top = top;
    return q;
}

/* Shares of the clusters: the histogram's rows, and what was known before.
 * The rows alone are bands times as noisy as a cell. */
static void set_shares(kith_i_local_model *model, const kith_i_answer *answer,
                       double drift)
{
    uint32_t n = model->count;
    double variance = BANDS * answer->sd * answer->sd;
    for (uint32_t j = 0; j < n; j++) {
        double sum = 0, prior = model->raw[j];
        double moved = drift * fmax(prior, 0.5 / n);
        double own = 1 / variance;
        double old = 1 / fmax(1e-8, model->raw_var[j] + moved * moved);
        for (uint32_t b = 0; b < BANDS; b++)
            sum += answer->fractions[j * BANDS + b];
        if (!(variance > 0)) {
            own = 1;
            old = 0;
        }
        if (!(own > 0)) /* nobody answered */
            sum = own = 0;
        model->share[j] = (sum * own + prior * old) / (own + old);
        model->raw_var[j] = variance > 0 ? 1 / (own + old) : 0;
    }
    kith_i_norm_sub(model->share, model->raw_var, n, model->raw);
    for (uint32_t j = 0; j < n; j++) {
        double least = fmin(2 * sqrt(model->raw_var[j]), 0.5 / n);
        model->share[j] = fmax(model->raw[j], least);
    }
}

/* Distances of a cluster: its own histogram as far as it can be seen, else
 * that of all clusters together. */
static void set_profile(kith_i_local_model *model, uint32_t j,
                        const kith_i_answer *answer, const double *pool)
{
    double *h = model->profile + j * BANDS, sum = 0;
    double noise = 3 * sqrt(BANDS) * answer->sd / model->share[j];
    double trust = 1 / (1 + noise * noise);
    for (uint32_t b = 0; b < BANDS; b++)
        sum += h[b] = fmax(0, answer->fractions[j * BANDS + b]);
    if (!(sum > 0) || !(trust > 0))
        trust = 0;
    for (uint32_t b = 0; b < BANDS; b++)
        h[b] = (trust > 0 ? trust * h[b] / sum : 0) + (1 - trust) * pool[b];
}

static double lost(const double *h, double top, double at)
{
    double sum = 0;
    for (uint32_t b = 0; b < BANDS; b++)
        sum += h[b] * fmax(0, TYPICAL * edge(top, b) - at);
    return sum;
}

/* The radius that makes clipping and noise together smallest. noise: of a
 * coordinate, for radius 1. unclip: a user beyond the radius sends only
 * radius / distance of her offset; where that is true of most (a centre far
 * from its cluster) the mean is divided by it, which is a step of iteratively
 * reweighted least squares. It makes noise larger, and so the last means,
 * whose centres are near, do without. */
static void set_radius(kith_i_local_model *model, uint32_t j, double top,
                       double noise, int median, int unclip)
{
    const double *h = model->profile + j * BANDS;
    double within = 0, best = HUGE_VAL, inverse = 0;
    model->spread[j] = 0;
    model->radius[j] = top;
    for (uint32_t b = BANDS; b-- > 0;) {
        double e = edge(top, b);
        within += h[b];
        model->spread[j] += h[b] * TYPICAL * e * TYPICAL * e;
        /* Where a band's users are, and its edge. */
        for (int side = 0; within >= FLOOR && side < 2; side++) {
            double at = side ? e : TYPICAL * e, out = lost(h, top, at);
            double risk = out * out + model->d * at * at * noise * noise;
            /* The smallest radius is the best smoothing for k-median. */
            if (median ? best < HUGE_VAL : risk >= best)
                continue;
            best = risk;
            model->radius[j] = at;
        }
    }
    for (uint32_t b = 0; b < BANDS; b++)
        inverse += h[b] / fmax(model->radius[j], TYPICAL * edge(top, b));
    model->bias[j] = median ? 0 : lost(h, top, model->radius[j]);
    model->pull[j] = unclip && inverse > 0 ? 1 / inverse : model->radius[j];
}

void kith_i_refine_radii(const kith_i_local_run *run, kith_i_local_model *model,
                         const kith_i_answer *answer, double top,
                         kith_i_refine_stage stage, double vector_share)
{
    const kith_i_local_task *task = run->task;
    double column[BANDS] = {0}, same[BANDS], pool[BANDS];
    for (uint32_t j = 0; j < model->count; j++)
        for (uint32_t b = 0; b < BANDS; b++)
            column[b] += answer->fractions[j * BANDS + b];
    for (uint32_t b = 0; b < BANDS; b++)
        same[b] = 1;
    if (answer->received == 0) { /* nothing is known: think of the largest */
        memset(column, 0, sizeof column);
        column[0] = 1;
    }
    kith_i_norm_sub(column, same, BANDS, pool);
    set_shares(model, answer, stage == KITH_I_REFINE_FIRST ? 0 : DRIFT);
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) /
                   sqrt(kith_i_local_users(run, vector_share));
    for (uint32_t j = 0; j < model->count; j++) {
        set_profile(model, j, answer, pool);
        set_radius(model, j, top, noise / model->share[j], task->median,
                   task->median || stage != KITH_I_REFINE_LAST);
    }
}

kith_i_question kith_i_refine_question(const kith_i_local_run *run,
                                       const kith_i_local_model *model,
                                       double share)
{
    kith_i_question q = kith_i_local_question(
        run, "offset from the nearest centre", share, KITH_I_REPORT_VECTOR);
    q.place.kind = KITH_I_PLACE_NEAREST;
    q.place.places = model->count;
    q.place.points = q.centers = model->center;
    q.radii = model->radius;
    return q;
}

void kith_i_refine_measure(kith_i_local_model *model,
                           const kith_i_answer *answer)
{
    size_t d = model->d;
    for (size_t j = 0; j < model->count; j++) {
        double scale = model->pull[j] / model->share[j];
        int heard = answer->received > 0 && isfinite(answer->noise);
        for (size_t i = 0; i < d; i++)
            model->move[j * d + i] =
                heard ? scale * answer->sums[j * d + i] : 0;
        model->sd[j] = heard ? scale * answer->noise : HUGE_VAL;
    }
}

double kith_i_refine_pool(const double *moves, const double *sd, uint32_t count,
                          uint32_t d, double q)
{
    double above = 0, weight = 0;
    for (size_t j = 0; j < count; j++) {
        double v = sd[j] * sd[j];
        if (!isfinite(v) || !(q > 0))
            continue;
        if (!(v > 0)) /* no noise at all: nothing to shrink */
            return HUGE_VAL;
        above += (kith_i_norm_squared(moves + j * d, d) / q - v) / v;
        weight += 1 / v;
    }
    return weight > 0 ? fmax(0, above / weight) : 0;
}

void kith_i_refine_step(kith_i_local_model *model)
{
    size_t d = model->d;
    double pool = kith_i_refine_pool(model->move, model->sd, model->count,
                                     model->d, (double)d);
    for (size_t j = 0; j < model->count; j++) {
        double v = model->sd[j] * model->sd[j];
        if (!isfinite(v))
            continue; /* nobody answered: the centre stays */
        double square = kith_i_norm_squared(model->move + j * d, d);
        double known = fmin(model->var[j], model->spread[j] / (double)d);
        double seen = v * ((double)d + sqrt(2 * (double)d));
        double step = known / (known + v);
        step = fmax(step, isfinite(pool) ? pool / (pool + v) : 1);
        step = square > seen ? fmax(step, 1 - seen / square) : step;
        step = v > 0 ? fmin(1, step) : 1;
        for (size_t i = 0; i < d; i++)
            model->center[j * d + i] += step * model->move[j * d + i];
        model->var[j] =
            step * v + model->bias[j] * model->bias[j] / 4 / (double)d;
    }
}

kith_status kith_i_refine(kith_i_local_run *run, kith_i_local_model *model,
                          double top, double histogram_share,
                          double vector_share, kith_error *err)
{
    const kith_i_answer *answer;
    kith_i_question q =
        kith_i_refine_histogram(run, model, histogram_share, top);
    kith_status status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    kith_i_refine_radii(run, model, answer, top, KITH_I_REFINE_LAST,
                        vector_share);
    q = kith_i_refine_question(run, model, vector_share);
    status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    kith_i_refine_measure(model, answer);
    kith_i_refine_step(model);
    kith_i_local_clip(run->task, model->count, model->center);
    return KITH_OK;
}
