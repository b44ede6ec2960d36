/* --dry-run: what a run would release and how much noise that means, without
 * any data. */
#include <math.h>

#include "cli.h"
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
    double total = kith_result_total_loss(plan);
    int people = kith_result_unit(plan) == KITH_UNIT_USER;
    if (!isnan(total))
        fprintf(stderr, "total loss%s: %s %.6g\n",
                people ? " of a person, with all rows" : "",
                pure ? "epsilon" : "mu", total);
    kith_quality q = {.size = sizeof q};
    kith_result_quality(plan, &q);
    double noise = q.planes ? q.angle : kith_result_noise(plan);
    if (isnan(noise))
        fprintf(stderr, "how much the noise would move an answer is not "
                        "predicted: it depends on the rows\n");
    else
        fprintf(stderr, "%s about %.4g%s\n", prediction, noise,
                q.planes ? " radians (a right angle is 1.571)" : "");
}

kith_shape run_shape(const run_common *run)
{
    const kith_source_options *rows = &run->source.options;
    kith_shape shape = {run->rows, rows->dimension,
                        rows->format == KITH_FORMAT_SVMLIGHT, 0};
    if (rows->user_column)
        shape.rows_per_user = rows->rows_per_user ? rows->rows_per_user : 1;
    return shape;
}

int run_plan_print(const run_common *run, const kith_result *plan,
                   const kith_run *description, output *o,
                   const char *prediction)
{
    kith_error err = {0};
    char *text = NULL;
    int code =
        cli_status(kith_plan_text(plan, description, run->rows,
                                  run->source.options.dimension, &text, &err),
                   &err);
    if (!code)
        fputs(text, o->file);
    kith_text_free(text);
    code = output_save(o, code);
    if (!code && !run->quiet)
        print_table(run, plan, prediction);
    return code;
}
