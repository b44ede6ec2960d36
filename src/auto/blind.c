/* A11 in pure DP when the axes of the view are random. What the view knows of a
 * centre is a few random coordinates. Sums in full space are taken about that,
 * or about zero where the rows are short in L1; what they say is believed as
 * far as it is not noise. Where noise is small enough, a second step takes
 * residuals from that, with labels by it. First a wider view makes the labels
 * better. */
#include "auto/believe.h"
#include "auto/refine.h"

#include <math.h>
#include <string.h>

enum { WIDE_STEPS = 2, WIDE_MOST = 128 };
static const double wide_part = .15;  /* of the share */
static const double wide_noise = .15; /* axes x noise that a step may have */
static const double wide_worth = 1.5; /* times the axes before */
static const double sizes_part = .05; /* of a step's share */
static const double zoom_below =
    .35; /* noise of a first estimate, for a second */
static const double zoom_first = .45; /* its part of the share */

typedef struct {
    double *full; /* k x d: where the sums are from, then the means */
    auto_step step;
} auto_estimate;

/* Whether a second step from a first estimate of k clusters pays. */
static int zooms(const auto_run *run, double k, double share)
{
    double first = zoom_first * share * (1 - sizes_part);
    return kith_i_auto_center_noise(run, first, run->d, k) <
           zoom_below * zoom_below;
}

/* Two steps in more random axes, as many as their noise leaves worth having; of
 * the centres nothing is known there yet. *share: what is left. */
static kith_status widen(auto_run *run, const auto_start *start,
                         auto_frame *wide, double **centers, double *share)
{
    const auto_frame *frame = start->frame;
    uint32_t k = run->k, q = frame->q;
    double part = wide_part * *share;
    double carry = wide_noise * part / WIDE_STEPS * run->budget * run->n / k;
    uint32_t p = (uint32_t)fmin(fmin(run->d, WIDE_MOST), floor(carry));
    *wide = *frame;
    *centers = start->centers;
    if (p < wide_worth * q)
        return KITH_OK;
    kith_status status = kith_i_auto_widen(run, frame, p, wide);
    auto_step step;
    if (!status)
        status = kith_i_auto_step_new(run, k, p, &step);
    double *better = kith_i_pool_reals(&run->pool, (size_t)k * p);
    double *scale = kith_i_pool_reals(&run->pool, k);
    if (status || run->pool.failed)
        return status ? status : kith_i_fail_memory(run->err);
    for (size_t i = 0; i < (size_t)k * q; i++)
        better[i / q * p + i % q] =
            start->centers[i] * wide->finer / frame->finer;
    for (uint32_t j = 0; j < k; j++)
        scale[j] = sqrt(wide->trace * p / run->d);
    auto_job job = {.what = "cluster",
                    .scale = scale,
                    .counts = start->shares->counts,
                    .hist = start->shares->hist};
    job.share = (part - job.hist) / WIDE_STEPS;
    for (uint32_t t = 0; !status && t < WIDE_STEPS; t++) {
        status = kith_i_auto_step_in(run, wide->view, &job, better, &step);
        job.hist = 0; /* the radius serves both */
    }
    *centers = better;
    *share -= part;
    return status;
}

/* From residual sums about zero (L1) or about what the view knows, to means. */
static kith_status believe_sums(auto_run *run, const auto_frame *frame,
                                const auto_plain *plan, const double *centers,
                                auto_estimate *e)
{
    auto_step *step = &e->step;
    size_t size = (size_t)step->k * step->width;
    if (!plan->taxicab)
        return kith_i_auto_move_full(run, frame, centers, step, e->full);
    auto_belief belief = {step->k,     step->width, frame->q, step->move,
                          step->noise, step->size,  centers};
    kith_status status = kith_i_auto_believe(run, &belief);
    for (size_t i = 0; !status && i < size; i++)
        e->full[i] += step->move[i];
    return status;
}

/* Lengths about the centres that the view knows, from those about the mean:
 * random axes see the same part of any length. */
