/* `kith sweep`: what runs with several k and epsilon would come to, from plans
 * alone. It reads no rows and spends nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "run_common.h"

enum { MOST_VALUES = 32, MOST_CLUSTERS = 1000000 };

static const arg_option grid_options[] = {
    {"clusters", 'k', "K",
     "numbers of centres (required): one, a list 2,4,8, or a range 2:64"},
    {"epsilon", 'e', "EPS", "budgets (required): one, or a list 0.1,0.3,1,3"},
    {"delta", 0, "D", "as in a run (default: 0)"},
    {"adjacency", 0, "A", "add-remove (default) or replace-one"},
    {"rows", 0, "N", "a public guess of the number of rows (required)"},
    {"dimension", 0, "D",
     "number of features (required without a bounds file)"},
    {"method", 0, "M", "auto (default), lloyd or balcan"},
};

static const arg_option sweep_output[] = {
    {"output", 'o', "FILE", "write the table here, not to standard output"},
    {"as", 0, "FORM", "text (default), csv or json"},
};

static arg_group groups[] = {
    {"Grid", grid_options, sizeof grid_options / sizeof *grid_options},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Output", sweep_output, 2},
};

typedef struct grid {
    uint32_t clusters[MOST_VALUES];
    double epsilons[MOST_VALUES];
    size_t cluster_count, epsilon_count;
    kith_privacy privacy;
    kith_kmeans_options options;
    uint64_t rows;
    uint32_t dimension;
    bounds bounds;
    double width; /* of the widest bound, in the units of the noise */
} grid;

typedef struct cell {
    uint32_t clusters, sensible;
    double epsilon, noise;
    size_t releases;
} cell;

/* "2:64": both ends and doubling steps between them. */
static int parse_range(grid *g, const char *text)
{
    unsigned long lo, hi;
    char rest;
    if (sscanf(text, "%lu:%lu%c", &lo, &hi, &rest) != 2 || lo < 1 || lo > hi ||
        hi > MOST_CLUSTERS)
        return cli_usage("--clusters: '%s' is not LO:HI, 1 to %d", text,
                         MOST_CLUSTERS);
    for (unsigned long k = lo; k < hi; k += k / 2 < 1 ? 1 : k / 2)
        if (g->cluster_count < MOST_VALUES - 1)
            g->clusters[g->cluster_count++] = (uint32_t)k;
    g->clusters[g->cluster_count++] = (uint32_t)hi;
    return CLI_OK;
}

/* "a,b,c" into numbers above 0. */
static int parse_list(const char *name, const char *text, double *out,
                      size_t *count)
{
    char copy[1024];
    char *rest = copy;
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return cli_usage("--%s: too long", name);
    while (rest) {
        double value;
        const char *word = strsep(&rest, ",");
        if (cli_number(word, &value) || !(value > 0))
            return cli_usage("--%s: '%s' is not a number above 0", name, word);
        if (*count == MOST_VALUES)
            return cli_usage("--%s: at most %d values", name, MOST_VALUES);
        out[(*count)++] = value;
    }
    return CLI_OK;
}

static int parse_clusters(grid *g, const char *text)
{
    double values[MOST_VALUES];
    size_t count = 0;
    if (strchr(text, ':'))
        return parse_range(g, text);
    int code = parse_list("clusters", text, values, &count);
    for (size_t i = 0; !code && i < count; i++) {
        if (values[i] > MOST_CLUSTERS || floor(values[i]) < values[i])
            return cli_usage("--clusters: %g is not a whole number from 1 to "
                             "%d",
                             values[i], MOST_CLUSTERS);
        g->clusters[g->cluster_count++] = (uint32_t)values[i];
    }
    return code;
}

static double widest(const kith_bounds *b)
{
    double width = b->normalize ? 1 : 0;
    for (uint32_t i = 0; !b->normalize && b->lower && i < b->box_count; i++)
        width = fmax(width, b->upper[i] - b->lower[i]);
    if (b->radius > 0)
        width = width > 0 ? fmin(width, 2 * b->radius) : 2 * b->radius;
    return width;
}

static int parse_shape(grid *g, const args *a)
{
    int code = bounds_parse(&g->bounds, a);
    if (!code)
        code = args_whole(a, "rows", 1, INT64_MAX, &g->rows);
    if (!code)
        code = args_count(a, "dimension", 1, UINT32_MAX, &g->dimension);
    if (code)
        return code;
    if (!g->dimension && g->bounds.by_feature)
        g->dimension = g->bounds.view.box_count;
    if (!g->dimension)
        return cli_usage("--dimension D is required: how many features?");
    g->width = widest(&g->bounds.view);
    return bounds_check(&g->bounds, g->dimension);
}

static int grid_parse(grid *g, const args *a)
{
    int adjacency = KITH_ADD_REMOVE, method = KITH_KMEANS_AUTO;
    *g = (grid){0};
    kith_kmeans_options_init(&g->options, sizeof g->options);
    if (a->operand_count)
        return cli_usage("sweep reads no data, so that it costs nothing: drop "
                         "the input files");
    if (!args_value(a, "clusters") || !args_value(a, "epsilon") ||
        !args_value(a, "rows"))
        return cli_usage("-k, -e and --rows are required");
    int code = parse_clusters(g, args_value(a, "clusters"));
    if (!code)
        code = parse_list("epsilon", args_value(a, "epsilon"), g->epsilons,
                          &g->epsilon_count);
    if (!code)
        code = args_real(a, "delta", &g->privacy.delta);
    if (!code)
        code = args_word(a, "adjacency", KITH_WORDS_ADJACENCY, &adjacency);
    if (!code)
        code = args_word(a, "method", KITH_WORDS_KMEANS_METHOD, &method);
    g->privacy.neighbors = (kith_neighbors)adjacency;
    g->options.method = (kith_kmeans_method)method;
    return code ? code : parse_shape(g, a);
}

