/* `kith kmeans` and `kith kmedian`: open the outputs, read the rows, pass the
 * gate, write. */
#include "cli.h"
#include "commands.h"
#include "kmeans_run.h"
#include "output.h"
#include "quality_out.h"
#include "ranks.h"

/* ---- running ------------------------------------------------------------- */

/* session: taken. */
static kith_status run_in(kmeans_run *run, kith_session *session,
                          kith_result **result, kith_error *err)
{
    kith_status status = run->median
                             ? kith_kmedian(session, &run->medians, result, err)
                             : kith_kmeans(session, &run->means, result, err);
    ranks_over(status != KITH_OK);
    kith_session_close(session);
    return status;
}

static kith_status run_private(kmeans_run *run, kith_dataset **data,
                               kith_result **result, kith_error *err)
{
    kith_session *session;
    kith_status status = run_session_open(&run->common, data, &session, err);
    return status ? status : run_in(run, session, result, err);
}

/* --bounds private */
static int run_with_found(kmeans_run *run, const args *a, kith_result **result)
{
    kith_error err = {0};
    kith_session *session = NULL;
    int code = run_bounds_apply(&run->common, a, &session);
    if (code)
        kith_session_close(session);
    else
        code = cli_status(run_in(run, session, result, &err), &err);
    progress_clear(&run->common.progress);
    return code;
}

static kith_status run_plain(kmeans_run *run, const kith_dataset *data,
                             kith_result **result, kith_error *err)
{
    return run->median ? kith_plain_kmedian(data, &run->plain, result, err)
                       : kith_plain_kmeans(data, &run->plain, result, err);
}

static int run_on_data(kmeans_run *run, const args *a, kith_result **result)
{
    kith_error err = {0};
    kith_dataset *data;
    if (run->common.bounds.share > 0)
        return run_with_found(run, a, result);
    int code = run_data_open(&run->common, a, &data);
    if (!code)
        code = cli_status(run->common.non_private
                              ? run_plain(run, data, result, &err)
                              : run_private(run, &data, result, &err),
                          &err);
    progress_clear(&run->common.progress);
    kith_dataset_free(data);
    return code;
}

/* Before anything is spent. The number of rows is private, so the numbers are
 * those of the least n at which the constants release anything. */
static void warn_vacuous(const kmeans_run *run)
{
    if (run->means.paper_constants)
        kmeans_warn_paper(run, 0);
}

static void print_summary(const kmeans_run *run, const kith_result *result)
{
    if (run->common.output)
        cli_note("the model was written to %s", run->common.output);
    if (run->centers)
        cli_note("the centres were written to %s", run->centers);
    const kith_choice *c = kith_result_choice(result);
    if (c)
        cli_note("k = %u was chosen from %u to %u%s", c->chosen, c->from, c->to,
                 c->stable ? ": there the cost stops falling fast"
                 : c->by_bend
                     ? "; the choice is weak: rows without clusters would look "
                       "much the same"
                     : "; the choice is weak: noise would often have chosen "
                       "otherwise");
    run_print_guarantee(&run->common, result);
}

/* Before anything is charged. */
static int check_recovery(const kmeans_run *run)
{
    if (!ranks_team() || !run->median || run->common.dry_run ||
        run->medians.recovery != KITH_RECOVERY_SAMPLING)
        return CLI_OK;
    return cli_usage("--recovery sampling needs all rows in one place: run "
                     "kith instead of kith-mpi, or use steps");
}

int kmeans_main(const args *a)
{
    kmeans_run run;
    output model_out = {0}, centers = {0};
    kith_result *result = NULL;
    kith_run description;
    int code = kmeans_run_parse(&run, a);
    if (!code)
        code = check_recovery(&run);
    if (!code)
        run_warn(&run.common);
    if (!code && run.common.dry_run) {
        code = kmeans_run_plan(&run);
    } else if (!code) {
        kmeans_run_describe(&run, &description);
        run.common.description = &description;
        code = output_replace(&model_out, run.common.output);
        if (!code && run.centers)
            code = output_replace(&centers, run.centers);
        if (!code)
            warn_vacuous(&run);
        if (!code)
            code = run_on_data(&run, a, &result);
        if (!code)
            code = run_write(&run.common, result, &description, &model_out,
                             run.centers, &centers);
        if (!code && !run.common.quiet) {
            print_summary(&run, result);
            quality_tell(result);
        }
        if (!code)
            code = quality_warn(result, &run.common.source.options,
                                run.common.strict);
    }
    output_discard(&model_out);
    output_discard(&centers);
    kith_result_free(result);
    run_common_free(&run.common);
    return code;
}
