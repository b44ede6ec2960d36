/* Bounds that a run finds itself, for a part of its budget. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run_common.h"

#define USUAL_SHARE .05
/* Features above which one range for all of them is found, unless told: with a
 * range for each, noise grows like their square root (T37). */
enum { MOST_SINGLE = 32 };

int run_bounds_share(const args *a, double *share)
{
    static const char word[] = "private";
    const char *text = args_value(a, "bounds");
    size_t length = sizeof word - 1;
    *share = 0;
    if (!text || strncmp(text, word, length) != 0)
        return CLI_OK;
    *share = USUAL_SHARE;
    if (text[length] == '\0')
        return CLI_OK;
    if (text[length] != ':' || cli_number(text + length + 1, share) ||
        !(*share > 0 && *share < 1))
        return cli_usage(
            "--bounds: '%s' is not private or private:SHARE with a "
            "share between 0 and 1",
            text);
    return CLI_OK;
}

static int reads_standard_input(const args *a)
{
    for (size_t i = 0; i < a->operand_count; i++)
        if (!strcmp(a->operands[i], "-"))
            return 1;
    return 0;
}

/* Rows for one range of all features, or for one of each; *together -1: by
 * their number, which is public. */
static int load_sizes(const run_common *run, const args *a, int *together,
                      kith_dataset **data)
{
    kith_error err = {0};
    kith_source files = {.paths = a->operands, .path_count = a->operand_count};
    kith_status status = kith_dataset_load_sizes(&files, &run->source.options,
                                                 *together > 0, data, &err);
    if (*together >= 0 || status)
        return cli_status(status, &err);
    *together = kith_dataset_dimension(*data) > MOST_SINGLE;
    if (!*together)
        return CLI_OK;
    kith_dataset_free(*data);
    *data = NULL;
    if (reads_standard_input(a))
        return cli_usage("more than %d features from standard input: say --per "
                         "feature or --per all",
                         MOST_SINGLE);
    return cli_status(
        kith_dataset_load_sizes(&files, &run->source.options, 1, data, &err),
        &err);
}

int run_bounds_find(run_common *run, const args *a, int together, double share,
                    kith_session **session, found_bounds *found)
{
    kith_error err = {0};
    kith_dataset *data = NULL;
    if (reads_standard_input(a) && share < 1)
        return cli_usage("--bounds private reads its input twice: standard "
                         "input cannot be");
    *found = (found_bounds){0};
    int loaded = load_sizes(run, a, &together, &data);
    if (loaded)
        return loaded;
    found->dimension = kith_dataset_dimension(data);
    found->ranges = calloc(found->dimension, sizeof *found->ranges);
    if (!found->ranges) {
        kith_dataset_free(data);
        return cli_no_memory();
    }
    int code = run_take_names(run, data);
    kith_status status =
        code ? KITH_ERR_MEMORY : run_session_open(run, &data, session, &err);
    kith_dataset_free(data);
    if (!status)
        status = kith_bounds_find(*session, share, together, found->ranges,
                                  &found->rows, &found->hidden, &err);
    return cli_status(status, &err);
}

void run_bounds_warn(const run_common *run, const found_bounds *found)
{
    uint32_t uncertain = 0, lost = 0;
    for (uint32_t i = 0; i < found->dimension; i++) {
        uncertain += found->ranges[i].state == KITH_RANGE_UNCERTAIN;
        lost += found->ranges[i].state == KITH_RANGE_NOT_FOUND;
    }
    if (uncertain)
        cli_note("warning: the bounds of %u of %u features are uncertain: 8 "
                 "times the largest size that was seen",
                 uncertain, found->dimension);
    if (lost)
        cli_note("warning: noise hides the bounds of %u of %u features: give "
                 "them yourself, or spend more on them",
                 lost, found->dimension);
    if (!run->quiet)
        cli_note("values in fewer than about %.0f %s may be cut", found->hidden,
                 run->source.options.user_column ? "people" : "rows");
}

static int fail_range(const kith_source_options *opt, uint32_t d, uint32_t i)
{
    const char *name = source_name(opt, d, i);
    char number[32];
    snprintf(number, sizeof number, "%u", i + 1);
    return cli_fail(CLI_BUDGET,
                    "noise hides the bounds of feature %s, so there is no "
                    "model; what was spent stays spent. Give bounds yourself, "
                    "or a larger share: --bounds private:0.2",
                    name ? name : number);
}

static int take_ranges(run_common *run, const found_bounds *found)
{
    bounds *b = &run->bounds;
    b->lower = calloc(found->dimension, sizeof *b->lower);
    b->upper = calloc(found->dimension, sizeof *b->upper);
    if (!b->lower || !b->upper)
        return cli_no_memory();
    for (uint32_t i = 0; i < found->dimension; i++) {
        if (found->ranges[i].state == KITH_RANGE_NOT_FOUND)
            return fail_range(&run->source.options, found->dimension, i);
        b->lower[i] = found->ranges[i].lower;
        b->upper[i] = found->ranges[i].upper;
    }
    b->view.lower = b->lower;
    b->view.upper = b->upper;
    b->view.box_count = found->dimension;
    return CLI_OK;
}

int run_bounds_apply(run_common *run, const args *a, kith_session **session)
{
    kith_error err = {0};
    found_bounds found = {0};
    kith_dataset *data = NULL;
    int code = run_bounds_find(run, a, -1, run->bounds.share, session, &found);
    if (!code)
        run_bounds_warn(run, &found);
    if (!code)
        code = take_ranges(run, &found);
    if (!code)
        code = run_data_open(run, a, &data);
    if (!code) {
        kith_status status = kith_session_continue(*session, data, &err);
        if (status)
            kith_dataset_free(data);
        code = cli_status(status, &err);
    }
    free(found.ranges);
    return code;
}
