/* One report from one record. Client code: no allocation, no I/O. */
#include "client.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "randomize.h"

/* Steps in a unit of length when codewords are ranked. */
enum { RANK_UNIT = 1 << 14 };

static const uint64_t TABLE_MAX = UINT64_C(1) << 24;

void kith_i_client_nonce(const uint8_t secret[32], kith_i_ticket *ticket)
{
    enum { KIND_TASK = 1, KIND_ROUND };
    uint32_t key[8], out[KITH_I_BLOCK_WORDS];
    /* Secret and task to a key of the task, that and the place to a nonce. */
    for (int i = 0; i < 8; i++)
        key[i] = kith_i_load32(secret + 4 * i);
    for (int half = 0; half < 2; half++) {
        uint64_t word = kith_i_load64(ticket->task + 8 * half);
        kith_i_chacha_block(key, KIND_TASK, word, out);
        memcpy(key, out, sizeof key);
    }
    uint64_t place = (uint64_t)ticket->round << 16 | ticket->group;
    kith_i_chacha_block(key, KIND_ROUND, place, out);
    for (int i = 0; i < 16; i++)
        ticket->nonce[i] = (uint8_t)(out[i / 4] >> (8 * (i % 4)));
}

/* ---- is the mechanism in order? -------------------------------------------
 */

static const char *odds_flaw(kith_i_odds odds, kith_i_odds most)
{
    if (odds.den == 0 || odds.den > UINT64_C(1) << 32 || odds.num <= odds.den ||
        odds.num >= UINT64_C(1) << 48)
        return "the odds make no sense";
    if (most.den == 0 ||
        (kith_i_u128)odds.num * most.den > (kith_i_u128)most.num * odds.den)
        return "the odds reveal more than this device allows";
    return NULL;
}

/* a < b as they are, num / 2^shift; shifts below 64. */
static int scale_less(kith_i_scale a, kith_i_scale b)
{
    return (kith_i_u128)a.num << b.shift < (kith_i_u128)b.num << a.shift;
}

static const char *noise_flaw(const kith_i_mechanism *m,
                              const kith_i_question *q,
                              const kith_i_limits *limits)
{
    if (limits->sigma.num == 0 || limits->sigma.shift >= 64)
        return "this device does not send Gaussian reports";
    if (!(q->delta > 0 && q->delta <= limits->delta))
        return "delta is more than this device allows";
    if (m->sigma.shift >= 56 || m->sigma.num >= UINT64_C(1) << 62 ||
        m->sigma.num >> m->sigma.shift >= UINT64_C(1) << 26 ||
        m->sigma.num >> m->sigma.shift == 0)
        return "the noise makes no sense";
    return scale_less(m->sigma, limits->sigma)
               ? "the noise hides less than this device demands"
               : NULL;
}

/* Sizes that the kind has no use for must be 0: nobody allocates by them. */
static const char *symbol_flaw(const kith_i_mechanism *m,
                               const kith_i_question *q)
{
    if (m->symbols == 0 || m->symbols != kith_i_question_symbols(q))
        return "the mechanism has another number of symbols";
    if (m->width != 0 || m->kept != 0 || m->buckets != 0 || m->top != 0 ||
        m->rank != 0 || (m->kind != KITH_I_RANDOMIZER_HADAMARD && m->rows != 0))
        return "a mechanism for symbols has sizes of vectors";
    if (m->kind == KITH_I_RANDOMIZER_OLH)
        return m->outputs >= 2 && m->outputs <= UINT64_C(1) << 30
                   ? NULL
                   : "the hash has too few or too many values";
    if (m->symbols > TABLE_MAX)
        return "the mechanism has too many symbols";
    if (m->kind == KITH_I_RANDOMIZER_KRR)
        return m->outputs == m->symbols ? NULL
                                        : "the mechanism has other outputs";
    return m->outputs == 2 && m->rows >= m->symbols && m->rows <= TABLE_MAX &&
                   (m->rows & (m->rows - 1)) == 0
               ? NULL
               : "the Hadamard matrix has the wrong size";
}

static const char *vector_flaw(const kith_i_mechanism *m,
                               const kith_i_question *q, uint32_t d)
{
    if (m->width != kith_i_question_width(q, d) ||
        m->kept != kith_i_question_kept(q, d) || m->width == 0 ||
        m->buckets != q->place.places)
        return "the mechanism is for other vectors";
    if (m->symbols != 0 || m->rows != 0)
        return "a mechanism for vectors has sizes of symbols";
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        return m->outputs == 0 && m->top == 0 && m->rank == 0 &&
                       q->report == KITH_I_REPORT_VECTOR
                   ? NULL
                   : "a Gaussian mechanism has a codebook";
    int fits = q->report == KITH_I_REPORT_VECTOR
                   ? m->rank == 0 && m->outputs == KITH_I_CODEBOOK
                   : m->rank > 0 && m->outputs <= KITH_I_CODEBOOK &&
                         m->outputs * m->rank <= KITH_I_CODEBOOK_WORK;
    return fits && m->top > 0 && m->top < m->outputs
               ? NULL
               : "the codebook has the wrong size";
}

