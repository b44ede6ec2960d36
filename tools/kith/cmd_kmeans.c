/* `kith kmeans` and `kith kmedian`: open the outputs, read the rows, pass the
 * gate, write. */
#include <math.h>

#include "centers.h"
#include "cli.h"
#include "commands.h"
#include "kmeans_run.h"
#include "model.h"
#include "output.h"

static void warn_weak(const kmeans_run *run)
{
    if (run->insecure)
        cli_note("warning: --insecure-seed: the noise can be drawn again by "
                 "anybody; this output is NOT private");
    if (run->non_private) {
        cli_note("warning: --non-private: no noise is added; this output is "
                 "NOT private");
        return;
    }
    if (run->privacy.epsilon > 10)
        cli_note("warning: weak guarantee: epsilon above 10 hides next to "
                 "nothing; usual values are 0.1 to 3");
    if (run->privacy.delta >= 1e-3)
        cli_note("warning: weak guarantee: delta should be well below one "
                 "over the number of rows, such as 1e-6");
}

/* ---- running ------------------------------------------------------------- */

static kith_status release_means(kmeans_run *run, kith_session *session,
                                 kith_result **result, kith_error *err)
{
    kith_kmeans_options ko;
    kith_kmeans_options_init(&ko, sizeof ko);
    ko.clusters = run->clusters;
    ko.method = run->method;
    ko.paper_constants = run->paper_constants;
    ko.rounds = run->rounds;
    ko.public_seed = run->seed;
    ko.progress = progress_step;
    ko.progress_arg = &run->progress;
    return kith_kmeans(session, &ko, result, err);
}

static kith_status release_median(kmeans_run *run, kith_session *session,
                                  kith_result **result, kith_error *err)
{
    kith_kmedian_options mo;
    kith_kmedian_options_init(&mo, sizeof mo);
    mo.clusters = run->clusters;
    mo.rounds = run->rounds;
    mo.public_seed = run->seed;
    mo.progress = progress_step;
    mo.progress_arg = &run->progress;
    return kith_kmedian(session, &mo, result, err);
}

static kith_status run_private(kmeans_run *run, kith_dataset **data,
                               kith_result **result, kith_error *err)
{
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = run->privacy;
    so.threads = run->source.threads;
    so.insecure = run->insecure;
    so.insecure_seed = run->insecure_seed;
    kith_session *session;
    kith_status status = kith_session_open(*data, &so, &session, err);
    if (status)
        return status;
    *data = NULL; /* the session's now */
    status = run->median ? release_median(run, session, result, err)
                         : release_means(run, session, result, err);
    kith_session_close(session);
    return status;
}

static kith_status run_plain(kmeans_run *run, const kith_dataset *data,
                             kith_result **result, kith_error *err)
{
    kith_plain_options po;
    kith_plain_options_init(&po, sizeof po);
    po.clusters = run->clusters;
    po.starts = run->starts;
    po.max_rounds = run->rounds;
    po.seed = run->seed;
    po.threads = run->source.threads;
    po.progress = progress_step;
    po.progress_arg = &run->progress;
    return run->median ? kith_plain_kmedian(data, &po, result, err)
                       : kith_plain_kmeans(data, &po, result, err);
}

static int run_on_data(kmeans_run *run, const args *a, kith_result **result)
{
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_status status =
        kith_dataset_open(a->operands, a->operand_count, &run->source.options,
                          &run->bounds.view, &data, &err);
    if (!status)
        status = run->non_private ? run_plain(run, data, result, &err)
                                  : run_private(run, &data, result, &err);
    progress_clear(&run->progress);
    kith_dataset_free(data);
    return cli_status(status, &err);
}

/* ---- writing ------------------------------------------------------------- */

static void write_centers(const char *path, FILE *file,
                          const kith_result *result)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    if (output_has_suffix(path, ".npy")) {
        npy_write_header(file, k, d);
        npy_write_values(file, centers, (size_t)k * d);
        return;
    }
    for (size_t j = 0; j < k; j++)
        csv_write_row(file, centers + j * d, d);
}

static int write_model(FILE *file, const kmeans_run *run,
                       const kith_result *result)
{
    json_t *json = model_build(result, run);
    int bad = !json || json_out(file, json);
    json_decref(json);
    return bad ? cli_no_memory() : CLI_OK;
}

/* Both files are complete on disk before either gets its name. */
static int write_all(const kmeans_run *run, const kith_result *result,
                     output *model_out, output *centers)
{
    int code = write_model(model_out->file, run, result);
    if (!code && run->centers) {
        write_centers(run->centers, centers->file, result);
        code = output_finish(centers);
    }
    if (!code)
        code = output_finish(model_out);
    if (!code && run->centers)
        code = output_commit(centers);
    if (!code)
        code = output_commit(model_out);
    return code;
}

static void print_summary(const kmeans_run *run, const kith_result *result)
{
    if (run->output)
        cli_note("the model was written to %s", run->output);
    if (run->centers)
        cli_note("the centres were written to %s", run->centers);
    if (run->non_private || run->insecure) {
        cli_note("guarantee: none");
        return;
    }
    const kith_privacy *p = &run->privacy;
    const char *secret = p->neighbors == KITH_REPLACE_ONE
                             ? "what is in any one row"
                             : "whether any one row is in the data";
    char chance[80] = "";
    if (p->delta > 0)
        snprintf(chance, sizeof chance, ", apart from a chance of %g",
                 p->delta);
    cli_note("guarantee: nothing that the model shows is more than e^%g = %.3g "
             "times likelier or\nless likely depending on %s%s",
             p->epsilon, exp(p->epsilon), secret, chance);
    cli_note("%zu noisy releases, total loss %s = %.6g",
             kith_result_receipt_count(result),
             p->delta > 0 ? "mu (Gaussian DP)" : "epsilon",
             model_total_loss(result));
}

int kmeans_main(const args *a)
{
    kmeans_run run;
    output model_out = {0}, centers = {0};
    kith_result *result = NULL;
    int code = kmeans_run_parse(&run, a);
    if (!code)
        warn_weak(&run);
    if (!code && run.dry_run) {
        code = kmeans_run_plan(&run);
    } else if (!code) {
        code = output_open(&model_out, run.output);
        if (!code && run.centers)
            code = output_open(&centers, run.centers);
        if (!code)
            code = run_on_data(&run, a, &result);
        if (!code)
            code = write_all(&run, result, &model_out, &centers);
        if (!code && !run.quiet)
            print_summary(&run, result);
    }
    output_discard(&model_out);
    output_discard(&centers);
    kith_result_free(result);
    kmeans_run_free(&run);
    return code;
}
