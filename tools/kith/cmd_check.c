/* `kith check`: how rows lie in their bounds, for whoever holds them. NOT
 * private, and says so; it spends nothing. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "source.h"

static const arg_option check_output[] = {
    {"output", 'o', "FILE", "write the JSON here, not to standard output"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static arg_group groups[] = {
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Input", source_options, 0},
    {"Output", check_output, 2},
};

/* ---- the result ---- */

static double share_of(uint64_t count, uint64_t all)
{
    return all ? (double)count / (double)all : 0;
}

/* In the header of the input; NULL: it has none. */
static const char *check_name(const kith_check *check, uint32_t i)
{
    const char *name = check->names;
    while (name && i-- > 0)
        name += strlen(name) + 1;
    return name;
}

/* path: of the first input, whose separator all have. */
static int print_check(FILE *file, const kith_check *check,
                       const kith_source_options *opt, const char *path)
{
    json_t *features = json_array();
    uint64_t complete = check->rows - check->incomplete;
    for (uint32_t i = 0; i < check->dimension; i++) {
        json_t *name =
            opt->column_count == check->dimension ? json_string(opt->columns[i])
            : check_name(check, i) ? json_string(check_name(check, i))
                                   : json_integer((json_int_t)i + 1);
        json_array_append_new(
            features,
            json_pack("{s:o, s:I, s:I, s:f}", "feature", name, "below",
                      (json_int_t)check->below[i], "above",
                      (json_int_t)check->above[i], "clipped_share",
                      share_of(check->below[i] + check->above[i], complete)));
    }
    json_t *json = json_pack(
        "{s:b, s:I, s:I, s:I, s:I, s:f, s:I, s:o}", "private", 0, "rows",
        (json_int_t)check->rows, "dimension", (json_int_t)check->dimension,
        "rows_with_missing_values", (json_int_t)check->incomplete,
        "rows_clipped", (json_int_t)check->clipped, "clipped_share",
        share_of(check->clipped, complete), "rows_outside_ball",
        (json_int_t)check->beyond, "features", features);
    if (opt->user_column) {
        json_object_set_new(json, "people",
                            json_integer((json_int_t)check->people));
        json_object_set_new(json, "most_rows_of_one_person",
                            json_integer((json_int_t)check->most_rows));
    }
    char separator = source_delimiter(path, opt);
    if (separator)
        json_object_set_new(json, "separator", json_stringn(&separator, 1));
    return print_json(file, json);
}

static void say(const kith_check *check, const args *a,
                const kith_source_options *opt)
{
    uint64_t complete = check->rows - check->incomplete;
    cli_note("%llu rows of %u features; %llu have a missing value; %.3g %% of "
             "the others are clipped",
             (unsigned long long)check->rows, check->dimension,
             (unsigned long long)check->incomplete,
             100 * share_of(check->clipped, complete));
    if (opt->user_column)
        cli_note("%llu people have complete rows, %llu at most: a run keeps "
                 "one of each, or as many as --rows-per-user",
                 (unsigned long long)check->people,
                 (unsigned long long)check->most_rows);
    if (share_of(check->clipped, complete) > 0.01)
        cli_note("warning: more than 1 %% of the rows are clipped: check the "
                 "order of your bounds, and whether they are wide enough");
    if (check->dimension == 1)
        source_advise_delimiter(a->operands[0], opt);
    cli_note("these figures are exact, so they are NOT private: do not publish "
             "them, and do not take bounds from them");
}

static int check_main(const args *a)
{
    source s;
    bounds b = {0};
    output o = {0};
    kith_error err = {0};
    kith_check check = {.size = sizeof check};
    const char *path = args_value(a, "output");
    int code = source_parse(&s, a);
    if (!code && !a->operand_count)
        code = cli_usage("no input file");
    if (!code && !args_given(a, "allow-repeat"))
        code = source_check_repeat(a->operands, a->operand_count);
    if (!code)
        code = output_check_inputs(path, a->operands, a->operand_count);
    if (!code)
        code = bounds_parse(&b, a);
    if (!code)
        code = bounds_match(&b, &s);
    if (!code) {
        code = cli_status(kith_check_rows(a->operands, a->operand_count,
                                          &s.options, &b.view, &check, &err),
                          &err);
        if (code == CLI_INPUT)
            source_advise_delimiter(a->operands[0], &s.options);
    }
    if (!code)
        code = bounds_check(&b, check.dimension);
    if (!code)
        code = output_open(&o, path);
    if (!code)
        code = print_check(o.file, &check, &s.options, a->operands[0]);
    code = output_save(&o, code);
    if (!code && !args_given(a, "quiet"))
        say(&check, a, &s.options);
    kith_check_clear(&check);
    bounds_free(&b);
    source_free(&s);
    return code;
}

const arg_command *command_check(void)
{
    static const arg_command command = {
        .name = "check",
        .summary = "Count rows, missing values and what the bounds clip. NOT "
                   "private.",
        .usage = "BOUNDS [OPTION]... INPUT...",
        .notes = "For whoever holds the rows, before a run: it spends nothing, "
                 "and its result is as\nsecret as the rows. Rows with missing "
                 "values are counted, whatever --missing says.\n"
                 "Example: kith check --bounds 0:100 rows.csv\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = check_main,
    };
    groups[0].count = bounds_option_count;
    groups[1].count = source_option_count;
    return &command;
}
