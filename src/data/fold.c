/* The one place where stored rows are visited: blocks go to workers as they
 * become free (I9). Sums over blocks are integers, so the order does not
 * matter (I14). */
#include "fold.h"

#include <stdatomic.h>
#include <string.h>

#include "base/base_i.h"
#include "base/memory_left.h"
#include "base/watch.h"
#include "dataset_i.h"

enum { MANY_VALUES = 1 << 22 }; /* worth workers to wipe; may not fit */

/* Chunks that are on disk, on their way to workers. */
typedef struct {
    char *rooms;
    size_t room; /* bytes of each worker's */
    uint32_t workers;
    atomic_int failed;
} spilled;

typedef struct {
    const kith_dataset *data, *beside;
    kith_i_visit_fn *visit;
    void *arg;
    atomic_size_t next;
    spilled disk;
} fold_job;

static kith_status spilled_open(const kith_dataset *data, uint32_t workers,
                                spilled *out, kith_error *err)
{
    atomic_init(&out->failed, 0);
    out->rooms = NULL;
    out->workers = workers;
    if (!data->spill)
        return KITH_OK;
    out->room = (kith_i_spill_room(data->spill) + 63) / 64 * 64;
    out->rooms = kith_i_alloc(workers, out->room);
    return out->rooms ? KITH_OK : kith_i_fail_memory(err);
}

static kith_status spilled_close(spilled *disk, kith_error *err)
{
    if (disk->rooms)
        kith_i_wipe_free(disk->rooms, disk->workers * disk->room);
    return atomic_load(&disk->failed) ? kith_i_spill_fail(err) : KITH_OK;
}

/* No rows: they could not be had, and disk->failed is set. */
static kith_i_block block_of(const kith_dataset *data, size_t i, spilled *disk,
                             uint32_t worker)
{
    const kith_i_chunk *c = &data->chunks[i];
    const int16_t *dense = c->dense;
    if (data->spill) {
        size_t row = data->domain->dimension * sizeof *dense;
        dense = kith_i_spill_read(data->spill, i, c->rows * row,
                                  disk->rooms + worker * disk->room);
        if (!dense) {
            atomic_store(&disk->failed, 1);
            return (kith_i_block){0};
        }
    }
    return (kith_i_block){.rows = c->rows,
                          .dimension = data->domain->dimension,
                          .dense = dense,
                          .start = c->start,
                          .index = c->index,
                          .value = c->value};
}

static void work(void *p, uint32_t worker)
{
    fold_job *job = p;
    for (;;) {
        size_t i = atomic_fetch_add(&job->next, 1); /* I10 */
        if (i >= job->data->chunk_count || kith_i_stop_wanted())
            return;
        kith_i_block block = block_of(job->data, i, &job->disk, worker);
        if (block.rows == 0)
            continue;
        if (job->beside) {
            block.beside = job->beside->chunks[i].dense;
            block.beside_dimension = job->beside->domain->dimension;
        }
        job->visit(job->arg, worker, job->data->chunks[i].first, &block);
    }
}

kith_status kith_i_fold_beside(const kith_dataset *data,
                               const kith_dataset *beside, uint32_t workers,
                               kith_i_visit_fn *visit, void *arg,
                               kith_error *err)
{
    fold_job job = {.data = data, .beside = beside, .visit = visit, .arg = arg};
    atomic_init(&job.next, 0);
    kith_status status = spilled_open(data, workers, &job.disk, err);
    if (status)
        return status;
    kith_i_parallel(workers, work, &job);
    status = spilled_close(&job.disk, err);
    return status ? status : kith_i_stop_check(err);
}

void kith_i_fold(const kith_dataset *data, uint32_t workers,
                 kith_i_visit_fn *visit, void *arg)
{
    /* In memory there is nothing to fail; whoever has rows on disk is refused
     * before (kith/data.h). */
    (void)kith_i_fold_beside(data, NULL, workers, visit, arg, NULL);
}

kith_status kith_i_dataset_need_memory(const kith_dataset *data,
                                       kith_error *err)
{
    return data->spill
               ? kith_i_fail(err, KITH_ERR_ARGUMENT,
                             "rows that are kept on disk can be used by "
                             "private runs only: load them without spill")
               : KITH_OK;
}

/* ---- derived rows ---- */

typedef struct {
    const kith_dataset *data;
    kith_dataset *out;
    kith_i_derive_fn *fill;
    void *arg;
    atomic_size_t next;
    spilled disk;
} derive_job;

static void derive_work(void *p, uint32_t worker)
{
    derive_job *job = p;
    const kith_i_domain *m = job->out->domain;
    for (;;) {
        size_t i = atomic_fetch_add(&job->next, 1);
        if (i >= job->out->chunk_count || kith_i_stop_wanted())
            return;
        kith_i_block block = block_of(job->data, i, &job->disk, worker);
        if (block.rows == 0)
            continue;
        int16_t *rows = job->out->chunks[i].dense;
        job->fill(job->arg, worker, &block, rows);
        for (size_t r = 0; r < block.rows; r++)
            kith_i_enforce_bounds(m, rows + r * m->dimension);
    }
}

