/* The result of a local run, from what its script found. */
#include <math.h>

#include "local_run.h"
#include "result/result_i.h"

kith_status kith_i_local_found_make(uint32_t k, uint32_t d,
                                    kith_i_local_found *out, kith_error *err)
{
    size_t centers = (size_t)k * d;
    *out = (kith_i_local_found){
        .verdict = {.gain_sd = HUGE_VAL, .mean_error = (double)NAN}};
    out->centers = kith_i_alloc(centers + 2 * (size_t)k, sizeof *out->centers);
    if (!out->centers)
        return kith_i_fail_memory(err);
    out->weights = out->centers + centers;
    out->verdict.weight_sd = out->weights + k;
    for (uint32_t j = 0; j < k; j++)
        out->verdict.weight_sd[j] = (double)NAN;
    return KITH_OK;
}

void kith_i_local_found_place(kith_i_local_found *found, uint32_t d,
                              const double *center, double radius)
{
    for (size_t i = 0; i < (size_t)found->count * d; i++)
        found->centers[i] = center[i % d] + radius * found->centers[i];
    kith_i_local_verdict *v = &found->verdict;
    double unit = v->median ? radius : radius * radius;
    v->gain *= unit;
    v->gain_sd *= unit;
    v->mean_error *= radius;
    for (uint32_t i = 0; i < v->others; i++) {
        v->other[i].gain *= unit;
        v->other[i].sd *= unit;
    }
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

/* What `auto` knows of its own answer; shares become numbers of users. */
static kith_status add_verdict(const kith_i_local_found *found, double users,
                               kith_result *result, kith_error *err)
{
    const kith_i_local_verdict *v = &found->verdict;
    result->weight_sds = kith_i_alloc(found->count, sizeof *result->weight_sds);
    if (!result->weight_sds)
        return kith_i_fail_memory(err);
    for (uint32_t j = 0; j < found->count; j++)
        result->weight_sds[j] = v->weight_sd[j] * users;
    int asked = isfinite(v->gain_sd);
    result->mean_gain = asked ? v->gain : (double)NAN;
    result->mean_gain_sd = asked ? v->gain_sd : (double)NAN;
    result->lost_to_mean = v->lost;
    result->asked = v->asked;
    result->mean_error = v->mean_error;
    result->misfit = isfinite(v->excess) ? v->excess : (double)NAN;
    int known = isfinite(v->unexplained_sd);
    result->unexplained = known ? v->unexplained : (double)NAN;
    result->unexplained_sd = known ? v->unexplained_sd : (double)NAN;
    result->last.count = v->others;
    result->last.first = v->first;
    result->last.won = v->won;
    for (uint32_t i = 0; i < v->others; i++)
        result->last.other[i] = (kith_i_other_answer){
            v->other[i].name, v->other[i].gain, v->other[i].sd};
    return KITH_OK;
}

kith_status kith_i_local_result(const kith_local_options *opt,
                                const kith_i_domain *domain,
                                const kith_i_trace *trace,
                                const kith_i_local_found *found,
                                kith_result **out, kith_error *err)
{
    kith_result *result = kith_i_result_new(found->count, domain);
    kith_status status =
        result ? add_receipts(trace, result, err) : kith_i_fail_memory(err);
    if (!status && opt->method == KITH_LOCAL_AUTO)
        status = add_verdict(found, (double)trace->face.invited, result, err);
    if (status) {
        kith_result_free(result);
        return status;
    }
    result->reach =
        sqrt((double)domain->l2_squared) * kith_i_domain_step(domain);
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
