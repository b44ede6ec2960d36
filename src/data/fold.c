/* The one place where stored rows are visited: blocks go to workers as they
 * become free. Sums over blocks are integers, so the order does not matter. */
#include "fold.h"

#include <stdatomic.h>

#include "base/base_i.h"
#include "dataset_i.h"

typedef struct {
    const kith_dataset *data;
    kith_i_visit_fn *visit;
    void *arg;
    atomic_size_t next;
} fold_job;

static void work(void *p, uint32_t worker)
{
    fold_job *job = p;
    const kith_dataset *data = job->data;
    for (;;) {
        size_t i = atomic_fetch_add(&job->next, 1);
        if (i >= data->chunk_count)
            return;
        const kith_i_chunk *c = &data->chunks[i];
        kith_i_block block = {.rows = c->rows,
                              .dimension = data->domain->dimension,
                              .dense = c->dense,
                              .start = c->start,
                              .index = c->index,
                              .value = c->value};
        job->visit(job->arg, worker, c->first, &block);
    }
}

void kith_i_fold(const kith_dataset *data, uint32_t workers,
                 kith_i_visit_fn *visit, void *arg)
{
    fold_job job = {.data = data, .visit = visit, .arg = arg};
    atomic_init(&job.next, 0);
    kith_i_parallel(workers, work, &job);
}

const kith_i_domain *kith_i_dataset_domain(const kith_dataset *data)
{
    return data->domain;
}

uint64_t kith_i_dataset_rows(const kith_dataset *data)
{
    return data->rows;
}

uint32_t kith_i_dataset_block_rows(const kith_dataset *data)
{
    return data->block_rows;
}
