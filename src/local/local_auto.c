/* The default method: which script suits these numbers, all of them public. */
#include "local_auto_i.h"

#include <math.h>
#include <string.h>

/* Above it a first mean of each cluster would be all noise. */
static const double HOPELESS = 2;
/* Above it the noise of the second moments hides their directions. */
static const double BLIND = 0.31;

static kith_status choose(kith_i_local_run *run, kith_i_local_model *model,
                          kith_error *err)
{
    const kith_i_local_task *task = run->task;
    double d = task->d, n = kith_i_local_users(run, 1);
    if (task->k == 1)
        return kith_i_local_one(run, model, err);
    if (task->d <= KITH_I_GROW_AXES)
        return kith_i_local_low(run, model, err);
    double lifted = (d + 1) * (d + 2) / 2;
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) *
                   sqrt(d / (0.141 * n)) * task->k;
    double edge = kith_i_vector_sd(task->epsilon, (uint32_t)lifted) *
                  sqrt(2 * d / (0.1128 * n));
    if (noise > HOPELESS)
        return kith_i_local_one(run, model, err);
    if (edge > BLIND)
        return kith_i_local_projected(run, model, err);
    return kith_i_local_high(run, model, err);
}

kith_status kith_i_local_auto(const kith_i_local_task *task,
                              kith_i_collector *collector, double *centers,
                              double *weights, uint32_t *found, kith_error *err)
{
    kith_i_local_run run;
    kith_i_local_model model;
    kith_i_local_open(&run, task, collector,
                      task->d <= KITH_I_GROW_AXES ? 5 : 12);
    kith_status status = choose(&run, &model, err);
    if (!status) {
        memcpy(centers, model.center,
               (size_t)model.count * task->d * sizeof *centers);
        memcpy(weights, model.raw, model.count * sizeof *weights);
        *found = model.count;
    }
    kith_i_local_close(&run);
    return status;
}
