/* A running 64-bit digest against accidents: a difference of one bit shows.
 * Not for adversaries (base/digest.h). */
#ifndef KITH_MIX_H
#define KITH_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t kith_i_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* NULL is told from anything that is there. */
static inline uint64_t kith_i_mix_bytes(uint64_t h, const void *bytes,
                                        size_t count)
{
    const char *at = bytes;
    h = kith_i_mix(h, at ? count + 1 : 0);
    for (size_t i = 0; at && i < count; i += sizeof h) {
        uint64_t word = 0;
        size_t left = count - i;
        memcpy(&word, at + i, left < sizeof word ? left : sizeof word);
        h = kith_i_mix(h, word);
    }
    return h;
}

static inline uint64_t kith_i_mix_real(uint64_t h, double value)
{
    return kith_i_mix_bytes(h, &value, sizeof value);
}

#endif
