/* Waves of chunks on their way to disk; see load_wave.h. */
#include "load_wave.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/base_i.h"

enum { WAVE_VALUES = 1 << 23 }; /* in memory at a time: 16 MiB */

kith_status kith_i_wave_open(kith_i_wave *wave, kith_dataset *data,
                             const kith_source_options *opt, kith_error *err)
{
    size_t values = kith_i_chunk_values(data);
    *wave = (kith_i_wave){.data = data};
    if (!opt->spill)
        return KITH_OK;
    kith_status status =
        kith_i_spill_open(opt->spill, values * sizeof *wave->memory,
                          opt->spill_anywhere, &data->spill, err);
    if (status)
        return status;
    wave->chunks = (uint32_t)(WAVE_VALUES / values) + 1;
    wave->memory = kith_i_alloc(wave->chunks * values, sizeof *wave->memory);
    return wave->memory ? KITH_OK : kith_i_fail_memory(err);
}

typedef struct {
    kith_dataset *data;
    char *rooms;
    size_t room;
    atomic_size_t next;
    pthread_mutex_t lock; /* of the next two */
    kith_status status;
    kith_error why;
} write_job;

static void write_work(void *arg, uint32_t worker)
{
    write_job *job = arg;
    kith_dataset *data = job->data;
    size_t row = data->domain->dimension * sizeof(int16_t);
    kith_error err;
    for (;;) {
        size_t i = atomic_fetch_add(&job->next, 1);
        if (i >= data->chunk_count)
            return;
        kith_i_chunk *c = &data->chunks[i];
        kith_status status =
            kith_i_spill_write(data->spill, i, c->dense, c->rows * row,
                               job->rooms + worker * job->room, &err);
        kith_i_wipe(c->dense, c->rows * row);
        c->dense = NULL;
        if (status) {
            pthread_mutex_lock(&job->lock);
            job->status = status;
            job->why = err;
            pthread_mutex_unlock(&job->lock);
        }
    }
}

kith_status kith_i_wave_write(kith_i_wave *wave, uint32_t workers,
                              kith_error *err)
{
    if (!wave->memory)
        return KITH_OK;
    kith_dataset *data = wave->data;
    write_job job = {.data = data,
                     .room = (kith_i_spill_room(data->spill) + 63) / 64 * 64};
    atomic_init(&job.next, wave->on_disk);
    job.rooms = kith_i_alloc(workers, job.room);
    if (!job.rooms || pthread_mutex_init(&job.lock, NULL) != 0) {
        kith_i_free(job.rooms);
        return kith_i_fail_memory(err);
    }
    kith_i_parallel(workers, write_work, &job);
    pthread_mutex_destroy(&job.lock);
    kith_i_wipe_free(job.rooms, workers * job.room);
    wave->on_disk = data->chunk_count;
    if (job.status && err)
        *err = job.why;
    return job.status;
}

void kith_i_wave_close(kith_i_wave *wave)
{
    if (!wave->memory)
        return;
    kith_i_wipe_free(wave->memory, wave->chunks *
                                       kith_i_chunk_values(wave->data) *
                                       sizeof *wave->memory);
    for (size_t i = wave->on_disk; i < wave->data->chunk_count; i++)
        wave->data->chunks[i].dense = NULL;
}
