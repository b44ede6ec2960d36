/* Add exact discrete noise to exact integer sums. No floating point. */
#include "noise.h"

#include "base/base_i.h"
#include "base/watch.h"

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
        int64_t noise = n->kind == KITH_I_LAPLACE
                            ? kith_i_sample_laplace(e, scale)
                            : kith_i_sample_gaussian(e, scale);
        /* I13: only noise beyond 256 scales gets here */
        if (__builtin_add_overflow(job->values[i], noise, &job->values[i]))
            e->failed = 1;
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
        if (chunk >= chunks || kith_i_stop_wanted())
            return;
        /* I28, I31: an object for each chunk, whichever worker has it */
        kith_i_entropy_open(&e, job->noise->source,
                            job->noise->stream << 32 | chunk);
        add_chunk(job, chunk, &e);
        if (e.failed)
            atomic_store(&job->failed, 1);
        kith_i_entropy_close(&e);
    }
}

static kith_status report(noise_job *job, kith_error *err)
{
    kith_status status = atomic_load(&job->failed) ? kith_i_fail_entropy(err)
                                                   : kith_i_stop_check(err);
    if (status) /* I10: sums without all of their noise go no further */
        kith_i_wipe(job->values, job->count * sizeof *job->values);
    return status;
}

kith_status kith_i_noise_add(const kith_i_noise *noise, int64_t *values,
                             size_t count, kith_error *err)
{
    noise_job job = {.noise = noise, .values = values, .count = count};
    atomic_init(&job.next, 0);
    atomic_init(&job.failed, 0);
    uint32_t workers = count > CHUNK ? noise->threads : 1;
    kith_i_parallel(workers, work, &job);
    return report(&job, err);
}

/* ---- K-norm ---- */

typedef struct {
    noise_job common; /* count: of all values */
    size_t vectors;
    struct kith_i_deviate **scratch; /* one per worker */
} knorm_job;

static void knorm_work(void *p, uint32_t worker)
{
    knorm_job *job = p;
    const kith_i_noise *n = job->common.noise;
    for (;;) {
        size_t v = atomic_fetch_add(&job->common.next, 1);
        if (v >= job->vectors || kith_i_stop_wanted())
            return;
        kith_i_entropy e;
        kith_i_entropy_open(&e, n->source, n->stream << 32 | v);
        kith_i_scale b[2] = {n->scales[v], n->rest ? n->rest[v] : n->scales[v]};
        kith_i_sample_knorm(&e, b, n->rest ? n->split : n->per_scale,
                            n->per_scale, job->scratch[worker],
                            job->common.values + v * n->per_scale);
        if (e.failed)
            atomic_store(&job->common.failed, 1);
        kith_i_entropy_close(&e);
    }
}

kith_status kith_i_noise_add_knorm(const kith_i_noise *noise, int64_t *values,
                                   size_t vectors, kith_error *err)
{
    size_t bytes = kith_i_knorm_scratch(noise->per_scale);
    uint32_t workers =
        vectors < noise->threads ? (uint32_t)vectors : noise->threads;
    knorm_job job = {.common = {.noise = noise,
                                .values = values,
                                .count = vectors * noise->per_scale},
                     .vectors = vectors};
    atomic_init(&job.common.next, 0);
    atomic_init(&job.common.failed, 0);
    job.scratch = kith_i_alloc(workers, sizeof(void *));
    int ok = job.scratch != NULL;
    for (uint32_t i = 0; ok && i < workers; i++)
        ok = !!(job.scratch[i] = kith_i_alloc(bytes, 1));
    if (ok)
        kith_i_parallel(workers, knorm_work, &job);
    for (uint32_t i = 0; job.scratch && i < workers; i++)
        kith_i_wipe_free(job.scratch[i], bytes);
    kith_i_free(job.scratch);
    return ok ? report(&job.common, err) : kith_i_fail_memory(err);
}

kith_status kith_i_noise_add_parts(const kith_i_noise *noise,
                                   const kith_i_scale *scales,
                                   const size_t *ends, size_t width,
                                   int64_t *values, kith_error *err)
{
    noise_job job = {.noise = noise, .values = values, .count = width};
    atomic_init(&job.failed, 0);
    size_t bytes = kith_i_knorm_scratch(width);
    struct kith_i_deviate *scratch = kith_i_alloc(bytes, 1);
    if (!scratch)
        return kith_i_fail_memory(err);
    kith_i_entropy e;
    kith_i_entropy_open(&e, noise->source, noise->stream << 32);
    kith_i_sample_knorm_parts(&e, scales, ends, width, scratch, values);
    if (e.failed)
        atomic_store(&job.failed, 1);
    kith_i_entropy_close(&e);
    kith_i_wipe_free(scratch, bytes);
    return report(&job, err);
}
