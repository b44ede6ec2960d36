/* kith_local_simulate: a dataset as a crowd, one method over it, a result. Not
 * private in the local model's own sense: whoever calls this holds the rows.
 * What comes out is what the protocol would have published. */
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "local_run.h"
#include "noise/entropy.h"
#include "result/result_i.h"

/* ---- options --------------------------------------------------------------
 */

void kith_local_options_init(kith_local_options *opt, size_t size)
{
    kith_local_options defaults = {.method = KITH_LOCAL_AUTO,
                                   .objective = KITH_OBJECTIVE_KMEANS};
    memset(opt, 0, size);
    memcpy(opt, &defaults, size < sizeof defaults ? size : sizeof defaults);
    opt->size = size;
}

static kith_status check_options(const kith_local_options *opt, kith_error *err)
{
    int weighted = opt->method == KITH_LOCAL_WEIGHTED_CENTERS;
    if (opt->clusters == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "say how many clusters to look for");
    if (opt->method < KITH_LOCAL_AUTO || opt->method > KITH_LOCAL_MEAN ||
        (opt->objective != KITH_OBJECTIVE_KMEANS &&
         opt->objective != KITH_OBJECTIVE_KMEDIAN))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "unknown local method or objective");
    if (!(opt->epsilon > 0 && opt->epsilon <= KITH_I_LOCAL_EPSILON_MAX))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon of a user must be above 0 and at most %g",
                           KITH_I_LOCAL_EPSILON_MAX);
    if (!(opt->delta >= 0 && opt->delta < 1))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "delta must be at least 0 and below 1");
    if (!weighted &&
        (opt->paper_constants || opt->split_epsilon || opt->radii ||
         opt->repetitions || opt->e2lsh || opt->boxes))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "radii, repetitions, boxes, hashing, split epsilon "
                           "and the paper's constants belong to "
                           "weighted-centers");
    if (opt->radii > 12 || opt->repetitions > 64)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "at most 12 radii and 64 repetitions make sense");
    return KITH_OK;
}

kith_status kith_i_local_read_options(const kith_local_options *from,
                                      kith_local_options *opt, kith_error *err)
{
    if (!from || from->size < sizeof from->size)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "start from kith_local_options_init");
    kith_local_options_init(opt, sizeof *opt);
    memcpy(opt, from, from->size < sizeof *opt ? from->size : sizeof *opt);
    opt->method = opt->method ? opt->method : KITH_LOCAL_AUTO;
    opt->objective = opt->objective ? opt->objective : KITH_OBJECTIVE_KMEANS;
    return check_options(opt, err);
}

/* ---- bounds ---------------------------------------------------------------
 */

kith_status kith_i_local_bounds_make(const kith_i_domain *domain,
                                     kith_i_local_bounds *out, kith_error *err)
{
    size_t d = domain->dimension;
    double *numbers = kith_i_alloc(3 * d, sizeof *numbers), square = 0,
           widest = 0;
    if (!numbers)
        return kith_i_fail_memory(err);
    *out = (kith_i_local_bounds){numbers, numbers + d, numbers + 2 * d, 0};
    for (size_t i = 0; i < d; i++) {
        double low = domain->low ? domain->low[i] : -HUGE_VAL;
        double high = domain->high ? domain->high[i] : HUGE_VAL;
        if (domain->radius > 0) {
            low = fmax(low, domain->origin[i] - domain->radius);
            high = fmin(high, domain->origin[i] + domain->radius);
        }
        out->lower[i] = low;
        out->upper[i] = fmax(low, high);
        out->center[i] =
            domain->radius > 0 ? domain->origin[i] : low / 2 + high / 2;
        widest = fmax(widest, high / 2 - low / 2);
    }
    for (size_t i = 0; widest > 0 && i < d; i++)
        square += pow((out->upper[i] / 2 - out->lower[i] / 2) / widest, 2);
    out->radius = domain->radius > 0 ? domain->radius : widest * sqrt(square);
    if (out->radius > 0)
        return KITH_OK;
    kith_i_local_bounds_free(out);
    return kith_i_fail(err, KITH_ERR_PRIVACY,
                       "the bounds leave room for one point only: nothing is "
                       "left to ask");
}

void kith_i_local_bounds_free(kith_i_local_bounds *bounds)
{
    kith_i_free(bounds->lower);
    *bounds = (kith_i_local_bounds){0};
}

void kith_i_local_task_make(const kith_local_options *opt,
                            const kith_i_local_bounds *bounds, uint32_t d,
                            kith_i_local_task *out)
{
    *out =
        (kith_i_local_task){.k = opt->clusters,
                            .d = d,
                            .epsilon = opt->epsilon,
                            .delta = opt->delta,
                            .median = opt->objective == KITH_OBJECTIVE_KMEDIAN,
                            .lower = bounds->lower,
                            .upper = bounds->upper,
                            .center = bounds->center,
                            .radius = bounds->radius,
                            .public_seed = opt->public_seed,
                            .paper_constants = opt->paper_constants,
                            .split_epsilon = opt->split_epsilon,
                            .radii = opt->radii,
                            .repetitions = opt->repetitions,
                            .e2lsh = opt->e2lsh,
                            .boxes = opt->boxes};
}