static auto_hist shorten(const auto_run *run, const auto_start *start,
                         uint32_t q, auto_sizes *sizes)
{
    const auto_frame *frame = start->frame;
    auto_hist lengths = start->scout->norms;
    double within =
        kith_i_auto_weigh(start->summary, run->k, start->centers, sizes);
    within = fmin(1, within * run->d / (frame->trace * frame->q));
    double less = sqrt(1 - (1 - within) * q / run->d);
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        lengths.up[b] *= less;
        lengths.mid[b] *= less;
    }
    return lengths;
}

/* Sizes and sums of the clusters that the view knows (centers, in frame). */
static kith_status first_estimate(auto_run *run, const auto_start *start,
                                  const auto_frame *frame,
                                  const double *centers, auto_job *job,
                                  auto_estimate *out)
{
    uint32_t k = run->k, d = run->d, q = frame->q;
    double sums = job->share * (1 - job->counts), *full = out->full;
    auto_hist lengths = shorten(run, start, q, job->known);
    auto_plain plan =
        kith_i_auto_plan_plain(run, start->scout, &lengths, k, sums);
    kith_i_centers lattice = kith_i_auto_lattice(run, k, q, centers);
    double *radius = kith_i_pool_reals(&run->pool, k);
    if (run->pool.failed)
        return kith_i_fail_memory(run->err);
    for (uint32_t j = 0; j < k; j++) {
        radius[j] = plan.clip.radius;
        out->step.kept[j] = plan.clip.kept;
        memcpy(full + (size_t)j * d, start->scout->zero, d * sizeof *full);
    }
    if (!plan.taxicab)
        kith_i_auto_lift(frame, k, d, centers, full);
    for (size_t i = 0; i < (size_t)k * d; i++)
        full[i] = nearbyint(full[i]);
    auto_place place = {.centers = &lattice,
                        .by = frame->view,
                        .cells = k,
                        .width = d,
                        .taxicab = plan.taxicab,
                        .origin = full};
    kith_i_cells cells = {0};
    kith_status status = kith_i_auto_place_open(run, &place, 1);
    if (!status)
        status = kith_i_auto_count_sizes(run, &place, job, &out->step);
    if (!status)
        status =
            kith_i_auto_residuals(run, &place, "cluster", radius, sums, &cells);
    kith_i_auto_place_close(run, &place);
    if (!status) {
        kith_i_auto_set_moves(&cells, &out->step);
        status = believe_sums(run, frame, &plan, centers, out);
    }
    kith_i_cells_free(&cells);
    return status;
}

/* Residuals from the first estimate, labels by it: where clusters are small, so
 * are the residuals. */
static kith_status zoom(auto_run *run, const auto_start *start, auto_job *job,
                        auto_estimate *out)
{
    double *scale = kith_i_pool_reals(&run->pool, run->k);
    if (!scale)
        return kith_i_fail_memory(run->err);
    for (uint32_t j = 0; j < run->k; j++)
        scale[j] = sqrt(start->scout->trace) / 2;
    job->scale = scale;
    return kith_i_auto_step_in(run, NULL, job, out->full, &out->step);
}

kith_status kith_i_auto_last_blind(auto_run *run, const auto_start *start,
                                   auto_found *found)
{
    uint32_t k = run->k;
    double share = start->shares->last, *centers;
    auto_frame wide;
    auto_estimate e = {.full = found->full};
    auto_sizes known;
    kith_status status = widen(run, start, &wide, &centers, &share);
    if (!status)
        status = kith_i_auto_sizes_new(run, k, &known);
    if (!status)
        status = kith_i_auto_step_new(run, k, run->d, &e.step);
    if (status)
        return status;
    int again = zooms(run, k, share);
    double hist = start->shares->hist;
    auto_job job = {.what = "cluster",
                    .counts = sizes_part,
                    .known = &known,
                    .share = again ? zoom_first * share : share + hist};
    status = first_estimate(run, start, &wide, centers, &job, &e);
    if (!status && again) {
        job.share = share - job.share;
        job.hist = hist;
        status = zoom(run, start, &job, &e);
    }
    for (uint32_t j = 0; !status && j < k; j++)
        found->sizes[j] = e.step.size[j];
    found->noise = e.step.sum_sd;
    return status;
}
