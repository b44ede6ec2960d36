/* d <= 3: the adaptive histogram is the method, without vectors. Its cells
 * are as coarse as its noise is large: where users who are all close together
 * would be seen worse by it than by their mean, whether they are is asked
 * first. */
#include "blobs.h"
#include "method_parts.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, LEAVES = 512, RESTARTS = 20 };
enum { GRIDS = 1 << KITH_I_GROW_AXES };

/* So many cells of equal mass stand out by one sd, if all who are left are
 * asked. */
static double visible_cells(const kith_i_local_run *run)
{
    double users = kith_i_local_users(run, kith_i_local_left(run));
    return sqrt(users) / kith_i_olh_sd(run->task->epsilon);
}

/* How often to halve the box to begin with. */
static uint32_t first_levels(uint32_t d, double cells)
{
    double levels = fmax(2, floor(log2(cells))),
           deepest = kith_i_recipe.deepest + d;
    return (uint32_t)fmin(deepest, levels);
}

/* Grids that are shifted by half a cell against each other, a quarter to
 * either side; and the cells that the answer will be told in. */
static kith_status open_grids(kith_i_local_run *run, kith_i_grow_set *set,
                              kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t d = task->d;
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES];
    kith_i_grow_box box = {d, task->lower, task->upper, kith_i_recipe.shown,
                           1u << kith_i_recipe.shown};
    set->count = 1u << d;
    set->asked = kith_i_local_take(run, set->count, sizeof *set->asked);
    set->shown = kith_i_local_take(run, 1, sizeof *set->shown);
    if (!set->asked || !set->shown)
        return kith_i_fail_memory(err);
    kith_status status = kith_i_grow_open(run, &box, set->shown, err);
    if (!status)
        kith_i_grow_estimate(set->shown);
    for (uint32_t a = 0; a < d; a++) {
        double more = (task->upper[a] - task->lower[a]) *
                      (kith_i_recipe.beyond[d - 1] - 1) / 2;
        low[a] = task->lower[a] - more;
        high[a] = task->upper[a] + more;
    }
    box = (kith_i_grow_box){d, low, high, kith_i_recipe.shifted,
                            1u << kith_i_recipe.shifted};
    for (uint32_t t = 0; !status && t < set->count; t++) {
        double parts[KITH_I_GROW_AXES];
        for (uint32_t a = 0; a < d; a++)
            parts[a] = t >> a & 1 ? 0.25 : -0.25;
        status = kith_i_grow_open(run, &box, &set->asked[t], err);
        if (!status)
            kith_i_grow_shift(&set->asked[t], parts);
    }
    return status;
}

/* Where hardly any cell could be split later all users are asked at once: cells
 * as wide as a cluster show best that it is there, and shifted ones where. */
static kith_status ask_grids(kith_i_local_run *run, kith_i_grow_set *set,
                             kith_error *err)
{
    kith_i_lens lens = {.q = run->task->d, .d = run->task->d};
    kith_i_question q[GRIDS];
    uint32_t *leaf[GRIDS];
    const kith_i_answer *answer[GRIDS];
    kith_status status = open_grids(run, set, err);
    double share = kith_i_local_left(run) / set->count;
    for (uint32_t t = 0; !status && t < set->count; t++) {
        q[t] = kith_i_local_question(run, "cell of a shifted histogram", share,
                                     KITH_I_REPORT_SYMBOL);
        status = kith_i_grow_publish(run, &set->asked[t], UINT32_MAX, &lens,
                                     &q[t].place, &leaf[t], err);
    }
    if (!status)
        status = kith_i_local_ask(run, q, set->count, answer, err);
    for (uint32_t t = 0; !status && t < set->count; t++)
        kith_i_grow_take(&set->asked[t], leaf[t], answer[t]);
    return status;
}

