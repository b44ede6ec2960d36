/* Steps 3 to 6 of CentersProcedure: a small box around the users of each heavy
 * cell, from histograms along the axes of a random basis.
 *
 * Two repairs. The interval is p = cr min(1, 2 sqrt(ln(dn/beta) / d)): in few
 * dimensions the printed one is longer than cr, which bounds the cell anyway
 * (E11). And the region published for step 7 is the ball around the box: it has
 * the same diameter 3p sqrt(d), on which everything after it rests, holds the
 * box, and a device needs one distance to tell whether it is inside. */
#include <math.h>
#include <string.h>

#include "kernel/planes.h"
#include "weighted.h"

static const double BETA = 0.05;
static const uint64_t nothing_wanted;

kith_status kith_i_boxes_make(kith_i_local_run *run,
                              kith_i_procedure *procedure, kith_error *err)
{
    size_t d = run->task->d;
    double n = fmax(1, (double)run->collector->invited);
    procedure->basis = kith_i_local_numbers(run, d, d);
    if (!procedure->basis)
        return kith_i_fail_memory(err);
    kith_i_plane_random(procedure->basis, (uint32_t)d, (uint32_t)d,
                        &run->coins);
    double narrow = 2 * sqrt(log((double)d * n / BETA) / (double)d);
    procedure->interval = procedure->hash.far * fmin(1, narrow);
    return KITH_OK;
}

/* How far a record can be from the offset of the lens, along any axis. */
static double span(const kith_i_local_task *task, const kith_i_grid *grid)
{
    return task->radius + sqrt(kith_i_distance_squared(
                              task->center, grid->lens.offset, task->d));
}

static uint32_t intervals_of(const kith_i_local_task *task,
                             const kith_i_procedure *p)
{
    return (uint32_t)floor(2 * span(task, &p->hash.grid) / p->interval) + 1;
}

/* The hash and, as one more coordinate, the position along an axis: stretched
 * so that an interval is as long as the side of a cell. */
static kith_status axis_grid(kith_i_local_run *run, const kith_i_procedure *p,
                             const double *axis, kith_i_grid *out,
                             kith_error *err)
{
    const kith_i_grid *grid = &p->hash.grid;
    size_t q = grid->lens.q, d = run->task->d;
    double *rows = kith_i_local_numbers(run, q + 1, d);
    double *half = kith_i_local_numbers(run, q + 1, 1);
    double *shift = kith_i_local_numbers(run, q + 1, 1);
    if (!rows || !half || !shift)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < q; i++) {
        if (grid->lens.rows)
            memcpy(rows + i * d, grid->lens.rows + i * d, d * sizeof *rows);
        else
            rows[i * d + i] = 1;
        half[i] = grid->lens.half[i];
        shift[i] = grid->shift[i];
    }
    double stretch = grid->side / p->interval;
    for (size_t t = 0; t < d; t++)
        rows[q * d + t] = stretch * axis[t];
    half[q] = stretch * span(run->task, grid);
    uint32_t cells = intervals_of(run->task, p);
    if (cells < grid->cells)
        cells = grid->cells;
    if (!(pow(cells, (double)q + 1) < 4e18))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "boxes this small have too many intervals: ask for "
                           "fewer radii");
    *out = (kith_i_grid){
        {(uint32_t)q + 1, (uint32_t)d, rows, grid->lens.offset, half},
        grid->side,
        shift,
        cells};
    return KITH_OK;
}

kith_status kith_i_boxes_ask(kith_i_local_run *run,
                             const kith_i_wc_setup *setup,
                             const kith_i_procedure *procedure,
                             kith_i_question *questions, kith_error *err)
{
    uint32_t d = run->task->d;
    for (uint32_t i = 0; i < d; i++) {
        kith_i_question *q = &questions[i];
        *q = kith_i_local_question(run, procedure->name[KITH_I_WC_BOXES], 0,
                                   KITH_I_REPORT_SYMBOL);
        q->place = (kith_i_place){.kind = KITH_I_PLACE_GRID};
        kith_status status =
            axis_grid(run, procedure, procedure->basis + (size_t)i * d,
                      &q->place.grid, err);
        if (status)
            return status;
        q->place.places = 1;
        for (uint32_t t = 0; t < q->place.grid.lens.q; t++)
            q->place.places *= q->place.grid.cells;
        q->wanted = &nothing_wanted;
        kith_i_wc_group group = {procedure->radius_number,
                                 procedure->repetition, i, d};
        kith_i_wc_pay_step(run->task, setup, KITH_I_WC_BOXES, group, q);
        q->randomizer = KITH_I_RANDOMIZER_OLH;
    }
    return KITH_OK;
}

/* The key of a cell of `from` with another radix. */
static uint64_t recode(uint64_t key, uint32_t from, uint32_t to, uint32_t q,
                       uint64_t *radix)
{
    uint64_t out = 0;
    *radix = 1;
    for (uint32_t i = 0; i < q; i++) {
        out += key % from * *radix;
        key /= from;
        *radix *= to;
    }
    return out;
}

/* Middle of the fullest interval of each cell, along one axis (step 5). */
static kith_status fullest(kith_i_local_run *run, const kith_i_question *asked,
                           size_t number, const kith_i_procedure *p,
                           double *middle, kith_error *err)
{
    const kith_i_grid *grid = &p->hash.grid;
    uint32_t intervals = intervals_of(run->task, p);
    size_t count = (size_t)p->count * intervals;
    uint64_t *keys = kith_i_local_take(run, count, sizeof *keys);
    double *found = kith_i_local_numbers(run, count, 1);
    if (!keys || !found)
        return kith_i_fail_memory(err);
    for (uint32_t u = 0; u < p->count; u++) {
        uint64_t radix,
            key = recode(p->keys[u], grid->cells, asked->place.grid.cells,
                         grid->lens.q, &radix);
        for (uint32_t i = 0; i < intervals; i++)
            keys[(size_t)u * intervals + i] = key + i * radix;
    }
    kith_status status = run->collector->again(run->collector, number, keys,
                                               (uint32_t)count, found, err);
    for (uint32_t u = 0; !status && u < p->count; u++) {
        const double *counts = found + (size_t)u * intervals;
        uint32_t best = 0;
        for (uint32_t i = 1; i < intervals; i++)
            best = counts[i] > counts[best] ? i : best;
        middle[u] = (best + .5) * p->interval - span(run->task, grid);
    }
    return status;
}

kith_status kith_i_boxes_take(kith_i_local_run *run,
                              const kith_i_question *questions,
                              kith_i_procedure *procedure, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    size_t d = task->d;
    double *middle = kith_i_local_numbers(run, procedure->count, 1);
    if (!middle)
        return kith_i_fail_memory(err);
    for (uint32_t u = 0; u < procedure->count; u++) {
        memcpy(procedure->center + u * d, procedure->hash.grid.lens.offset,
               d * sizeof *procedure->center);
        /* Step 6: the box extends the interval by p to each side. */
        procedure->reach[u] = 1.5 * procedure->interval * sqrt((double)d);
    }
    for (size_t i = 0; procedure->count && i < d; i++) {
        const double *axis = procedure->basis + i * d;
        kith_status status =
            fullest(run, &questions[i], procedure->box_question + i, procedure,
                    middle, err);
        if (status)
            return status;
        for (uint32_t u = 0; u < procedure->count; u++)
            for (size_t t = 0; t < d; t++)
                procedure->center[u * d + t] += middle[u] * axis[t];
    }
    return KITH_OK;
}
