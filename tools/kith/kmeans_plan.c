/* --dry-run: what a run would release and how much noise that means, without
 * any data. */
#include "cli.h"
#include "kmeans_run.h"
#include "model.h"
#include "output.h"

static json_t *plan_json(const kmeans_run *run, const kith_result *plan)
{
    return json_pack("{s:b, s:I, s:I, s:I, s:o, s:f}", "dry_run", 1, "k",
                     (json_int_t)run->clusters, "rows", (json_int_t)run->rows,
                     "dimension", (json_int_t)run->source.options.dimension,
                     "privacy", model_privacy(plan, run),
                     "predicted_noise_per_center", kith_result_noise(plan));
}

static void print_table(const kmeans_run *run, const kith_result *plan)
{
    int pure = run->privacy.delta <= 0;
    fprintf(stderr, "%-34s %-18s %12s %12s %12s\n", "release", "mechanism",
            "sensitivity", "noise scale", pure ? "epsilon" : "mu");
    for (size_t i = 0; i < kith_result_receipt_count(plan); i++) {
        kith_receipt r;
        kith_result_receipt(plan, i, &r);
        fprintf(stderr, "%-34s %-18s %9.5g %-2s %12.5g %12.5g\n", r.what,
                r.mechanism, r.sensitivity, r.norm, r.scale, r.loss);
    }
    fprintf(stderr, "total loss: %s %.6g\n", pure ? "epsilon" : "mu",
            model_total_loss(plan));
    fprintf(stderr,
            "the noise alone would move a centre of an average cluster by "
            "about %.4g\n",
            kith_result_noise(plan));
}

static int write_plan(const kmeans_run *run, const kith_result *plan, output *o)
{
    json_t *json = plan_json(run, plan);
    int bad = !json || json_out(o->file, json);
    json_decref(json);
    int code = bad ? cli_no_memory() : output_finish(o);
    return code ? code : output_commit(o);
}

static kith_status price(const kmeans_run *run, kith_result **plan,
                         kith_error *err)
{
    uint32_t d = run->source.options.dimension;
    int sparse = run->source.options.format == KITH_FORMAT_SVMLIGHT;
    if (run->median) {
        kith_kmedian_options mo;
        kith_kmedian_options_init(&mo, sizeof mo);
        mo.clusters = run->clusters;
        mo.rounds = run->rounds;
        mo.public_seed = run->seed;
        return kith_kmedian_plan(run->rows, d, sparse, &run->bounds.view,
                                 &run->privacy, &mo, plan, err);
    }
    kith_kmeans_options ko;
    kith_kmeans_options_init(&ko, sizeof ko);
    ko.clusters = run->clusters;
    ko.method = run->method;
    ko.paper_constants = run->paper_constants;
    ko.rounds = run->rounds;
    ko.public_seed = run->seed;
    return kith_kmeans_plan(run->rows, d, sparse, &run->bounds.view,
                            &run->privacy, &ko, plan, err);
}

int kmeans_run_plan(kmeans_run *run)
{
    kith_error err = {0};
    kith_result *plan = NULL;
    output o = {0};
    int code = output_open(&o, run->output);
    if (!code)
        code = cli_status(price(run, &plan, &err), &err);
    if (!code)
        code = write_plan(run, plan, &o);
    if (!code && !run->quiet)
        print_table(run, plan);
    output_discard(&o);
    kith_result_free(plan);
    return code;
}