/* ---- a run ----------------------------------------------------------------
 */

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

/* The same bounds in their own frame: the unit ball about 0. */
static kith_status unit_bounds(const kith_i_local_bounds *from, size_t d,
                               kith_i_local_bounds *to, kith_error *err)
{
    double *numbers = kith_i_alloc(3 * d, sizeof *numbers);
    if (!numbers)
        return kith_i_fail_memory(err);
    *to = (kith_i_local_bounds){numbers, numbers + d, numbers + 2 * d, 1};
    for (size_t i = 0; i < d; i++) {
        to->lower[i] = (from->lower[i] - from->center[i]) / from->radius;
        to->upper[i] = (from->upper[i] - from->center[i]) / from->radius;
    }
    return KITH_OK;
}

/* The name of a task: a digest of what is public about it, so that neither its
 * frame nor its promise can be changed under a device that has joined. */
static void name_task(const kith_local_options *opt,
                      const kith_i_local_bounds *bounds, uint32_t d,
                      uint8_t task[KITH_I_TASK_BYTES])
{
    double numbers[] = {opt->epsilon, opt->delta, bounds->radius};
    uint64_t counts[] = {opt->public_seed, opt->clusters, d,
                         (uint64_t)opt->method, (uint64_t)opt->objective};
    uint8_t digest[KITH_I_DIGEST_BYTES],
        all[KITH_I_DIGEST_BYTES + sizeof numbers + sizeof counts];
    kith_i_digest(bounds->lower, 3 * (size_t)d * sizeof(double), digest);
    memcpy(all, digest, sizeof digest);
    memcpy(all + sizeof digest, numbers, sizeof numbers);
    memcpy(all + sizeof digest + sizeof numbers, counts, sizeof counts);
    kith_i_digest(all, sizeof all, digest);
    memcpy(task, digest, KITH_I_TASK_BYTES);
}

kith_status kith_i_local_execute(const kith_dataset *data, uint64_t copies,
                                 const kith_local_options *opt,
                                 kith_i_trace *trace, double *centers,
                                 double *weights, uint32_t *found,
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
    name_task(opt, &bounds, d, crowd.task);
    status = unit_bounds(&bounds, d, &unit, err);
    if (!status) {
        kith_i_local_task_make(opt, &unit, d, &task);
        status = opt->law
                     ? kith_i_collector_law(data, &crowd, &collector, err)
                     : kith_i_collector_simulate(data, &crowd, &collector, err);
    }
    if (!status) {
        kith_i_trace_open(trace, collector, opt->epsilon, opt->delta);
        status = method_of(opt->method)(&task, &trace->face, centers, weights,
                                        found, err);
        if (status)
            kith_i_trace_close(trace);
    }
    for (size_t i = 0; !status && i < (size_t)*found * d; i++)
        centers[i] = bounds.center[i % d] + bounds.radius * centers[i];
    kith_i_collector_close(collector);
    kith_i_local_bounds_free(&unit);
    kith_i_local_bounds_free(&bounds);
    return status;
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
                               const kith_i_trace *trace, uint32_t found,
                               double *centers, const double *weights,
                               kith_result **out, kith_error *err)
{
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    kith_result *result = kith_i_result_new(found, domain);
    kith_status status =
        result ? add_receipts(trace, result, err) : kith_i_fail_memory(err);
    if (status) {
        kith_result_free(result);
        return status;
    }
    to_lattice(domain, found, centers);
    kith_i_result_set_centers(result, domain, centers);
    /* The number of users is public: the server invited them. */
    for (uint32_t j = 0; j < found; j++)
        result->weights[j] = weights[j] * (double)trace->face.invited;
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
    uint32_t found = 0;
    if (!data || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a dataset and a place for the result are needed");
    *out = NULL;
    kith_status status = kith_i_local_read_options(options, &opt, err);
    if (!status)
        status = seed_law(&opt, err);
    if (status)
        return status;
    size_t k = opt.clusters, d = kith_i_dataset_domain(data)->dimension;
    double *centers = kith_i_alloc(k * d, sizeof *centers);
    double *weights = kith_i_alloc(k, sizeof *weights);
    if (!centers || !weights)
        status = kith_i_fail_memory(err);
    if (!status)
        status = kith_i_local_execute(data, 1, &opt, &trace, centers, weights,
                                      &found, err);
    if (!status)
        status =
            fill_result(&opt, data, &trace, found, centers, weights, out, err);
    if (!status && summary) {
        status = kith_i_local_summarise(&trace, summary, err);
        if (status) {
            kith_result_free(*out);
            *out = NULL;
        }
    }
    kith_i_trace_close(&trace);
    kith_i_free(centers);
    kith_i_free(weights);
    return status;
}
