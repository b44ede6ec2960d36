/* A10 and A11: rounds in the view, and the last step in all features. Where the
 * view has fewer dimensions than the rows, labels come from the view and
 * residuals are taken in full space; the part of a residual mean inside the
 * axes and the rest are shrunk apart. */
#include "auto/stages.h"

void kith_i_auto_move_full(auto_run *run, auto_step *step)
{
    uint32_t k = step->k, q = run->frame.q, d = run->d;
    double *inside = kith_i_pool_reals(&run->pool, (size_t)k * q);
    double *factor = kith_i_pool_reals(&run->pool, k);
    double *noise = kith_i_pool_reals(&run->pool, k), *full = run->found.full;
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t j = 0; j < k; j++) {
        double *move = step->move + (size_t)j * d, *in = inside + (size_t)j * q;
        for (uint32_t a = 0; a < q; a++)
            in[a] = kith_i_dot(run->frame.axes + (size_t)a * d, move, d);
        kith_i_auto_along(run, -1, in, move);
        noise[j] = step->noise[j] * sqrt(fmax(1 - (double)q / d, 1e-6));
    }
    kith_i_auto_shrink(inside, q, k, step->noise, factor);
    kith_i_auto_believe(run, k, noise, run->centers, step->move);
    kith_i_add_scaled(full, 1, step->move, (size_t)k * d);
    for (uint32_t j = 0; j < k; j++)
        kith_i_auto_along(run, factor[j], inside + (size_t)j * q,
                          full + (size_t)j * d);
}

/* Mean squared distance, in full space, of rows from the means of their
 * clusters, if they spread outside of the axes as they do inside. The last step
 * of A10 saw them about centres that were off by the noise of the step before.
 */
static double spread_within(const auto_run *run, const auto_step *before)
{
    const auto_frame *frame = &run->frame;
    double inside = 0, q = frame->q;
    for (uint32_t j = 0; j < run->k; j++) {
        double square = before->scale[j] * before->scale[j];
        if (run->shares.rounds > 0) {
            double noise = q * pow(before->noise[j], 2);
            square = before->rms[j] * before->rms[j];
            square = fmax(square - noise, square / 4);
        }
        inside += square / run->k;
    }
    inside = fmin(inside * run->d / q, inside + frame->outside);
    return inside / (frame->finer * frame->finer);
}

/* A step in full space is worth repeating where rows are closer to each other
 * than to what the axes know of their mean: the next one is clipped at what the
 * one before has left, and noise follows the radius. How many, with a share in
 * all, have the least noise: square and within are the mean squared distances
 * of rows before the first step and after the best. */
static uint32_t count_zooms(const auto_run *run, double share, double square,
                            double within)
{
    double least = HUGE_VAL;
    uint32_t zooms = 1;
    for (uint32_t many = 1; many <= run->recipe->zooms; many++) {
        double times =
            run->recipe->clips *
            kith_i_auto_center_noise(run, share / many, run->d, run->k);
        double noise = 0, left = square;
        for (uint32_t i = 0; i < many; i++) {
            noise = times * left;
            left = within + noise * square / (noise + square);
        }
        if (noise < least) {
            least = noise;
            zooms = many;
        }
    }
    return zooms;
}

/* What the last step says, finer times as fine as the rows. Of the squared
 * distances one histogram is known, before the step and in units of the scales:
 * the mean of (r^2 + m^2) / rms^2 over the clusters is 1, where m is a move, as
 * far as it is not noise. That gives r, if rows are now as far from all
 * centres, or the r of each, if they follow its scale. Scales that fall short
 * of the distances were not known, and are followed less. It is off the more,
 * the more the moves say and the less alike the clusters are (arithmetic
 * against harmonic mean; measured, bench/RESULTS.md). */
static void set_found(const auto_step *step, double finer, auto_found *found)
{
    static const double unlike = .25, most_unlike = .6;
    uint32_t k = step->k, w = step->width;
    double total = kith_i_sum(step->used, k);
    double inverse = 0, gained = 0, mean = 0;
    for (uint32_t j = 0; j < k; j++) {
        double part = step->used[j] / total / pow(step->rms[j], 2);
        const double *move = step->move + (size_t)j * w;
        double square = kith_i_dot(move, move, w) - w * pow(step->noise[j], 2);
        inverse += part;
        mean += step->used[j] / total * pow(step->rms[j], 2);
        gained += part * fmax(square, 0);
        found->sizes[j] = step->sizes.mean[j];
    }
    double left = fmax(1 - gained, 1. / 8) / (finer * finer);
    double follow = fmin(1, pow(step->kappa, -4));
    for (uint32_t j = 0; j < k; j++)
        found->squares[j] =
            left * (follow * pow(step->rms[j], 2) + (1 - follow) / inverse);
    found->noise = step->sum_sd / finer;
    found->loose =
        sqrt(pow(step->loose, 2) + pow(gained / 2, 2) +
             pow(unlike * fmin(log(mean * inverse), most_unlike), 2));
}

/* A11 where the axes leave out something. before: A10's last step, and the
 * scales of the clusters now. */
static void recover(auto_run *run, const auto_step *before)
{
    const auto_frame *frame = &run->frame;
    uint32_t k = run->k, d = run->d;
    double *full = run->found.full;
    auto_step step = kith_i_auto_step_new(run, "cluster", k, d);
    if (kith_i_auto_failed(run))
        return;
    double within = spread_within(run, before), *scale = step.scale;
    for (uint32_t j = 0; j < k; j++)
        scale[j] = sqrt(before->scale[j] * before->scale[j] + frame->outside) /
                   frame->finer;
    step.sizes = before->sizes;
    kith_i_auto_lift(run, k, run->centers, full);
    double square = kith_i_dot(scale, scale, k) / k;
    uint32_t zooms = count_zooms(run, before->share, square, within);
    step.share = (before->share - (zooms - 1) * step.hist) / zooms;
    for (uint32_t i = 0; i < zooms; i++) {
        for (uint32_t j = 0; i > 0 && j < k; j++) /* what a step has left */
            scale[j] = fmin(scale[j], sqrt(within + d * pow(step.noise[j], 2)));
        kith_i_auto_take_step(run, frame->view, run->centers, full, &step);
        kith_i_auto_move_full(run, &step);
    }
    set_found(&step, 1, &run->found);
}

void kith_i_auto_refine(auto_run *run)
{
    const auto_shares *shares = &run->shares;
    const auto_frame *frame = &run->frame;
    uint32_t k = run->k, rounds = shares->rounds;
    auto_step step = kith_i_auto_step_new(run, "cluster", k, frame->q);
    /* a few rows far out are known by their box alone; other clusters change
     * too much between summary and steps */
    if (run->summary.far)
        step.sizes = kith_i_auto_weigh(run, k, run->centers);
    if (kith_i_auto_failed(run))
        return;
    step.share = shares->steps / rounds;
    for (uint32_t t = 0; t <= rounds; t++) {
        kith_i_auto_scales(run, k, run->centers, step.scale);
        if (t == rounds)
            break;
        kith_i_auto_step_in(run, frame->view, run->centers, &step);
    }
    step.share = shares->last;
    if (frame->blind) {
        kith_i_auto_last_blind(run);
    } else if (frame->q < run->d) {
        recover(run, &step);
    } else {
        kith_i_auto_step_in(run, frame->view, run->centers, &step);
        kith_i_auto_lift(run, k, run->centers, run->found.full);
        set_found(&step, frame->finer, &run->found);
    }
}
