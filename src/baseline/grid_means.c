/* Gridding (Su, Cao, Li, Bertino, Jin 2016: EUGkM; Qardaji, Yang, Li 2013: its
 * rule for two features). One noisy histogram over m^d equal cells of the
 * bounds' box, m = (n e / 10)^(2 / (2 + d)), and k-means over the middles of
 * the cells with the noisy counts for weights: all but the histogram is free.
 * Counts keep their sign, so that empty cells cancel.
 *
 * The published rule takes the exact number of rows; here a noisy one is bought
 * (unless it is public). e is the paper's epsilon, that of Laplace noise; for
 * Gaussian noise the one whose Laplace noise is as wide. */
#include "baseline_i.h"

#include <math.h>
#include <string.h>

#include "lloyd/lloyd_i.h"

enum {
    MOST_CELLS = 1 << 18,
    MOST_FEATURES = 18, /* 2^18 cells */
    STARTS = 10,
    MOST_STEPS = 100
};
static const double ROWS_A_CELL = 10;

uint32_t kith_i_grid_side(double rows, double epsilon, uint32_t d)
{
    double most = floor(pow(MOST_CELLS, 1.0 / d) * (1 + 1e-12));
    double side =
        round(pow(fmax(rows, 0) * epsilon / ROWS_A_CELL, 2 / (2.0 + d)));
    return (uint32_t)fmax(2, fmin(most, side));
}

typedef struct {
    kith_session *session;
    const kith_i_domain *domain;
    uint32_t d, k, side, cells;
    double rows;
    kith_i_box *node; /* the tree that finds a row's cell */
    double *middles;  /* cells x d, lattice units */
    double *weights;  /* cells */
} grid_run;

/* ---- the grid ------------------------------------------------------------ */

/* Where cell t of an axis begins. */
static double cut(const grid_run *g, uint32_t axis, uint32_t t)
{
    double low = g->domain->low_q[axis], high = g->domain->high_q[axis];
    return low + (high - low) * t / g->side;
}

/* What a node of the tree still has to tell apart. */
typedef struct {
    uint32_t axis, from, to, before; /* before: the cell so far */
} part;

/* Axis after axis, halved until a cell is left: parents first, children side by
 * side. */
static void grow(grid_run *g, part *todo)
{
    /* two roots: everything is in the first */
    todo[0] = todo[1] = (part){0, 0, g->side, 0};
    g->node[1] = (kith_i_box){.child = -1};
    size_t made = 2;
    for (size_t i = 0; i < made; i += i == 0 ? 2 : 1) {
        part p = todo[i];
        if (p.to - p.from == 1)
            p = (part){p.axis + 1, 0, g->side, p.before * g->side + p.from};
        if (p.axis == g->d) {
            g->node[i] = (kith_i_box){.child = -1, .cell = p.before};
            continue;
        }
        uint32_t half = (p.from + p.to) / 2;
        g->node[i] =
            (kith_i_box){.middle = (int32_t)floor(cut(g, p.axis, half)),
                         .axis = p.axis,
                         .child = (int32_t)made};
        todo[made++] = (part){p.axis, p.from, half, p.before};
        todo[made++] = (part){p.axis, half, p.to, p.before};
    }
}

static void find_middles(grid_run *g)
{
    for (uint32_t c = 0; c < g->cells; c++) {
        uint32_t rest = c;
        for (uint32_t i = g->d; i-- > 0; rest /= g->side) {
            uint32_t t = rest % g->side;
            g->middles[(size_t)c * g->d + i] =
                (cut(g, i, t) + cut(g, i, t + 1)) / 2;
        }
    }
}

/* ---- releases ------------------------------------------------------------ */

/* The epsilon of Laplace noise as wide as that of a cell's count. */
static double laplace_epsilon(const grid_run *g)
{
    kith_measure measure = kith_i_session_measure(g->session);
    double loss = kith_i_loss_value(kith_i_session_left(g->session), measure);
    int two = kith_i_session_privacy(g->session).neighbors == KITH_REPLACE_ONE;
    if (measure == KITH_PURE_DP)
        return two ? loss / 2 : loss;
    return two ? loss : loss * sqrt(2);
}

