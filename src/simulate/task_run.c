/* A task's script over a collector, its model, and its simulation. */
#include "task_run.h"

#include <string.h>

#include "base/digest.h"
#include "crowd.h"
#include "device/little_endian.h"
#include "drawn_user.h"
#include "kith/model.h"

kith_status kith_i_task_script(const kith_task *task,
                               kith_i_collector *collector,
                               kith_i_task_run *run, kith_error *err)
{
    const struct kith_task_view *v = task->view;
    kith_i_local_bounds unit = {0},
                        box = {.lower = (double *)(uintptr_t)v->lower,
                               .upper = (double *)(uintptr_t)v->upper,
                               .center = (double *)(uintptr_t)v->center,
                               .radius = v->radius};
    kith_i_local_task local;
    *run = (kith_i_task_run){0};
    kith_status status = kith_i_local_unit_bounds(&box, v->d, &unit, err);
    if (!status)
        status = kith_i_local_found_make(v->k, v->d, &run->found, err);
    if (!status) {
        kith_i_local_task_make(&task->options, &unit, v->d, &local);
        kith_i_trace_open(&run->trace, collector, task->options.epsilon, 0);
        status = kith_i_local_script(task->options.method, &local, &run->trace,
                                     &run->found, err);
    }
    if (!status)
        kith_i_local_found_place(&run->found, v->d, v->center, v->radius);
    kith_i_local_bounds_free(&unit);
    return status;
}

kith_status kith_i_task_model(const kith_task *task, kith_i_task_run *run,
                              const char *collected, char **text,
                              kith_error *err)
{
    kith_result *result = NULL;
    kith_local_summary *summary = NULL;
    kith_local_forecast forecast;
    kith_run description;
    *text = NULL;
    kith_status status =
        kith_local_predict(run->trace.face.invited, task->view->d,
                           &task->bounds, &task->options, &forecast, err);
    if (!status)
        status = kith_i_local_result(&task->options, task->domain, &run->trace,
                                     &run->found, &result, err);
    if (!status)
        status = kith_i_local_summarise(&run->trace, &summary, err);
    kith_run_init(&description, sizeof description);
    description.bounds = &task->bounds;
    description.local = &task->options;
    description.summary = summary;
    description.forecast = &forecast;
    description.collected = collected;
    if (!status)
        status = kith_model_text(result, &description, text, err);
    kith_local_summary_free(summary);
    kith_result_free(result);
    return status;
}

void kith_i_task_run_close(kith_i_task_run *run)
{
    kith_i_trace_close(&run->trace);
    kith_i_local_found_free(&run->found);
}

/* ---- keys of tests ---- */

void kith_i_task_test_key(const kith_task *task, uint8_t key[32])
{
    uint8_t all[24] = "testkey";
    memcpy(all + 8, task->view->id, KITH_I_TASK_BYTES);
    kith_i_digest(all, sizeof all, key);
}

void kith_i_players_seed_key(uint64_t seed, uint8_t key[32])
{
    uint8_t all[16] = "players";
    kith_i_store(seed, all + 8, 8);
    kith_i_digest(all, sizeof all, key);
}

/* ---- simulation ---- */

static kith_status check_data(const kith_task *task, const kith_dataset *data,
                              kith_error *err)
{
    if (!task->view->test)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "only a task marked as a test can be simulated: "
                           "the draw of any other is its service's secret");
    if (kith_dataset_dimension(data) != task->view->d)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the rows have %u features and the task has %u",
                           kith_dataset_dimension(data), task->view->d);
    return kith_i_crowd_check(data, err);
}

kith_status kith_task_simulate(const kith_task *task, const kith_dataset *data,
                               uint64_t seed, uint32_t threads, char **model,
                               kith_error *err)
{
    kith_i_drawing drawing;
    kith_i_collector *collector = NULL;
    kith_i_task_run run = {0};
    if (!task || !data || !model)
        return kith_i_fail_place(err);
    *model = NULL;
    const struct kith_task_view *v = task->view;
    kith_i_crowd_options crowd = {.epsilon = task->options.epsilon,
                                  .seeded = 1,
                                  .seed = seed,
                                  .threads = threads,
                                  .minimum = v->minimum ? v->minimum : 1,
                                  .draw = &drawing};
    kith_status status = check_data(task, data, err);
    if (status)
        return status;
    drawing.frame =
        (kith_i_frame){v->d, v->lower, v->upper, v->center, v->radius};
    kith_i_task_test_key(task, drawing.task_key);
    kith_i_players_seed_key(seed, drawing.run_key);
    memcpy(crowd.task, v->id, sizeof crowd.task);
    status = kith_i_collector_simulate(data, &crowd, &collector, err);
    if (!status)
        status = kith_i_task_script(task, collector, &run, err);
    if (!status)
        status = kith_i_task_model(task, &run, NULL, model, err);
    kith_i_task_run_close(&run);
    kith_i_collector_close(collector);
    return status;
}
