/* The top-m codebooks. Client and server code.
 *
 * Vectors. The nonce stands for N = 256 directions: codeword i is a vector of
 * normal deviates (13 bits each, from a table) read from a ChaCha stream, so
 * its direction is uniform on the sphere up to the table's resolution. The
 * device ranks them by nearness to u and draws a place from the ladder; the
 * server makes only the codeword that was reported.
 *
 * Matrices, for the second moment z z' of a unit vector z in R^D. Codeword i is
 * C = G G' / |G|^2, G of D rows and `rank` columns of normal deviates, ranked
 * by <C, z z'> = |G' z|^2 / |G|^2: D multiplications a column, where a codeword
 * for the D (D + 1) / 2 products of z would need as many. The law of C is that
 * of Q C Q' for every rotation Q, so the mean of a report is a z z' + b (I - z
 * z') whatever z is (report_precision.c). Every bucket has a stream of its own;
 * the user ranks the codewords of hers, and those of the others do not depend
 * on it: their mean is I / D.
 *
 * The ranking is arithmetic on integers up to the last division. It decides
 * what is learned, not what is hidden: the ladder's promise holds for any
 * ranking. A user without a vector ranks by (0, ..., 0, 1): the same work, the
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
    STREAM_VECTORS = 0, /* kinds of streams; from MATRICES on one a bucket */
    STREAM_MATRICES = 1
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
static void make_batch(const uint32_t key[8], uint32_t kind, uint64_t first,
                       int16_t *to)
{
    enum { TOGETHER = 8 };
    uint32_t words[BATCH / 2];
    uint16_t bits[BATCH], index[BATCH];
    kith_i_chacha_batch(key, kind, first, words);
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

#if defined(__SSE2__)
typedef short eight __attribute__((vector_size(16)));
typedef int four __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16)));
#endif

/* Both have room for a multiple of 8; what w has beyond count is not looked at.
 * The loop below is what compilers make fast by themselves when they are asked
 * to; -O2 does not ask, hence the other. */