static kith_status count_cells(grid_run *g, double *sd, kith_error *err)
{
    double edge[2] = {0}, *none = kith_i_alloc(g->d, sizeof *none);
    if (!none)
        return kith_i_fail_memory(err);
    memset(none, 0, g->d * sizeof *none); /* all rows have the first root */
    kith_i_forest forest = {g->d, 2, edge, none, g->node, 2 * g->cells};
    kith_i_ask ask = {.place = {.kind = KITH_I_PLACE_TREE,
                                .places = g->cells,
                                .forest = &forest}};
    kith_i_cells_spec spec = {.what = "grid cell",
                              .cells = g->cells,
                              .count_charge = kith_i_session_left(g->session)};
    kith_i_cells cells;
    kith_status status =
        spec.count_charge == 0
            ? kith_i_fail_budget(0, err)
            : kith_i_release_cells(g->session, &ask, &spec, &cells, err);
    kith_i_free(none);
    if (status)
        return status;
    for (uint32_t c = 0; c < g->cells; c++)
        g->weights[c] = (double)cells.counts[c];
    *sd = cells.count_sd;
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* ---- k-means over the cells, with weights of either sign ----------------- */

/* One step: cells go to the nearest centre, centres to the mean. Returns the
 * cost before it; room: k x (d + 1) numbers, sizes first. */
static double step(const grid_run *g, double *centers, double *room)
{
    size_t d = g->d, k = g->k;
    double cost = 0, *sums = room + k;
    memset(room, 0, k * (d + 1) * sizeof *room);
    for (size_t c = 0; c < g->cells; c++) {
        const double *x = g->middles + c * d;
        double square, w = g->weights[c];
        size_t j = kith_i_nearest(x, centers, g->k, d, &square);
        cost += w * square;
        room[j] += w;
        for (size_t i = 0; i < d; i++)
            sums[j * d + i] += w * x[i];
    }
    for (size_t j = 0; j < k; j++) {
        if (room[j] < 1)
            continue; /* no rows, noisily: it stays */
        for (size_t i = 0; i < d; i++)
            centers[j * d + i] = sums[j * d + i] / room[j];
        kith_i_domain_clip(g->domain, centers + j * d);
    }
    return cost;
}

static kith_status cluster_cells(const grid_run *g, uint64_t seed,
                                 kith_result *result, kith_error *err)
{
    size_t size = (size_t)g->k * g->d;
    double *room = kith_i_alloc(3 * size + g->k, sizeof *room);
    if (!room)
        return kith_i_fail_memory(err);
    double *centers = room + g->k + size, *best = centers + size;
    double least = HUGE_VAL;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 0);
    kith_status status = KITH_OK;
    for (int start = 0; !status && start < STARTS; start++) {
        status = kith_i_spread(g->domain, g->k, &coins, centers, err);
        double cost = HUGE_VAL, before = HUGE_VAL;
        for (int t = 0; !status && t < MOST_STEPS; t++) {
            before = cost;
            cost = step(g, centers, room);
            if (cost < least) { /* noise may make a step a bad one */
                least = cost;
                memcpy(best, centers, size * sizeof *best);
                for (uint32_t j = 0; j < g->k; j++)
                    result->weights[j] = fmax(room[j], 0);
            }
            if (!(cost < before * (1 - 1e-9)))
                break;
        }
    }
    if (!status)
        kith_i_result_set_centers(result, g->domain, best);
    kith_i_free(room);
    return status;
}

/* Noise moves the mean of 1/k of the rows by the noise on the counts of 1/k of
 * the cells, each weighed with its distance from the mean. */
static double noise(const grid_run *g, double sd)
{
    double square = 0;
    for (uint32_t i = 0; i < g->d; i++)
        square += pow(cut(g, i, g->side) - cut(g, i, 0), 2) / 12;
    square *= pow(g->k, -2.0 / g->d);
    return sd * sqrt(square * g->cells / g->k) * g->k / fmax(g->rows, 1) *
           kith_i_domain_step(g->domain);
}

static kith_status make_grid(grid_run *g, kith_error *err)
{
    g->side = kith_i_grid_side(g->rows, laplace_epsilon(g), g->d);
    g->cells = 1;
    for (uint32_t i = 0; i < g->d; i++)
        g->cells *= g->side;
    size_t nodes = 2 * (size_t)g->cells;
    part *todo = kith_i_alloc(nodes, sizeof *todo);
    g->node = kith_i_alloc(nodes, sizeof *g->node);
    g->middles = kith_i_alloc((size_t)g->cells * g->d, sizeof *g->middles);
    g->weights = kith_i_alloc(g->cells, sizeof *g->weights);
    int fine = todo && g->node && g->middles && g->weights;
    if (fine) {
        grow(g, todo);
        find_middles(g);
    }
    kith_i_free(todo);
    return fine ? KITH_OK : kith_i_fail_memory(err);
}

kith_status kith_i_kmeans_grid(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err)
{
    grid_run g = {.session = session,
                  .domain = kith_i_session_domain(session),
                  .k = opt->clusters};
    g.d = g.domain->dimension;
    if (g.domain->sparse || g.d > MOST_FEATURES)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "grid takes dense rows of at most %d features: its "
                           "cells are exponential in them. Use auto",
                           MOST_FEATURES);
    double sd = 0;
    kith_status status = kith_i_baseline_count(session, rows, &g.rows, err);
    if (!status)
        status = make_grid(&g, err);
    if (!status)
        status = count_cells(&g, &sd, err);
    if (!status)
        status = kith_i_progress(opt->progress, opt->progress_arg, 1, 2, err);
    if (!status && rows == 0)
        status = cluster_cells(&g, opt->public_seed, result, err);
    if (!status) {
        result->rounds = 1;
        result->rows = fmax(g.rows, 1);
        result->noise = noise(&g, sd);
        status = kith_i_progress(opt->progress, opt->progress_arg, 2, 2, err);
    }
    kith_i_free(g.node);
    kith_i_free(g.middles);
    kith_i_free(g.weights);
    return status;
}
