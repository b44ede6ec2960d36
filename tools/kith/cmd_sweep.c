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
#include "sweep.h"

enum { MOST_CLUSTERS = 1000000 };

static const arg_option grid_options[] = {
    {"clusters", 'k', "K",
     "numbers of centres (required): one, a list 2,4,8, or a range 2:64"},
    {"epsilon", 'e', "EPS", "budgets (required): one, or a list 0.1,0.3,1,3"},
    {"delta", 0, "D", "as in a run (default: 0)"},
    {"adjacency", 0, "A", "add-remove (default) or replace-one"},
    {"rows", 0, "N",
     "a public guess of the number of rows (required without --public)"},
    {"dimension", 0, "D",
     "number of features (required without a bounds file or --public)"},
    {"method", 0, "M", "auto (default), lloyd or balcan"},
};

static const arg_option trial_options[] = {
    {"stand-in", 0, "KIND",
     "gaussians[:SPREAD]: run on made-up rows too, k clusters of this spread "
     "(default: 0.05, of half the bounds), and compare the costs"},
    {"public", 0, "FILE",
     "the same on the rows of this file, which you declare to be public: they "
     "get no protection"},
};

static const arg_option account_options[] = {
    {"account", 0, "NAME", "how many such runs this account can still pay"},
    {"ledger", 0, "URI",
     "whose account it is; default: the environment's KITH_LEDGER"},
    {"ledger-unsafe-fs", 0, NULL, "read it on a network file system too"},
};

static const arg_option sweep_output[] = {
    {"output", 'o', "FILE", "write the table here, not to standard output"},
    {"as", 0, "FORM", "text (default), csv, json, or page: curves in HTML"},
};

static arg_group groups[] = {
    {"Grid", grid_options, sizeof grid_options / sizeof *grid_options},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Trials (on rows that are nobody's)", trial_options, 2},
    {"Ledger (is read, not charged)", account_options, 3},
    {"Output", sweep_output, 2},
};

/* "2:64": both ends, and steps by half between them that end well before. */
static int parse_range(sweep *g, const char *text)
{
    unsigned long lo, hi;
    char rest;
    if (sscanf(text, "%lu:%lu%c", &lo, &hi, &rest) != 2 || lo < 1 || lo > hi ||
        hi > MOST_CLUSTERS)
        return cli_usage("--clusters: '%s' is not LO:HI, 1 to %d", text,
                         MOST_CLUSTERS);
    for (unsigned long k = lo; k < hi && (k == lo || 8 * k <= 7 * hi);
         k += k / 2 < 1 ? 1 : k / 2)
        if (g->cluster_count < SWEEP_VALUES - 1)
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
        if (*count == SWEEP_VALUES)
            return cli_usage("--%s: at most %d values", name, SWEEP_VALUES);
        out[(*count)++] = value;
    }
    return CLI_OK;
}

static int parse_clusters(sweep *g, const char *text)
{
    double values[SWEEP_VALUES];
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

static int parse_shape(sweep *g, const args *a)
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
    code = sweep_trial_parse(g, a);
    if (code)
        return code;
    if (!g->rows)
        return cli_usage("--rows N is required: about how many are there?");
    if (!g->dimension)
        return cli_usage("--dimension D is required: how many features?");
    g->width = widest(&g->bounds.view);
    return bounds_check(&g->bounds, g->dimension);
}

static int grid_parse(sweep *g, const args *a)
{
    int adjacency = KITH_ADD_REMOVE, method = KITH_KMEANS_AUTO;
    *g = (sweep){0};
    kith_kmeans_options_init(&g->options, sizeof g->options);
    if (a->operand_count)
        return cli_usage("sweep reads no data, so that it costs nothing: drop "
                         "the input files");
    if (!args_value(a, "clusters") || !args_value(a, "epsilon"))
        return cli_usage("-k and -e are required");
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

static int price(sweep *g, uint32_t clusters, double epsilon, sweep_cell *out)
{
    kith_error err = {0};
    kith_result *plan = NULL;
    kith_kmeans_options options = g->options;
    kith_privacy privacy = g->privacy;
    options.clusters = clusters;
    privacy.epsilon = epsilon;
    int code = cli_status(
        kith_kmeans_plan(&(kith_shape){g->rows, g->dimension, 0, 0},
                         &g->bounds.view, &privacy, &options, &plan, &err),
        &err);
    if (!code)
        *out = (sweep_cell){.clusters = clusters,
                            .epsilon = epsilon,
                            .sensible = kith_result_sensible_clusters(plan),
                            .noise = kith_result_noise(plan),
                            .ratio = (double)NAN,
                            .releases = kith_result_receipt_count(plan)};
    kith_result_free(plan);
    return code;
}

static int print_cells(const sweep *g, const sweep_cell *cells, unsigned form,
                       const char *path)
{
    output o = {0};
    int code = output_open(&o, path);
    if (!code)
        code = sweep_print(o.file, g, cells, form);
    return output_save(&o, code);
}

/* A range is not tried everywhere: where. */
static void say_tried(const sweep *g)
{
    char list[SWEEP_VALUES * 12];
    size_t used = 0, n = g->cluster_count;
    if (n < 2 || g->clusters[n - 1] - g->clusters[0] + 1 == n)
        return;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%u",
                                 i ? ", " : "", g->clusters[i]);
    cli_note("of this range k was tried at %s; -k K,K,... tries others", list);
}

static int sweep_main(const args *a)
{
    static const char *const forms[] = {"text", "csv", "json", "page", NULL};
    static sweep_cell cells[SWEEP_VALUES * SWEEP_VALUES];
    sweep g;
    unsigned form = 0;
    int code = grid_parse(&g, a);
    if (!code)
        code = args_choice(a, "as", forms, &form);
    for (size_t e = 0, n = 0; !code && e < g.epsilon_count; e++)
        for (size_t k = 0; !code && k < g.cluster_count; k++)
            code = price(&g, g.clusters[k], g.epsilons[e], &cells[n++]);
    if (!code)
        code = sweep_left(&g, cells, a);
    if (!code)
        code = sweep_trial(&g, cells);
    if (!code)
        code = print_cells(&g, cells, form, args_value(a, "output"));
    if (!code && strchr(args_value(a, "clusters"), ':'))
        say_tried(&g);
    if (!code)
        cli_note(g.trials == SWEEP_PLANS
                     ? "plans only: no rows were read and nothing was spent; "
                       "each run that you make costs its epsilon"
                     : "nothing was spent: trials were made on such rows, and "
                       "yours may be unlike them; each run that you make costs "
                       "its epsilon");
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
                 "centre of an average cluster. Trials run kith on\nother "
                 "rows and print cost / non-private cost there: yours may be "
                 "unlike them.\n"
                 "Example: kith sweep -k 2:64 -e 0.1,1 --delta 1e-6 --rows "
                 "20000 --dimension 5 --bounds 0:100\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = sweep_main,
    };
    groups[1].count = bounds_option_count;
    return &command;
}