static void add_products(const int16_t *w, const int16_t *u, uint32_t count,
                         int64_t *dot, int64_t *square)
{
#if defined(__SSE2__)
    static const int16_t first[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    four d = {0}, s = {0};
    for (uint32_t i = 0; i < count; i += 8) {
        eight a, b, ours;
        memcpy(&a, w + i, sizeof a);
        memcpy(&b, u + i, sizeof b);
        memcpy(&ours, first + (count - i < 8 ? 8 - (count - i) : 0),
               sizeof ours);
        a &= ours;
        d += (four)__builtin_ia32_pmaddwd128(a, b);
        s += (four)__builtin_ia32_pmaddwd128(a, a);
    }
    *dot += d[0] + d[1] + d[2] + d[3]; /* 31 bits hold them together too */
    *square += s[0] + s[1] + s[2] + s[3];
#else
    int32_t d = 0, s = 0;
    for (uint32_t i = 0; i < count; i++) {
        d += (int32_t)w[i] * u[i];
        s += (int32_t)w[i] * w[i];
    }
    *dot += d;
    *square += s;
#endif
}

/* A stream, read one vector after the other. */
typedef struct {
    uint32_t key[8], kind, used;
    uint64_t block;
    int16_t batch[BATCH];
} stream;

static void stream_open(stream *s, const uint8_t *nonce, uint32_t kind)
{
    kith_i_chacha_key(nonce, s->key);
    s->kind = kind;
    s->used = BATCH;
    s->block = 0;
}

/* <w, u> and |w|^2 for the next vector w. */
static void next_products(stream *s, uint32_t width, const int16_t *scaled,
                          int64_t *dot, int64_t *square)
{
    uint32_t stride = kith_i_codebook_stride(width);
    *dot = *square = 0;
    for (uint32_t at = 0; at < stride;) {
        if (s->used == BATCH) {
            make_batch(s->key, s->kind, s->block, s->batch);
            s->block += KITH_I_BATCH;
            s->used = 0;
        }
        uint32_t take = stride - at;
        take = take < BATCH - s->used ? take : BATCH - s->used;
        if (at < width)
            add_products(s->batch + s->used, scaled + at,
                         width - at < take ? width - at : take, dot, square);
        at += take;
        s->used += take;
    }
}

/* The compiler makes no vectors of sqrt, which may set errno. */
static void divide_by_roots(double score[KITH_I_CODEBOOK],
                            const double square[KITH_I_CODEBOOK])
{
#if defined(__SSE2__)
    for (uint32_t i = 0; i < KITH_I_CODEBOOK; i += 2) {
        two a, b;
        memcpy(&a, score + i, sizeof a);
        memcpy(&b, square + i, sizeof b);
        a /= (two)__builtin_ia32_sqrtpd(b);
        memcpy(score + i, &a, sizeof a);
    }
#else
    for (uint32_t i = 0; i < KITH_I_CODEBOOK; i++)
        score[i] /= sqrt(square[i]);
#endif
}

void kith_i_codebook_scores(const uint8_t nonce[KITH_I_NONCE_BYTES],
                            uint32_t width, const int16_t *scaled,
                            double score[KITH_I_CODEBOOK])
{
    stream s;
    double squares[KITH_I_CODEBOOK];
    stream_open(&s, nonce, STREAM_VECTORS);
    for (uint32_t i = 0; i < KITH_I_CODEBOOK; i++) {
        int64_t dot, square;
        next_products(&s, width, scaled, &dot, &square);
        score[i] = (double)dot;
        squares[i] = square > 0 ? (double)square : 1; /* then dot is 0 */
    }
    divide_by_roots(score, squares);
}

void kith_i_matrix_scores(const uint8_t nonce[KITH_I_NONCE_BYTES],
                          uint32_t bucket, uint32_t width, uint32_t rank,
                          const int16_t *scaled, uint32_t count, double *score)
{
    stream s;
    stream_open(&s, nonce, STREAM_MATRICES + bucket);
    for (uint32_t i = 0; i < count; i++) {
        double along = 0, all = 0;
        for (uint32_t r = 0; r < rank; r++) {
            int64_t dot, square;
            next_products(&s, width, scaled, &dot, &square);
            along += (double)dot * (double)dot;
            all += (double)square;
        }
        score[i] = all > 0 ? along / all : 0;
    }
}

/* Is codeword a nearer than b? A total order. */
static inline int nearer(const double *score, uint32_t a, uint32_t b)
{
    return (score[a] > score[b]) | ((a < b) & (score[a] >= score[b]));
}

uint32_t kith_i_codebook_ranked(const double *score, uint32_t count,
                                uint32_t place)
{
    uint16_t order[KITH_I_CODEBOOK] = {0};
    uint32_t low = 0, high = count;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint16_t)i;
    /* Quickselect: order[low..high) holds the places low..high-1. It swaps
     * whether it must or not: half of the branches would be guessed wrong. */
    while (high - low > 1) {
        uint32_t pivot = order[low + (high - low) / 2], end = low;
        order[low + (high - low) / 2] = order[high - 1];
        for (uint32_t i = low; i + 1 < high; i++) {
            uint16_t c = order[i];
            order[i] = order[end];
            order[end] = c;
            end += (uint32_t)nearer(score, c, pivot);
        }
        order[high - 1] = order[end];
        order[end] = (uint16_t)pivot;
        if (place == end)
            return pivot;
        if (place < end)
            high = end;
        else
            low = end + 1;
    }
    return order[low];
}

/* The vector at coordinate `first` of a stream, and the sum of its squares. */
static uint64_t make_vector(const uint32_t key[8], uint32_t kind,
                            uint64_t first, uint32_t width, int16_t *to)
{
    uint32_t stride = kith_i_codebook_stride(width);
    uint32_t words[KITH_I_BLOCK_WORDS];
    uint64_t square = 0;
    for (uint32_t at = 0; at < stride;) {
        uint64_t block = (first + at) / BLOCK;
        uint32_t from = (uint32_t)((first + at) % BLOCK);
        kith_i_chacha_block(key, kind, block, words);
        for (uint32_t i = from; i < BLOCK && at < stride; i++, at++) {
            uint32_t bits = words[i / 2] >> (i % 2 ? 16 : 0);
            to[at] = at < width ? normal_of(bits) : (int16_t)0;
            square += (uint64_t)((int32_t)to[at] * to[at]);
        }
    }
    return square;
}

uint64_t kith_i_codebook_word(const uint8_t nonce[KITH_I_NONCE_BYTES],
                              uint32_t width, uint32_t index, int16_t *word)
{
    uint32_t key[8], stride = kith_i_codebook_stride(width);
    kith_i_chacha_key(nonce, key);
    return make_vector(key, STREAM_VECTORS, (uint64_t)index * stride, width,
                       word);
}

uint64_t kith_i_matrix_word(const uint8_t nonce[KITH_I_NONCE_BYTES],
                            uint32_t bucket, uint32_t width, uint32_t rank,
                            uint32_t index, int16_t *words)
{
    uint32_t key[8], stride = kith_i_codebook_stride(width);
    uint64_t square = 0;
    kith_i_chacha_key(nonce, key);
    for (uint32_t r = 0; r < rank; r++)
        square += make_vector(key, STREAM_MATRICES + bucket,
                              ((uint64_t)index * rank + r) * stride, width,
                              words + (size_t)r * stride);
    return square;
}
