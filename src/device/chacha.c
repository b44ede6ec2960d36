/* ChaCha with 8 rounds, several blocks side by side in the lanes of vectors:
 * as many as the machine has room for, which changes the speed only. Client
 * code. */
#include "chacha.h"

enum { DOUBLE_ROUNDS = 4 };

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER(x, a, b, c, d)                                                 \
    do {                                                                       \
        (x)[a] += (x)[b];                                                      \
        (x)[d] = ROTATE((x)[d] ^ (x)[a], 16);                                  \
        (x)[c] += (x)[d];                                                      \
        (x)[b] = ROTATE((x)[b] ^ (x)[c], 12);                                  \
        (x)[a] += (x)[b];                                                      \
        (x)[d] = ROTATE((x)[d] ^ (x)[a], 8);                                   \
        (x)[c] += (x)[d];                                                      \
        (x)[b] = ROTATE((x)[b] ^ (x)[c], 7);                                   \
    } while (0)
#define DOUBLE_ROUND(x)                                                        \
    do {                                                                       \
        QUARTER(x, 0, 4, 8, 12);                                               \
        QUARTER(x, 1, 5, 9, 13);                                               \
        QUARTER(x, 2, 6, 10, 14);                                              \
        QUARTER(x, 3, 7, 11, 15);                                              \
        QUARTER(x, 0, 5, 10, 15);                                              \
        QUARTER(x, 1, 6, 11, 12);                                              \
        QUARTER(x, 2, 7, 8, 13);                                               \
        QUARTER(x, 3, 4, 9, 14);                                               \
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

/* `width` blocks from `first` on. */
#define DEFINE_LANES(name, width, target)                                      \
    target static void name(const uint32_t key[8], uint32_t kind,              \
                            uint64_t first, uint32_t *out)                     \
    {                                                                          \
        typedef uint32_t lanes __attribute__((vector_size(4 * (width))));      \
        uint32_t state[16];                                                    \
        lanes s[16], x[16];                                                    \
        start(key, kind, first, state);                                        \
        for (int i = 0; i < 16; i++)                                           \
            s[i] = (lanes){0} + state[i];                                      \
        for (int b = 0; b < (width); b++) {                                    \
            s[12][b] = (uint32_t)(first + (uint64_t)b);                        \
            s[13][b] = (uint32_t)((first + (uint64_t)b) >> 32);                \
        }                                                                      \
        for (int i = 0; i < 16; i++)                                           \
            x[i] = s[i];                                                       \
        for (int r = 0; r < DOUBLE_ROUNDS; r++)                                \
            DOUBLE_ROUND(x);                                                   \
        for (int i = 0; i < 16; i++)                                           \
            x[i] += s[i];                                                      \
        for (int b = 0; b < (width); b++)                                      \
            for (int i = 0; i < 16; i++)                                       \
                out[16 * b + i] = x[i][b];                                     \
    }

DEFINE_LANES(four, 4, )
#if defined(__x86_64__)
DEFINE_LANES(eight, 8, __attribute__((target("avx2"))))
DEFINE_LANES(sixteen, 16, __attribute__((target("avx512f"))))
#endif

void kith_i_chacha_batch(const uint32_t key[8], uint32_t kind, uint64_t first,
                         uint32_t out[KITH_I_BLOCK_WORDS * KITH_I_BATCH])
{
    void (*some)(const uint32_t *, uint32_t, uint64_t, uint32_t *) = four;
    uint32_t width = 4;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        some = sixteen;
        width = 16;
    } else if (__builtin_cpu_supports("avx2")) {
        some = eight;
        width = 8;
    }
#endif
    for (uint32_t b = 0; b < KITH_I_BATCH; b += width)
        some(key, kind, first + b, out + (size_t)KITH_I_BLOCK_WORDS * b);
}
