/* Secret coins of a device, from whatever its host has: the system's generator,
 * a browser's, or in a simulation the seed of a run that promises nothing. */
#ifndef KITH_SECRET_WORDS_H
#define KITH_SECRET_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "forget.h"
#include "kith/device.h"
#include "little_endian.h"

typedef struct kith_i_words {
    kith_random_fn *fill;
    void *arg;
    int failed; /* words are 0 from then on: look before anything leaves */
} kith_i_words;

static inline uint64_t kith_i_words_next(kith_i_words *w)
{
    uint8_t bytes[8];
    if (w->failed || w->fill(w->arg, bytes, sizeof bytes)) {
        w->failed = 1;
        return 0;
    }
    uint64_t word = kith_i_load64(bytes);
    kith_i_forget(bytes, sizeof bytes);
    return word;
}

#endif
