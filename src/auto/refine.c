/* A10: rounds in the view. */
#include "auto/refine.h"

#include <math.h>

kith_status kith_i_auto_refine(auto_run *run, const auto_start *start,
                               auto_found *found)
{
    uint32_t k = run->k, rounds = start->shares->rounds;
    const auto_shares *shares = start->shares;
    double *scale = kith_i_pool_reals(&run->pool, k);
    auto_sizes known;
    auto_step step;
    kith_status status = kith_i_auto_sizes_new(run, k, &known);
    if (!status)
        status = kith_i_auto_step_new(run, k, start->frame->q, &step);
    if (status)
        return status;
    /* a few rows far out are known by their box alone; other clusters change
     * too much between summary and steps */
    if (start->far)
        (void)kith_i_auto_weigh(start->summary, k, start->centers, &known);
    auto_job job = {.what = "cluster",
                    .scale = scale,
                    .counts = shares->counts,
                    .known = &known};
    for (uint32_t t = 0; !status && t < rounds; t++) {
        job.share = shares->steps / rounds;
        job.hist = t < shares->hists ? shares->hist : 0;
        status =
            kith_i_auto_scales(run, start->summary, k, start->centers, scale);
        if (!status)
            status = kith_i_auto_step_in(run, start->frame->view, &job,
                                         start->centers, &step);
    }
    if (status)
        return status;
    if (start->frame->blind)
        return kith_i_auto_last_blind(run, start, found);
    status = kith_i_auto_scales(run, start->summary, k, start->centers, scale);
    step.k = rounds > 0 ? k : 0;
    job.share = shares->last;
    job.hist = shares->hist;
    return status ? status : kith_i_auto_last(run, start, &job, &step, found);
}
