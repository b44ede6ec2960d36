/* Memory of a non-private k-means run, and its plainest visits of the rows. */
#include "plain_i.h"

#include <string.h>

#include "data/fold.h"

static void worker_free(kith_i_plain_worker *w)
{
    kith_i_free(w->scratch);
    kith_i_free(w->score);
    kith_i_free(w->labels);
    kith_i_free(w->sums);
    kith_i_free(w->counts);
    kith_i_free(w->totals);
}

static int worker_init(kith_i_plain_worker *w, const kith_i_plain_run *s)
{
    uint32_t rows = kith_i_dataset_block_rows(s->data);
    int sparse = s->centers.sparse;
    size_t scratch = kith_i_assign_scratch(rows, s->k, s->d, sparse);
    size_t width = s->candidates; /* scores a row has in seeding */
    for (uint32_t c = 1; c <= s->candidates; c++) {
        size_t more = kith_i_assign_scratch(rows, c, s->d, sparse);
        scratch = more > scratch ? more : scratch;
    }
    w->scratch = kith_i_alloc(scratch, sizeof *w->scratch);
    w->score = kith_i_alloc(rows * width, sizeof *w->score);
    w->labels = kith_i_alloc(rows, sizeof *w->labels);
    w->sums = kith_i_alloc((size_t)s->k * s->d, sizeof *w->sums);
    w->counts = kith_i_alloc(s->k, sizeof *w->counts);
    w->totals = kith_i_alloc(s->candidates, sizeof *w->totals);
    return w->scratch && w->score && w->labels && w->sums && w->counts &&
           w->totals;
}

void kith_i_plain_free(kith_i_plain_run *s)
{
    for (uint32_t i = 0; s->worker && i < s->workers; i++)
        worker_free(&s->worker[i]);
    for (uint32_t c = 0; s->near && c <= s->candidates; c++)
        kith_i_free(s->near[c]);
    kith_i_free(s->worker);
    kith_i_free(s->norm);
    kith_i_free(s->near);
    kith_i_free(s->wanted);
    kith_i_free(s->fetched);
    kith_i_free(s->centers.coords);
    kith_i_free(s->centers.squares);
    kith_i_free(s->real);
    kith_i_free(s->previous);
    kith_i_free(s->sums);
    kith_i_free(s->counts);
}

/* Whether there is memory for everything; kith_i_plain_free in either case. */
int kith_i_plain_alloc(kith_i_plain_run *s)
{
    uint32_t most = s->k > s->candidates ? s->k : s->candidates;
    size_t coords = (size_t)most * s->d;
    s->worker = kith_i_alloc(s->workers, sizeof *s->worker);
    s->norm = kith_i_alloc(s->n, sizeof *s->norm);
    s->near = kith_i_alloc(s->candidates + 1, sizeof *s->near);
    s->wanted = kith_i_alloc(most, sizeof *s->wanted);
    s->fetched = kith_i_alloc(coords, sizeof *s->fetched);
    s->centers.coords = kith_i_alloc(coords, sizeof(double));
    s->centers.squares = kith_i_alloc(most, sizeof(double));
    s->real = kith_i_alloc(coords, sizeof *s->real);
    s->previous = kith_i_alloc(coords, sizeof *s->previous);
    s->sums = kith_i_alloc(coords, sizeof *s->sums);
    s->counts = kith_i_alloc(s->k, sizeof *s->counts);
    int ok = s->worker && s->norm && s->near && s->wanted && s->fetched &&
             s->centers.coords && s->centers.squares && s->real &&
             s->previous && s->sums && s->counts;
    for (uint32_t c = 0; ok && c <= s->candidates; c++)
        ok = (s->near[c] = kith_i_alloc(s->n, sizeof **s->near)) != NULL;
    for (uint32_t i = 0; ok && i < s->workers; i++)
        ok = worker_init(&s->worker[i], s);
    return ok;
}

static void visit_norms(void *arg, uint32_t worker, uint64_t first,
                        const kith_i_block *block)
{
    kith_i_plain_run *s = arg;
    size_t d = block->dimension;
    (void)worker;
    for (uint32_t r = 0; r < block->rows; r++) {
        const int16_t *q = block->dense ? block->dense + r * d
                                        : block->value + block->start[r];
        size_t count = block->dense ? d : block->start[r + 1] - block->start[r];
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += (uint64_t)((int64_t)q[i] * q[i]);
        s->norm[first + r] = sum;
    }
}

void kith_i_plain_measure(kith_i_plain_run *s)
{
    kith_i_fold(s->data, s->workers, visit_norms, s);
}

/* Copy the wanted rows of this block to their places in fetched. */
static void visit_fetch(void *arg, uint32_t worker, uint64_t first,
                        const kith_i_block *block)
{
    kith_i_plain_run *s = arg;
    size_t d = block->dimension;
    (void)worker;
    for (uint32_t w = 0; w < s->wanted_count; w++) {
        if (s->wanted[w] < first || s->wanted[w] >= first + block->rows)
            continue;
        size_t r = (size_t)(s->wanted[w] - first);
        double *to = s->fetched + w * d;
        memset(to, 0, d * sizeof *to);
        for (size_t i = 0; block->dense && i < d; i++)
            to[i] = block->dense[r * d + i];
        if (!block->dense)
            for (uint32_t t = block->start[r]; t < block->start[r + 1]; t++)
                to[block->index[t]] = block->value[t];
    }
}

void kith_i_plain_fetch(kith_i_plain_run *s, uint32_t count)
{
    s->wanted_count = count;
    kith_i_fold(s->data, s->workers, visit_fetch, s);
}

kith_i_u128 kith_i_plain_merge(kith_i_plain_run *s)
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
