/* The files of a run: rows in, model and centres out. */
#include <stdlib.h>
#include <string.h>

#include "centers.h"
#include "cli.h"
#include "ranks.h"
#include "run_common.h"
#include "shards.h"

/* Numbers of columns name nothing. */
static int names_are_words(const kith_source_options *opt)
{
    double number;
    for (size_t i = 0; i < opt->column_count; i++)
        if (cli_number(opt->columns[i], &number))
            return 1;
    return 0;
}

int run_take_names(run_common *run, const kith_dataset *data)
{
    source *s = &run->source;
    uint32_t d = kith_dataset_dimension(data);
    if (!kith_dataset_name(data, 0))
        return CLI_OK;
    if (s->options.header == KITH_HEADER_AUTO && !run->quiet &&
        !run->non_private && !names_are_words(&s->options))
        cli_note("the first line has no number: it is taken for the names of "
                 "the columns, which the model publishes\n(--header says so; "
                 "--no-header if it is a row)");
    const char **names = calloc(d, sizeof *names);
    if (!names)
        return cli_no_memory();
    names[0] = kith_dataset_name(data, 0);
    for (uint32_t i = 1; i < d; i++)
        names[i] = names[i - 1] + strlen(names[i - 1]) + 1;
    int code = source_set_columns(s, names, d);
    free(names);
    return code;
}

int run_data_open(run_common *run, const args *a, kith_dataset **data)
{
    kith_error err = {0};
    *data = NULL;
    run->source.options.progress = progress_read;
    run->source.options.progress_arg = &run->progress;
    int code = shards_compare(CLI_OK, a->operands, a->operand_count,
                              args_given(a, "allow-repeat"));
    if (!code)
        code = cli_status(kith_dataset_open(a->operands, a->operand_count,
                                            &run->source.options,
                                            &run->bounds.view, data, &err),
                          &err);
    if (!code)
        code = bounds_check(&run->bounds, kith_dataset_dimension(*data));
    if (code == CLI_INPUT || (code && *data))
        source_advise_delimiter(a->operands[0], &run->source.options);
    if (!code)
        code = run_take_names(run, *data);
    if (!code)
        code = payer_check(&run->payer, &run->bounds.view, &run->privacy,
                           run->source.options.user_column != NULL);
    code = ranks_agree(code); /* before anything is charged */
    if (!code)
        code = shards_compare_names(code, run->source.options.columns,
                                    run->source.options.column_count);
    if (code) {
        kith_dataset_free(*data);
        *data = NULL;
    }
    return code;
}

static void write_centers(const char *path, FILE *file,
                          const kith_source_options *opt,
                          const kith_result *result)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    if (output_has_suffix(path, ".npy")) {
        npy_write_header(file, k, d);
        npy_write_values(file, centers, (size_t)k * d);
        return;
    }
    if (opt && opt->column_count == d && names_are_words(opt))
        csv_write_names(file, opt->columns, d);
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
    out->bounds_share = run->bounds.share;
    out->uncounted = run->payer.uncounted;
    out->bought = run->payer.bought;
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
        write_centers(centers_path, centers->file, description->source, result);
        code = output_finish(centers);
    }
    if (!code)
        code = output_finish(model_out);
    if (!code && centers_path)
        code = output_commit(centers);
    if (!code)
        code = output_commit(model_out);
    if (!code) {
        payer_settle(&run->payer, result, text);
        code = payer_sign(&run->payer, run->output);
    }
    kith_text_free(text);
    return code;
}
