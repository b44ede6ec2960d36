/* Refinement: where the centres' users are (a histogram of distances), then
 * their mean offset from the centre, recentred and clipped to a radius of each
 * cluster's own, so that the noise follows the cluster's size and not the
 * domain's. For k-median the same vectors make one Weiszfeld step: clipped
 * offsets are the gradient of the distance, smoothed within the radius. */
#include "refine_means.h"

#include "distance_shape.h"

#include <math.h>
#include <string.h>

enum { BANDS = KITH_I_REFINE_BANDS };

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

static kith_i_question ask_nearest(const kith_i_local_run *run,
                                   const kith_i_local_model *model,
                                   const char *what, double share,
                                   kith_i_report_kind report)
{
    kith_i_question q = kith_i_local_question(run, what, share, report);
    q.place.kind = KITH_I_PLACE_NEAREST;
    q.place.places = model->count;
    q.place.points = q.centers = model->center;
    return q;
}

kith_i_question kith_i_refine_distances(const kith_i_local_run *run,
                                        const kith_i_local_model *model,
                                        double share, double top)
{
    kith_i_question q =
        ask_nearest(run, model, "nearest centre and distance to it", share,
                    KITH_I_REPORT_DISTANCE);
    q.bands = BANDS;
    q.top = top;
    return q;
}

/* Add to `sum` what an answer says of the share of centre j, times its
 * precision, which is returned: `each` symbols are about it. */
static double add_seen(const kith_i_answer *answer, uint32_t j, uint32_t each,
                       double *sum)
{
    static const double CERTAIN = 1e200; /* there is no noise */
    double share = 0;
    if (!answer || answer->received == 0 || !isfinite(answer->sd))
        return 0;
    for (uint32_t b = 0; b < each; b++)
        share += answer->fractions[j * each + b];
    double precision = fmin(CERTAIN, 1 / (each * answer->sd * answer->sd));
    *sum += precision * share;
    return precision;
}

/* Shares of the clusters by all that is known of them: two histograms, and what
 * was known before. */
static void set_shares(kith_i_local_model *model, const kith_i_answer *counts,
                       const kith_i_answer *distances, double drift)
{
    uint32_t n = model->count;
    for (uint32_t j = 0; j < n; j++) {
        double moved = drift * fmax(model->raw[j], 0.5 / n);
        double old = 1 / fmax(1e-8, model->raw_var[j] + moved * moved);
        double sum = model->raw[j] * old;
        double all = old + add_seen(counts, j, 1, &sum);
        all += add_seen(distances, j, BANDS, &sum);
        model->share[j] = sum / all;
        model->raw_var[j] = 1 / all;
    }
    kith_i_norm_sub(model->share, model->raw_var, n, model->raw);
    for (uint32_t j = 0; j < n; j++) {
        double least = fmin(2 * sqrt(model->raw_var[j]), 0.5 / n);
        model->share[j] = fmax(model->raw[j], least);
    }
}

/* Distances of a cluster: its own histogram as far as it can be seen, else
 * the curve that is in its profile. */
static void set_profile(kith_i_local_model *model, uint32_t j,
                        const kith_i_answer *answer)
{
    double own[BANDS];
    double *h = model->profile + j * BANDS, sum = 0;
    double noise = 3 * sqrt(BANDS) * answer->sd / model->share[j];
    double trust = 1 / (1 + noise * noise);
    for (uint32_t b = 0; b < BANDS; b++)
        sum += own[b] = fmax(0, answer->fractions[j * BANDS + b]);
    if (!(sum > 0) || !(trust > 0))
        trust = 0;
    for (uint32_t b = 0; b < BANDS; b++)
        h[b] = (trust > 0 ? trust * own[b] / sum : 0) + (1 - trust) * h[b];
}

static double lost(const double *h, double top, double at)
{
    double sum = 0;
    for (uint32_t b = 0; b < BANDS; b++)
        sum += h[b] * fmax(0, kith_i_recipe.typical * edge(top, b) - at);
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
        model->spread[j] +=
            h[b] * kith_i_recipe.typical * e * kith_i_recipe.typical * e;
        /* Where a band's users are, and its edge. */
        for (int side = 0; within >= kith_i_recipe.inner && side < 2; side++) {
            double at = side ? e : kith_i_recipe.typical * e,
                   out = lost(h, top, at);
            double risk = kith_i_recipe.lost * out * out +
                          model->d * at * at * noise * noise;
            /* The smallest radius is the best smoothing for k-median. */
            if (median ? best < HUGE_VAL : risk >= best)
                continue;
            best = risk;
            model->radius[j] = at;
        }
    }
    for (uint32_t b = 0; b < BANDS; b++)
        inverse +=
            h[b] / fmax(model->radius[j], kith_i_recipe.typical * edge(top, b));
    model->bias[j] = median ? 0 : lost(h, top, model->radius[j]);
    model->pull[j] = unclip && inverse > 0 ? 1 / inverse : model->radius[j];
}

void kith_i_refine_radii(const kith_i_local_run *run, kith_i_local_model *model,
                         const kith_i_refine_look *look,
                         const kith_i_answer *counts,
                         const kith_i_answer *distances)
{
    const kith_i_local_task *task = run->task;
    int heard = distances->received > 0 && isfinite(distances->sd);
    set_shares(model, counts, distances,
               look->stage == KITH_I_REFINE_FIRST ? 0 : kith_i_recipe.drift);
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) /
                   sqrt(kith_i_local_users(run, look->vector_share));
    memset(model->profile, 0, model->count * BANDS * sizeof *model->profile);
    if (heard && distances->sd > 0)
        kith_i_shape_profiles(model, distances, model->profile);
    for (uint32_t j = 0; j < model->count; j++) {
        if (heard)
            set_profile(model, j, distances);
        else /* nothing is known: think of the largest */
            model->profile[j * BANDS] = 1;
        set_radius(model, j, look->top, noise / model->share[j], task->median,
                   task->median || look->stage != KITH_I_REFINE_LAST);
    }
}

kith_status kith_i_refine_see(kith_i_local_run *run, kith_i_local_model *model,
                              const kith_i_refine_look *look, kith_error *err)
{
    const kith_i_answer *answers[2] = {NULL, NULL};
    double counted = model->count > 1 ? kith_i_recipe.counted * look->share : 0;
    kith_i_question q[2] = {
        kith_i_refine_distances(run, model, look->share - counted, look->top),
        ask_nearest(run, model, "nearest centre", counted,
                    KITH_I_REPORT_SYMBOL)};
    kith_status status =
        kith_i_local_ask(run, q, counted > 0 ? 2 : 1, answers, err);
    if (!status)
        kith_i_refine_radii(run, model, look, answers[1], answers[0]);
    return status;
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
        step = fmax(step, kith_i_shrink(square, seen));
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
    kith_i_refine_look look = {.stage = KITH_I_REFINE_LAST,
                               .share = histogram_share,
                               .vector_share = vector_share,
                               .top = top};
    kith_status status = kith_i_refine_see(run, model, &look, err);
    if (status)
        return status;
    kith_i_question q = kith_i_refine_question(run, model, vector_share);
    status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    kith_i_refine_measure(model, answer);
    kith_i_refine_step(model);
    kith_i_local_clip(run->task, model->count, model->center);
    return KITH_OK;
}
