/* One report from one record. Client code: no allocation, no I/O. */
#include "respond.h"

#include <math.h>

#include "randomize.h"

/* Steps in a unit of length when codewords are ranked. */
enum { RANK_UNIT = 1 << 14 };

size_t kith_i_report_bytes(const kith_i_mechanism *m)
{
    size_t payload = m->kind == KITH_I_RANDOMIZER_GAUSSIAN
                         ? 4 * (size_t)m->kept
                         : kith_i_number_bytes(m->outputs);
    return KITH_I_HEADER_BYTES + payload;
}

size_t kith_i_respond_scratch(const kith_i_mechanism *m)
{
    /* The vector, then its steps (16 bits) or the noisy vector (32 bits). */
    return 2 * sizeof(float) * ((size_t)m->width + 8);
}

static int sign_of(const kith_i_ticket *ticket, uint64_t bucket)
{
    return kith_i_bucket_sign(kith_i_load64(ticket->nonce),
                              kith_i_load64(ticket->nonce + 8), bucket);
}

static uint64_t respond_codebook(const kith_i_mechanism *m,
                                 const kith_i_ticket *ticket,
                                 const float *vector, uint64_t bucket,
                                 kith_i_words *words, int16_t *scaled)
{
    double score[KITH_I_CODEBOOK];
    kith_i_ladder ladder = kith_i_mechanism_ladder(m);
    uint32_t stride = kith_i_codebook_stride(m->width);
    int sign = m->rank ? 1 : sign_of(ticket, bucket);
    for (uint32_t i = 0; i < stride; i++)
        scaled[i] = i < m->width
                        ? (int16_t)lrint((double)vector[i] * (sign * RANK_UNIT))
                        : (int16_t)0;
    if (m->rank)
        kith_i_matrix_scores(ticket->nonce, (uint32_t)bucket, m->width, m->rank,
                             scaled, (uint32_t)m->outputs, score);
    else
        kith_i_codebook_scores(ticket->nonce, m->width, scaled, score);
    uint64_t place = kith_i_ladder_draw(&ladder, words);
    uint32_t chosen =
        kith_i_codebook_ranked(score, (uint32_t)m->outputs, (uint32_t)place);
    kith_i_forget(score, sizeof score);
    return chosen;
}

static uint64_t draw_number(const kith_i_asked *asked, uint64_t place,
                            const float *vector, kith_i_words *words,
                            int16_t *more)
{
    const kith_i_mechanism *m = asked->mechanism;
    const uint8_t *nonce = asked->ticket->nonce;
    kith_i_ladder ladder = kith_i_mechanism_ladder(m);
    if (m->kind == KITH_I_RANDOMIZER_CODEBOOK)
        return respond_codebook(m, asked->ticket, vector, place, words, more);
    if (m->kind == KITH_I_RANDOMIZER_OLH)
        place = kith_i_olh_hash(nonce, place, m->outputs);
    if (m->kind == KITH_I_RANDOMIZER_HADAMARD)
        place = kith_i_hadamard_bit(kith_i_hadamard_row(nonce, m->rows), place);
    return kith_i_krr_output(place, kith_i_ladder_draw(&ladder, words));
}

void kith_i_respond(const kith_i_asked *asked, const double *x,
                    kith_i_words *words, void *scratch, uint8_t *bytes)
{
    const kith_i_mechanism *m = asked->mechanism;
    float *vector = scratch;
    kith_i_report_write_header(m->kind, asked->ticket, bytes);
    /* The coin is drawn whether or not it is needed. */
    uint64_t coin = kith_i_words_next(words);
    uint64_t place = kith_i_encode(asked->question, asked->d, x, coin, vector);
    void *word = vector + m->width + 8;
    uint64_t number = draw_number(asked, place, vector, words, word);
    kith_i_store(number, bytes + KITH_I_HEADER_BYTES,
                 (int)kith_i_number_bytes(m->outputs));
    kith_i_forget(scratch, kith_i_respond_scratch(m));
}
