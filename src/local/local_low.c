/* d <= 3: the adaptive histogram is the method, without vectors. */
#include "local_auto_i.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, LEAVES = 512, RESTARTS = 20 };
static const double SHARES[ROUNDS] = {0.05, 0.10, 0.15, 0.20, 0.50};
static const double DEEPEST[KITH_I_GROW_AXES] = {4, 5, 6}; /* to begin with */

static kith_status ask_cells(kith_i_local_run *run, kith_i_grow *grow,
                             kith_error *err)
{
    const kith_i_local_task *task = run->task;
    kith_i_lens lens = {.q = task->d, .d = task->d};
    double sd = kith_i_olh_sd(task->epsilon);
    double levels = floor(log2(sqrt(kith_i_local_users(run, 1)) / sd));
    levels = fmin(DEEPEST[task->d - 1], fmax(2, levels));
    kith_status status =
        kith_i_grow_open(run, grow, task->d, task->lower, task->upper,
                         (uint32_t)levels, LEAVES, err);
    for (int r = 0; !status && r < ROUNDS; r++) {
        const kith_i_answer *answer;
        uint32_t *leaf;
        kith_i_question q = kith_i_local_question(
            run, "cell of the histogram", SHARES[r], KITH_I_REPORT_SYMBOL);
        if (r > 0)
            kith_i_grow_split(grow,
                              sd / sqrt(kith_i_local_users(run, SHARES[r])));
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
kith_status kith_i_low_solve(kith_i_local_run *run, const double *points,
                             const double *weights, uint32_t count,
                             kith_i_local_model *model, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t *labels = kith_i_local_take(run, count, sizeof *labels);
    kith_status status = kith_i_model_new(run, task->k, model, err);
    if (status)
        return status;
    if (!labels)
        return kith_i_fail_memory(err);
    status =
        kith_i_local_solve(run, points, weights, count, task->d, task->k,
                           RESTARTS, model->center, labels, &model->count, err);
    if (status)
        return status;
    double sum = 0;
    memset(model->raw, 0, task->k * sizeof *model->raw);
    for (uint32_t i = 0; i < count; i++)
        if (labels[i] != UINT32_MAX) {
            model->raw[labels[i]] += weights[i];
            sum += weights[i];
        }
    for (uint32_t j = 0; j < model->count; j++)
        model->raw[j] /= sum;
    kith_i_local_clip(task, model->count, model->center);
    return KITH_OK;
}

/* What a grown tree says, as a model. */
kith_status kith_i_low_finish(kith_i_local_run *run, kith_i_grow *grow,
                              kith_i_local_model *model, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t room = grow->leaves + 1, count, smooth_count;
    double *points = kith_i_local_numbers(run, room, task->d);
    double *weights = kith_i_local_numbers(run, room, 2);
    double *smooth = kith_i_local_numbers(run, room, task->d);
    double *smooth_weights = kith_i_local_numbers(run, room, 1);
    if (!points || !weights || !smooth || !smooth_weights)
        return kith_i_fail_memory(err);
    kith_i_grow_prune(grow);
    count = kith_i_grow_points(grow, 1, points, weights, weights + room);
    kith_status status =
        kith_i_blobs_smooth(run, grow, points, weights, count, task->k, smooth,
                            smooth_weights, &smooth_count, err);
    if (status)
        return status;
    if (smooth_count == 0)
        return kith_i_low_solve(run, points, weights, count, model, err);
    return kith_i_low_solve(run, smooth, smooth_weights, smooth_count, model,
                            err);
}

kith_status kith_i_local_low(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err)
{
    kith_i_grow grow;
    kith_status status = ask_cells(run, &grow, err);
    return status ? status : kith_i_low_finish(run, &grow, model, err);
}
