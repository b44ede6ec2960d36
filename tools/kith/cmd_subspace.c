/* `kith subspace`: open the output, read the rows, pass the gate, write. */
#include "cli.h"
#include "commands.h"
#include "output.h"
#include "quality_out.h"
#include "ranks.h"
#include "subspace_run.h"

static void warn_void(const subspace_run *run)
{
    run_warn(&run->common);
    if (run->options.force)
        cli_note(
            "warning: --ignore-conditions: the conditions of the proof are not "
            "checked; this output is NOT private");
    if (run->options.non_private_start)
        cli_note("warning: --non-private-start: the chain begins at a "
                 "non-private solution, which it forgets slowly; this output "
                 "is NOT private");
    if (run->options.diagnostics)
        cli_note("warning: --debug-diagnostics: figures of the chains are "
                 "computed from the rows; this output is NOT private");
}

/* ---- running ---- */

static kith_status run_private(subspace_run *run, kith_dataset **data,
                               kith_result **result, kith_error *err)
{
    kith_session *session;
    kith_status status = run_session_open(&run->common, data, &session, err);
    if (status)
        return status;
    status = kith_subspace(session, &run->options, result, err);
    ranks_over(status != KITH_OK);
    kith_session_close(session);
    return status;
}

static void describe(const subspace_run *run, kith_run *out)
{
    run_describe(&run->common, out);
    if (run->common.non_private)
        out->plain_subspace = &run->plain;
    else
        out->subspace = &run->options;
}

/* Before a session is charged for what cannot be. */
static int check_fits(const subspace_run *run, uint32_t dimension)
{
    uint32_t q = run->options.subspace_dimension;
    return q <= dimension
               ? CLI_OK
               : cli_usage("-q %u: there are %u features, and a plane has at "
                           "most as many dimensions",
                           q, dimension);
}

static int run_on_data(subspace_run *run, const args *a, kith_result **result)
{
    kith_error err = {0};
    kith_dataset *data;
    run_common *c = &run->common;
    int code = run_data_open(c, a, &data);
    if (!code)
        code = check_fits(run, kith_dataset_dimension(data));
    if (!code)
        code =
            cli_status(c->non_private ? kith_plain_subspace(data, &run->plain,
                                                            result, &err)
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
    kith_run description;
    describe(run, &description);
    run->common.description = &description;
    int code = output_replace(&o, run->common.output);
    if (!code)
        code = run_on_data(run, a, &result);
    if (!code)
        code = run_write(&run->common, result, &description, &o, NULL, NULL);
    if (!code)
        print_diagnostics(result);
    if (!code && !run->common.quiet) {
        if (run->common.output)
            cli_note("the model was written to %s", run->common.output);
        run_print_guarantee(&run->common, result);
    }
    if (!code)
        code = quality_warn(result, NULL, run->common.strict);
    run->common.description = NULL;
    output_discard(&o);
    kith_result_free(result);
    return code;
}

static int price_and_write(const subspace_run *run)
{
    const run_common *c = &run->common;
    kith_error err = {0};
    kith_result *plan = NULL;
    kith_run description;
    output o = {0};
    kith_shape shape = run_shape(c);
    describe(run, &description);
    int code = check_fits(run, c->source.options.dimension);
    if (!code && shape.sparse)
        code = cli_usage("planes need dense rows: not --format svm");
    if (!code)
        code = output_replace(&o, c->output);
    if (!code)
        code =
            cli_status(kith_subspace_plan(&shape, &c->bounds.view, &c->privacy,
                                          &run->options, &plan, &err),
                       &err);
    if (!code)
        code = run_plan_print(
            c, plan, &description, &o,
            "the noise alone would turn a direction of the plane of an "
            "average cluster by");
    if (!code)
        code = quality_warn(plan, NULL, 0);
    output_discard(&o);
    kith_result_free(plan);
    return code;
}

/* Before anything is charged. */
static int check_method(const subspace_run *run)
{
    kith_subspace_method method = run->options.method;
    if (!ranks_team() || run->common.dry_run || method == KITH_SUBSPACE_AUTO ||
        method == KITH_SUBSPACE_SULQ)
        return CLI_OK;
    return cli_usage("--method %s needs all rows in one place: run kith "
                     "instead of kith-mpi, or use auto or sulq",
                     kith_word_of(KITH_WORDS_SUBSPACE_METHOD, (int)method));
}

int subspace_main(const args *a)
{
    subspace_run run;
    int code = subspace_run_parse(&run, a);
    if (!code)
        code = check_method(&run);
    if (!code)
        warn_void(&run);
    if (!code)
        code =
            run.common.dry_run ? price_and_write(&run) : run_and_write(&run, a);
    run_common_free(&run.common);
    return code;
}
