/* The floor of `auto`: one private mean. Where noise is large, a method that
 * looks for k clusters sees nothing finer than its blur, and users who are
 * closer together than that are served better by their mean. Whether they are
 * is asked first, when it can be found out: a few users find a rough mean, a
 * few say whether they are near it, and if most are, all others sharpen it. */
#include "method_parts.h"

#include <math.h>

typedef struct {
    double first, second; /* shares */
    double reach;         /* what is near */
} search;

static double clamp_share(double share)
{
    return fmin(kith_i_recipe.near_most, fmax(kith_i_recipe.near_least, share));
}

/* Near is within the blur, and the expected error of the rough mean. */
static search plan_search(const kith_i_local_run *run, double blur)
{
    const kith_i_local_task *task = run->task;
    double users = kith_i_local_users(run, 1);
    double sd = task->radius * kith_i_vector_sd(task->epsilon, task->d + 1);
    double noise = task->d * sd * sd / users; /* if all were asked */
    double answer = kith_i_symbol_sd(task->epsilon, 2) / kith_i_recipe.near_sd;
    search plan = {.first = clamp_share(2 * noise / blur),
                   .second = clamp_share(answer * answer / users)};
    plan.reach = sqrt(blur + 2 * noise / plan.first);
    return plan;
}

int kith_i_near_can(const kith_i_local_run *run, double blur)
{
    return plan_search(run, blur).reach < run->task->radius;
}

kith_status kith_i_near_ask(kith_i_local_run *run, double blur,
                            kith_i_local_model *model, int *near,
                            kith_error *err)
{
    const kith_i_answer *answer;
    search plan = plan_search(run, blur);
    *near = 0;
    kith_status status = kith_i_model_new(run, 1, model, err);
    if (!status)
        status = kith_i_mean_at_once(run, plan.first, model, err);
    if (status)
        return status;
    kith_i_question q = kith_i_local_question(run, "near the mean", plan.second,
                                              KITH_I_REPORT_DISTANCE);
    q.centers = model->center;
    q.bands = 2; /* with the reach between them */
    q.top = plan.reach * M_SQRT2;
    status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    *near = answer->received > 0 && answer->fractions[1] > kith_i_recipe.near;
    if (!*near) {
        run->mean_error = (double)NAN;
        return KITH_OK;
    }
    double left = 1 - run->asked, histogram = left / 16;
    double top = 2 * fmin(run->task->radius, plan.reach);
    return kith_i_mean_sharpen(run, model, top, histogram, left - histogram,
                               err);
}
