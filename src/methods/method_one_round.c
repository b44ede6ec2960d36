/* Without interaction: all questions are asked at once, so cells and buckets
 * are the same for everybody. Nested uniform histograms; above three
 * dimensions in a random projection, with vectors bucketed by its coarse
 * cells. */
#include "method_parts.h"
#include "plane.h"

#include <math.h>
#include <string.h>

#include "kernel/planes.h"

enum { LEVELS = 3, COARSE = 6, FINE = 9 };
static const double CELLS = 0.15; /* of each of the two histograms, d > 3 */
static const double VECTORS = 0.70;
static const double SEEN = 2; /* standard deviations of a cell */

/* d <= 3: three nested histograms, a third of the users each. */
static kith_status low_round(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err)
{
    static const uint32_t depth[KITH_I_GROW_AXES][LEVELS] = {
        {3, 5, 7}, {5, 7, 9}, {6, 8, 10}};
    const kith_i_local_task *task = run->task;
    const uint32_t *at = depth[task->d - 1];
    kith_i_lens lens = {.q = task->d, .d = task->d};
    kith_i_question q[LEVELS];
    const kith_i_answer *answer[LEVELS];
    uint32_t *leaf[LEVELS];
    kith_i_grow grow;
    kith_i_grow_box box = {task->d, task->lower, task->upper, at[LEVELS - 1],
                           1u << at[LEVELS - 1]};
    kith_status status = kith_i_grow_open(run, &box, &grow, err);
    for (int l = 0; !status && l < LEVELS; l++) {
        q[l] = kith_i_local_question(run, "cell of the histogram", 1.0 / LEVELS,
                                     KITH_I_REPORT_SYMBOL);
        status = kith_i_grow_publish(run, &grow, at[l], &lens, &q[l].place,
                                     &leaf[l], err);
    }
    if (!status)
        status = kith_i_local_ask(run, q, LEVELS, answer, err);
    if (status)
        return status;
    for (int l = 0; l < LEVELS; l++)
        kith_i_grow_take(&grow, leaf[l], answer[l]);
    grow.start_depth = at[0]; /* what is deeper was not looked at first */
    kith_i_grow_set set = {&grow, &grow, 1, 1};
    return kith_i_low_finish(run, &set, model, err);
}

/* Random directions around the public centre, with the reach of a ball. */
static kith_status open_plane(kith_i_local_run *run, kith_i_local_plane *plane,
                              kith_error *err)
{
    const kith_i_local_task *task = run->task;
    double *rows = kith_i_local_numbers(run, KITH_I_GROW_AXES, task->d);
    memset(plane, 0, sizeof *plane);
    plane->origin = kith_i_local_numbers(run, task->d, 1);
    if (!rows || !plane->origin)
        return kith_i_fail_memory(err);
    memcpy(plane->origin, task->center, task->d * sizeof *plane->origin);
    kith_i_plane_random(rows, KITH_I_GROW_AXES, task->d, &run->coins);
    plane->radius = task->radius;
    for (int a = 0; a < KITH_I_GROW_AXES; a++)
        plane->half[a] =
            task->radius * sqrt(KITH_I_GROW_AXES / (double)task->d);
    plane->lens = (kith_i_lens){.q = KITH_I_GROW_AXES,
                                .d = task->d,
                                .rows = rows,
                                .offset = plane->origin,
                                .half = plane->half};
    return KITH_OK;
}

/* Means of the users whose coarse cell is nearest to each anchor, from the sums
 * by cell; the anchors become offsets from the public centre. */
static void gather(const kith_i_local_task *task,
                   const kith_i_local_plane *plane, const kith_i_grow *grow,
                   const uint32_t *leaf, const kith_i_answer *vectors,
                   kith_i_local_model *model, double *cells)
{
    size_t d = task->d, q = plane->lens.q;
    int heard = vectors->received > 0 && isfinite(vectors->noise);
    for (uint32_t t = 0; t < vectors->buckets; t++) {
        const kith_i_grow_node *node = &grow->node[leaf[t]];
        double best = HUGE_VAL, x[KITH_I_GROW_AXES];
        size_t to = 0;
        if (!node->alive)
            continue;
        for (size_t a = 0; a < q; a++)
            x[a] = node->low[a] / 2 + node->high[a] / 2;
        for (size_t j = 0; j < model->count; j++) {
            double far = 0;
            for (size_t a = 0; a < q; a++) {
                double y = -x[a];
                for (size_t i = 0; i < d; i++)
                    y += plane->lens.rows[a * d + i] *
                         (model->center[j * d + i] - plane->origin[i]);
                far += y * y;
            }
            if (far < best) {
                best = far;
                to = j;
            }
        }
        cells[to]++;
        model->share[to] += fmax(0, node->estimate);
        for (size_t i = 0; heard && i < d; i++)
            model->move[to * d + i] += vectors->sums[t * d + i];
    }
    for (size_t j = 0; j < model->count; j++) {
        double least = 0.5 / model->count, share = model->share[j];
        double scale = task->radius / fmax(share, least);
        for (size_t i = 0; i < d; i++) {
            model->move[j * d + i] *= scale;
            model->center[j * d + i] = task->center[i];
        }
        model->sd[j] = heard && cells[j] > 0
                           ? scale * vectors->noise * sqrt(cells[j])
                           : HUGE_VAL;
        model->var[j] = task->radius * task->radius / (double)d;
        model->spread[j] = task->radius * task->radius;
    }
}

