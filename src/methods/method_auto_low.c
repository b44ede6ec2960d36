/* d <= 3: the adaptive histogram is the method, without vectors. Its cells
 * are as coarse as its noise is large: where users who are all close together
 * would be seen worse by it than by their mean, whether they are is asked
 * first. */
#include "blobs.h"
#include "method_parts.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, LEAVES = 512, RESTARTS = 20 };
static const double SHARES[ROUNDS] = {0.05, 0.10, 0.15, 0.20, 0.50};
static const double DEEPEST = 3; /* to begin with; one more for each axis */
static const double FEW = 64;
/* Variance of a user in the finest cell that can be told from noise, in units
 * of the box's mean squared half-width: above COARSE a mean may be better,
 * above BLIND it is; above DIM too, if it cannot be found out whether it is. */
static const double COARSE = 0.05, DIM = 0.2, BLIND = 0.4;

/* How often to halve the box to begin with. cells: so many of equal mass stand
 * out by one sd, if all users are asked. Where these are few, hardly anything
 * will be split later: cells twice as many show the blobs better than cells
 * that are each significant. */
static uint32_t first_levels(uint32_t d, double cells)
{
    double levels = fmax(2, floor(log2(cells))), deepest = DEEPEST + d;
    if (d > 1 && cells < FEW)
        return (uint32_t)fmin(log2(FEW), levels + 1);
    return (uint32_t)fmin(deepest, levels);
}

static kith_status ask_cells(kith_i_local_run *run, kith_i_grow *grow,
                             kith_error *err)
{
    const kith_i_local_task *task = run->task;
    kith_i_lens lens = {.q = task->d, .d = task->d};
    double sd = kith_i_olh_sd(task->epsilon), left = kith_i_local_left(run);
    double cells = sqrt(kith_i_local_users(run, left)) / sd;
    kith_i_grow_box box = {task->d, task->lower, task->upper,
                           first_levels(task->d, cells), LEAVES};
    kith_status status = kith_i_grow_open(run, &box, grow, err);
    for (int r = 0; !status && r < ROUNDS; r++) {
        const kith_i_answer *answer;
        uint32_t *leaf;
        kith_i_question q =
            kith_i_local_question(run, "cell of the histogram",
                                  left * SHARES[r], KITH_I_REPORT_SYMBOL);
        if (r > 0)
            kith_i_grow_split(
                grow, sd / sqrt(kith_i_local_users(run, left * SHARES[r])));
        status = kith_i_grow_publish(run, grow, UINT32_MAX, &lens, &q.place,
                                     &leaf, err);
        if (!status)
            status = kith_i_local_ask(run, &q, 1, &answer, err);
        if (!status)
            kith_i_grow_take(grow, leaf, answer);
    }
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

/* Noise of the clusters' shares: that of the cells nearest to each. */
static void add_noise(const kith_i_points *cells, const double *variances,
                      kith_i_local_model *model)
{
    size_t d = model->d;
    memset(model->raw_var, 0, model->count * sizeof *model->raw_var);
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

/* What a grown tree says, as a model. */
kith_status kith_i_low_finish(kith_i_local_run *run, kith_i_grow *grow,
                              kith_i_local_model *model, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t room = grow->leaves + 1;
    double *points = kith_i_local_numbers(run, room, task->d);
    double *weights = kith_i_local_numbers(run, room, 2);
    size_t most = ((size_t)task->k + 1) * room;
    most = task->k > KITH_I_BLOBS_MOST ? 1 : most;
    kith_i_blob_points smooth = {.points =
                                     kith_i_local_numbers(run, most, task->d),
                                 .weights = kith_i_local_numbers(run, most, 1)};
    if (!points || !weights || !smooth.points || !smooth.weights)
        return kith_i_fail_memory(err);
    kith_i_grow_prune(grow);
    kith_i_points cells = {points, weights, 0, task->d};
    cells.n = kith_i_grow_points(grow, 1, points, weights, weights + room);
    kith_status status =
        kith_i_blobs_smooth(run, grow, &cells, task->k, &smooth, err);
    if (status)
        return status;
    kith_i_points blobs = {smooth.points, smooth.weights, smooth.count,
                           task->d};
    status = solve(run, smooth.count ? &blobs : &cells, model, err);
    if (!status)
        add_noise(&cells, weights + room, model);
    return status;
}

/* How badly the histogram sees: variance of a user in a cell that holds twice
 * the noise of the last group, if all users were spread over the box. */
static double blur(const kith_i_local_run *run, double *unit)
{
    const kith_i_local_task *task = run->task;
    double users = kith_i_local_users(run, SHARES[ROUNDS - 1]), square = 0;
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
    int near = 0;
    double unit, blurred = blur(run, &unit);
    int can = kith_i_near_can(run, blurred);
    kith_status status = KITH_OK;
    if (blurred > (can ? BLIND : DIM) * unit)
        return kith_i_local_one(run, model, err);
    if (blurred > COARSE * unit && can)
        status = kith_i_near_ask(run, blurred, model, &near, err);
    if (!status && !near)
        status = ask_cells(run, &grow, err);
    if (!status && !near)
        status = kith_i_low_finish(run, &grow, model, err);
    return status;
}