static kith_status ask_cells(kith_i_local_run *run, kith_i_grow *grow,
                             kith_error *err)
{
    const kith_i_local_task *task = run->task;
    kith_i_lens lens = {.q = task->d, .d = task->d};
    double sd = kith_i_olh_sd(task->epsilon), left = kith_i_local_left(run);
    kith_i_grow_box box = {task->d, task->lower, task->upper,
                           first_levels(task->d, visible_cells(run)), LEAVES};
    kith_status status = kith_i_grow_open(run, &box, grow, err);
    grow->split_z = kith_i_recipe.low_z;
    /* in a cell that stood out by more before it was split */
    grow->deep_z = kith_i_recipe.beside * kith_i_recipe.deep_z;
    grow->split_next = kith_i_recipe.low_next;
    for (int r = 0; !status && r < ROUNDS; r++) {
        const kith_i_answer *answer;
        uint32_t *leaf;
        kith_i_question q = kith_i_local_question(
            run, "cell of the histogram", left * kith_i_recipe.low_shares[r],
            KITH_I_REPORT_SYMBOL);
        if (r > 0)
            kith_i_grow_split(
                grow, sd / sqrt(kith_i_local_users(
                               run, left * kith_i_recipe.low_shares[r])));
        kith_i_grow_merge(grow);
        status = kith_i_grow_publish(run, grow, UINT32_MAX, &lens, &q.place,
                                     &leaf, err);
        if (!status)
            status = kith_i_local_ask(run, &q, 1, &answer, err);
        if (!status)
            kith_i_grow_take(grow, leaf, answer);
    }
    kith_i_grow_merge(grow);
    return status;
}

/* k-means of weighted points, as a model. */
static kith_status solve(kith_i_local_run *run, const kith_i_points *from,
                         kith_i_local_model *model, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t *labels = kith_i_local_take(run, from->n, sizeof *labels);
    kith_status status = kith_i_model_new(run, task->k, model, err);
    if (status)
        return status;
    if (!labels)
        return kith_i_fail_memory(err);
    kith_i_solution solved = {.centers = model->center, .labels = labels};
    status = kith_i_local_solve(run, from, task->k, RESTARTS, &solved, err);
    if (status)
        return status;
    model->count = solved.found;
    double sum = 0;
    memset(model->raw, 0, task->k * sizeof *model->raw);
    for (uint32_t i = 0; i < from->n; i++)
        if (labels[i] != UINT32_MAX) {
            model->raw[labels[i]] += from->weights[i];
            sum += from->weights[i];
        }
    for (uint32_t j = 0; j < model->count; j++)
        model->raw[j] /= sum;
    kith_i_local_clip(task, model->count, model->center);
    return KITH_OK;
}

/* Noise of the clusters' shares: that of the cells nearest to each, and what
 * its users add. */
static void add_noise(const kith_i_grow_set *set, const kith_i_points *cells,
                      const double *variances, kith_i_local_model *model)
{
    size_t d = model->d;
    double users = 0;
    for (uint32_t t = 0; t < set->count; t++)
        users += set->asked[t].users;
    for (uint32_t j = 0; j < model->count; j++)
        model->raw_var[j] = users > 0 ? fmax(0, model->raw[j]) / users : 0;
    for (size_t i = 0; model->count > 0 && i < cells->n; i++) {
        uint32_t nearest = 0;
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < model->count; j++) {
            double far = kith_i_distance_squared(cells->coords + i * d,
                                                 model->center + j * d, d);
            nearest = far < best ? j : nearest;
            best = fmin(best, far);
        }
        model->raw_var[nearest] += variances[i];
    }
}

/* The blobs that fit best, which the average over all of them may blur: an
 * answer that users may prefer. */
static kith_status offer_best(kith_i_local_run *run, const kith_i_grow_set *set,
                              const kith_i_blob_points *smooth,
                              const kith_i_points *cells,
                              const double *variances, kith_error *err)
{
    kith_i_local_model best;
    size_t d = run->task->d, each = d + 2;
    double all = 0;
    kith_status status = kith_i_model_new(run, smooth->found, &best, err);
    if (status)
        return status;
    for (size_t j = 0; j < smooth->found; j++) /* nearly 1 */
        all += smooth->best[j * each];
    for (size_t j = 0; j < smooth->found; j++) {
        memcpy(best.center + j * d, smooth->best + j * each + 1,
               d * sizeof *best.center);
        best.raw[j] = smooth->best[j * each] / all;
    }
    add_noise(set, cells, variances, &best);
    kith_i_candidate other = {"best blobs", best.center, best.raw, best.raw_var,
                              best.count};
    return kith_i_local_offer(run, &other, err);
}

