/* --dry-run: what a run would release and how much noise that means, without
 * any data. */
#include <jansson.h>
#include <math.h>

#include "cli.h"
#include "model.h"
#include "output.h"
#include "run_common.h"

static void print_table(const run_common *run, const kith_result *plan,
                        const char *prediction)
{
    int pure = run->privacy.delta <= 0;
    fprintf(stderr, "%-34s %-18s %12s %12s %12s\n", "release", "mechanism",
            "sensitivity", "noise scale", pure ? "epsilon" : "mu");
    for (size_t i = 0; i < kith_result_receipt_count(plan); i++) {
        kith_receipt r;
        kith_result_receipt(plan, i, &r);
        char scale[32] = "by the rows"; /* and not told */
        if (r.scale > 0)
            snprintf(scale, sizeof scale, "%.5g", r.scale);
        fprintf(stderr, "%-34s %-18s %9.5g %-2s %12s %12.5g\n", r.what,
                r.mechanism, r.sensitivity, r.norm, scale, r.loss);
    }
    if (model_adds_up(plan))
        fprintf(stderr, "total loss: %s %.6g\n", pure ? "epsilon" : "mu",
                model_total_loss(plan));
    double noise = kith_result_noise(plan);
    if (isnan(noise))
        fprintf(stderr, "how much the noise would move an answer is not "
                        "predicted: it depends on the rows\n");
    else
        fprintf(stderr, "%s about %.4g\n", prediction, noise);
}

/* own, then what all plans say. */
static json_t *plan_json(const run_common *run, const kith_result *plan,
                         json_t *own)
{
    json_t *json =
        json_pack("{s:b, s:I}", "dry_run", 1, "k", (json_int_t)run->clusters);
    json_t *rest =
        json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)run->rows, "dimension",
                  (json_int_t)run->source.options.dimension, "privacy",
                  model_privacy(plan, run));
    int bad = !json || !rest || !own || json_object_update(json, rest) ||
              json_object_update(json, own);
    json_decref(rest);
    json_decref(own);
    if (bad) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

int run_plan_print(const run_common *run, const kith_result *plan, output *o,
                   json_t *own, const char *prediction)
{
    json_t *json = plan_json(run, plan, own);
    int bad = !json || json_out(o->file, json);
    json_decref(json);
    int code = bad ? cli_no_memory() : output_finish(o);
    if (!code)
        code = output_commit(o);
    if (!code && !run->quiet)
        print_table(run, plan, prediction);
    return code;
}
