/* `kith bounds`: ranges of features that nobody knows, for a budget. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "ranks.h"
#include "run_common.h"

static const arg_option bounds_own[] = {
    {"per", 0, "WHAT",
     "feature: a range for each (default up to 32); all: one range about 0 for "
     "all of them, for less noise"},
};

static const arg_option bounds_output[] = {
    {"output", 'o', "FILE.csv",
     "write the bounds here and their receipt beside it, as FILE.json "
     "(required); files that exist are kept unless --force"},
    {"force", 0, NULL, "replace files that exist"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static arg_group groups[] = {
    {"Privacy", run_privacy_options, 0},
    {"Bounds", bounds_own, 1},
    {"Input", source_options, 0},
    {"Output", bounds_output, 3},
    {"Ledger", payer_options, PAYER_OPTIONS - 1}, /* no receipt before it */
};

/* The receipt's name: .json for .csv. Exit code; free. */
static int receipt_name(const char *path, char **out)
{
    if (!path || !output_has_suffix(path, ".csv"))
        return cli_usage("-o FILE.csv is required: where the bounds go");
    size_t stem = strlen(path) - 4;
    if (asprintf(out, "%.*s.json", (int)stem, path) < 0)
        return cli_no_memory();
    return CLI_OK;
}

static void write_csv(FILE *file, const found_bounds *found,
                      const kith_source_options *opt)
{
    int named = opt->column_count == found->dimension;
    for (uint32_t i = 0; i < found->dimension; i++) {
        const kith_range *r = &found->ranges[i];
        if (named && !strpbrk(opt->columns[i], ",\"\n\r"))
            fprintf(file, "%s,", opt->columns[i]);
        if (r->state == KITH_RANGE_NOT_FOUND)
            fputs("?,?\n", file);
        else
            fprintf(file, "%.15g,%.15g\n", r->lower, r->upper);
    }
}

static int write_files(const run_common *run, kith_session *session,
                       const found_bounds *found, output *csv, output *receipt)
{
    const kith_source_options *opt = &run->source.options;
    kith_error err = {0};
    kith_result *spent = NULL;
    char *text = NULL;
    int named = opt->column_count == found->dimension;
    kith_status status = kith_session_result(session, &spent, &err);
    if (!status)
        status = kith_bounds_text(
            spent,
            &(kith_found){found->ranges, named ? opt->columns : NULL,
                          found->dimension, found->rows, run->payer.uncounted},
            run->insecure, &text, &err);
    int code = cli_status(status, &err);
    if (!code) {
        write_csv(csv->file, found, opt);
        fputs(text, receipt->file);
        code = output_finish(csv);
    }
    if (!code)
        code = output_finish(receipt);
    if (!code)
        code = output_commit(csv);
    if (!code)
        code = output_commit(receipt);
    if (!code)
        payer_settle(&run->payer, spent, text);
    if (!code && !run->quiet) {
        cli_note("the bounds were written to %s, their receipt beside it",
                 run->output);
        run_print_guarantee(run, spent);
    }
    kith_text_free(text);
    kith_result_free(spent);
    return code;
}

/* --per: feature or all. Exit code. */
static int parse_per(const args *a, int *together)
{
    static const char *const words[] = {"feature", "all", NULL};
    unsigned all = 0;
    int code = args_choice(a, "per", words, &all);
    *together = args_given(a, "per") ? (int)all : -1;
    return code;
}

/* What a run has, as far as it is needed here. Exit code. */
static int parse_run(run_common *run, const args *a)
{
    *run = (run_common){
        .insecure = args_value(a, "insecure-seed") != NULL,
        .quiet = args_given(a, "quiet"),
        .output = args_value(a, "output"),
    };
    int code = ranks_team() ? cli_usage("bounds are found in one process: run "
                                        "kith instead of kith-mpi")
                            : run_privacy_parse(run, a);
    if (!code)
        code =
            args_whole(a, "insecure-seed", 0, INT64_MAX, &run->insecure_seed);
    if (!code)
        code = source_parse(&run->source, a);
    if (!code)
        code = source_fix_rows(&run->source,
                               run->privacy.neighbors == KITH_REPLACE_ONE);
    if (!code && !a->operand_count)
        code = cli_usage("no input file (use - and --format for standard "
                         "input)");
    if (!code)
        code = output_check_inputs(run->output, a->operands, a->operand_count);
    if (!code)
        code = output_check_new(run->output, args_given(a, "force"));
    if (!code && !args_given(a, "allow-repeat"))
        code = source_check_repeat(a->operands, a->operand_count);
    if (!code)
        code = payer_parse(&run->payer, a, !run->insecure);
    return code;
}

static int bounds_main(const args *a)
{
    run_common run;
    output csv = {0}, receipt = {0};
    found_bounds found = {0};
    kith_session *session = NULL;
    char *json = NULL;
    int together = -1;
    int code = parse_run(&run, a);
    if (!code)
        code = parse_per(a, &together);
    if (!code)
        code = receipt_name(run.output, &json);
    if (!code)
        code = output_check_new(json, args_given(a, "force"));
    if (!code && args_value(a, "sign-key"))
        code = output_check_signature(json, args_given(a, "force"));
    if (!code)
        run_warn(&run);
    if (!code)
        code = output_replace(&csv, run.output);
    if (!code)
        code = output_replace(&receipt, json);
    if (!code)
        code = run_bounds_find(&run, a, together, 1, &session, &found);
    if (!code)
        code = write_files(&run, session, &found, &csv, &receipt);
    if (!code)
        code = payer_sign(&run.payer, json);
    if (!code)
        run_bounds_warn(&run, &found);
    kith_session_close(session);
    output_discard(&csv);
    output_discard(&receipt);
    free(found.ranges);
    free(json);
    run_common_free(&run);
    return code;
}

const arg_command *command_bounds(void)
{
    static const arg_command command = {
        .name = "bounds",
        .summary = "Find bounds of features that nobody knows, for a budget.",
        .usage = "-e EPS [--delta D] -o FILE.csv [OPTION]... INPUT...",
        .notes =
            "Generous bounds that you know cost nothing and are nearly always "
            "better. What is\nspent here comes on top of what a run with these "
            "bounds spends.\n"
            "Example: kith bounds -e 0.2 --delta 1e-6 -o bounds.csv rows.csv\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = bounds_main,
    };
    groups[0].count = run_privacy_count;
    groups[2].count = source_option_count;
    return &command;
}
