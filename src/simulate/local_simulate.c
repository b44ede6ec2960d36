/* kith_local_simulate: a dataset as a crowd, one method over it, a result. Not
 * private in the local model's own sense: whoever calls this holds the rows.
 * What comes out is what the protocol would have published. */
#include <string.h>

#include "crowd.h"
#include "data/fold.h"
#include "kernel/kernel_i.h"
#include "local_run.h"
#include "noise/secret.h"

static kith_i_local_fn *method_of(kith_local_method method)
{
    switch (method) {
    case KITH_LOCAL_ONE_ROUND:
        return kith_i_local_one_round;
    case KITH_LOCAL_WEIGHTED_CENTERS:
        return kith_i_local_weighted_centers;
    case KITH_LOCAL_MEAN:
    case KITH_LOCAL_AUTO: /* has a verdict, and a function of its own */
        break;
    }
    return kith_i_local_mean;
}

kith_status kith_i_local_script(kith_local_method method,
                                const kith_i_local_task *task,
                                kith_i_trace *trace, kith_i_local_found *out,
                                kith_error *err)
{
    kith_status status = kith_i_blas_reserve(1, err);
    if (status)
        return status;
    int saved = kith_i_blas_single(); /* same bits whoever calls */
    status =
        method == KITH_LOCAL_AUTO
            ? kith_i_local_auto(task, &trace->face, out->centers, out->weights,
                                &out->count, &out->verdict, err)
            : method_of(method)(task, &trace->face, out->centers, out->weights,
                                &out->count, err);
    kith_i_blas_restore(saved);
    return status;
}

/* The smallest group that the simulated server estimates anything from. */
enum { LEAST_GROUP = 1 };

kith_status kith_i_local_execute(const kith_dataset *data, uint64_t copies,
                                 const kith_local_options *opt,
                                 kith_i_trace *trace, kith_i_local_found *out,
                                 kith_error *err)
{
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    kith_i_crowd_options crowd = {.epsilon = opt->epsilon,
                                  .delta = opt->delta,
                                  .group_seed = opt->public_seed,
                                  .seeded = opt->insecure || opt->law,
                                  .seed = opt->insecure_seed,
                                  .threads = opt->threads,
                                  .minimum = LEAST_GROUP,
                                  .progress = opt->progress,
                                  .progress_arg = opt->progress_arg,
                                  .copies = opt->law ? copies : 1};
    kith_i_local_bounds bounds, unit = {0};
    kith_i_collector *collector = NULL;
    kith_i_local_task task;
    uint32_t d = domain->dimension;
    kith_status status = kith_i_local_bounds_make(domain, &bounds, err);
    if (status)
        return status;
    crowd.frame_center = bounds.center;
    crowd.frame_radius = bounds.radius;
    kith_i_local_name_task(opt, &bounds, d, crowd.task);
    status = kith_i_local_unit_bounds(&bounds, d, &unit, err);
    if (!status) {
        kith_i_local_task_make(opt, &unit, d, &task);
        status = opt->law
                     ? kith_i_collector_law(data, &crowd, &collector, err)
                     : kith_i_collector_simulate(data, &crowd, &collector, err);
    }
    if (!status) {
        kith_i_trace_open(trace, collector, opt->epsilon, opt->delta);
        kith_i_watch *watch = &((kith_i_crowd *)collector)->watch;
        kith_i_watching before = kith_i_watch_enter(watch);
        status = kith_i_local_script(opt->method, &task, trace, out, err);
        kith_i_watch_leave(before);
        kith_status stopped = kith_i_watch_check(watch, err);
        status = stopped ? stopped : status;
        if (status)
            kith_i_trace_close(trace);
    }
    if (!status)
        kith_i_local_found_place(out, d, bounds.center, bounds.radius);
    kith_i_collector_close(collector);
    kith_i_local_bounds_free(&unit);
    kith_i_local_bounds_free(&bounds);
    return status;
}

/* The law draws from a seed: a fresh one, unless the caller named one. */
static kith_status seed_law(kith_local_options *opt, kith_error *err)
{
    if (!opt->law || opt->insecure)
        return KITH_OK;
    return kith_i_secret_bytes(&opt->insecure_seed, sizeof opt->insecure_seed,
                               err);
}

kith_status kith_local_simulate(const kith_dataset *data,
                                const kith_local_options *options,
                                kith_result **out, kith_local_summary **summary,
                                kith_error *err)
{
    kith_local_options opt;
    kith_i_trace trace = {0};
    kith_i_local_found found = {0};
    if (!data || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a dataset and a place for the result are needed");
    *out = NULL;
    kith_status status = kith_i_local_read_options(options, &opt, err);
    if (!status)
        status = kith_i_dataset_need_memory(data, err);
    if (!status)
        status = kith_i_crowd_check(data, err);
    if (!status)
        status = seed_law(&opt, err);
    if (status)
        return status;
    status = kith_i_local_found_make(
        opt.clusters, kith_i_dataset_domain(data)->dimension, &found, err);
    if (!status)
        status = kith_i_local_execute(data, 1, &opt, &trace, &found, err);
    if (!status)
        status = kith_i_local_result(&opt, kith_i_dataset_domain(data), &trace,
                                     &found, out, err);
    if (!status && summary) {
        status = kith_i_local_summarise(&trace, summary, err);
        if (status) {
            kith_result_free(*out);
            *out = NULL;
        }
    }
    kith_i_trace_close(&trace);
    kith_i_local_found_free(&found);
    return status;
}
