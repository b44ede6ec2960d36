/* `kith subspace`: open the output, read the rows, pass the gate, write. */
#include <math.h>

#include "cli.h"
#include "commands.h"
#include "model.h"
#include "output.h"
#include "subspace_run.h"

static void warn_void(const subspace_run *run)
{
    run_warn(&run->common);
    if (run->force)
        cli_note("warning: --force: the conditions of the proof are not "
                 "checked; this output is NOT private");
    if (run->non_private_start)
        cli_note("warning: --non-private-start: the chain begins at a "
                 "non-private solution, which it forgets slowly; this output "
                 "is NOT private");
    if (run->diagnostics)
        cli_note("warning: --debug-diagnostics: figures of the chains are "
                 "computed from the rows; this output is NOT private");
}

/* ---- running --------------------------------------------------------------
 */

static kith_status run_private(subspace_run *run, kith_dataset **data,
                               kith_result **result, kith_error *err)
{
    kith_subspace_options so;
    kith_session *session;
    subspace_run_options(run, &so);
    so.progress = progress_step;
    so.progress_arg = &run->common.progress;
    kith_status status = run_session_open(&run->common, data, &session, err);
    if (status)
        return status;
    status = kith_subspace(session, &so, result, err);
    kith_session_close(session);
    return status;
}

static kith_status run_plain(subspace_run *run, const kith_dataset *data,
                             kith_result **result, kith_error *err)
{
    kith_plain_subspace_options po;
    kith_plain_subspace_options_init(&po, sizeof po);
    po.clusters = run->common.clusters;
    po.subspace_dimension = run->subspace_dimension;
    po.solver = run->solver;
    po.starts = run->common.starts;
    po.max_rounds = run->common.rounds;
    po.seed = run->common.seed;
    po.threads = run->common.source.threads;
    po.progress = progress_step;
    po.progress_arg = &run->common.progress;
    return kith_plain_subspace(data, &po, result, err);
}

static int run_on_data(subspace_run *run, const args *a, kith_result **result)
{
    kith_error err = {0};
    kith_dataset *data;
    run_common *c = &run->common;
    int code = run_data_open(c, a, &data);
    if (!code)
        code =
            cli_status(c->non_private ? run_plain(run, data, result, &err)
                                      : run_private(run, &data, result, &err),
                       &err);
    progress_clear(&c->progress);
    kith_dataset_free(data);
    return code;
}

/* Never into the model: standard error is for the curator's eyes. */
static void print_diagnostics(const kith_result *result)
{
    const kith_chain_diagnostics *d = kith_result_diagnostics(result);
    if (!d)
        return;
    cli_note("NOT private: %u chains of %u sweeps", d->chains, d->sweeps);
    cli_note("NOT private: R-hat of the energy %.4f, of the overlap of planes "
             "%.4f (above 1.01: not mixed)",
             d->energy_rhat, d->overlap_rhat);
    cli_note("NOT private: the statistic of the paper's Figure 3: %.4f; it is "
             "about 1/sqrt(sweeps)\nfor mixed and for stuck chains alike and "
             "tells nothing",
             d->figure3);
    for (uint32_t c = 0; c < d->chains && c < 4; c++)
        cli_note("NOT private: chain %u: mean squared distance %.6g", c + 1,
                 d->cost[c]);
}

static int run_and_write(subspace_run *run, const args *a)
{
    output o = {0};
    kith_result *result = NULL;
    int code = output_open(&o, run->common.output);
    if (!code)
        code = run_on_data(run, a, &result);
    if (!code)
        code =
            run_write(result, model_build_planes(result, run), &o, NULL, NULL);
    if (!code)
        print_diagnostics(result);
    if (!code && !run->common.quiet) {
        if (run->common.output)
            cli_note("the model was written to %s", run->common.output);
        run_print_guarantee(&run->common, result);
    }
    output_discard(&o);
    kith_result_free(result);
    return code;
}

static int price_and_write(const subspace_run *run)
{
    const run_common *c = &run->common;
    kith_error err = {0};
    kith_result *plan = NULL;
    kith_subspace_options so;
    output o = {0};
    subspace_run_options(run, &so);
    int code = output_open(&o, c->output);
    if (!code)
        code = cli_status(
            kith_subspace_plan(c->rows, c->source.options.dimension,
                               &c->bounds.view, &c->privacy, &so, &plan, &err),
            &err);
    double noise = plan ? kith_result_noise(plan) : 0;
    if (!code)
        code = run_plan_print(
            c, plan, &o,
            json_pack("{s:I, s:o}", "subspace_dimension",
                      (json_int_t)run->subspace_dimension,
                      "predicted_noise_per_plane",
                      isnan(noise) ? json_null() : json_real(noise)),
            "the noise alone would turn a plane of an average cluster by");
    output_discard(&o);
    kith_result_free(plan);
    return code;
}

int subspace_main(const args *a)
{
    subspace_run run;
    int code = subspace_run_parse(&run, a);
    if (!code)
        warn_void(&run);
    if (!code)
        code =
            run.common.dry_run ? price_and_write(&run) : run_and_write(&run, a);
    run_common_free(&run.common);
    return code;
}
