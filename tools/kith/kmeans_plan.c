/* --dry-run of k-means and k-median. */
#include "cli.h"
#include "kmeans_run.h"
#include "quality_out.h"

void kmeans_run_describe(const kmeans_run *run, kith_run *out)
{
    int plain = run->common.non_private;
    run_describe(&run->common, out);
    out->plain_kmeans = plain && !run->median ? &run->plain : NULL;
    out->plain_kmedian = plain && run->median ? &run->plain : NULL;
    out->kmeans = !plain && !run->median ? &run->means : NULL;
    out->kmedian = !plain && run->median ? &run->medians : NULL;
}

static kith_status price(const kmeans_run *run, kith_result **plan,
                         kith_error *err)
{
    const run_common *c = &run->common;
    kith_shape shape = run_shape(c);
    return run->median ? kith_kmedian_plan(&shape, &c->bounds.view, &c->privacy,
                                           &run->medians, plan, err)
                       : kith_kmeans_plan(&shape, &c->bounds.view, &c->privacy,
                                          &run->means, plan, err);
}

void kmeans_warn_paper(const kmeans_run *run, double rows)
{
    const run_common *c = &run->common;
    kith_paper_numbers p;
    double n = rows > 0 ? rows : 1000;
    kith_paper_constants(n, c->clusters, c->privacy.epsilon, &p);
    while (rows <= 0 && p.cube_rows > n && n < 1e18) {
        n *= 1.01;
        kith_paper_constants(n, c->clusters, c->privacy.epsilon, &p);
    }
    cli_note("warning: --paper-constants: of %.3g rows %.3g must be in one "
             "cube for it to show (%.0f trials,\n%.0f partitions and %.0f "
             "swaps share the budget): %sthe result is vacuous",
             n, p.cube_rows, p.trials, p.partitions, p.swaps,
             rows > 0 ? "" : "with fewer rows ");
}

int kmeans_run_plan(const kmeans_run *run)
{
    kith_error err = {0};
    kith_result *plan = NULL;
    output o = {0};
    int code = output_replace(&o, run->common.output);
    if (!code && run->means.paper_constants)
        kmeans_warn_paper(run, (double)run->common.rows);
    if (!code)
        code = cli_status(price(run, &plan, &err), &err);
    kith_run description;
    kmeans_run_describe(run, &description);
    if (!code)
        code =
            run_plan_print(&run->common, plan, &description, &o,
                           run->common.bounds.view.normalize
                               ? "with the bounds mapped to [0,1], noise alone "
                                 "would move a centre of an average cluster by"
                               : "the noise alone would move a centre of an "
                                 "average cluster by");
    if (!code)
        code = quality_warn(plan, NULL, 0);
    output_discard(&o);
    kith_result_free(plan);
    return code;
}
