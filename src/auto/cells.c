/* A8: a better summary, from steps with as many cells as noise allows. */
#include "auto/stages.h"

enum { LEAST_CELLS = 2 }; /* fewer than clusters are halved on paper */

/* The cells of more than so many sd become the summary in place of the old one,
 * and stay in the step: in the next, rows of the others are a neighbour's. A
 * cell weighs less the noisier its mean is, against the rows' distance from the
 * mean of all. */
static void make_summary(auto_run *run, double least, double *centers,
                         auto_step *step)
{
    auto_summary *out = &run->summary;
    uint32_t q = out->q, kept = 0;
    for (uint32_t j = 0; j < step->k; j++) {
        double size = step->sizes.mean[j];
        double variance = step->sizes.variance[j];
        double scale = step->scale[j] * step->kappa; /* as was seen */
        if (!(size > least * sqrt(variance)))
            continue;
        double noise = q * pow(step->noise[j], 2) / run->frame.trace;
        memmove(centers + (size_t)kept * q, centers + (size_t)j * q,
                q * sizeof *centers);
        step->scale[kept] = scale;
        out->size[kept] = step->sizes.mean[kept] = size;
        out->unsure[kept] = step->sizes.variance[kept] = variance;
        out->noise[kept] = step->noise[j];
        out->within[kept] = scale * scale;
        out->weight[kept++] = size / (1 + run->recipe->blur * noise);
    }
    if (kept > 0) {
        memcpy(out->points, centers, (size_t)kept * q * sizeof *centers);
        out->n = step->k = kept;
    }
}

static void refine(auto_run *run, uint32_t cells)
{
    const auto_shares *shares = &run->shares;
    const auto_summary *s = &run->summary;
    double *centers = kith_i_pool_reals(&run->pool, (size_t)cells * s->q);
    auto_step step = kith_i_auto_step_new(run, "fine cell", cells, s->q);
    kith_i_auto_solve(run, cells, 1, centers);
    kith_i_auto_scales(run, cells, centers, step.scale);
    step.sizes = kith_i_auto_weigh(run, cells, centers);
    step.share = shares->cells / shares->cell_steps;
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t t = 0; t < shares->cell_steps; t++) {
        kith_i_auto_step_in(run, run->frame.view, centers, &step);
        double seen = (t + 1.) / shares->cell_steps; /* part of the counts */
        make_summary(run, seen * run->recipe->stands, centers, &step);
    }
}

void kith_i_auto_cells(auto_run *run)
{
    const auto_recipe *r = run->recipe;
    auto_shares *shares = &run->shares;
    double q = run->frame.q, share = shares->cells / shares->cell_steps;
    double noise = sqrt(q) * kith_i_auto_sum_sd(run, share, q);
    double most = fmax(r->most_cells, r->each * run->k);
    /* half of a point must still stand out */
    double least =
        r->stands * kith_i_auto_count_sd(run, share * shares->counts);
    if (kith_i_auto_failed(run))
        return;
    most = fmin(most, floor(run->n / (r->blurred * noise)));
    if (most >= LEAST_CELLS)
        kith_i_auto_halve(run, r->halves * run->k, least);
    most = fmin(most, run->summary.n);
    if (most >= LEAST_CELLS) {
        size_t mark = run->pool.count;
        refine(run, (uint32_t)most);
        kith_i_pool_drop(&run->pool, mark);
        return;
    }
    double rest = shares->cells + shares->cell_steps * shares->hist;
    *(shares->rounds ? &shares->steps : &shares->last) += rest;
}
