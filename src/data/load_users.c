/* Rows that are somebody's: workers take pieces of the files in order, convert
 * and quantise them side by side, and offer each row to the table of users
 * (users.h). The rows that are kept, and the first that is at fault, are the
 * same for any number of workers. */
#include <pthread.h>

#include "base/base_i.h"
#include "users.h"

enum { PIECE_VALUES = 1 << 15, BATCH_VALUES = 1 << 11 };

typedef struct {
    kith_i_raw raw;
    double *values, *t; /* a batch of rows; scratch of one */
    int16_t *rows;      /* the batch, quantised */
    kith_i_lot *lots;
} user_worker;

typedef struct {
    kith_dataset *data;
    kith_i_reader *reader;
    const kith_source_options *opt;
    uint32_t piece_rows, batch_rows;
    user_worker *workers;
    pthread_mutex_t lock; /* of the reader, the table, and: */
    kith_i_users *users;
    int ended;       /* this shard */
    uint64_t pieces; /* taken so far */
    uint64_t failed; /* the first piece with a failure, if status is set */
    kith_status status;
    kith_error why;
} user_job;

static void note_failure(user_job *job, uint64_t piece, kith_status status,
                         const kith_error *why)
{
    if (job->status && job->failed < piece)
        return;
    job->failed = piece;
    job->status = status;
    job->why = *why;
}

/* Under the lock: a piece in w->raw. Zero: there is none. */
static int take(user_job *job, user_worker *w, uint64_t *piece)
{
    kith_error err;
    if (job->ended || job->status)
        return 0;
    *piece = job->pieces++;
    kith_status status =
        kith_i_reader_take(job->reader, job->piece_rows, &w->raw, &err);
    if (status)
        note_failure(job, *piece, status, &err);
    job->ended = w->raw.rows == 0;
    return !status && !job->ended;
}

static kith_status offer_batch(user_job *job, user_worker *w, kith_error *err)
{
    const kith_i_domain *m = job->data->domain;
    size_t d = m->dimension;
    uint32_t kept = 0;
    kith_status status = kith_i_reader_convert(
        job->reader, &w->raw, job->batch_rows, w->values, &kept, err);
    for (uint32_t r = 0; !status && r < kept; r++)
        kith_i_quantize_dense(m, w->values + r * d, w->t, w->rows + r * d);
    for (int turn = 0; !status && turn < job->data->by_user; turn++) {
        for (uint32_t r = 0; r < kept; r++) {
            if (turn) /* another person, with the same rows */
                kith_i_users_next(job->users, &w->raw.users[r]);
            kith_i_users_draw(job->users, &w->raw.users[r], w->rows + r * d,
                              &w->lots[r]);
        }
        pthread_mutex_lock(&job->lock);
        for (uint32_t r = 0; !status && r < kept; r++)
            status = kith_i_users_offer(job->users, &w->raw.users[r],
                                        &w->lots[r], w->rows + r * d, err);
        pthread_mutex_unlock(&job->lock);
    }
    return status;
}

static void work(void *arg, uint32_t worker)
{
    user_job *job = arg;
    user_worker *w = &job->workers[worker];
    kith_error err;
    for (;;) {
        uint64_t piece = 0;
        kith_status status = KITH_OK;
        pthread_mutex_lock(&job->lock);
        int more = take(job, w, &piece);
        pthread_mutex_unlock(&job->lock);
        if (!more)
            return;
        if (worker == 0) /* the caller's thread */
            status = kith_i_load_cancelled(job->reader, job->opt, &err);
        while (!status && w->raw.done < w->raw.rows)
            status = offer_batch(job, w, &err);
        if (status) {
            pthread_mutex_lock(&job->lock);
            note_failure(job, piece, status, &err);
            pthread_mutex_unlock(&job->lock);
            return;
        }
    }
}

static void free_workers(const user_job *job, uint32_t count)
{
    size_t d = job->data->domain->dimension, rows = job->batch_rows;
    for (uint32_t i = 0; job->workers && i < count; i++) {
        user_worker *w = &job->workers[i];
        kith_i_raw_clear(&w->raw);
        kith_i_wipe_free(w->values, rows * d * sizeof *w->values);
        kith_i_wipe_free(w->t, d * sizeof *w->t);
        kith_i_wipe_free(w->rows, rows * d * sizeof *w->rows);
        kith_i_wipe_free(w->lots, rows * sizeof *w->lots);
    }
    kith_i_free(job->workers);
}

static kith_status make_workers(user_job *job, uint32_t count, kith_error *err)
{
    size_t d = job->data->domain->dimension, rows = job->batch_rows;
    job->workers = kith_i_alloc(count, sizeof *job->workers);
    kith_status status = job->workers ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        user_worker *w = &job->workers[i];
        w->values = kith_i_alloc(rows * d, sizeof *w->values);
        w->t = kith_i_alloc(d, sizeof *w->t);
        w->rows = kith_i_alloc(rows * d, sizeof *w->rows);
        w->lots = kith_i_alloc(rows, sizeof *w->lots);
        status = w->values && w->t && w->rows && w->lots
                     ? kith_i_raw_want_users(&w->raw, job->batch_rows, err)
                     : kith_i_fail_memory(err);
    }
    return status;
}

static uint32_t rows_of(uint32_t values, size_t d)
{
    return values / d < 1 ? 1 : (uint32_t)(values / d);
}

kith_status kith_i_load_users(kith_dataset *data, kith_i_reader *reader,
                              const kith_source_options *opt, uint32_t workers,
                              kith_error *err)
{
    size_t d = data->domain->dimension;
    user_job job = {.data = data,
                    .reader = reader,
                    .opt = opt,
                    .piece_rows = rows_of(PIECE_VALUES, d),
                    .batch_rows = rows_of(BATCH_VALUES, d)};
    if (pthread_mutex_init(&job.lock, NULL) != 0)
        return kith_i_fail_memory(err);
    data->by_user = opt->rows_per_user ? (int)opt->rows_per_user : 1;
    kith_status status =
        kith_i_users_open(data, opt->user_seed, &job.users, err);
    if (!status)
        status = make_workers(&job, workers, err);
    for (int more = 1; !status && more;) { /* shard after shard */
        job.ended = 0;
        kith_i_parallel(workers, work, &job);
        status = job.status;
        if (status && err)
            *err = job.why;
        if (!status)
            status = kith_i_reader_advance(reader, &more, err);
    }
    if (!status)
        status = kith_i_users_sort(job.users, err);
    free_workers(&job, workers);
    kith_i_users_close(job.users);
    pthread_mutex_destroy(&job.lock);
    return status;
}
