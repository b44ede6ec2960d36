/* The default method: which script suits these numbers, all of them public. */
#include "compare_centers.h"
#include "explain_answers.h"
#include "last_question.h"
#include "method_parts.h"

#include <math.h>
#include <string.h>

/* Can the second moments be reported at all, and their directions be told from
 * noise? */
static int sees_directions(const kith_i_local_run *run)
{
    const kith_i_local_task *task = run->task;
    double d = task->d, lifted = (d + 1) * (d + 2) / 2;
    if (lifted > KITH_I_WIDTH_MAX)
        return 0;
    double edge =
        kith_i_moment_sd(task->epsilon, task->d + 1) *
        sqrt(2 * d / (kith_i_recipe.moment_group * kith_i_local_users(run, 1)));
    return edge <= kith_i_recipe.blind;
}

static kith_status choose(kith_i_local_run *run, kith_i_local_model *model,
                          kith_error *err)
{
    const kith_i_local_task *task = run->task;
    double d = task->d, n = kith_i_local_users(run, 1);
    if (task->k == 1)
        return kith_i_local_one(run, model, err);
    if (task->d <= KITH_I_GROW_AXES)
        return kith_i_local_low(run, model, err);
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) *
                   sqrt(d / (kith_i_recipe.first_group * n)) * task->k;
    if (noise > kith_i_recipe.hopeless)
        return kith_i_local_one(run, model, err);
    double blur = pow(kith_i_recipe.close * noise * task->radius, 2);
    if (noise > kith_i_recipe.noisy && kith_i_near_can(run, blur)) {
        int near;
        kith_status status = kith_i_near_ask(run, blur, model, &near, err);
        if (status || near)
            return status;
    }
    return sees_directions(run) ? kith_i_local_high(run, model, err)
                                : kith_i_local_projected(run, model, err);
}

kith_status kith_i_local_auto(const kith_i_local_task *task,
                              kith_i_collector *collector, double *centers,
                              double *weights, uint32_t *found,
                              kith_i_local_verdict *verdict, kith_error *err)
{
    kith_i_local_run run;
    kith_i_local_model model;
    kith_i_local_open(&run, task, collector,
                      task->d <= KITH_I_GROW_AXES ? 6 : 13);
    run.kept = kith_i_compare_share(&run);
    run.remember = task->d > KITH_I_GROW_AXES;
    kith_status status = choose(&run, &model, err);
    if (!status && task->d > KITH_I_GROW_AXES)
        status = kith_i_explain_last(&run, &model, err);
    if (!status)
        status = kith_i_ask_at_last(&run, &model, verdict, err);
    if (!status) {
        memcpy(centers, model.center,
               (size_t)model.count * task->d * sizeof *centers);
        memcpy(weights, model.raw, model.count * sizeof *weights);
        *found = model.count;
        verdict->asked = task->k;
        verdict->mean_error = run.mean_error;
    }
    for (uint32_t j = 0; !status && j < model.count; j++)
        verdict->weight_sd[j] = sqrt(model.raw_var[j]);
    kith_i_local_close(&run);
    return status;
}
