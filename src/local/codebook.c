/* The top-m codebook for unit vectors. Client and server code.
 *
 * The nonce stands for N = 256 directions: codeword i is a vector of normal
 * deviates (13 bits each, from a table) read from a ChaCha stream, so its
 * direction is uniform on the sphere up to the table's resolution. The device
 * ranks them by nearness to u and draws a rank from the ladder; the server
 * makes only the codeword that was reported.
 *
 * The ranking is arithmetic on integers up to the last division. It decides
 * what is learned, not what is hidden: the ladder's promise holds for any
 * ranking. A user without a vector ranks (0, ..., 0, 1): the same work, the
 * same byte. */
#include <math.h>
#include <string.h>

#include "codebook_table.h"
#include "randomize.h"

/* Coordinates in a block of the stream, and in a batch of blocks. Sums over
 * a batch, or a part of it, fit 31 bits: sqrt(512) * 2002 * 2^14 by Cauchy and
 * Schwarz, because u is no longer than 2^14 and a rounding; 512 * 2002^2. */
enum {
    BLOCK = 2 * KITH_I_BLOCK_WORDS,
    BATCH = BLOCK * KITH_I_BATCH,
    STREAM_WORDS = 0 /* kind of the stream */
};

uint32_t kith_i_codebook_stride(uint32_t width)
{
    return (width + 7) & ~(uint32_t)7;
}

static inline int16_t normal_of(uint32_t bits)
{
    int16_t magnitude = kith_i_normal_table[bits & 4095];
    int16_t flip = (int16_t) - (int16_t)(bits >> 12 & 1);
    return (int16_t)((magnitude ^ flip) - flip);
}

/* A batch of coordinates in the order of the stream: normal_of, one step after
 * the other, because the compiler makes vectors of all but the table. */
static void make_batch(const uint32_t key[8], uint64_t first, int16_t *to)
{
    enum { TOGETHER = 8 };
    uint32_t words[BATCH / 2];
    uint16_t bits[BATCH], index[BATCH];
    kith_i_chacha_batch(key, STREAM_WORDS, first, words);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(bits, words, sizeof bits);
#else
    for (int i = 0; i < BATCH; i++)
        bits[i] = (uint16_t)(words[i / 2] >> (i % 2 ? 16 : 0));
#endif
    for (int i = 0; i < BATCH; i++)
        index[i] = bits[i] & 4095;
    for (int i = 0; i < BATCH; i += TOGETHER)
        for (int t = i; t < i + TOGETHER; t++)
            to[t] = kith_i_normal_table[index[t]];
    for (int i = 0; i < BATCH; i++) {
        int16_t flip = (int16_t) - (int16_t)(bits[i] >> 12 & 1);
        to[i] = (int16_t)((to[i] ^ flip) - flip);
    }
}

/* count is a multiple of 8. */
static void add_products(const int16_t *w, const int16_t *u, uint32_t count,
                         int64_t *dot, int64_t *square)
{
    int32_t d = 0, s = 0;
    for (uint32_t i = 0; i < count; i++) {
        d += (int32_t)w[i] * u[i];
        s += (int32_t)w[i] * w[i];
    }
    *dot += d;
    *square += s;
}

void kith_i_codebook_scores(const uint8_t nonce[KITH_I_NONCE_BYTES],
                            uint32_t width, const int16_t *scaled,
                            double score[KITH_I_CODEBOOK])
{
    uint32_t key[8], stride = kith_i_codebook_stride(width), at = 0;
    int16_t batch[BATCH];
    uint32_t used = BATCH;
    uint64_t block = 0;
    kith_i_chacha_key(nonce, key);
    for (uint32_t i = 0; i < KITH_I_CODEBOOK; i++) {
        int64_t dot = 0, square = 0;
        for (at = 0; at < stride;) {
            if (used == BATCH) {
                make_batch(key, block, batch);
                block += KITH_I_BATCH;
                used = 0;
            }
            uint32_t take = stride - at;
            take = take < BATCH - used ? take : BATCH - used;
            for (uint32_t t = at + take; t > width && t > at; t--)
                batch[used + (t - 1 - at)] = 0; /* beyond the width */
            add_products(batch + used, scaled + at, take, &dot, &square);
            at += take;
            used += take;
        }
        score[i] = square > 0 ? (double)dot / sqrt((double)square) : 0;
    }
}

/* Is codeword a nearer than b? A total order. */
static inline int nearer(const double *score, uint32_t a, uint32_t b)
{
    return score[a] > score[b] || (a < b && score[a] >= score[b]);
}

uint32_t kith_i_codebook_ranked(const double score[KITH_I_CODEBOOK],
                                uint32_t rank)
{
    uint16_t order[KITH_I_CODEBOOK];
    uint32_t low = 0, high = KITH_I_CODEBOOK;
    for (uint32_t i = 0; i < KITH_I_CODEBOOK; i++)
        order[i] = (uint16_t)i;
    /* Quickselect: order[low..high) holds the ranks low..high-1. */
    while (high - low > 1) {
        uint32_t pivot = order[low + (high - low) / 2], end = low;
        order[low + (high - low) / 2] = order[high - 1];
        for (uint32_t i = low; i + 1 < high; i++) {
            uint16_t c = order[i];
            if (nearer(score, c, pivot)) {
                order[i] = order[end];
                order[end++] = c;
            }
        }
        order[high - 1] = order[end];
        order[end] = (uint16_t)pivot;
        if (rank == end)
            return pivot;
        if (rank < end)
            high = end;
        else
            low = end + 1;
    }
    return order[low];
}

uint64_t kith_i_codebook_word(const uint8_t nonce[KITH_I_NONCE_BYTES],
                              uint32_t width, uint32_t index, int16_t *word)
{
    uint32_t key[8], stride = kith_i_codebook_stride(width);
    uint64_t first = (uint64_t)index * stride, square = 0;
    uint32_t words[KITH_I_BLOCK_WORDS];
    kith_i_chacha_key(nonce, key);
    for (uint32_t at = 0; at < stride;) {
        uint64_t block = (first + at) / BLOCK;
        uint32_t from = (uint32_t)((first + at) % BLOCK);
        kith_i_chacha_block(key, STREAM_WORDS, block, words);
        for (uint32_t i = from; i < BLOCK && at < stride; i++, at++) {
            uint32_t bits = words[i / 2] >> (i % 2 ? 16 : 0);
            word[at] = at < width ? normal_of(bits) : (int16_t)0;
            square += (uint64_t)((int32_t)word[at] * word[at]);
        }
    }
    return square;
}