static int price(grid *g, uint32_t clusters, double epsilon, cell *out)
{
    kith_error err = {0};
    kith_result *plan = NULL;
    kith_kmeans_options options = g->options;
    kith_privacy privacy = g->privacy;
    options.clusters = clusters;
    privacy.epsilon = epsilon;
    int code = cli_status(
        kith_kmeans_plan(&(kith_shape){g->rows, g->dimension, 0},
                         &g->bounds.view, &privacy, &options, &plan, &err),
        &err);
    if (!code)
        *out = (cell){.clusters = clusters,
                      .epsilon = epsilon,
                      .sensible = kith_result_sensible_clusters(plan),
                      .noise = kith_result_noise(plan),
                      .releases = kith_result_receipt_count(plan)};
    kith_result_free(plan);
    return code;
}

static const char *verdict_of(const cell *c)
{
    if (!c->sensible)
        return "not known";
    return c->sensible < c->clusters ? "too many centres" : "fits";
}

static void print_text(FILE *file, const grid *g, const cell *cells)
{
    size_t count = g->cluster_count * g->epsilon_count;
    fprintf(file, "%8s %9s %14s %12s %10s  %s\n", "k", "epsilon",
            "noise/centre", "of a bound", "sensible k", "verdict");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%8u %9g %14.4g %10.2g %% %10u  %s\n", cells[i].clusters,
                cells[i].epsilon, cells[i].noise,
                100 * cells[i].noise / g->width, cells[i].sensible,
                verdict_of(&cells[i]));
}

static void print_csv(FILE *file, const grid *g, const cell *cells)
{
    fputs("k,epsilon,noise,share,sensible,releases\n", file);
    for (size_t i = 0; i < g->cluster_count * g->epsilon_count; i++)
        fprintf(file, "%u,%.17g,%.17g,%.17g,%u,%zu\n", cells[i].clusters,
                cells[i].epsilon, cells[i].noise, cells[i].noise / g->width,
                cells[i].sensible, cells[i].releases);
}

static int sweep_json(FILE *file, const grid *g, const cell *cells)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->cluster_count * g->epsilon_count; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:f, s:o, s:I, s:I}", "k",
                            (json_int_t)cells[i].clusters, "epsilon",
                            cells[i].epsilon, "noise",
                            isfinite(cells[i].noise) ? json_real(cells[i].noise)
                                                     : json_null(),
                            "sensible", (json_int_t)cells[i].sensible,
                            "releases", (json_int_t)cells[i].releases));
    return print_json(file, json_pack("{s:b, s:I, s:I, s:f, s:o}", "dry_run", 1,
                                      "rows", (json_int_t)g->rows, "dimension",
                                      (json_int_t)g->dimension, "delta",
                                      g->privacy.delta, "cells", list));
}

static int print_cells(const grid *g, const cell *cells, unsigned form,
                       const char *path)
{
    output o = {0};
    int code = output_open(&o, path);
    if (!code && form == 2)
        code = sweep_json(o.file, g, cells);
    else if (!code)
        (form == 1 ? print_csv : print_text)(o.file, g, cells);
    if (!code)
        code = output_finish(&o);
    if (!code)
        code = output_commit(&o);
    output_discard(&o);
    return code;
}

static int sweep_main(const args *a)
{
    static const char *const forms[] = {"text", "csv", "json", NULL};
    static cell cells[MOST_VALUES * MOST_VALUES];
    grid g;
    unsigned form = 0;
    int code = grid_parse(&g, a);
    if (!code)
        code = args_choice(a, "as", forms, &form);
    for (size_t e = 0, n = 0; !code && e < g.epsilon_count; e++)
        for (size_t k = 0; !code && k < g.cluster_count; k++)
            code = price(&g, g.clusters[k], g.epsilons[e], &cells[n++]);
    if (!code)
        code = print_cells(&g, cells, form, args_value(a, "output"));
    if (!code)
        cli_note("plans only: no rows were read and nothing was spent; each "
                 "run that you make costs its epsilon");
    bounds_free(&g.bounds);
    return code;
}

const arg_command *command_sweep(void)
{
    static const arg_command command = {
        .name = "sweep",
        .summary = "Compare runs before spending: noise for several k and "
                   "budgets.",
        .usage = "-k K,K|LO:HI -e EPS,EPS --rows N --dimension D BOUNDS "
                 "[OPTION]...",
        .notes = "Every line is a plan (--dry-run): it reads no rows and costs "
                 "nothing. The noise\nis how far it alone would move the "
                 "centre of an average cluster.\n"
                 "Example: kith sweep -k 2:64 -e 0.1,1 --delta 1e-6 --rows "
                 "20000 --dimension 5 --bounds 0:100\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = sweep_main,
    };
    groups[1].count = bounds_option_count;
    return &command;
}
