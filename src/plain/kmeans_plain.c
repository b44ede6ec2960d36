/* Non-private k-means over a dataset, for comparison: greedy k-means++ and
 * Lloyd to convergence, best of several starts. NOT private: it looks at the
 * rows without the gate.
 *
 * Distances are exact integers on the lattice and so are their sums, so a
 * seed gives the same result for every number of threads. */
#include <string.h>

#include "cluster/result_i.h"
#include "data/fold.h"
#include "kith/plain.h"
#include "plain_i.h"

static void visit_lloyd(void *arg, uint32_t worker, uint64_t first,
                        const kith_i_block *block)
{
    kith_i_plain_run *s = arg;
    kith_i_plain_worker *w = &s->worker[worker];
    kith_i_assign_block(&s->centers, block, w->scratch, w->labels, w->score);
    kith_i_accumulate_rows(block, w->labels, s->k, w->sums, w->counts);
    for (uint32_t r = 0; r < block->rows; r++) {
        uint64_t at = first + r;
        s->near[0][at] = kith_i_plain_distance(s->norm[at], w->score[r]);
        w->totals[0] += s->near[0][at];
    }
}

static kith_i_u128 merge_workers(kith_i_plain_run *s)
{
    size_t coords = (size_t)s->k * s->d;
    kith_i_u128 cost = 0;
    memset(s->sums, 0, coords * sizeof *s->sums);
    memset(s->counts, 0, s->k * sizeof *s->counts);
    for (uint32_t i = 0; i < s->workers; i++) {
        kith_i_plain_worker *w = &s->worker[i];
        for (size_t t = 0; t < coords; t++)
            s->sums[t] += w->sums[t];
        for (uint32_t j = 0; j < s->k; j++)
            s->counts[j] += w->counts[j];
        cost += w->totals[0];
        memset(w->sums, 0, coords * sizeof *w->sums);
        memset(w->counts, 0, s->k * sizeof *w->counts);
        w->totals[0] = 0;
    }
    return cost;
}

/* Centres without rows go to the rows that are farthest from any centre, the
 * first of equals; they stay if every row sits on a centre. */
static void move_empty(kith_i_plain_run *s)
{
    uint64_t *near = s->near[0];
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t far = 0;
        if (s->counts[j] > 0)
            continue;
        for (uint64_t i = 1; i < s->n; i++)
            far = near[i] > near[far] ? i : far;
        if (s->n == 0 || near[far] == 0)
            break;
        near[far] = 0;
        s->wanted[count++] = far;
    }
    if (count == 0)
        return;
    kith_i_plain_fetch(s, count);
    for (uint32_t j = 0, c = 0; j < s->k && c < count; j++)
        if (s->counts[j] == 0)
            memcpy(s->real + (size_t)j * s->d, s->fetched + (size_t)c++ * s->d,
                   s->d * sizeof *s->real);
}

int kith_i_plain_round(kith_i_plain_run *s, kith_i_u128 *cost)
{
    size_t d = s->d, coords = s->k * d;
    memcpy(s->previous, s->centers.coords, coords * sizeof *s->previous);
    kith_i_fold(s->data, s->workers, visit_lloyd, s);
    *cost = merge_workers(s);
    for (uint32_t j = 0; j < s->k; j++)
        for (size_t i = 0; s->counts[j] > 0 && i < d; i++)
            s->real[j * d + i] =
                (double)s->sums[j * d + i] / (double)s->counts[j];
    move_empty(s);
    kith_i_centers_set(&s->centers, s->real);
    return memcmp(s->previous, s->centers.coords,
                  coords * sizeof *s->previous) != 0;
}

static int cancelled(const kith_plain_options *opt, uint32_t start,
                     uint32_t round)
{
    return opt->progress &&
           opt->progress(opt->progress_arg, start * opt->max_rounds + round,
                         opt->starts * opt->max_rounds);
}

static kith_status run_starts(kith_i_plain_run *s,
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
        for (int moved = 1; moved && round < opt->max_rounds;) {
            moved = kith_i_plain_round(s, &cost);
            round++;
            if (cancelled(opt, start, moved ? round : opt->max_rounds))
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

void kith_plain_options_init(kith_plain_options *opt, size_t size)
{
    memset(opt, 0, size);
    opt->size = size;
}

kith_status kith_i_plain_read_options(const kith_plain_options *from,
                                      kith_plain_options *opt, kith_error *err)
{
    memset(opt, 0, sizeof *opt);
    if (!from || from->size < sizeof from->size)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "start from kith_plain_options_init");
    memcpy(opt, from, from->size < sizeof *opt ? from->size : sizeof *opt);
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

kith_status kith_plain_kmeans(const kith_dataset *data,
                              const kith_plain_options *options,
                              kith_result **out, kith_error *err)
{
    kith_plain_options opt;
    if (!data || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a dataset and a place for the result are needed");
    *out = NULL;
    kith_status status = kith_i_plain_read_options(options, &opt, err);
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
    if (!result || !best || !kith_i_plain_alloc(&s)) {
        status = kith_i_fail_memory(err);
    } else {
        kith_i_plain_measure(&s);
        status = run_starts(&s, &opt, result, best, err);
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
    kith_i_plain_free(&s);
    return status;
}