/* d > 3. */
static kith_status high_round(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err)
{
    const kith_i_local_task *task = run->task;
    const size_t places = (size_t)1 << COARSE;
    double *centers = kith_i_local_numbers(run, places, task->d);
    double *radii = kith_i_local_numbers(run, places, 1);
    uint32_t *leaf[3], wanted = task->k + task->k / 2;
    const kith_i_answer *answer[3];
    kith_i_question q[3];
    kith_i_local_plane plane;
    kith_i_local_model anchors;
    kith_i_grow grow;
    if (!centers || !radii)
        return kith_i_fail_memory(err);
    for (size_t t = 0; t < places; t++) {
        memcpy(centers + t * task->d, task->center, task->d * sizeof *centers);
        radii[t] = task->radius;
    }
    kith_status status = open_plane(run, &plane, err);
    if (!status)
        status = kith_i_plane_open(run, &plane, FINE, 1u << FINE, &grow, err);
    for (int i = 0; !status && i < 3; i++) {
        q[i] = kith_i_local_question(
            run, i < 2 ? "cell of the histogram" : "offset from the centre",
            i < 2 ? CELLS : VECTORS,
            i < 2 ? KITH_I_REPORT_SYMBOL : KITH_I_REPORT_VECTOR);
        status = kith_i_grow_publish(run, &grow, i == 1 ? FINE : COARSE,
                                     &plane.lens, &q[i].place, &leaf[i], err);
    }
    if (status)
        return status;
    q[2].centers = centers;
    q[2].radii = radii;
    status = kith_i_local_ask(run, q, 3, answer, err);
    if (status)
        return status;
    kith_i_grow_take(&grow, leaf[0], answer[0]);
    kith_i_grow_take(&grow, leaf[1], answer[1]);
    grow.start_depth = COARSE;
    status = kith_i_plane_anchors(run, &plane, &grow, wanted, &anchors, err);
    double *cells = kith_i_local_numbers(run, wanted, 1);
    if (status)
        return status;
    if (!cells)
        return kith_i_fail_memory(err);
    gather(task, &plane, &grow, leaf[2], answer[2], &anchors, cells);
    status = kith_i_first_step(run, &anchors, err);
    if (!status)
        status = kith_i_first_merge(run, &anchors, task->k, model, err);
    if (!status)
        kith_i_local_clip(task, model->count, model->center);
    return status;
}

/* Clusters that can be told from noise, if they are of one size: others would
 * be places where nobody is. */
static uint32_t visible(const kith_i_local_task *task, uint64_t invited)
{
    double share = task->d <= KITH_I_GROW_AXES ? 1.0 / LEVELS : CELLS;
    double users = fmax(1, share * (double)invited);
    double sd = kith_i_olh_sd(task->epsilon) / sqrt(users);
    return (uint32_t)fmin(task->k, fmax(1, floor(1 / (SEEN * sd))));
}

kith_status kith_i_local_one_round(const kith_i_local_task *task,
                                   kith_i_collector *collector, double *centers,
                                   double *weights, uint32_t *found,
                                   kith_error *err)
{
    kith_i_local_run run;
    kith_i_local_model model;
    kith_i_local_task seen = *task;
    seen.k = visible(task, collector->invited);
    kith_i_local_open(&run, &seen, collector, 1);
    kith_status status = task->d <= KITH_I_GROW_AXES
                             ? low_round(&run, &model, err)
                             : high_round(&run, &model, err);
    if (!status) {
        memcpy(centers, model.center,
               (size_t)model.count * task->d * sizeof *centers);
        memcpy(weights, model.raw, model.count * sizeof *weights);
        *found = model.count;
    }
    kith_i_local_close(&run);
    return status;
}
