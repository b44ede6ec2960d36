/* Add exact discrete noise to exact integer sums. No floating point. */
#include "noise.h"

#include "base/base_i.h"

enum { CHUNK = 1024 };

typedef struct {
    const kith_i_noise *noise;
    int64_t *values;
    size_t count;
    atomic_size_t next;
    atomic_int failed;
} noise_job;

static void add_chunk(noise_job *job, size_t chunk, kith_i_entropy *e)
{
    const kith_i_noise *n = job->noise;
    size_t from = chunk * CHUNK;
    size_t to = from + CHUNK < job->count ? from + CHUNK : job->count;
    for (size_t i = from; i < to; i++) {
        kith_i_scale scale = n->scales[i / n->per_scale];
        job->values[i] += n->kind == KITH_I_LAPLACE
                              ? kith_i_sample_laplace(e, scale)
                              : kith_i_sample_gaussian(e, scale);
    }
}

static void work(void *p, uint32_t worker)
{
    (void)worker;
    noise_job *job = p;
    size_t chunks = (job->count + CHUNK - 1) / CHUNK;
    kith_i_entropy e;
    for (;;) {
        size_t chunk = atomic_fetch_add(&job->next, 1);
        if (chunk >= chunks)
            return;
        kith_i_entropy_open(&e, job->noise->source,
                            job->noise->stream << 32 | chunk);
        add_chunk(job, chunk, &e);
        if (e.failed)
            atomic_store(&job->failed, 1);
        kith_i_entropy_close(&e);
    }
}

kith_status kith_i_noise_add(const kith_i_noise *noise, int64_t *values,
                             size_t count, kith_error *err)
{
    noise_job job = {.noise = noise, .values = values, .count = count};
    atomic_init(&job.next, 0);
    atomic_init(&job.failed, 0);
    uint32_t workers = count > CHUNK ? noise->threads : 1;
    kith_i_parallel(workers, work, &job);
    if (atomic_load(&job.failed)) {
        kith_i_wipe(values, count * sizeof *values);
        return kith_i_fail(err, KITH_ERR_ENTROPY,
                           "the secure random generator failed: nothing was "
                           "released, the budget stays spent");
    }
    return KITH_OK;
}
