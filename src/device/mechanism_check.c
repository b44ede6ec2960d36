/* Is a published mechanism one that this device may use? Client code. */
#include "mechanism.h"

#include "base/wide.h"

static const uint64_t TABLE_MAX = UINT64_C(1) << 24;

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

const char *kith_i_mechanism_shape(const kith_i_mechanism *m,
                                   const kith_i_question *q, uint32_t d)
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
        return symbol_flaw(m, q);
    case KITH_I_RANDOMIZER_CODEBOOK:
    case KITH_I_RANDOMIZER_GAUSSIAN:
        return vector_flaw(m, q, d);
    case KITH_I_RANDOMIZER_AUTO:
        break;
    }
    return "the mechanism was not chosen";
}

const char *kith_i_mechanism_flaw(const kith_i_mechanism *m,
                                  const kith_i_question *q, uint32_t d,
                                  kith_i_odds most)
{
    const char *flaw = kith_i_mechanism_shape(m, q, d);
    if (flaw)
        return flaw;
    return m->kind == KITH_I_RANDOMIZER_GAUSSIAN
               ? "this device does not send Gaussian reports"
               : odds_flaw(m->odds, most);
}
