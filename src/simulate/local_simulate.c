/* kith_local_simulate: a dataset as a crowd, one method over it, a result. Not
 * private in the local model's own sense: whoever calls this holds the rows.
 * What comes out is what the protocol would have published. */
#include <math.h>
#include <string.h>

#include "kernel/kernel_i.h"
#include "local_run.h"
#include "noise/entropy.h"
#include "result/result_i.h"

static kith_i_local_fn *method_of(kith_local_method method)
{
    switch (method) {
    case KITH_LOCAL_AUTO:
        return kith_i_local_auto;
    case KITH_LOCAL_ONE_ROUND:
        return kith_i_local_one_round;
    case KITH_LOCAL_WEIGHTED_CENTERS:
        return kith_i_local_weighted_centers;
    case KITH_LOCAL_MEAN:
        break;
    }
    return kith_i_local_mean;
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
    kith_status status = kith_i_blas_reserve(1, err);
    if (!status)
        status = kith_i_local_bounds_make(domain, &bounds, err);
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
        int saved = kith_i_blas_single(); /* same bits whoever calls */
        status = method_of(opt->method)(&task, &trace->face, out->centers,
                                        out->weights, &out->count, err);
        kith_i_blas_restore(saved);
        if (status)
            kith_i_trace_close(trace);
    }
    for (size_t i = 0; !status && i < (size_t)out->count * d; i++)
        out->centers[i] =
            bounds.center[i % d] + bounds.radius * out->centers[i];
    kith_i_collector_close(collector);
    kith_i_local_bounds_free(&unit);
    kith_i_local_bounds_free(&bounds);
    return status;
}

kith_status kith_i_local_found_make(uint32_t k, uint32_t d,
                                    kith_i_local_found *out, kith_error *err)
{
    size_t centers = (size_t)k * d;
    out->count = 0;
    out->centers = kith_i_alloc(centers + k, sizeof *out->centers);
    if (!out->centers)
        return kith_i_fail_memory(err);
    out->weights = out->centers + centers;
    return KITH_OK;
}

void kith_i_local_found_free(kith_i_local_found *found)
{
    kith_i_free(found->centers);
    *found = (kith_i_local_found){0};
}

/* Centres in units of the domain to the lattice, inside of it. */
static void to_lattice(const kith_i_domain *domain, uint32_t k, double *centers)
{
    double step = kith_i_domain_step(domain);
    for (uint32_t j = 0; j < k; j++) {
        double *c = centers + (size_t)j * domain->dimension;
        for (uint32_t i = 0; i < domain->dimension; i++)
            c[i] = (c[i] - domain->origin[i]) / step;
        kith_i_domain_clip(domain, c);
    }
}

/* What a report costs its user. A Gaussian one has no epsilon without a delta:
 * two vectors in the unit ball are at most 2 apart, and mu says the rest. */
static kith_receipt receipt_of(const kith_i_trace_entry *e, const char *what)
{
    kith_receipt receipt = {.what = what,
                            .mechanism = e->mechanism,
                            .norm = "user",
                            .sensitivity = 1,
                            .scale = 1 / e->epsilon,
                            .measure = KITH_PURE_DP,
                            .loss = e->epsilon};
    if (e->sigma > 0) {
        receipt.norm = "l2";
        receipt.sensitivity = 2;
        receipt.scale = e->sigma;
        receipt.measure = KITH_GAUSSIAN_DP;
        receipt.loss = nextafter(2 / e->sigma, HUGE_VAL);
    }
    return receipt;
}

static kith_status add_receipts(const kith_i_trace *trace, kith_result *result,
                                kith_error *err)
{
    result->receipts = kith_i_alloc(trace->count, sizeof *result->receipts);
    if (!result->receipts)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < trace->count; i++) {
        char *what = kith_i_copy_string(trace->entries[i].what);
        if (!what)
            return kith_i_fail_memory(err);
        result->receipts[result->receipt_count++] =
            receipt_of(&trace->entries[i], what);
    }
    return KITH_OK;
}

static kith_status fill_result(const kith_local_options *opt,
                               const kith_dataset *data,
                               const kith_i_trace *trace,
                               const kith_i_local_found *found,
                               kith_result **out, kith_error *err)
{
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    kith_result *result = kith_i_result_new(found->count, domain);
    kith_status status =
        result ? add_receipts(trace, result, err) : kith_i_fail_memory(err);
    if (status) {
        kith_result_free(result);
        return status;
    }
    to_lattice(domain, found->count, found->centers);
    kith_i_result_set_centers(result, domain, found->centers);
    /* The number of users is public: the server invited them. */
    for (uint32_t j = 0; j < found->count; j++)
        result->weights[j] = found->weights[j] * (double)trace->face.invited;
    result->privacy = (kith_privacy){.epsilon = opt->epsilon,
                                     .delta = opt->delta,
                                     .neighbors = KITH_REPLACE_ONE};
    result->guarantee = opt->insecure || opt->law ? "none" : "exact";
    result->rounds = trace->rounds;
    result->public_seed = opt->public_seed;
    *out = result;
    return KITH_OK;
}

/* The law draws from a seed: a fresh one, unless the caller named one. */
static kith_status seed_law(kith_local_options *opt, kith_error *err)
{
    kith_i_entropy entropy;
    kith_i_entropy_source source = {0};
    if (!opt->law || opt->insecure)
        return KITH_OK;
    kith_i_entropy_open(&entropy, &source, 0);
    opt->insecure_seed = kith_i_entropy_word(&entropy);
    int failed = entropy.failed;
    kith_i_entropy_close(&entropy);
    return failed ? kith_i_fail(err, KITH_ERR_ENTROPY,
                                "the system's secure random generator failed: "
                                "name a seed")
                  : KITH_OK;
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
        status = seed_law(&opt, err);
    if (status)
        return status;
    status = kith_i_local_found_make(
        opt.clusters, kith_i_dataset_domain(data)->dimension, &found, err);
    if (!status)
        status = kith_i_local_execute(data, 1, &opt, &trace, &found, err);
    if (!status)
        status = fill_result(&opt, data, &trace, &found, out, err);
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
