/* The files of a run: rows in, model and centres out. */
#include "centers.h"
#include "cli.h"
#include "ranks.h"
#include "run_common.h"

int run_data_open(const run_common *run, const args *a, kith_dataset **data)
{
    kith_error err = {0};
    *data = NULL;
    int code = cli_status(kith_dataset_open(a->operands, a->operand_count,
                                            &run->source.options,
                                            &run->bounds.view, data, &err),
                          &err);
    if (!code)
        code = bounds_check(&run->bounds, kith_dataset_dimension(*data));
    code = ranks_agree(code); /* before anything is charged */
    if (code) {
        kith_dataset_free(*data);
        *data = NULL;
    }
    return code;
}

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

void run_describe(const run_common *run, kith_run *out)
{
    kith_run_init(out, sizeof *out);
    out->bounds = &run->bounds.view;
    out->source = &run->source.options;
    out->insecure = run->insecure;
    out->insecure_seed = run->insecure_seed;
}

/* Both files are complete on disk before either gets its name. */
int run_write(const run_common *run, const kith_result *result,
              const kith_run *description, output *model_out,
              const char *centers_path, output *centers)
{
    kith_error err = {0};
    char *text = NULL;
    int code =
        cli_status(kith_model_text(result, description, &text, &err), &err);
    if (!code)
        fputs(text, model_out->file);
    if (!code && centers_path) {
        write_centers(centers_path, centers->file, result);
        code = output_finish(centers);
    }
    if (!code)
        code = output_finish(model_out);
    if (!code && centers_path)
        code = output_commit(centers);
    if (!code)
        code = output_commit(model_out);
    if (!code)
        payer_settle(&run->payer, result, text);
    kith_text_free(text);
    return code;
}
