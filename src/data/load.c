/* Files to datasets. Dense rows are taken from the reader in pieces, in order,
 * one worker at a time; that gives each piece its place. Converting, clipping
 * and quantising are what takes time, and workers do that side by side. So
 * what is stored, and which row is the first at fault, is the same for any
 * number of workers. */
#include "dataset_i.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base_i.h"
#include "load_sparse.h"
#include "load_wave.h"
#include "read_meter.h"
#include "reader.h"

enum {
    PIECE_VALUES = 1 << 16, /* taken at once: half a megabyte at most */
    BATCH_VALUES = 1 << 11, /* converted at once: stays in the first cache */
    SLAB_VALUES = 1 << 24,  /* most memory at a time: 32 MiB, or one chunk */
    LARGE_VALUES = 1 << 23, /* from here on in large pages */
    PAGE = 4096
};

/* A piece's place. */
typedef struct {
    uint64_t number;
    int16_t *to;
    kith_i_chunk *chunk; /* for a single worker only: the list may move */
} place;

typedef struct {
    kith_i_raw raw;
    double *values, *t; /* a batch of rows; scratch of one row */
} load_worker;

typedef struct {
    kith_dataset *data;
    kith_i_reader *reader;
    const kith_source_options *opt;
    uint32_t piece_rows, batch_rows;
    load_worker *workers;
    pthread_mutex_t lock; /* guards the reader, the list of chunks, and: */
    int16_t *slab;        /* memory for the next chunks, */
    uint32_t slab_left;   /* so many of them; */
    uint32_t slab_next;   /* and when it is used up */
    int ended;            /* this shard */
    kith_i_wave wave;     /* chunks that go to disk */
    int full;             /* they have to go there first */
    uint64_t pieces;      /* taken so far */
    uint64_t failed;      /* the first piece with a failure, if status is set */
    kith_status status;
    kith_error why;
} load_job;

kith_status kith_i_load_cancelled(const kith_i_reader *reader,
                                  const kith_source_options *opt,
                                  kith_error *err)
{
    if (opt->progress &&
        opt->progress(opt->progress_arg, kith_i_reader_done(reader),
                      KITH_I_READ_STEPS))
        return kith_i_fail(err, KITH_ERR_CANCELLED,
                           "stopped while reading: nothing was spent");
    return KITH_OK;
}

/* Pieces before a failed one have all been taken, so in the end the failure
 * that stays is that of the first. */
static void note_failure(load_job *job, uint64_t piece, kith_status status,
                         const kith_error *why)
{
    if (job->status && job->failed < piece)
        return;
    job->failed = piece;
    job->status = status;
    job->why = *why;
}

/* Tells the system something about the whole pages from here to there. */
static void advise(const int16_t *here, const int16_t *there, int advice)
{
    uintptr_t from = ((uintptr_t)here + PAGE - 1) / PAGE * PAGE;
    uintptr_t to = (uintptr_t)there / PAGE * PAGE;
    if (from < to)
        (void)madvise((void *)from, to - from, advice);
}

/* What the last slab has beyond its rows, where nothing was ever written: of a
 * large page that a few rows are in, the rest would stay. */
static void give_back_rest(const load_job *job, const kith_i_chunk *last)
{
    size_t values = kith_i_chunk_values(job->data);
    if (!job->wave.memory)
        advise(last->dense + last->rows * job->data->domain->dimension,
               job->slab + job->slab_left * values, MADV_DONTNEED);
}

/* A chunk with room for rows, or NULL. Memory for several is taken at once,
 * for more as there turn out to be more: the system's memory is not asked for
 * in small pieces while workers fill it. */
