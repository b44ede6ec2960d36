/* A8: a better summary from steps with more cells than clusters. */
#include "auto/noisy_step.h"

#include <math.h>
#include <string.h>

#include "solver/search_points.h"

/* No cell is much narrower than usual. */
static const double narrowest = .15;

/* What the steps work on. */
typedef struct {
    uint32_t n;
    double *centers, *scale;
    auto_sizes sizes;
    auto_step found;
    auto_job job;
} fine;

static kith_status fine_new(auto_run *run, uint32_t n, uint32_t q, fine *f)
{
    f->n = n;
    f->centers = kith_i_pool_reals(&run->pool, (size_t)n * q);
    f->scale = kith_i_pool_reals(&run->pool, n);
    kith_status status = kith_i_auto_sizes_new(run, n, &f->sizes);
    return status ? status : kith_i_auto_step_new(run, n, q, &f->found);
}

/* Typical distances by what a step found; not much less than is usual. */
static void update_scales(fine *f)
{
    double sum = 0;
    for (uint32_t j = 0; j < f->n; j++)
        sum += f->found.rms[j];
    for (uint32_t j = 0; j < f->n; j++)
        f->scale[j] = fmax(f->found.rms[j], narrowest * sum / f->n);
}

/* The cells that stand out become the summary, in place of the old one. A cell
 * weighs less the noisier its mean is, against the rows' distance from the mean
 * or its own. */
static void make_summary(const auto_run *run, const auto_frame *frame,
                         const fine *f, auto_summary *out)
{
    uint32_t q = frame->q, kept = 0;
    for (uint32_t j = 0; j < f->n; j++) {
        double size = f->found.size[j], variance = f->sizes.variance[j];
        if (!(size > run->recipe->stands * sqrt(variance)))
            continue;
        const double *c = f->centers + (size_t)j * q;
        double noise = q * pow(f->found.noise[j], 2), square = 0;
        for (uint32_t a = 0; a < q; a++)
            square += c[a] * c[a];
        memcpy(out->points + (size_t)kept * q, c, q * sizeof *c);
        out->size[kept] = size;
        out->unsure[kept] = variance;
        out->noise[kept] = f->found.noise[j];
        out->within[kept] = f->scale[j] * f->scale[j];
        out->weight[kept++] =
            size /
            (1 + 4 * noise /
                     (frame->trace * pow(fmax(1, square / frame->trace), .25)));
    }
    out->n = kept > 0 ? kept : out->n;
}

static kith_status refine(auto_run *run, const auto_frame *frame,
                          const auto_shares *shares, uint32_t cells,
                          auto_summary *summary)
{
    fine f = {.job = {.what = "fine cell",
                      .share = shares->cells / shares->cell_steps,
                      .counts = shares->counts,
                      .hist = shares->hist}};
    kith_i_points points = {summary->points, summary->weight, summary->n,
                            summary->q};
    kith_i_search search = {.k = cells,
                            .repeats = 1,
                            .starts = 1,
                            .swaps = cells <= AUTO_SWAPPED,
                            .threads = kith_i_session_threads(run->session)};
    kith_status status = fine_new(run, cells, frame->q, &f);
    if (!status)
        status = kith_i_search_points(&points, &search, &run->coins, f.centers,
                                      run->err);
    if (!status)
        status = kith_i_auto_scales(run, summary, cells, f.centers, f.scale);
    if (status)
        return status;
    (void)kith_i_auto_weigh(summary, cells, f.centers, &f.sizes);
    f.job.scale = f.scale;
    f.job.known = &f.sizes;
    for (uint32_t t = 0; !status && t < shares->cell_steps; t++) {
        status =
            kith_i_auto_step_in(run, frame->view, &f.job, f.centers, &f.found);
        if (!status)
            update_scales(&f);
    }
    if (!status)
        make_summary(run, frame, &f, summary);
    return status;
}

kith_status kith_i_auto_cells(auto_run *run, const auto_frame *frame,
                              auto_shares *shares, auto_summary *summary)
{
    const auto_recipe *r = run->recipe;
    double q = frame->q, share = shares->cells / shares->cell_steps;
    double noise = sqrt(q) * kith_i_auto_sum_sd(run, share, q);
    double most = fmax(r->most_cells, r->each * run->k);
    /* half of a point must still stand out */
    double least =
        r->stands * kith_i_auto_count_sd(run, share * shares->counts);
    most = fmin(most, floor(run->n / (r->blurred * noise)));
    if (most >= r->least_each * run->k && summary->n < AUTO_HALVES * run->k)
        kith_i_auto_halve(run, summary, AUTO_HALVES * run->k, least);
    most = fmin(most, summary->n);
    if (most >= r->least_each * run->k) {
        size_t mark = run->pool.count;
        kith_status status =
            refine(run, frame, shares, (uint32_t)most, summary);
        kith_i_pool_drop(&run->pool, mark);
        return status;
    }
    double rest = shares->cells + shares->cell_steps * shares->hist;
    *(shares->rounds ? &shares->steps : &shares->last) += rest;
    return KITH_OK;
}
