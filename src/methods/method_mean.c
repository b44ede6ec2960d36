/* One private mean (or median): the floor that every method must beat, and
 * what is left when users are too few for anything else. With enough users it
 * is found in two steps, the second recentred on the first. */
#include "method_parts.h"

#include <math.h>
#include <string.h>

kith_status kith_i_mean_ask(kith_i_local_run *run, double share, double *mean,
                            kith_i_mean_noise *about, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    const kith_i_answer *answer;
    kith_i_question q = kith_i_local_question(run, "mean of all users", share,
                                              KITH_I_REPORT_VECTOR);
    q.centers = task->center;
    q.radii = &task->radius;
    kith_status status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    double noise = answer->received ? answer->noise : HUGE_VAL;
    double keep = kith_i_james_stein(answer->sums, task->d, noise);
    for (uint32_t i = 0; i < task->d; i++)
        mean[i] = task->center[i] +
                  (keep > 0 ? task->radius * keep * answer->sums[i] : 0);
    if (about)
        *about = (kith_i_mean_noise){
            .variance = keep > 0 ? keep * pow(task->radius * noise, 2)
                                 : pow(task->radius, 2) / task->d,
            .error = task->radius * fmin(1, noise * sqrt(task->d))};
    kith_i_local_clip(task, 1, mean);
    return KITH_OK;
}

kith_status kith_i_mean_at_once(kith_i_local_run *run, double share,
                                kith_i_local_model *model, kith_error *err)
{
    kith_i_mean_noise about;
    kith_status status =
        kith_i_mean_ask(run, share, model->center, &about, err);
    if (status)
        return status;
    model->raw[0] = 1;
    model->var[0] = about.variance;
    run->mean_error = about.error;
    return KITH_OK;
}

/* A mean that is farther off than what offsets are clipped at stays off. */
kith_status kith_i_mean_sharpen(kith_i_local_run *run,
                                kith_i_local_model *model, double top,
                                double histogram_share, double vector_share,
                                kith_error *err)
{
    kith_status status =
        kith_i_refine(run, model, top, histogram_share, vector_share, err);
    if (status)
        return status;
    run->mean_error = fmin(run->mean_error, sqrt(model->spread[0]));
    if (model->radius[0] < run->mean_error)
        return KITH_OK;
    double noise = model->sd[0] * sqrt(model->d), clipped = model->bias[0] / 2;
    run->mean_error = fmin(run->mean_error, hypot(noise, clipped));
    return KITH_OK;
}

kith_status kith_i_local_one(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err)
{
    const kith_i_local_task *task = run->task;
    double left = 1 - run->asked, first = kith_i_recipe.mean_first * left;
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) *
                   sqrt(task->d / kith_i_local_users(run, first));
    kith_status status = kith_i_model_new(run, 1, model, err);
    if (status)
        return status;
    if (noise > kith_i_recipe.mean_noisy)
        return kith_i_mean_at_once(run, left, model, err);
    status = kith_i_mean_at_once(run, first, model, err);
    if (status)
        return status;
    double second = kith_i_recipe.mean_histogram * left;
    return kith_i_mean_sharpen(run, model, 2 * task->radius, second,
                               left - first - second, err);
}

kith_status kith_i_local_mean(const kith_i_local_task *task,
                              kith_i_collector *collector, double *centers,
                              double *weights, uint32_t *found, kith_error *err)
{
    kith_i_local_run run;
    kith_i_local_model model;
    kith_i_local_open(&run, task, collector, 3);
    kith_status status = kith_i_local_one(&run, &model, err);
    if (!status) {
        memcpy(centers, model.center, task->d * sizeof *centers);
        weights[0] = 1;
        *found = 1;
    }
    kith_i_local_close(&run);
    return status;
}