static kith_i_chunk *add_chunk(load_job *job)
{
    size_t values = kith_i_chunk_values(job->data);
    kith_i_chunk *c = kith_i_chunk_append(job->data);
    if (!c)
        return NULL;
    if (job->slab_left == 0 && !job->wave.memory) {
        job->slab = kith_i_alloc(job->slab_next * values, sizeof *job->slab);
        if (!job->slab) {
            job->data->chunk_count--;
            return NULL;
        }
        /* Large pages, if the system has some to spare: many small ones take a
         * good part of the time to fill and to give back. */
        if (job->slab_next * values >= LARGE_VALUES)
            advise(job->slab, job->slab + job->slab_next * values,
                   MADV_HUGEPAGE);
        job->slab_left = job->slab_next;
        c->owned = 1;
        if (2 * job->slab_left * values <= SLAB_VALUES)
            job->slab_next *= 2;
    }
    c->dense = job->slab;
    c->capacity = job->data->block_rows;
    job->slab += values;
    job->slab_left--;
    return c;
}

/* Take a piece and set its place aside. */
static kith_status take_piece(load_job *job, load_worker *w, place *out,
                              kith_error *err)
{
    kith_dataset *data = job->data;
    kith_i_chunk *c =
        data->chunk_count ? &data->chunks[data->chunk_count - 1] : NULL;
    int full = !c || c->rows == c->capacity;
    uint32_t room = full ? data->block_rows : c->capacity - c->rows;
    uint32_t want = room < job->piece_rows ? room : job->piece_rows;
    kith_status status = kith_i_reader_take(job->reader, want, &w->raw, err);
    if (status || w->raw.rows == 0)
        return status;
    if (full && !(c = add_chunk(job)))
        return kith_i_fail_memory(err);
    out->chunk = c;
    out->to = c->dense + (size_t)c->rows * data->domain->dimension;
    c->rows += w->raw.rows;
    return kith_i_dataset_count(data, w->raw.rows, err);
}

/* Rows of a piece that are left out (then there is one worker) leave their
 * places to the next. */
static kith_status fill_piece(const load_job *job, load_worker *w,
                              const place *piece, kith_error *err)
{
    const kith_i_domain *m = job->data->domain;
    size_t d = m->dimension;
    int16_t *to = piece->to;
    uint32_t stored = 0;
    while (w->raw.done < w->raw.rows) {
        uint32_t kept = 0;
        kith_status status = kith_i_reader_convert(
            job->reader, &w->raw, job->batch_rows, w->values, &kept, err);
        if (status)
            return status;
        for (uint32_t r = 0; r < kept; r++, to += d)
            kith_i_quantize_dense(m, w->values + r * d, w->t, to);
        stored += kept;
    }
    uint32_t dropped = w->raw.rows - stored;
    if (dropped) {
        piece->chunk->rows -= dropped;
        job->data->rows -= dropped;
    }
    return KITH_OK;
}

static void fail_piece(load_job *job, uint64_t piece, kith_status status,
                       const kith_error *why)
{
    pthread_mutex_lock(&job->lock);
    note_failure(job, piece, status, why);
    pthread_mutex_unlock(&job->lock);
}

/* No room for another piece until chunks have gone to disk. */
static int is_full(const load_job *job)
{
    const kith_dataset *data = job->data;
    if (!job->wave.memory || job->slab_left > 0 || data->chunk_count == 0)
        return 0;
    const kith_i_chunk *last = data->chunks + data->chunk_count - 1;
    return last->rows == last->capacity;
}

static void work(void *arg, uint32_t worker)
{
    load_job *job = arg;
    load_worker *w = &job->workers[worker];
    kith_error err;
    for (;;) {
        kith_status status = KITH_OK;
        place piece = {0};
        pthread_mutex_lock(&job->lock);
        job->full = is_full(job);
        int stop = job->ended || job->status || job->full;
        if (!stop) {
            piece.number = job->pieces++;
            status = take_piece(job, w, &piece, &err);
            job->ended = w->raw.rows == 0;
            if (status)
                note_failure(job, piece.number, status, &err);
        }
        pthread_mutex_unlock(&job->lock);
        if (!stop && !status && worker == 0) { /* the caller's thread */
            status = kith_i_load_cancelled(job->reader, job->opt, &err);
            if (status)
                fail_piece(job, piece.number, status, &err);
        }
        if (stop || status || w->raw.rows == 0)
            return;
        status = fill_piece(job, w, &piece, &err);
        if (status) {
            fail_piece(job, piece.number, status, &err);
            return;
        }
    }
}