kith_status kith_i_dataset_derive(const kith_dataset *data,
                                  kith_i_domain *domain, uint32_t workers,
                                  kith_i_derive_fn *fill, void *arg,
                                  kith_dataset **out, kith_error *err)
{
    *out = NULL;
    kith_dataset *made = kith_i_alloc(1, sizeof *made);
    if (!made)
        return kith_i_fail_memory(err);
    made->chunks = kith_i_alloc(data->chunk_count, sizeof *made->chunks);
    int ok = made->chunks != NULL;
    made->chunk_count = made->chunk_capacity = ok ? data->chunk_count : 0;
    made->block_rows = data->block_rows;
    made->rows = data->rows;
    /* one piece: its pages come when workers fill them */
    size_t values = (size_t)data->rows * domain->dimension;
    uint64_t bytes = values * sizeof(int16_t);
    int fits = values < MANY_VALUES || bytes <= kith_i_memory_left();
    int16_t *dense = fits ? kith_i_alloc(values, sizeof *dense) : NULL;
    if (!ok || !dense) {
        kith_i_free(dense); /* nothing in it yet */
        kith_i_free(made->chunks);
        kith_i_free(made);
        return values < MANY_VALUES ? kith_i_fail_memory(err)
                                    : kith_i_fail_room(bytes, err);
    }
    size_t at = 0;
    for (size_t i = 0; i < data->chunk_count; i++) {
        kith_i_chunk *c = &made->chunks[i];
        c->first = data->chunks[i].first;
        c->rows = c->capacity = data->chunks[i].rows;
        c->dense = dense + at;
        c->owned = i == 0;
        at += (size_t)c->rows * domain->dimension;
    }
    if (data->chunk_count == 0)
        kith_i_free(dense);
    made->domain = domain;
    derive_job job = {.data = data, .out = made, .fill = fill, .arg = arg};
    atomic_init(&job.next, 0);
    kith_status status = spilled_open(data, workers, &job.disk, err);
    if (!status) {
        kith_i_parallel(workers, derive_work, &job);
        status = spilled_close(&job.disk, err);
    }
    if (!status)
        status = kith_i_stop_check(err);
    if (status) {
        if (data->chunk_count > 0)
            kith_i_wipe(dense, at * sizeof *dense);
        made->domain = NULL; /* it stays the caller's */
        kith_dataset_free(made);
        return status;
    }
    *out = made;
    return KITH_OK;
}

/* ---- the end of them ---- */

typedef struct {
    kith_dataset *data;
    atomic_size_t next;
} wipe_job;

static void wipe_work(void *p, uint32_t worker)
{
    (void)worker;
    wipe_job *job = p;
    size_t row = job->data->domain->dimension * sizeof(int16_t);
    for (;;) {
        size_t i = atomic_fetch_add(&job->next, 1);
        if (i >= job->data->chunk_count)
            return;
        kith_i_chunk *c = &job->data->chunks[i];
        if (c->dense)
            kith_i_wipe(c->dense, c->rows * row);
        c->rows = 0; /* done */
    }
}

void kith_i_dataset_close(kith_dataset *data, uint32_t workers)
{
    wipe_job job = {.data = data};
    atomic_init(&job.next, 0);
    if (data->rows * data->domain->dimension >= MANY_VALUES)
        kith_i_parallel(workers, wipe_work, &job);
    kith_dataset_free(data);
}

const kith_i_domain *kith_i_dataset_domain(const kith_dataset *data)
{
    return data->domain;
}

uint64_t kith_i_dataset_rows(const kith_dataset *data)
{
    return data->rows;
}

int kith_i_dataset_by_user(const kith_dataset *data)
{
    return data->by_user;
}

int kith_i_dataset_fixed_rows(const kith_dataset *data)
{
    return data->fixed_rows;
}

uint32_t kith_i_dataset_block_rows(const kith_dataset *data)
{
    return data->block_rows;
}

kith_shape kith_dataset_shape(const kith_dataset *data)
{
    if (!data)
        return (kith_shape){0};
    const kith_i_domain *domain = kith_i_dataset_domain(data);
    return (kith_shape){0, domain->dimension, domain->sparse,
                        (uint32_t)kith_i_dataset_by_user(data)};
}

uint32_t kith_dataset_dimension(const kith_dataset *data)
{
    return data ? data->domain->dimension : 0;
}

const char *kith_dataset_name(const kith_dataset *data, uint32_t i)
{
    if (!data || !data->names || i >= data->domain->dimension)
        return NULL;
    const char *name = data->names;
    while (i-- > 0)
        name += strlen(name) + 1;
    return name;
}

double kith_dataset_step(const kith_dataset *data)
{
    return data ? kith_i_domain_step(data->domain) : 0;
}
