/* `kith evaluate` and `kith assign`: hold a published model against rows.
 * Neither is private, and both say so. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <verify.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "ranks.h"
#include "shards.h"
#include "source.h"

static const arg_option output_options[] = {
    {"output", 'o', "FILE", "write the result here, not to standard output"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static const arg_option reference_options[] = {
    {"reference", 0, "FILE",
     "a model of planes such as the true ones: print the distance between the "
     "two sets of planes too"},
};

static arg_group evaluate_groups[] = {
    {"Input", source_options, 0},
    {NULL, reference_options, 1},
    {"Output", output_options, 2},
};

static arg_group assign_groups[] = {
    {"Input", source_options, 0},
    {"Output", output_options, 2},
};

static const char NOTES[] =
    "The result is computed from the rows without noise: it is NOT private. "
    "Keep it\nas secret as the rows. How INPUT is read "
    "(--columns, --missing,\n--delimiter, ...) defaults to what the model "
    "says.\n";

/* ---- what both share ----------------------------------------------------- */

typedef struct job {
    kith_model *model;
    const kith_model_view *view; /* of the model */
    source source;
    output output;
    const char *const *inputs;
    size_t input_count;
    int quiet;
} job;

/* Whoever holds rows against a model should know that it was edited. */
static void warn_promise(const char *path)
{
    char *headline = NULL;
    verify_verdict verdict = verify_promise(path, &headline);
    if (verdict == VERIFY_WRONG || verdict == VERIFY_UNKNOWN)
        cli_note("warning: the promise of %s: %s\nDo not publish it; kith "
                 "verify %s tells why",
                 path, headline, path);
    free(headline);
}

static int read_model(const char *path, kith_model **out)
{
    kith_error err = {0};
    return cli_status(kith_model_read(path, out, &err), &err);
}

/* Features are found by name, or by their order where files have no names. */
static void take_columns(job *j)
{
    kith_source_options *opt = &j->source.options;
    size_t count;
    const char *const *columns = kith_model_columns(j->model, &count);
    kith_format format =
        opt->format ? opt->format : source_format_of(j->inputs[0]);
    int nameless = format == KITH_FORMAT_NPY || format == KITH_FORMAT_SVMLIGHT;
    double number;
    for (size_t i = 0; nameless && i < count; i++)
        if (cli_number(columns[i], &number))
            return;
    opt->columns = columns;
    opt->column_count = count;
}

