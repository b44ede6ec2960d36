/* What non-private k-means and k-median share: options, and the best of several
 * starts. NOT private: it looks at the rows without the gate. */
#include <string.h>

#include "base/options.h"
#include "data/fold.h"
#include "kith/plain.h"
#include "plain_i.h"
#include "result/result_i.h"

void kith_plain_options_init(kith_plain_options *opt, size_t size)
{
    kith_i_options_init(opt, size, NULL, 0);
}

/* Copy and check; the defaults are filled in. */
static kith_status read_options(const kith_plain_options *from,
                                kith_plain_options *opt, kith_error *err)
{
    kith_plain_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(from, "kith_plain_options_init",
                                             sizeof *opt, opt, err);
    if (status)
        return status;
    if (opt->clusters == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "say how many clusters to look for");
    opt->starts = opt->starts ? opt->starts : 1;
    opt->max_rounds = opt->max_rounds ? opt->max_rounds : 300;
    if ((uint64_t)opt->starts * opt->max_rounds > UINT32_MAX)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "starts times rounds is too large: ask for fewer");
    return KITH_OK;
}

static int cancelled(const kith_plain_options *opt, uint32_t start,
                     uint32_t round)
{
    return opt->progress &&
           opt->progress(opt->progress_arg, start * opt->max_rounds + round,
                         opt->starts * opt->max_rounds);
}

static kith_status run_starts(kith_i_plain_run *s,
                              const kith_i_plain_method *method,
                              const kith_plain_options *opt,
                              kith_result *result, double *best,
                              kith_error *err)
{
    kith_i_u128 best_cost = 0;
    for (uint32_t start = 0; start < opt->starts; start++) {
        kith_i_coins coins;
        kith_i_u128 cost = 0;
        uint32_t round = 0;
        kith_i_coins_seed(&coins, opt->seed, start);
        if (s->n)
            kith_i_plain_seed(s, &coins);
        kith_i_centers_set(&s->centers, s->real);
        for (int more = 1; more && round < opt->max_rounds;) {
            round++;
            more = method->round(s, method->arg, round,
                                 round == opt->max_rounds, &cost);
            if (cancelled(opt, start, more ? round : opt->max_rounds))
                return kith_i_fail(err, KITH_ERR_CANCELLED,
                                   "the run was cancelled");
        }
        if (start > 0 && cost >= best_cost)
            continue;
        best_cost = cost;
        result->rounds = round;
        memcpy(best, s->real, (size_t)s->k * s->d * sizeof *best);
        for (uint32_t j = 0; j < s->k; j++)
            result->weights[j] = (double)s->counts[j];
    }
    return KITH_OK;
}

kith_status kith_i_plain_cluster(const kith_dataset *data,
                                 const kith_plain_options *options,
                                 const kith_i_plain_method *method,
                                 kith_result **out, kith_error *err)
{
    kith_plain_options opt;
    if (!data || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a dataset and a place for the result are needed");
    *out = NULL;
    kith_status status = read_options(options, &opt, err);
    if (!status)
        status = kith_i_dataset_need_memory(data, err);
    if (!status)
        status = kith_i_blas_reserve(kith_i_thread_count(opt.threads), err);
    if (status)
        return status;
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    kith_i_plain_run s = {.data = data,
                          .n = kith_i_dataset_rows(data),
                          .k = opt.clusters,
                          .d = domain->dimension,
                          .workers = kith_i_thread_count(opt.threads),
                          .candidates = kith_i_seed_candidates(opt.clusters)};
    s.centers = (kith_i_centers){.k = s.k, .d = s.d, .sparse = domain->sparse};
    kith_result *result = kith_i_result_new(s.k, domain);
    double *best = kith_i_alloc((size_t)s.k * s.d, sizeof *best);
    int saved = kith_i_blas_single();
    if (!result || !best || !kith_i_plain_alloc(&s) ||
        (method->open && !method->open(&s, method->arg))) {
        status = kith_i_fail_memory(err);
    } else {
        kith_i_plain_measure(&s);
        status = run_starts(&s, method, &opt, result, best, err);
    }
    if (!status) {
        result->public_seed = opt.seed;
        kith_i_result_set_centers(result, domain, best);
        status = kith_i_result_advise(result, domain, err);
    }
    if (status)
        kith_result_free(result);
    else
        *out = result;
    kith_i_blas_restore(saved);
    kith_i_free(best);
    if (method->close)
        method->close(&s, method->arg);
    kith_i_plain_free(&s);
    return status;
}
