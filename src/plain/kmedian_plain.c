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

#include "data/fold.h"
#include "kith/plain.h"
#include "plain_i.h"

enum { LLOYD_ROUNDS = 5 };

/* Fixed point: of a unit vector, of 1/distance, of a distance. */
static const double UNIT = 0x1p20, INVERSE = 0x1p30, DISTANCE = 0x1p10;

typedef struct {
    kith_i_plain_run *plain;
    kith_i_u128 before; /* the cost a round before; 0: none of this kind */
    int64_t **pulls;    /* per worker: k sums of 1/distance */
    int32_t **values;
} median_run;

static void visit_sparse(void *arg, uint32_t worker, uint64_t first,
                         const kith_i_block *block)
{
    median_run *m = arg;
    kith_i_plain_run *s = m->plain;
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
    kith_i_plain_run *s = m->plain;
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
    kith_i_plain_run *s = m->plain;
    size_t d = s->d;
    int sparse = s->centers.sparse;
    kith_i_fold(s->data, s->workers, sparse ? visit_sparse : visit_median, m);
    *cost = kith_i_plain_merge(s);
    for (uint32_t i = 1; i < s->workers; i++)
        for (uint32_t j = 0; j < s->k; j++) {
            m->pulls[0][j] += m->pulls[i][j];
            m->pulls[i][j] = 0;
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

/* Lloyd, then k-median, until a round gains less than a millionth. */
static int next_round(kith_i_plain_run *s, void *arg, uint32_t number, int last,
                      kith_i_u128 *cost)
{
    median_run *m = arg;
    if (number <= LLOYD_ROUNDS && !last) {
        (void)kith_i_plain_round(s, cost);
        m->before = 0; /* another objective */
        return s->n > 0;
    }
    kith_i_u128 before = number == 1 ? 0 : m->before;
    median_round(m, cost);
    m->before = *cost;
    return before == 0 || (*cost < before && before - *cost > before / 1000000);
}

static int median_open(kith_i_plain_run *s, void *arg)
{
    median_run *m = arg;
    m->plain = s;
    size_t values =
        s->centers.sparse
            ? 0
            : (size_t)kith_i_dataset_block_rows(s->data) * ((size_t)s->d + 1);
    size_t scratch = kith_i_pull_scratch(s->k, s->d, s->centers.sparse);
    m->pulls = kith_i_alloc(s->workers, sizeof *m->pulls);
    m->values = kith_i_alloc(s->workers, sizeof *m->values);
    int ok = m->pulls && m->values;
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

static void median_close(kith_i_plain_run *s, void *arg)
{
    median_run *m = arg;
    for (uint32_t i = 0; m->pulls && i < s->workers; i++)
        kith_i_free(m->pulls[i]);
    for (uint32_t i = 0; m->values && i < s->workers; i++)
        kith_i_free(m->values[i]);
    kith_i_free(m->pulls);
    kith_i_free(m->values);
}

kith_status kith_plain_kmedian(const kith_dataset *data,
                               const kith_plain_options *options,
                               kith_result **out, kith_error *err)
{
    median_run run = {0};
    kith_i_plain_method method = {.arg = &run,
                                  .open = median_open,
                                  .close = median_close,
                                  .round = next_round};
    return kith_i_plain_cluster(data, options, &method, out, err);
}
