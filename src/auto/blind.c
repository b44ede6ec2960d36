/* A11 in pure DP when the axes of the view are random. What the view knows of a
 * centre is a few random coordinates. Sums in full space are taken about that,
 * or about zero where the rows are short in L1; what they say is believed as
 * far as it is not noise. Where noise is small enough, a second step takes
 * residuals from that, with labels by it. First a wider view makes the labels
 * better. */
#include "auto/stages.h"

enum { WIDE_STEPS = 2, WIDE_MOST = 128 };
static const double wide_part = .15;  /* of the share */
static const double wide_noise = .15; /* axes x noise that a step may have */
static const double wide_worth = 1.5; /* times the axes before */
static const double sizes_part = .05; /* of a step's share */
static const double zoom_below =
    .35; /* noise of a first estimate, for a second */
static const double zoom_first = .45; /* its part of the share */

/* Whether a second step from a first estimate of k clusters pays. */
static int zooms(const auto_run *run, double k, double share)
{
    double first = zoom_first * share * (1 - sizes_part);
    return kith_i_auto_center_noise(run, first, run->d, k) <
           zoom_below * zoom_below;
}

/* Two steps in more random axes, as many as their noise leaves worth having; of
 * the centres nothing is known there yet. Returns them; *share: what is left.
 */
static double *widen(auto_run *run, auto_frame *wide, double *share)
{
    const auto_frame *frame = &run->frame;
    uint32_t k = run->k, q = frame->q;
    double part = wide_part * *share;
    double carry = wide_noise * part / WIDE_STEPS * run->budget * run->n / k;
    uint32_t p = (uint32_t)fmin(fmin(run->d, WIDE_MOST), floor(carry));
    *wide = *frame;
    if (p < wide_worth * q)
        return run->centers;
    kith_i_auto_widen(run, frame, p, wide);
    auto_step step = kith_i_auto_step_new(run, "cluster", k, p);
    double *better = kith_i_pool_reals(&run->pool, (size_t)k * p);
    if (kith_i_auto_failed(run))
        return better;
    for (size_t i = 0; i < (size_t)k * q; i++)
        better[i / q * p + i % q] =
            run->centers[i] * wide->finer / frame->finer;
    for (uint32_t j = 0; j < k; j++)
        step.scale[j] = sqrt(wide->trace * p / run->d);
    step.share = (part - step.hist) / WIDE_STEPS;
    for (uint32_t t = 0; t < WIDE_STEPS; t++) {
        kith_i_auto_step_in(run, wide->view, better, &step);
        step.hist = 0; /* the radius serves both */
    }
    *share -= part;
    return better;
}

/* Lengths about the centres that the view knows, from those about the mean:
 * random axes see the same part of any length. within: mean squared distance
 * of the rows from the centres, in the view. */
static auto_hist shorten(const auto_run *run, uint32_t q, double within)
{
    const auto_frame *frame = &run->frame;
    auto_hist lengths = run->scout.norms;
    within = fmin(1, within * run->d / (frame->trace * frame->q));
    double less = sqrt(1 - (1 - within) * q / run->d);
    kith_i_multiply_by(lengths.up, less, AUTO_BINS);
    kith_i_multiply_by(lengths.mid, less, AUTO_BINS);
    lengths.square *= less * less;
    return lengths;
}

/* Sizes and sums of the clusters that the view knows (centers, in frame), about
 * that or (L1) about zero; what is believed of them. */
static void first_estimate(auto_run *run, const auto_frame *frame,
                           double *centers, auto_step *step)
{
    uint32_t k = run->k, d = run->d, q = frame->q;
    double *full = run->found.full;
    step->sizes = kith_i_auto_weigh(run, k, run->centers);
    if (kith_i_auto_failed(run))
        return;
    auto_hist lengths = shorten(run, q, step->sizes.cost);
    auto_clip clip = kith_i_auto_plan_plain(run, &lengths, k,
                                            step->share * (1 - step->counts));
    for (uint32_t j = 0; j < k; j++) {
        step->scale[j] = 1;
        memcpy(full + (size_t)j * d, run->scout.zero, d * sizeof *full);
    }
    if (!clip.taxicab)
        kith_i_auto_lift(frame, k, d, centers, full);
    step->clip = &clip;
    kith_i_auto_take_step(run, frame->view, centers, full, step);
    step->clip = NULL;
    if (!clip.taxicab) {
        kith_i_auto_move_full(run, frame, centers, step, full);
        return;
    }
    auto_belief belief = {
        k, d, q, step->move, step->noise, step->sizes.mean, centers};
    kith_i_auto_believe(run, &belief);
    kith_i_add_scaled(full, 1, step->move, (size_t)k * d);
}

void kith_i_auto_last_blind(auto_run *run)
{
    auto_found *found = &run->found;
    uint32_t k = run->k;
    double share = run->shares.last, hist = run->shares.hist;
    auto_frame wide;
    double *centers = widen(run, &wide, &share);
    auto_step step = kith_i_auto_step_new(run, "cluster", k, run->d);
    int again = zooms(run, k, share);
    if (kith_i_auto_failed(run))
        return;
    step.counts = sizes_part;
    step.share = again ? zoom_first * share : share + hist;
    step.hist = 0; /* lengths from the mean are known */
    first_estimate(run, &wide, centers, &step);
    if (again) {
        /* residuals from the first estimate, labels by it: where clusters are
         * small, so are the residuals */
        step.share = share - step.share;
        step.hist = hist;
        for (uint32_t j = 0; j < k; j++)
            step.scale[j] = sqrt(run->scout.trace) / 2;
        kith_i_auto_step_in(run, NULL, found->full, &step);
    }
    if (!kith_i_auto_failed(run))
        memcpy(found->sizes, step.sizes.mean, k * sizeof *found->sizes);
    found->noise = step.sum_sd;
}
