/* A8: a better summary, from steps with as many cells as noise allows. */
#include "auto/stages.h"

enum { LEAST_CELLS = 2 }; /* fewer than clusters are halved on paper */

/* The cells that stand out become the summary, in place of the old one. A cell
 * weighs less the noisier its mean is, against the rows' distance from the mean
 * or its own. */
static void make_summary(auto_run *run, const double *centers,
                         const auto_step *step)
{
    auto_summary *out = &run->summary;
    const auto_recipe *r = run->recipe;
    uint32_t q = out->q, kept = 0;
    double trace = run->frame.trace;
    for (uint32_t j = 0; j < step->k; j++) {
        double size = step->sizes.mean[j];
        double variance = step->sizes.variance[j];
        if (!(size > r->stands * sqrt(variance)))
            continue;
        const double *c = centers + (size_t)j * q;
        double noise = q * pow(step->noise[j], 2);
        double far = fmax(1, kith_i_dot(c, c, q) / trace);
        memcpy(out->points + (size_t)kept * q, c, q * sizeof *c);
        out->size[kept] = size;
        out->unsure[kept] = variance;
        out->noise[kept] = step->noise[j];
        out->within[kept] = step->scale[j] * step->scale[j];
        out->weight[kept++] =
            size / (1 + r->blur * noise / (trace * pow(far, r->far_weight)));
    }
    out->n = kept > 0 ? kept : out->n;
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
        kith_i_multiply_by(step.scale, step.kappa, cells); /* as was seen */
    }
    make_summary(run, centers, &step);
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
