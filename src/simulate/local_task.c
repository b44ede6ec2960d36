/* A task from the caller's options and bounds: checked, in its own frame, and
 * named by what is public about it. */
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/options.h"
#include "local_run.h"

/* ---- options ---- */

void kith_local_options_init(kith_local_options *opt, size_t size)
{
    kith_local_options fresh = {.method = KITH_LOCAL_AUTO,
                                .objective = KITH_OBJECTIVE_KMEANS};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
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
         opt->repetitions || opt->e2lsh || opt->boxes || opt->nearest_weights))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "radii, repetitions, boxes, hashing, split epsilon, "
                           "the rule for weights and the paper's constants "
                           "belong to weighted-centers");
    if (opt->radii > 12 || opt->repetitions > 64)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "at most 12 radii and 64 repetitions make sense");
    return KITH_OK;
}

kith_status kith_i_local_read_options(const kith_local_options *from,
                                      kith_local_options *opt, kith_error *err)
{
    kith_local_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(from, "kith_local_options_init",
                                             sizeof *opt, opt, err);
    if (status)
        return status;
    opt->method = opt->method ? opt->method : KITH_LOCAL_AUTO;
    opt->objective = opt->objective ? opt->objective : KITH_OBJECTIVE_KMEANS;
    return check_options(opt, err);
}

/* ---- bounds ---- */

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
                            .boxes = opt->boxes,
                            .nearest_weights = opt->nearest_weights};
}

kith_status kith_i_local_unit_bounds(const kith_i_local_bounds *from, size_t d,
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

void kith_i_local_name_task(const kith_local_options *opt,
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