/* The place of a name among others; count: it is not there, or no name. */
static size_t find_name(const char *const *names, size_t count,
                        const char *name)
{
    double number;
    size_t i = 0;
    if (!cli_number(name, &number))
        return count;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* --columns may call features by names that the model does not know. The
 * model's own are matched: all of them in any order, or each in its place.
 * Exit code. */
static int match_columns(job *j)
{
    const kith_source_options *opt = &j->source.options;
    size_t count, known = 0, astray = SIZE_MAX;
    const char *const *names = kith_model_columns(j->model, &count);
    if (!opt->column_count)
        take_columns(j);
    if (opt->column_count != count)
        return CLI_OK; /* or refused where files are read */
    for (size_t i = 0; i < count; i++) {
        size_t own = find_name(names, count, opt->columns[i]);
        known += find_name(opt->columns, count, names[i]) < count;
        if (own < count && own != i && astray == SIZE_MAX)
            astray = i;
    }
    if (astray == SIZE_MAX)
        return CLI_OK;
    if (known == count)
        take_columns(j);
    return known == count
               ? CLI_OK
               : cli_usage(
                     "--columns: '%s' is feature %zu of the model and stands "
                     "at place %zu: name the columns in the model's order",
                     opt->columns[astray],
                     find_name(names, count, opt->columns[astray]) + 1,
                     astray + 1);
}

/* Files are written as the model's were, where the command line does not say
 * otherwise. Exit code. */
static int take_reading(job *j, const args *a)
{
    kith_source_options *opt = &j->source.options, made = *opt;
    kith_error err = {0};
    kith_format format =
        opt->format ? opt->format : source_format_of(j->inputs[0]);
    if (format == KITH_FORMAT_NPY || format == KITH_FORMAT_SVMLIGHT)
        return CLI_OK;
    int code = cli_status(kith_model_reading(j->model, &made, &err), &err);
    if (code)
        return code;
    if (!args_given(a, "delimiter") && !args_given(a, "decimal")) {
        opt->delimiter = made.delimiter;
        opt->decimal = made.decimal;
    }
    if (!args_given(a, "missing-values")) {
        opt->missing_values = made.missing_values;
        opt->missing_value_count = made.missing_value_count;
    }
    if (!opt->user_column &&
        !opt->column_count) /* else it is in nobody's way */
        opt->user_column = made.user_column;
    return CLI_OK;
}

static int job_open(job *j, const args *a)
{
    *j = (job){0};
    if (a->operand_count < 2)
        return cli_usage("a MODEL and at least one INPUT are needed");
    j->inputs = a->operands + 1;
    j->input_count = a->operand_count - 1;
    j->quiet = args_given(a, "quiet");
    const char *path = args_value(a, "output");
    int code = source_parse(&j->source, a);
    if (!code)
        code = output_check_inputs(path, a->operands, a->operand_count);
    if (!code && !args_given(a, "allow-repeat"))
        code = source_check_repeat(j->inputs, j->input_count);
    if (!code)
        code = read_model(a->operands[0], &j->model);
    if (code)
        return code;
    warn_promise(a->operands[0]);
    j->view = kith_model_get_view(j->model);
    kith_source_options *opt = &j->source.options;
    uint32_t dimension = j->view->dimension;
    if (opt->dimension && opt->dimension != dimension)
        return cli_usage("--dimension: the model has %u features", dimension);
    opt->dimension = dimension;
    code = match_columns(j);
    opt->expected = kith_model_columns(j->model, &opt->expected_count);
    if (!args_given(a, "missing"))
        opt->missing = kith_model_missing(j->model);
    if (!code)
        code = take_reading(j, a);
    if (code)
        return code;
    /* the labels of several ranks have no one file */
    return output_open(&j->output,
                       a->command == command_assign() && ranks_team() ? NULL
                                                                      : path);
}

static void job_close(job *j)
{
    output_discard(&j->output);
    kith_model_free(j->model);
    source_free(&j->source);
}

/* ---- evaluate ------------------------------------------------------------ */

/* distance: to the reference, below 0: there is none. */
static int print_costs(job *j, uint64_t rows, double cost, double distance)
{
    json_t *mean = rows ? json_real(cost / (double)rows) : json_null();
    json_t *json = json_pack("{s:b, s:I, s:f, s:o, s:s}", "private", 0, "rows",
                             (json_int_t)rows, "cost", cost, "cost_per_row",
                             mean, "objective",
                             kith_word_of(KITH_WORDS_OBJECTIVE,
                                          (int)kith_model_objective(j->model)));
    int bad = !json;
    if (!bad && j->view->lower)
        bad = json_object_set_new(json, "units", json_string("normalized"));
    if (!bad && j->view->bases)
        bad = json_object_set_new(
            json, "scale", json_string(j->view->unit_rows ? "unit" : "clip"));
    if (!bad && distance >= 0)
        bad = json_object_set_new(json, "d_W", json_real(distance));
    if (bad) {
        json_decref(json);
        json = NULL;
    }
    return print_json(j->output.file, json);
}

/* Distance between the model's planes and those of --reference. */
static int measure_reference(const job *j, const char *path, double *distance)
{
    kith_model *reference = NULL;
    kith_error err = {0};
    if (!j->view || !j->view->bases)
        return cli_usage("--reference is for models of planes");
    int code = read_model(path, &reference);
    const kith_model_view *view = kith_model_get_view(reference);
    if (!code && !view->bases)
        code = cli_fail(CLI_INPUT, "%s: not a model of planes", path);
    if (!code && kith_plane_distance(j->view, view, distance, &err) != KITH_OK)
        code = cli_fail(CLI_INPUT, "%s: %s", path, err.message);
    kith_model_free(reference);
    return code;
}

static int evaluate_main(const args *a)
{
    job j;
    kith_error err = {0};
    uint64_t rows = 0;
    double cost = 0, distance = -1;
    const char *reference = args_value(a, "reference");
    int code = job_open(&j, a);
    code = shards_compare(code, j.inputs, j.input_count,
                          args_given(a, "allow-repeat"));
    kith_source files = {.paths = j.inputs, .path_count = j.input_count};
    if (!code && reference)
        code = measure_reference(&j, reference, &distance);
    if (!code)
        code = cli_status(
            kith_evaluate_source(j.view, kith_model_objective(j.model), &files,
                                 &j.source.options, &rows, &cost, &err),
            &err);
    code = ranks_agree(code);
    if (!code)
        code = ranks_add_costs(&rows, &cost);
    if (!code && !isfinite(cost))
        code = cli_fail(CLI_INPUT, "the cost is too large for a number: are "
                                   "the rows in the model's units?");
    if (!code)
        code = output_save(&j.output, print_costs(&j, rows, cost, distance));
    if (!code && ranks_team())
        cli_note("costs were added rank by rank: the last digits differ from a "
                 "single process's");
    if (!code && !j.quiet)
        cli_note("these figures are exact, so they are NOT private: keep them "
                 "as secret as the rows");
    job_close(&j);
    return code;
}

const arg_command *command_evaluate(void)
{
    static const arg_command command = {
        .name = "evaluate",
        .summary = "Print the exact cost of a model on some rows, as JSON. NOT "
                   "private.",
        .usage = "MODEL [OPTION]... INPUT...",
        .notes = NOTES,
        .groups = evaluate_groups,
        .group_count = sizeof evaluate_groups / sizeof *evaluate_groups,
        .run = evaluate_main,
    };
    evaluate_groups[0].count = source_option_count;
    return &command;
}

/* ---- assign -------------------------------------------------------------- */

static int write_labels(void *arg, const uint32_t *labels, size_t count)
{
    FILE *file = arg;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%u\n", labels[i]);
    return ferror(file); /* a full disk ends the run */
}

static int assign_files(job *j, const char *const *inputs, size_t count)
{
    kith_error err = {0};
    kith_source files = {.paths = inputs, .path_count = count};
    kith_status status = kith_assign_source(j->view, &files, &j->source.options,
                                            write_labels, j->output.file, &err);
    /* A sink that stopped the run has a failed write to report. */
    int code = status == KITH_ERR_CANCELLED ? CLI_OK : cli_status(status, &err);
    return output_save(&j->output, code);
}

/* Labels of this rank's part of one input: DIR/NAME.labels.RANK, so that the
 * parts of an input, one after another, are its labels. Exit code. */
static int assign_part(job *j, const char *folder, size_t i)
{
    const char *slash = strrchr(j->inputs[i], '/');
    const char *base = slash ? slash + 1 : j->inputs[i];
    char *name = NULL;
    if (asprintf(&name, "%s/%s.labels.%05u", folder, base,
                 (unsigned)ranks_team()->rank) < 0)
        return cli_no_memory();
    int code = output_open_own(&j->output, name);
    if (!code)
        code = assign_files(j, &j->inputs[i], 1);
    free(name);
    return code;
}

static int assign_parts(job *j, const char *folder)
{
    struct stat st;
    if (!folder || stat(folder, &st) || !S_ISDIR(st.st_mode))
        return cli_usage(
            "with several ranks -o must be a folder: each rank "
            "writes its part of INPUT to FOLDER/INPUT.labels.RANK");
    int code = CLI_OK;
    for (size_t i = 0; !code && i < j->input_count; i++)
        code = assign_part(j, folder, i);
    return code;
}

static int assign_main(const args *a)
{
    job j;
    const char *path = args_value(a, "output");
    int code = job_open(&j, a);
    if (!code)
        code = ranks_team() ? assign_parts(&j, path)
                            : assign_files(&j, j.inputs, j.input_count);
    if (!code && j.source.options.missing == KITH_MISSING_DROP)
        cli_note(
            "warning: missing values, drop: rows that were left out have no "
            "label, so labels and rows may not\nline up");
    if (!code && !j.quiet)
        cli_note("labels tell where each row lies, so they are NOT private: "
                 "keep them as secret as the rows");
    job_close(&j);
    return code;
}

const arg_command *command_assign(void)
{
    static const arg_command command = {
        .name = "assign",
        .summary =
            "Print the nearest centre or plane of each row (from 0). NOT "
            "private.",
        .usage = "MODEL [OPTION]... INPUT...",
        .notes = NOTES,
        .groups = assign_groups,
        .group_count = sizeof assign_groups / sizeof *assign_groups,
        .run = assign_main,
    };
    assign_groups[0].count = source_option_count;
    return &command;
}
