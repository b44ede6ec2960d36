/* Non-private k-median over a dataset, for comparison: greedy k-means++, a few
 * rounds of Lloyd, then Weiszfeld's steps with the rows assigned anew each
 * time, best of several starts. NOT private: it looks at the rows without the
 * gate.
 *
 * Each row's part is truncated to integers, so that a seed gives the same
 * result for every number of threads. The part of a sparse row is made of its
 * entries alone: the sum of (x - c)/|x - c| is that of x/|x - c| less c times
 * that of 1/|x - c|. */
#include <math.h>
#include <string.h>

#include "cluster/result_i.h"
#include "data/fold.h"
#include "kith/plain.h"
#include "plain_i.h"

enum { LLOYD_ROUNDS = 5 };

/* Fixed point: of a unit vector, of 1/distance, of a distance. */
static const double UNIT = 0x1p20, INVERSE = 0x1p30, DISTANCE = 0x1p10;

typedef struct {
    kith_i_plain_run plain;
    int64_t **pulls; /* per worker: k sums of 1/distance */
    int32_t **values;
} median_run;

static void visit_sparse(void *arg, uint32_t worker, uint64_t first,
                         const kith_i_block *block)
{
    median_run *m = arg;
    kith_i_plain_run *s = &m->plain;
    kith_i_plain_worker *w = &s->worker[worker];
    kith_i_pull pull = {
        .centers = &s->centers, .tau = 1, .unit = UNIT, .inverse = INVERSE};
    (void)first;
    kith_i_pull_block(&pull, block, w->scratch, w->labels, NULL);
    for (uint32_t r = 0; r < block->rows; r++) {
        uint32_t j = w->labels[r];
        double distance = sqrt(kith_i_row_square(block, r) + w->scratch[r]);
        double length = fmax(distance, pull.tau);
        int64_t *sums = w->sums + (size_t)j * s->d;
        for (uint32_t t = block->start[r]; t < block->start[r + 1]; t++)
            sums[block->index[t]] += (int64_t)(block->value[t] * UNIT / length);
        w->counts[j]++;
        m->pulls[worker][j] += (int64_t)(INVERSE / length);
        w->totals[0] += (uint64_t)(distance * DISTANCE);
    }
}

static void visit_median(void *arg, uint32_t worker, uint64_t first,
                         const kith_i_block *block)
{
    median_run *m = arg;
    kith_i_plain_run *s = &m->plain;
    kith_i_plain_worker *w = &s->worker[worker];
    size_t d = s->d;
    kith_i_pull pull = {
        .centers = &s->centers, .tau = 1, .unit = UNIT, .inverse = INVERSE};
    int32_t *values = m->values[worker];
    kith_i_pull_block(&pull, block, w->scratch, w->labels, values);
    (void)first;
    for (uint32_t r = 0; r < block->rows; r++) {
        const int32_t *v = values + r * (d + 1);
        uint32_t j = w->labels[r];
        for (size_t i = 0; i < d; i++)
            w->sums[j * d + i] += v[i];
        w->counts[j]++;
        m->pulls[worker][j] += v[d];
        double square =
            kith_i_row_square(block, r) + w->scratch[r]; /* its score */
        w->totals[0] += (uint64_t)(sqrt(square) * DISTANCE);
    }
}

/* One round; *cost: of the centres before the move. */
static void median_round(median_run *m, kith_i_u128 *cost)
{
    kith_i_plain_run *s = &m->plain;
    size_t d = s->d, coords = s->k * d;
    int sparse = s->centers.sparse;
    kith_i_fold(s->data, s->workers, sparse ? visit_sparse : visit_median, m);
    memset(s->sums, 0, coords * sizeof *s->sums);
    memset(s->counts, 0, s->k * sizeof *s->counts);
    *cost = 0;
    for (uint32_t i = 1; i < s->workers; i++)
        for (uint32_t j = 0; j < s->k; j++) {
            m->pulls[0][j] += m->pulls[i][j];
            m->pulls[i][j] = 0;
        }
    for (uint32_t i = 0; i < s->workers; i++) {
        kith_i_plain_worker *w = &s->worker[i];
        for (size_t t = 0; t < coords; t++)
            s->sums[t] += w->sums[t];
        for (uint32_t j = 0; j < s->k; j++)
            s->counts[j] += w->counts[j];
        *cost += w->totals[0];
        memset(w->sums, 0, coords * sizeof *w->sums);
        memset(w->counts, 0, s->k * sizeof *w->counts);
        w->totals[0] = 0;
    }
    for (uint32_t j = 0; j < s->k; j++) {
        double pulls = (double)m->pulls[0][j] / INVERSE;
        m->pulls[0][j] = 0;
        for (size_t i = 0; pulls > 0 && i < d; i++)
            s->real[j * d + i] = (sparse ? 0 : s->real[j * d + i]) +
                                 (double)s->sums[j * d + i] / UNIT / pulls;
    }
    kith_i_centers_set(&s->centers, s->real);
}

