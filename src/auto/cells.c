/* A8: a better summary from steps with more cells than clusters. */
#include "auto/stages.h"

#include "solver/search_points.h"

/* No cell is much narrower than usual. */
static const double narrowest = .15;

/* Typical distances by what a step found; not much less than is usual. */
static void update_scales(const auto_step *found, double *scale)
{
    double mean = kith_i_sum(found->rms, found->k) / found->k;
    for (uint32_t j = 0; j < found->k; j++)
        scale[j] = fmax(found->rms[j], narrowest * mean);
}

/* The cells that stand out become the summary, in place of the old one. A cell
 * weighs less the noisier its mean is, against the rows' distance from the mean
 * or its own. */
static void make_summary(const auto_run *run, const auto_frame *frame,
                         const double *centers, const auto_job *job,
                         const auto_step *found, auto_summary *out)
{
    uint32_t q = frame->q, kept = 0;
    for (uint32_t j = 0; j < found->k; j++) {
        double size = found->sizes.mean[j];
        double variance = found->sizes.variance[j];
        if (!(size > run->recipe->stands * sqrt(variance)))
            continue;
        const double *c = centers + (size_t)j * q;
        double noise = q * pow(found->noise[j], 2);
        double far = fmax(1, kith_i_dot(c, c, q) / frame->trace);
        memcpy(out->points + (size_t)kept * q, c, q * sizeof *c);
        out->size[kept] = size;
        out->unsure[kept] = variance;
        out->noise[kept] = found->noise[j];
        out->within[kept] = job->scale[j] * job->scale[j];
        out->weight[kept++] =
            size / (1 + 4 * noise / (frame->trace * pow(far, .25)));
    }
    out->n = kept > 0 ? kept : out->n;
}

static void refine(auto_run *run, const auto_frame *frame,
                   const auto_shares *shares, uint32_t cells,
                   auto_summary *summary)
{
    double *centers = kith_i_pool_reals(&run->pool, (size_t)cells * frame->q);
    auto_step found = kith_i_auto_step_new(run, cells, frame->q);
    auto_job job = {.what = "fine cell",
                    .scale = kith_i_pool_reals(&run->pool, cells),
                    .share = shares->cells / shares->cell_steps,
                    .counts = shares->counts,
                    .hist = shares->hist};
    kith_i_points points = {summary->points, summary->weight, summary->n,
                            summary->q};
    kith_i_search search = {.k = cells,
                            .repeats = 1,
                            .starts = 1,
                            .swaps = cells <= AUTO_SWAPPED,
                            .threads = kith_i_session_threads(run->session)};
    if (kith_i_auto_failed(run))
        return;
    run->status =
        kith_i_search_points(&points, &search, &run->coins, centers, run->err);
    kith_i_auto_scales(run, summary, cells, centers, job.scale);
    found.sizes = kith_i_auto_weigh(run, summary, cells, centers);
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t t = 0; t < shares->cell_steps; t++) {
        kith_i_auto_step_in(run, frame->view, &job, centers, &found);
        update_scales(&found, job.scale);
    }
    make_summary(run, frame, centers, &job, &found, summary);
}

void kith_i_auto_cells(auto_run *run, const auto_frame *frame,
                       auto_shares *shares, auto_summary *summary)
{
    const auto_recipe *r = run->recipe;
    double q = frame->q, share = shares->cells / shares->cell_steps;
    double noise = sqrt(q) * kith_i_auto_sum_sd(run, share, q);
    double most = fmax(r->most_cells, r->each * run->k);
    /* half of a point must still stand out */
    double least =
        r->stands * kith_i_auto_count_sd(run, share * shares->counts);
    if (kith_i_auto_failed(run))
        return;
    most = fmin(most, floor(run->n / (r->blurred * noise)));
    if (most >= r->least_each * run->k)
        kith_i_auto_halve(run, summary, AUTO_HALVES * run->k, least);
    most = fmin(most, summary->n);
    if (most >= r->least_each * run->k) {
        size_t mark = run->pool.count;
        refine(run, frame, shares, (uint32_t)most, summary);
        kith_i_pool_drop(&run->pool, mark);
        return;
    }
    double rest = shares->cells + shares->cell_steps * shares->hist;
    *(shares->rounds ? &shares->steps : &shares->last) += rest;
}
