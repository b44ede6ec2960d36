/* The two-party draw. Client and server code. */
#include "draw.h"

#include <string.h>

#include "forget.h"
#include "little_endian.h"

enum { NAME = 6 };

void kith_i_draw_commit(const uint8_t task[KITH_I_TASK_BYTES],
                        const uint8_t r[KITH_I_DRAW_BYTES],
                        uint8_t out[KITH_I_DRAW_BYTES])
{
    uint8_t all[NAME + KITH_I_TASK_BYTES + KITH_I_DRAW_BYTES];
    uint8_t digest[KITH_I_SHA256_BYTES];
    memcpy(all, "kith1c", NAME);
    memcpy(all + NAME, task, KITH_I_TASK_BYTES);
    memcpy(all + NAME + KITH_I_TASK_BYTES, r, KITH_I_DRAW_BYTES);
    kith_i_sha256(all, sizeof all, digest);
    memcpy(out, digest, KITH_I_DRAW_BYTES);
    kith_i_forget(all, sizeof all);
}

void kith_i_draw_seed(const uint8_t tag[KITH_I_DRAW_BYTES],
                      const uint8_t r[KITH_I_DRAW_BYTES],
                      uint8_t out[KITH_I_SHA256_BYTES])
{
    uint8_t all[NAME + 2 * KITH_I_DRAW_BYTES];
    memcpy(all, "kith1s", NAME);
    memcpy(all + NAME, tag, KITH_I_DRAW_BYTES);
    memcpy(all + NAME + KITH_I_DRAW_BYTES, r, KITH_I_DRAW_BYTES);
    kith_i_sha256(all, sizeof all, out);
    kith_i_forget(all, sizeof all);
}

uint64_t kith_i_draw_point(const uint8_t seed[KITH_I_SHA256_BYTES])
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | seed[i];
    return bits >> (64 - 53);
}

void kith_i_draw_nonce(const uint8_t seed[KITH_I_SHA256_BYTES],
                       const uint8_t digest[KITH_I_SHA256_BYTES],
                       uint16_t group, uint8_t nonce[KITH_I_NONCE_BYTES])
{
    uint8_t all[NAME + 2 * KITH_I_SHA256_BYTES + 2], out[KITH_I_SHA256_BYTES];
    memcpy(all, "kith1n", NAME);
    memcpy(all + NAME, seed, KITH_I_SHA256_BYTES);
    memcpy(all + NAME + KITH_I_SHA256_BYTES, digest, KITH_I_SHA256_BYTES);
    kith_i_store(group, all + NAME + 2 * KITH_I_SHA256_BYTES, 2);
    kith_i_sha256(all, sizeof all, out);
    memcpy(nonce, out, KITH_I_NONCE_BYTES);
    kith_i_forget(all, sizeof all);
    kith_i_forget(out, sizeof out);
}
