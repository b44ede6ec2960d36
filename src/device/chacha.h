/* Public randomness that a nonce stands for: hashes, signs, codewords. The
 * device that drew the nonce and the server that reads it make the same bits;
 * nothing here is secret. */
#ifndef KITH_CHACHA_H
#define KITH_CHACHA_H

#include <stddef.h>
#include <stdint.h>

#include "little_endian.h"

/* Blocks made at once, and words of a block. */
enum { KITH_I_BATCH = 16, KITH_I_BLOCK_WORDS = 16 };

/* Blocks first .. first + BATCH - 1 of the stream `key` (32 bytes as words) of
 * kind `kind`, one after the other. ChaCha8 (Bernstein 2008) with a 64-bit
 * block counter. */
void kith_i_chacha_batch(const uint32_t key[8], uint32_t kind, uint64_t first,
                         uint32_t out[KITH_I_BLOCK_WORDS * KITH_I_BATCH]);
/* One block. */
void kith_i_chacha_block(const uint32_t key[8], uint32_t kind, uint64_t block,
                         uint32_t out[KITH_I_BLOCK_WORDS]);

/* The key of a nonce: its 16 bytes, and 16 that say what it is for. */
static inline void kith_i_chacha_key(const uint8_t nonce[16], uint32_t key[8])
{
    static const uint8_t use[16] = {'k', 'i', 't', 'h', ' ', 'l', 'o', 'c',
                                    'a', 'l', ' ', 'n', 'o', 'n', 'c', 'e'};
    for (int i = 0; i < 4; i++) {
        key[i] = kith_i_load32(nonce + 4 * i);
        key[4 + i] = kith_i_load32(use + 4 * i);
    }
}

/* A hash of (nonce, value) that is as good as random over nonces: the keys are
 * the two halves of the nonce. Not a cryptographic one; whoever sends a report
 * chooses its nonce anyway. kind tells uses apart. */
static inline uint32_t kith_i_nonce_hash(uint64_t low, uint64_t high,
                                         uint64_t value, uint64_t kind)
{
    uint64_t z = (value + kind) * UINT64_C(0x9e3779b97f4a7c15) + low;
    z = (z ^ (z >> 32)) * (high | 1);
    z = (z ^ (z >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 32)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

#endif