static void free_workers(const load_job *job, uint32_t count)
{
    size_t d = job->data->domain->dimension;
    for (uint32_t i = 0; job->workers && i < count; i++) {
        load_worker *w = &job->workers[i];
        kith_i_raw_clear(&w->raw);
        kith_i_wipe_free(w->values, job->batch_rows * d * sizeof *w->values);
        kith_i_wipe_free(w->t, d * sizeof *w->t);
    }
    kith_i_free(job->workers);
}

static kith_status make_workers(load_job *job, uint32_t count, kith_error *err)
{
    size_t d = job->data->domain->dimension;
    job->workers = kith_i_alloc(count, sizeof *job->workers);
    int ok = job->workers != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        load_worker *w = &job->workers[i];
        w->values = kith_i_alloc(job->batch_rows * d, sizeof *w->values);
        w->t = kith_i_alloc(d, sizeof *w->t);
        ok = w->values && w->t;
    }
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* The wave's memory for the next chunks. */
static void take_wave(load_job *job)
{
    if (job->wave.memory)
        job->slab = job->wave.memory, job->slab_left = job->wave.chunks;
}

kith_status kith_i_load_dense(kith_dataset *data, kith_i_reader *reader,
                              const kith_source_options *opt, uint32_t workers,
                              kith_error *err)
{
    uint32_t d = data->domain->dimension;
    size_t pieces =
        (kith_i_chunk_values(data) + PIECE_VALUES - 1) / PIECE_VALUES;
    load_job job = {.data = data,
                    .reader = reader,
                    .opt = opt,
                    .slab_next = 1,
                    .piece_rows =
                        (uint32_t)((data->block_rows + pieces - 1) / pieces),
                    .batch_rows = BATCH_VALUES / d < 1 ? 1 : BATCH_VALUES / d};
    if (pthread_mutex_init(&job.lock, NULL) != 0)
        return kith_i_fail_memory(err);
    kith_status status = make_workers(&job, workers, err);
    if (!status)
        status = kith_i_wave_open(&job.wave, data, opt, err);
    take_wave(&job);
    for (int more = 1; !status && more;) { /* shard after shard */
        job.ended = job.full = 0;
        kith_i_parallel(workers, work, &job);
        status = job.status;
        if (status && err)
            *err = job.why;
        if (!status && job.full) {
            status = kith_i_wave_write(&job.wave, workers, err);
            take_wave(&job);
        } else if (!status) {
            status = kith_i_reader_advance(reader, &more, err);
        }
    }
    size_t last = data->chunk_count;
    if (last > 0 && data->chunks[last - 1].rows == 0) { /* all left out */
        if (data->chunks[last - 1].owned)
            kith_i_free(data->chunks[last - 1].dense);
        data->chunk_count--;
    } else if (last > 0) {
        give_back_rest(&job, &data->chunks[last - 1]);
    }
    if (!status)
        status = kith_i_wave_write(&job.wave, workers, err);
    kith_i_wave_close(&job.wave);
    free_workers(&job, workers);
    pthread_mutex_destroy(&job.lock);
    return status;
}

kith_status kith_i_load_sparse(kith_dataset *data, kith_i_reader *reader,
                               const kith_source_options *opt, kith_error *err)
{
    for (;;) {
        kith_i_rows rows = {0};
        kith_status status = kith_i_load_cancelled(reader, opt, err);
        if (!status)
            status = kith_i_reader_next(reader, &rows, err);
        if (status || rows.rows == 0)
            return status;
        status = kith_i_append_sparse(data, &rows, err);
        if (status)
            return status;
    }
}
