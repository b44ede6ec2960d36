/* Trials of a sweep: the real program on rows that are nobody's, and what it
 * costs them to be private. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "sweep.h"

/* Values of made-up rows; starts of the run to compare with. */
enum { MOST_NUMBERS = 20000000, STARTS = 5 };

/* ---- options ---- */

static int parse_kind(sweep *g, const char *text)
{
    static const char word[] = "gaussians";
    size_t n = strlen(word);
    g->trials = SWEEP_STAND_IN;
    g->spread = 0.05;
    if (strncmp(text, word, n) != 0 || (text[n] && text[n] != ':'))
        return cli_usage("--stand-in: '%s' is not known; this version has: "
                         "gaussians[:SPREAD]",
                         text);
    if (text[n] && (cli_number(text + n + 1, &g->spread) || !(g->spread > 0)))
        return cli_usage("--stand-in: '%s' is not a spread above 0",
                         text + n + 1);
    return CLI_OK;
}

/* Features of a file are those of the bounds, by name, if these have names. */
static kith_source_options reading(const sweep *g)
{
    kith_source_options options;
    kith_source_options_init(&options, sizeof options);
    if (g->trials == SWEEP_PUBLIC && g->bounds.names) {
        options.columns = (const char *const *)g->bounds.names;
        options.column_count = g->bounds.view.box_count;
    }
    return options;
}

/* How many rows and features a file has. */
static int measure_file(sweep *g)
{
    kith_error err = {0};
    kith_source_options options = reading(g);
    kith_check found = {.size = sizeof found};
    int code = cli_status(
        kith_check_rows(&g->file, 1, &options, &g->bounds.view, &found, &err),
        &err);
    if (!code && !g->rows)
        g->rows = found.rows;
    if (!code && g->dimension && g->dimension != found.dimension)
        code = cli_fail(CLI_INPUT, "%s has %u features, not %u", g->file,
                        found.dimension, g->dimension);
    g->dimension = found.dimension;
    kith_check_clear(&found);
    return code;
}

int sweep_trial_parse(sweep *g, const args *a)
{
    const char *kind = args_value(a, "stand-in");
    g->file = args_value(a, "public");
    if (kind && g->file)
        return cli_usage("--stand-in and --public: one of them");
    if (kind) {
        int code = parse_kind(g, kind);
        if (!code && (double)g->rows * g->dimension > MOST_NUMBERS)
            code = cli_usage("--stand-in: %d numbers at most; give fewer "
                             "--rows",
                             MOST_NUMBERS);
        return code;
    }
    if (!g->file)
        return CLI_OK;
    g->trials = SWEEP_PUBLIC;
    return measure_file(g);
}

/* ---- rows ---- */

/* Where rows come from; numbers are made up, or NULL. */
typedef struct rows {
    kith_source from;
    kith_array array;
    double *numbers;
} rows;

typedef struct filler {
    const sweep *g;
    double *at;
} filler;

/* A row of the unit ball, into the bounds. */
static int keep_row(void *arg, uint32_t label, const uint32_t *index,
                    const double *value, uint32_t count)
{
    filler *f = arg;
    const kith_bounds *b = &f->g->bounds.view;
    (void)label;
    (void)index;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = b->box_count > 1 ? i : 0;
        double low = b->lower ? b->lower[at] : -b->radius,
               high = b->lower ? b->upper[at] : b->radius;
        *f->at++ = (low + high) / 2 + value[i] * (high - low) / 2;
    }
    return 0;
}

static int make_rows(const sweep *g, uint32_t clusters, rows *out)
{
    kith_error err = {0};
    kith_generate_options options;
    kith_generate_options_init(&options, sizeof options);
    options.kind = KITH_GENERATE_GAUSSIANS;
    options.rows = g->rows;
    options.dimension = g->dimension;
    options.clusters = clusters;
    options.spread = g->spread;
    out->numbers = malloc((size_t)g->rows * g->dimension * sizeof(double));
    if (!out->numbers)
        return cli_no_memory();
    filler f = {g, out->numbers};
    out->array =
        (kith_array){.data = out->numbers,
                     .type = KITH_FLOAT64,
                     .rows = g->rows,
                     .columns = g->dimension,
                     .row_stride = (ptrdiff_t)(g->dimension * sizeof(double)),
                     .column_stride = sizeof(double)};
    out->from.array = &out->array;
    return cli_status(kith_generate(&options, keep_row, &f, &err), &err);
}

