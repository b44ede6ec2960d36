/* randomize: the local randomisers. Client code, except for what the server
 * needs to read a report again.
 *
 * All but the Gaussian are one construction, a ladder: the outputs are put in
 * an order that depends on the input, the first `top` of them have weight num
 * and the others den, and one is drawn by weight. Which outputs come first
 * depends on the record; how many, and the weights, do not. So
 *
 * Claim: Pr[output | input] / Pr[output | other input] <= num / den.
 * Needs: uniform independent words; for each input the order is a
 *   permutation. Nothing else: the order may be computed with any rounding.
 * Because: both probabilities are num or den over the same total. */
#ifndef KITH_RANDOMIZE_H
#define KITH_RANDOMIZE_H

#include <stdint.h>

#include "chacha.h"
#include "respond.h"

/* ---- ladder_draw.c ---- */

/* outputs > 0, top <= outputs, and the total of the weights is below 2^63:
 * see kith_i_mechanism_flaw. */
typedef struct kith_i_ladder {
    kith_i_odds odds;
    uint64_t top, outputs;
} kith_i_ladder;

kith_i_ladder kith_i_mechanism_ladder(const kith_i_mechanism *mechanism);
/* top num + (outputs - top) den. */
uint64_t kith_i_ladder_total(const kith_i_ladder *ladder);
/* The rung that a coin in [0, total) falls on: exactly num coins for each of
 * the first `top`, den for the others. */
uint64_t kith_i_ladder_rung(const kith_i_ladder *ladder, uint64_t coin);
uint64_t kith_i_ladder_draw(const kith_i_ladder *ladder, kith_i_words *words);

/* ---- k_ary_response.c: rung 0 is the truth, then the others in order ---- */

uint64_t kith_i_krr_output(uint64_t symbol, uint64_t rung);

/* ---- local_hashing.c: kRR on a hash that the nonce chose ---- */

uint64_t kith_i_olh_hash(const uint8_t nonce[KITH_I_NONCE_BYTES],
                         uint64_t symbol, uint64_t outputs);

/* ---- hadamard_response.c: kRR on one bit of the symbol's row ---- */

/* The row of the Hadamard matrix that the nonce chose; rows: a power of 2. */
uint64_t kith_i_hadamard_row(const uint8_t nonce[KITH_I_NONCE_BYTES],
                             uint64_t rows);
/* The sign bit of entry (row, symbol). */
static inline uint64_t kith_i_hadamard_bit(uint64_t row, uint64_t symbol)
{
    return (uint64_t)__builtin_parityll(row & symbol);
}

/* ---- codebook.c ---- */

/* Coordinates from one codeword to the next in the stream: width, rounded up
 * to 8. */
uint32_t kith_i_codebook_stride(uint32_t width);

/* score[i]: how near codeword i is to direction u. scaled: u in stride
 * integers, of length 2^14 at most but for rounding, zeros after the width. */
void kith_i_codebook_scores(const uint8_t nonce[KITH_I_NONCE_BYTES],
                            uint32_t width, const int16_t *scaled,
                            double score[KITH_I_CODEBOOK]);
/* The number of the codeword with this place, of `count` (at most
 * KITH_I_CODEBOOK): place 0 is the nearest, lower numbers first among equals.
 */
uint32_t kith_i_codebook_ranked(const double *score, uint32_t count,
                                uint32_t place);
/* Codeword `index`, not normalised, and the sum of its squares. word: stride
 * numbers. */
uint64_t kith_i_codebook_word(const uint8_t nonce[KITH_I_NONCE_BYTES],
                              uint32_t width, uint32_t index, int16_t *word);

/* Codebooks of matrices, one for each bucket, for second moments. score[i],
 * count of them: <C_i, u u'>, between 0 and |u|^2. */
void kith_i_matrix_scores(const uint8_t nonce[KITH_I_NONCE_BYTES],
                          uint32_t bucket, uint32_t width, uint32_t rank,
                          const int16_t *scaled, uint32_t count, double *score);
/* C = sum_r g_r g_r' / sum_r |g_r|^2: the vectors g_r, stride numbers each, and
 * the sum of all their squares. */
uint64_t kith_i_matrix_word(const uint8_t nonce[KITH_I_NONCE_BYTES],
                            uint32_t bucket, uint32_t width, uint32_t rank,
                            uint32_t index, int16_t *words);

/* s = +1 or -1 for a bucket. */
static inline int kith_i_bucket_sign(uint64_t low, uint64_t high,
                                     uint64_t bucket)
{
    uint32_t h = kith_i_nonce_hash(low, high, bucket, UINT64_C(1) << 62);
    return (h >> 31) ? -1 : 1;
}

#endif
