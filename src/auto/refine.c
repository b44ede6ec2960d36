/* A10: rounds in the view, each with a larger share than the one before. */
#include "auto/refine.h"

#include <math.h>

/* Rows so close to their centres that the summary, whose points have a width,
 * is no measure any more: the next histogram looks closer. */
static double tightness(const auto_radii *radii)
{
    static const double tiny = .3;
    return radii->kappa[0] < tiny ? radii->kappa[0] : 1;
}

kith_status kith_i_auto_refine(auto_run *run, const auto_start *start,
                               auto_found *found, kith_error *err)
{
    uint32_t k = run->k, rounds = start->shares->rounds;
    const auto_shares *shares = start->shares;
    double *scale = kith_i_pool_reals(&run->pool, k);
    auto_sizes known;
    auto_step step;
    kith_status status = kith_i_auto_sizes_new(run, k, &known, err);
    if (!status)
        status = kith_i_auto_step_new(run, k, start->frame->q, &step, err);
    if (status)
        return status;
    /* a few rows far out are known by their box alone; other clusters change
     * too much between summary and steps */
    if (start->far)
        (void)kith_i_auto_weigh(start->summary, k, start->centers, &known);
    auto_job job = {.what = "cluster",
                    .scale = scale,
                    .counts = shares->counts,
                    .known = &known,
                    .calm = start->far};
    /* later rounds count for more; but not 1.25^1000 times more */
    double growth = pow(run->recipe->growth,
                        fmin(1, (double)AUTO_MOST_ROUNDS / fmax(rounds, 1)));
    double tight = 1,
           now = shares->steps * (growth - 1) / (pow(growth, rounds) - 1);
    for (uint32_t t = 0; !status && t < rounds; t++) {
        job.share = now;
        job.hist = t < shares->hists ? shares->hist : 0;
        status = kith_i_auto_scales(run, start->summary, k, start->centers,
                                    scale, err);
        for (uint32_t j = 0; !status && j < k; j++)
            scale[j] *= tight;
        if (!status)
            status = kith_i_auto_step_in_view(run, start->frame, &job,
                                              start->centers, &step, err);
        if (t + 1 < shares->hists || t + 1 == rounds)
            tight *= tightness(&job.radii);
        now *= growth;
    }
    if (status)
        return status;
    if (start->frame->blind)
        return kith_i_auto_last_blind(run, start, found, err);
    status =
        kith_i_auto_scales(run, start->summary, k, start->centers, scale, err);
    for (uint32_t j = 0; !status && j < k; j++)
        scale[j] *= tight;
    step.k = rounds > 0 ? k : 0;
    job.share = shares->last;
    job.hist = shares->hist;
    return status ? status
                  : kith_i_auto_last(run, start, &job, &step, found, err);
}