/* ---- runs ---- */

static int load(const sweep *g, const rows *from, kith_dataset **out)
{
    kith_error err = {0};
    kith_source_options options = reading(g);
    return cli_status(
        kith_dataset_load(&from->from, &options, &g->bounds.view, out, &err),
        &err);
}

/* Exact cost of a result on the rows; the result is freed. */
static int evaluate(const sweep *g, const rows *on, kith_result *result,
                    double *cost)
{
    kith_error err = {0};
    uint64_t count = 0;
    const kith_bounds *b = &g->bounds.view;
    double *box =
        b->normalize ? calloc(2 * (size_t)g->dimension, sizeof *box) : NULL;
    if (b->normalize && !box) {
        kith_result_free(result);
        return cli_no_memory();
    }
    for (uint32_t i = 0; box && i < g->dimension; i++) {
        box[i] = b->lower[b->box_count > 1 ? i : 0];
        box[g->dimension + i] = b->upper[b->box_count > 1 ? i : 0];
    }
    kith_model_view view = {.lower = box,
                            .upper = box ? box + g->dimension : NULL};
    view.centers = kith_result_centers(result, &view.clusters, &view.dimension);
    kith_source_options options = reading(g);
    int code =
        cli_status(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &on->from,
                                        &options, &count, cost, &err),
                   &err);
    kith_result_free(result);
    free(box);
    return code;
}

static int run_plain(const sweep *g, const rows *on, uint32_t clusters,
                     double *cost)
{
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    kith_plain_options options;
    kith_plain_options_init(&options, sizeof options);
    options.clusters = clusters;
    options.starts = STARTS;
    int code = load(g, on, &data);
    if (!code)
        code =
            cli_status(kith_plain_kmeans(data, &options, &result, &err), &err);
    kith_dataset_free(data);
    return code ? code : evaluate(g, on, result, cost);
}

static int run_private(const sweep *g, const rows *on, const sweep_cell *cell,
                       double *cost)
{
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_session_options so;
    kith_kmeans_options options = g->options;
    kith_session_options_init(&so, sizeof so);
    so.privacy = g->privacy;
    so.privacy.epsilon = cell->epsilon;
    options.clusters = cell->clusters;
    int code = load(g, on, &data);
    if (!code)
        code = cli_status(kith_session_open(data, &so, &session, &err), &err);
    if (code) {
        kith_dataset_free(data);
        return code;
    }
    code = cli_status(kith_kmeans(session, &options, &result, &err), &err);
    kith_session_close(session);
    return code ? code : evaluate(g, on, result, cost);
}

/* All budgets of one number of clusters. */
static int try_clusters(const sweep *g, size_t k, sweep_cell *cells)
{
    rows on = {.from = {.paths = &g->file, .path_count = 1}};
    double plain = 0;
    int code = CLI_OK;
    if (g->trials == SWEEP_STAND_IN) {
        on.from = (kith_source){0};
        code = make_rows(g, g->clusters[k], &on);
    }
    if (!code)
        code = run_plain(g, &on, g->clusters[k], &plain);
    for (size_t e = 0; !code && e < g->epsilon_count; e++) {
        sweep_cell *cell = &cells[e * g->cluster_count + k];
        code = run_private(g, &on, cell, &cell->ratio);
        cell->ratio /= plain;
    }
    free(on.numbers);
    return code;
}

int sweep_trial(const sweep *g, sweep_cell *cells)
{
    int code = CLI_OK;
    for (size_t k = 0; !code && g->trials && k < g->cluster_count; k++)
        code = try_clusters(g, k, cells);
    return code;
}