const char *kith_i_mechanism_flaw(const kith_i_mechanism *m,
                                  const kith_i_question *q, uint32_t d,
                                  const kith_i_limits *limits)
{
    const char *flaw = kith_i_question_flaw(q, d);
    if (flaw)
        return flaw;
    if (q->randomizer != KITH_I_RANDOMIZER_AUTO && q->randomizer != m->kind)
        return "the mechanism is not the one that was asked for";
    switch (m->kind) {
    case KITH_I_RANDOMIZER_KRR:
    case KITH_I_RANDOMIZER_OLH:
    case KITH_I_RANDOMIZER_HADAMARD:
        flaw = symbol_flaw(m, q);
        break;
    case KITH_I_RANDOMIZER_CODEBOOK:
        flaw = vector_flaw(m, q, d);
        break;
    case KITH_I_RANDOMIZER_GAUSSIAN:
        flaw = vector_flaw(m, q, d);
        return flaw ? flaw : noise_flaw(m, q, limits);
    case KITH_I_RANDOMIZER_AUTO:
        return "the mechanism was not chosen";
    }
    return flaw ? flaw : odds_flaw(m->odds, limits->odds);
}

/* ---- the report -----------------------------------------------------------
 */

size_t kith_i_report_bytes(const kith_i_mechanism *m)
{
    size_t payload = m->kind == KITH_I_RANDOMIZER_GAUSSIAN
                         ? 4 * (size_t)m->kept
                         : kith_i_number_bytes(m->outputs);
    return KITH_I_HEADER_BYTES + payload;
}

size_t kith_i_client_scratch(const kith_i_mechanism *m)
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
                                 kith_i_entropy *e, int16_t *scaled)
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
    uint64_t place = kith_i_ladder_draw(&ladder, e);
    uint32_t chosen =
        kith_i_codebook_ranked(score, (uint32_t)m->outputs, (uint32_t)place);
    memset(score, 0, sizeof score);
    return chosen;
}

static void write_number(uint64_t number, uint64_t outputs, uint8_t *payload)
{
    for (uint32_t i = 0; i < kith_i_number_bytes(outputs); i++)
        payload[i] = (uint8_t)(number >> (8 * i));
}

static void write_vector(const int32_t *values, uint32_t count,
                         uint8_t *payload)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t b = 0; b < 4; b++)
            payload[4 * i + b] = (uint8_t)((uint32_t)values[i] >> (8 * b));
}

void kith_i_client_respond(const kith_i_question *q, const kith_i_mechanism *m,
                           uint32_t d, const kith_i_ticket *ticket,
                           const double *x, kith_i_entropy *e, void *scratch,
                           uint8_t *bytes)
{
    float *vector = scratch;
    void *more = vector + m->width + 8;
    uint8_t *payload = bytes + KITH_I_HEADER_BYTES;
    kith_i_ladder ladder = kith_i_mechanism_ladder(m);
    kith_i_report_write_header(m->kind, ticket, bytes);
    /* The coin is drawn whether or not it is needed. */
    uint64_t place = kith_i_encode(q, d, x, kith_i_entropy_word(e), vector);
    uint64_t number = 0;
    switch (m->kind) {
    case KITH_I_RANDOMIZER_OLH:
        place = kith_i_olh_hash(ticket->nonce, place, m->outputs);
        number = kith_i_krr_output(place, kith_i_ladder_draw(&ladder, e));
        break;
    case KITH_I_RANDOMIZER_HADAMARD:
        place = kith_i_hadamard_bit(kith_i_hadamard_row(ticket->nonce, m->rows),
                                    place);
        number = kith_i_krr_output(place, kith_i_ladder_draw(&ladder, e));
        break;
    case KITH_I_RANDOMIZER_CODEBOOK:
        number = respond_codebook(m, ticket, vector, place, e, more);
        break;
    case KITH_I_RANDOMIZER_GAUSSIAN:
        kith_i_gaussian_vector(m, vector, sign_of(ticket, place), e, more);
        write_vector(more, m->kept, payload);
        break;
    case KITH_I_RANDOMIZER_KRR:
    case KITH_I_RANDOMIZER_AUTO:
        number = kith_i_krr_output(place, kith_i_ladder_draw(&ladder, e));
        break;
    }
    if (m->kind != KITH_I_RANDOMIZER_GAUSSIAN)
        write_number(number, m->outputs, payload);
    memset(scratch, 0, kith_i_client_scratch(m));
}