static int cancelled(const kith_plain_options *opt, uint32_t start,
                     uint32_t round)
{
    return opt->progress &&
           opt->progress(opt->progress_arg, start * opt->max_rounds + round,
                         opt->starts * opt->max_rounds);
}

/* Lloyd, then k-median, until a round gains less than a millionth. *best_cost,
 * best, result: of the best start so far. */
static kith_status run_start(median_run *m, const kith_plain_options *opt,
                             uint32_t start, kith_result *result,
                             kith_i_u128 *best_cost, double *best,
                             kith_error *err)
{
    kith_i_plain_run *s = &m->plain;
    kith_i_coins coins;
    kith_i_u128 cost = 0, before = 0;
    uint32_t round = 0;
    kith_i_coins_seed(&coins, opt->seed, start);
    if (s->n)
        kith_i_plain_seed(s, &coins);
    kith_i_centers_set(&s->centers, s->real);
    for (int more = 1; more && round < opt->max_rounds;) {
        round++;
        if (round <= LLOYD_ROUNDS && round < opt->max_rounds) {
            more = s->n > 0;
            (void)kith_i_plain_round(s, &cost);
            before = 0; /* another objective */
        } else {
            median_round(m, &cost);
            more = before == 0 ||
                   (cost < before && (before - cost) > before / 1000000);
            before = cost;
        }
        if (cancelled(opt, start, more ? round : opt->max_rounds))
            return kith_i_fail(err, KITH_ERR_CANCELLED,
                               "the run was cancelled");
    }
    if (start > 0 && cost >= *best_cost)
        return KITH_OK;
    *best_cost = cost;
    result->rounds = round;
    memcpy(best, s->real, (size_t)s->k * s->d * sizeof *best);
    for (uint32_t j = 0; j < s->k; j++)
        result->weights[j] = (double)s->counts[j];
    return KITH_OK;
}

static int median_alloc(median_run *m)
{
    kith_i_plain_run *s = &m->plain;
    size_t values =
        s->centers.sparse
            ? 0
            : (size_t)kith_i_dataset_block_rows(s->data) * ((size_t)s->d + 1);
    size_t scratch = kith_i_pull_scratch(s->k, s->d, s->centers.sparse);
    int ok = kith_i_plain_alloc(s);
    m->pulls = kith_i_alloc(s->workers, sizeof *m->pulls);
    m->values = kith_i_alloc(s->workers, sizeof *m->values);
    ok = ok && m->pulls && m->values;
    for (uint32_t i = 0; ok && i < s->workers; i++) {
        /* room for seeding, or for pulls: whichever is more */
        size_t more =
            scratch + kith_i_assign_scratch(KITH_I_BLOCK_ROWS, s->candidates,
                                            s->d, s->centers.sparse);
        kith_i_free(s->worker[i].scratch);
        s->worker[i].scratch = kith_i_alloc(more, sizeof(double));
        m->pulls[i] = kith_i_alloc(s->k, sizeof **m->pulls);
        m->values[i] = kith_i_alloc(values, sizeof **m->values);
        ok = s->worker[i].scratch && m->pulls[i] && m->values[i];
    }
    return ok;
}

static void median_free(median_run *m)
{
    for (uint32_t i = 0; m->pulls && i < m->plain.workers; i++)
        kith_i_free(m->pulls[i]);
    for (uint32_t i = 0; m->values && i < m->plain.workers; i++)
        kith_i_free(m->values[i]);
    kith_i_free(m->pulls);
    kith_i_free(m->values);
    kith_i_plain_free(&m->plain);
}

kith_status kith_plain_kmedian(const kith_dataset *data,
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
    median_run m = {
        .plain = {.data = data,
                  .n = kith_i_dataset_rows(data),
                  .k = opt.clusters,
                  .d = domain->dimension,
                  .workers = kith_i_thread_count(opt.threads),
                  .candidates = kith_i_seed_candidates(opt.clusters),
                  .centers = {.k = opt.clusters,
                              .d = domain->dimension,
                              .sparse = domain->sparse}}};
    kith_result *result = kith_i_result_new(m.plain.k, domain);
    double *best = kith_i_alloc((size_t)m.plain.k * m.plain.d, sizeof *best);
    kith_i_u128 best_cost = 0;
    int saved = kith_i_blas_single();
    if (!result || !best || !median_alloc(&m))
        status = kith_i_fail_memory(err);
    if (!status)
        kith_i_plain_measure(&m.plain);
    for (uint32_t start = 0; !status && start < opt.starts; start++)
        status = run_start(&m, &opt, start, result, &best_cost, best, err);
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
    median_free(&m);
    return status;
}
