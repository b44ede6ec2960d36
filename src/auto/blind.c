/* A11 in pure DP when the axes of the view are random. What the view knows of a
 * centre is a few random coordinates. Sums in full space are taken about that,
 * or about zero where the rows are short in L1; what they say is believed as
 * far as it is not noise. Where noise is small enough, a second step takes
 * residuals from that, with labels by it. */
#include "auto/stages.h"

/* Lengths about the centres that the view knows, from those about the mean:
 * random axes see the same part of any length. within: mean squared distance
 * of the rows from the centres, in the view. */
static auto_hist shorten(const auto_run *run, double within)
{
    auto_hist lengths = run->scout.norms;
    double part = (double)run->frame.q / run->d;
    double less = sqrt(1 - part + fmin(part, within / run->frame.trace));
    kith_i_multiply_by(lengths.up, less, AUTO_BINS);
    kith_i_multiply_by(lengths.mid, less, AUTO_BINS);
    lengths.square *= less * less;
    return lengths;
}

/* Sizes and sums of the clusters that the view knows, about that or (L1) about
 * zero; what is believed of them. */
static void first_estimate(auto_run *run, auto_step *step)
{
    uint32_t k = run->k, d = run->d;
    double *full = run->found.full;
    step->sizes = kith_i_auto_weigh(run, k, run->centers);
    if (kith_i_auto_failed(run))
        return;
    auto_hist lengths = shorten(run, step->sizes.cost);
    auto_clip clip = kith_i_auto_plan_plain(run, &lengths, k,
                                            step->share * (1 - step->counts));
    for (uint32_t j = 0; j < k; j++) {
        step->scale[j] = 1;
        memcpy(full + (size_t)j * d, run->scout.zero, d * sizeof *full);
    }
    if (!clip.taxicab)
        kith_i_auto_lift(run, k, run->centers, full);
    step->clip = &clip;
    kith_i_auto_take_step(run, run->frame.view, run->centers, full, step);
    step->clip = NULL;
    if (!clip.taxicab) {
        kith_i_auto_move_full(run, step);
        return;
    }
    kith_i_auto_believe(run, k, step->noise, run->centers, step->move);
    kith_i_add_scaled(full, 1, step->move, (size_t)k * d);
}

void kith_i_auto_last_blind(auto_run *run)
{
    auto_found *found = &run->found;
    uint32_t k = run->k;
    double share = run->shares.last, hist = run->shares.hist;
    auto_step step = kith_i_auto_step_new(run, "cluster", k, run->d);
    const auto_recipe *r = run->recipe;
    double noise = kith_i_auto_center_noise(
        run, r->former * share * (1 - r->last_sizes), run->d, k);
    int again = noise < r->latter;
    if (kith_i_auto_failed(run))
        return;
    step.counts = r->last_sizes;
    step.share = again ? r->former * share : share + hist;
    step.hist = 0; /* lengths from the mean are known */
    first_estimate(run, &step);
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