/* What is left of the trees when they are pruned, as points: each tree tells of
 * all users. */
static kith_i_points prune(const kith_i_grow_set *set, double *points,
                           double *weights, double *variances)
{
    kith_i_points cells = {points, weights, 0, set->shown->axes};
    double part = 1.0 / set->count;
    for (uint32_t t = 0; t < set->count; t++) {
        double *w = weights + cells.n, *v = variances + cells.n;
        set->asked[t].beside = kith_i_recipe.beside;
        kith_i_grow_prune(&set->asked[t]);
        uint32_t more = kith_i_grow_points(
            &set->asked[t], 1, points + (size_t)cells.n * cells.d, w, v);
        kith_i_grow_lean(&set->asked[t], points + (size_t)cells.n * cells.d);
        for (uint32_t i = 0; i < more; i++) {
            w[i] *= part;
            v[i] *= part * part;
        }
        cells.n += more;
    }
    return cells;
}

/* What grown trees say, as a model. */
kith_status kith_i_low_finish(kith_i_local_run *run, const kith_i_grow_set *set,
                              kith_i_local_model *model, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t room = 0;
    for (uint32_t t = 0; t < set->count; t++)
        room += set->asked[t].leaves + 1;
    double *points = kith_i_local_numbers(run, room, task->d);
    double *weights = kith_i_local_numbers(run, room, 2);
    size_t most = ((size_t)task->k + 1) * set->shown->leaves;
    most = task->k > KITH_I_BLOBS_MOST ? 1 : most;
    kith_i_blob_points smooth = {
        .points = kith_i_local_numbers(run, most, task->d),
        .weights = kith_i_local_numbers(run, most, 1),
        .best = kith_i_local_numbers(run, task->k, task->d + 2)};
    if (!points || !weights || !smooth.points || !smooth.weights ||
        !smooth.best)
        return kith_i_fail_memory(err);
    kith_i_points cells = prune(set, points, weights, weights + room);
    kith_status status =
        kith_i_blobs_smooth(run, set, &cells, task->k, &smooth, err);
    if (status)
        return status;
    kith_i_points blobs = {smooth.points, smooth.weights, smooth.count,
                           task->d};
    status = solve(run, smooth.count ? &blobs : &cells, model, err);
    if (!status)
        add_noise(set, &cells, weights + room, model);
    run->name = smooth.count ? "all blobs" : "cells";
    run->misfit = smooth.misfit;
    run->unexplained = 1 - smooth.total;
    run->unexplained_sd = smooth.total_sd;
    if (status || smooth.count == 0 || !(run->kept > 0))
        return status;
    return offer_best(run, set, &smooth, &cells, weights + room, err);
}

/* How badly the histogram sees: variance of a user in a cell that holds twice
 * the noise of the last group, if all users were spread over the box. */
static double blur(const kith_i_local_run *run, double *unit)
{
    const kith_i_local_task *task = run->task;
    double users =
               kith_i_local_users(run, kith_i_recipe.low_shares[ROUNDS - 1]),
           square = 0;
    double cell = fmin(1, 2 * kith_i_olh_sd(task->epsilon) / sqrt(users));
    for (uint32_t a = 0; a < task->d; a++)
        square += pow(task->upper[a] - task->lower[a], 2);
    *unit = square / 4 / task->d;
    return square / 12 * pow(cell, 2.0 / task->d);
}

kith_status kith_i_local_low(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err)
{
    kith_i_grow grow;
    kith_i_grow_set set = {&grow, &grow, 1, 0};
    int near = 0;
    double unit, blurred = blur(run, &unit);
    int can = kith_i_near_can(run, blurred);
    kith_status status = KITH_OK;
    if (blurred > (can ? kith_i_recipe.drowned : kith_i_recipe.dim) * unit)
        return kith_i_local_one(run, model, err);
    if (blurred > kith_i_recipe.coarse * unit && can)
        status = kith_i_near_ask(run, blurred, model, &near, err);
    int few = run->task->d > 1 && visible_cells(run) < kith_i_recipe.few;
    if (!status && !near)
        status = few ? ask_grids(run, &set, err) : ask_cells(run, &grow, err);
    if (!status && !near)
        status = kith_i_low_finish(run, &set, model, err);
    return status;
}
