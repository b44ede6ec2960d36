/* The default method for planes: a Gram matrix, fourth moments in its leading
 * directions, a free fit to them, a private choice of the start, one step in
 * the full space with most of the budget, and a guard. Recipe and reasons:
 * docs/subspace_auto.md. */
#include <math.h>
#include <string.h>

#include "subspace_auto_i.h"

enum { MOST_AXES = 48 };
#define COUNT_SHARE  .005
#define LENGTH_SHARE .02
#define LENGTH_ONE   ((uint64_t)1 << 20) /* a row that reaches the radius */

kith_status kith_i_plane_charge(plane_run *run, double share,
                                kith_i_loss *charge, kith_error *err)
{
    *charge = kith_i_loss_share(run->total, share);
    run->used += share;
    return *charge ? KITH_OK : kith_i_fail_budget(run->total, err);
}

kith_status kith_i_plane_tick(plane_run *run, kith_error *err)
{
    const kith_subspace_options *opt = run->run->opt;
    if (run->done < run->steps)
        run->done++;
    return kith_i_progress(opt->progress, opt->progress_arg, run->done,
                           run->steps, err);
}

double kith_i_plane_gram_sd(const plane_run *run, double share, uint32_t cells,
                            uint32_t w)
{
    kith_i_trace_noise noise = kith_i_gram_noise(
        kith_i_session_privacy(run->session).neighbors, cells, w, 1);
    return run->pure ? noise.sd / (run->budget * share)
                     : run->d1 / (run->budget * sqrt(share));
}

double kith_i_plane_edge(const plane_run *run, double share, uint32_t cells,
                         uint32_t w)
{
    kith_i_trace_noise noise = kith_i_gram_noise(
        kith_i_session_privacy(run->session).neighbors, cells, w, 1);
    return run->pure
               ? noise.edge / (run->budget * share)
               : kith_i_plane_gram_sd(run, share, cells, w) * sqrt(2.0 * w);
}

/* The number of rows: public when neighbours replace a row, else noisy. */
static kith_status count_rows(plane_run *run, kith_error *err)
{
    run->n = run->plan ? (double)run->run->rows
                       : (double)kith_i_session_rows(run->session);
    if (kith_i_session_privacy(run->session).neighbors == KITH_ADD_REMOVE) {
        kith_i_loss charge;
        double noisy;
        kith_status status =
            kith_i_plane_charge(run, COUNT_SHARE, &charge, err);
        if (!status)
            status = kith_i_run_count(run->session, charge, &noisy, &run->n2_sd,
                                      err);
        if (status)
            return status;
        if (!run->plan)
            run->n = noisy;
    }
    run->n = run->run->counted = fmax(run->n, 1);
    return KITH_OK;
}

/* Rows that are clipped only may be much shorter than the radius: how much
 * there is to be seen then follows from their lengths, not from their number.
 * Where there is nothing to decide they are not bought. */
static kith_status measure_lengths(plane_run *run, kith_error *err)
{
    run->n2 = run->n4 = run->n;
    if (run->domain->unit_rows || run->k == 1 || run->q >= run->r)
        return KITH_OK;
    /* (1, 1) is the longest value: L1 when pure, else L2, rounded up */
    uint64_t radius = run->pure ? 2 * LENGTH_ONE : LENGTH_ONE * 1415 / 1000;
    kith_i_ask ask = {
        .value = {.kind = KITH_I_VALUE_LENGTHS, .one = LENGTH_ONE}};
    kith_i_cells_spec spec = {
        .what = "lengths,",
        .cells = 1,
        .width = 2,
        .radius = &radius,
        .unit = 1 / (double)LENGTH_ONE}; /* of the radius squared */
    kith_i_cells cells;
    kith_status status =
        kith_i_plane_charge(run, LENGTH_SHARE, &spec.sum_charge, err);
    if (!status)
        status = kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    if (!run->plan) { /* a plan: as if all rows reached the radius */
        double one = (double)LENGTH_ONE;
        run->n2 = fmax(fmin((double)cells.sums[0] / one, run->n), 1);
        run->n4 = fmax(fmin((double)cells.sums[1] / one, run->n2), 1);
        run->n2_sd = cells.sum_sd[0] / one;
    }
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* The order of the planes says nothing. */
static void shuffle(kith_i_subspace_run *run)
{
    size_t plane = (size_t)run->q * run->d;
    for (uint32_t l = run->k; l > 1; l--) {
        size_t other = kith_i_coins_below(&run->coins, l);
        double *a = run->planes + (l - 1) * plane;
        double *b = run->planes + other * plane;
        for (size_t i = 0; i < plane; i++) {
            double t = a[i];
            a[i] = b[i];
            b[i] = t;
        }
    }
}

/* q = d: there is one such plane, and nothing to be learnt from the rows. */
static void fill_whole(kith_i_subspace_run *run)
{
    size_t d = run->d;
    for (size_t l = 0; l < run->k; l++)
        for (size_t j = 0; j < d; j++)
            for (size_t i = 0; i < d; i++)
                run->planes[(l * d + j) * d + i] = i == j;
}

kith_status kith_i_subspace_auto(kith_i_subspace_run *given, kith_error *err)
{
    plane_run run = {.run = given,
                     .session = given->session,
                     .domain = kith_i_session_domain(given->session),
                     .k = given->k,
                     .q = given->q,
                     .d = given->d,
                     .plan = given->rows > 0,
                     .total = kith_i_session_left(given->session),
                     .steps = 8};
    kith_measure measure = kith_i_session_measure(given->session);
    run.pure = measure == KITH_PURE_DP;
    run.budget = kith_i_loss_value(run.total, measure);
    run.length = (double)run.domain->l2_squared;
    run.d1 =
        kith_i_session_privacy(given->session).neighbors == KITH_REPLACE_ONE
            ? sqrt(2)
            : 1;
    uint64_t r = (uint64_t)run.k * run.q;
    r = r < MOST_AXES ? r : MOST_AXES;
    run.r = r < run.d ? (uint32_t)r : run.d;
    if (run.total == 0)
        return kith_i_fail_budget(0, err);
    if (run.q == run.d) {
        fill_whole(given);
        given->noise = 0;
        return KITH_OK;
    }
    kith_status status = count_rows(&run, err);
    if (!status)
        status = measure_lengths(&run, err);
    if (!status) {
        plane_recipe recipe = kith_i_plane_recipe_for(&run);
        status = kith_i_plane_run_recipe(&run, &recipe, err);
    }
    if (!status)
        shuffle(given);
    if (!status && given->opt->progress)
        (void)given->opt->progress(given->opt->progress_arg, run.steps,
                                   run.steps);
    return status;
}
