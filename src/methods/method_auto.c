/* The default method: which script suits these numbers, all of them public. */
#include "method_parts.h"

#include <math.h>
#include <string.h>


/* Noise of a first mean of each cluster, of the radius: above HOPELESS it is
 * all noise; above NOISY users who are closer than SEEN of it to each other are
 * better served by one mean. */
static const double HOPELESS = 2, NOISY = 0.8, SEEN = 0.25;
/* Above it the noise of the second moments hides their directions. */
static const double BLIND = 0.31;

/* Can the second moments be reported at all, and their directions be told from
 * noise? */
static int sees_directions(const kith_i_local_run *run)
{
    const kith_i_local_task *task = run->task;
    double d = task->d, lifted = (d + 1) * (d + 2) / 2;
    if (lifted > KITH_I_WIDTH_MAX)
        return 0;
    double edge = kith_i_moment_sd(task->epsilon, task->d + 1) *
                  sqrt(2 * d / (0.1128 * kith_i_local_users(run, 1)));
    return edge <= BLIND;
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
                   sqrt(d / (0.141 * n)) * task->k;
    if (noise > HOPELESS)
        return kith_i_local_one(run, model, err);
    double blur = pow(SEEN * noise * task->radius, 2);
    if (noise > NOISY && kith_i_near_can(run, blur)) {
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
