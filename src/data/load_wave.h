/* load_wave.c: rows that go to disk while they are read (spill.h). Chunks are
 * filled in one piece of memory, a wave of them at a time, and then written. */
#ifndef KITH_LOAD_WAVE_H
#define KITH_LOAD_WAVE_H

#include "dataset_i.h"

typedef struct kith_i_wave {
    kith_dataset *data;
    int16_t *memory; /* NULL: rows stay in memory */
    uint32_t chunks; /* that it has room for */
    size_t on_disk;  /* chunks before these */
} kith_i_wave;

/* Nothing happens without opt->spill. */
kith_status kith_i_wave_open(kith_i_wave *wave, kith_dataset *data,
                             const kith_source_options *opt, kith_error *err);
/* Write the chunks at hand; their memory is free again. */
kith_status kith_i_wave_write(kith_i_wave *wave, uint32_t workers,
                              kith_error *err);
/* Wipes, what is left of a wave that failed too. */
void kith_i_wave_close(kith_i_wave *wave);

#endif
