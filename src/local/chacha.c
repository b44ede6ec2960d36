/* ChaCha with 8 rounds, four blocks side by side: the compiler turns the
 * lanes into whatever vectors the machine has. Client code. */
#include "chacha.h"

typedef uint32_t lanes __attribute__((vector_size(4 * KITH_I_LANES)));

enum { DOUBLE_ROUNDS = 4 };

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER(a, b, c, d)                                                    \
    do {                                                                       \
        a += b;                                                                \
        d = ROTATE(d ^ a, 16);                                                 \
        c += d;                                                                \
        b = ROTATE(b ^ c, 12);                                                 \
        a += b;                                                                \
        d = ROTATE(d ^ a, 8);                                                  \
        c += d;                                                                \
        b = ROTATE(b ^ c, 7);                                                  \
    } while (0)
#define DOUBLE_ROUND(x)                                                        \
    do {                                                                       \
        QUARTER(x[0], x[4], x[8], x[12]);                                      \
        QUARTER(x[1], x[5], x[9], x[13]);                                      \
        QUARTER(x[2], x[6], x[10], x[14]);                                     \
        QUARTER(x[3], x[7], x[11], x[15]);                                     \
        QUARTER(x[0], x[5], x[10], x[15]);                                     \
        QUARTER(x[1], x[6], x[11], x[12]);                                     \
        QUARTER(x[2], x[7], x[8], x[13]);                                      \
        QUARTER(x[3], x[4], x[9], x[14]);                                      \
    } while (0)

static void start(const uint32_t key[8], uint32_t kind, uint64_t block,
                  uint32_t state[16])
{
    state[0] = 0x61707865; /* "expand 32-byte k" */
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    for (int i = 0; i < 8; i++)
        state[4 + i] = key[i];
    state[12] = (uint32_t)block;
    state[13] = (uint32_t)(block >> 32);
    state[14] = kind;
    state[15] = 0;
}

void kith_i_chacha_block(const uint32_t key[8], uint32_t kind, uint64_t block,
                         uint32_t out[KITH_I_BLOCK_WORDS])
{
    uint32_t state[16], x[16];
    start(key, kind, block, state);
    for (int i = 0; i < 16; i++)
        x[i] = state[i];
    for (int r = 0; r < DOUBLE_ROUNDS; r++)
        DOUBLE_ROUND(x);
    for (int i = 0; i < 16; i++)
        out[i] = x[i] + state[i];
}

void kith_i_chacha_lanes(const uint32_t key[8], uint32_t kind, uint64_t first,
                         uint32_t out[KITH_I_BLOCK_WORDS * KITH_I_LANES])
{
    uint32_t state[16];
    lanes s[16], x[16];
    start(key, kind, first, state);
    for (int i = 0; i < 16; i++)
        for (int b = 0; b < KITH_I_LANES; b++)
            s[i][b] = state[i];
    for (int b = 0; b < KITH_I_LANES; b++) {
        s[12][b] = (uint32_t)(first + (uint64_t)b);
        s[13][b] = (uint32_t)((first + (uint64_t)b) >> 32);
    }
    for (int i = 0; i < 16; i++)
        x[i] = s[i];
    for (int r = 0; r < DOUBLE_ROUNDS; r++)
        DOUBLE_ROUND(x);
    for (int i = 0; i < 16; i++) {
        x[i] += s[i];
        for (int b = 0; b < KITH_I_LANES; b++)
            out[i * KITH_I_LANES + b] = x[i][b];
    }
}
