/* Numbers as bytes, lowest first, on every machine. */
#ifndef KITH_LITTLE_ENDIAN_H
#define KITH_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint32_t kith_i_load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t kith_i_load64(const uint8_t *p)
{
    return kith_i_load32(p) | (uint64_t)kith_i_load32(p + 4) << 32;
}

static inline void kith_i_store(uint64_t value, uint8_t *p, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

#endif
