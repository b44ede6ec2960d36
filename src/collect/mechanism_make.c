/* The randomiser of a question, with every parameter that the device and the
 * server need: odds rounded toward privacy, sizes, the codebook's m and alpha,
 * the Gaussian's sigma. All of it is published with the question. */
#include <math.h>

#include "collect_i.h"

/* Tables of the server that grow with the number of symbols. */
static const uint64_t TABLE_MAX = UINT64_C(1) << 24;

kith_status kith_i_report_loss(double epsilon, kith_i_loss *out,
                               kith_error *err)
{
    if (!(epsilon > 0))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon of a report must be positive (it has no "
                           "default; 1 is a common choice)");
    if (!(epsilon <= KITH_I_LOCAL_EPSILON_MAX))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon of a report must be at most %g: beyond "
                           "that a report hides nothing",
                           KITH_I_LOCAL_EPSILON_MAX);
    kith_i_loss loss = (kith_i_loss)ldexp(epsilon, KITH_I_LOSS_BITS);
    if (loss == 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon of a report is too small to be used");
    *out = loss;
    return KITH_OK;
}

static kith_status make_symbols(const kith_i_question *q, kith_i_mechanism *m,
                                kith_error *err)
{
    double odds = (double)m->odds.num / (double)m->odds.den;
    m->symbols = kith_i_question_symbols(q);
    if (m->symbols == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "question \"%s\" has no symbols", q->what);
    if (m->kind == KITH_I_RANDOMIZER_AUTO)
        m->kind = kith_i_krr_is_better(odds, m->symbols)
                      ? KITH_I_RANDOMIZER_KRR
                      : KITH_I_RANDOMIZER_OLH;
    if (m->kind == KITH_I_RANDOMIZER_OLH) {
        m->outputs = kith_i_olh_outputs(odds);
        return KITH_OK;
    }
    if (m->symbols > TABLE_MAX)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "question \"%s\" has too many symbols for a "
                           "table: use olh",
                           q->what);
    if (m->kind == KITH_I_RANDOMIZER_KRR) {
        m->outputs = m->symbols;
        return KITH_OK;
    }
    m->outputs = 2;
    for (m->rows = 1; m->rows < m->symbols;)
        m->rows *= 2;
    return KITH_OK;
}

/* E3: what is sent is v = (x - centre) / radius in the unit ball, in one of
 * the buckets, or 0. Two inputs are then at most 2 apart, in one bucket or in
 * two. The analytic sigma holds for every epsilon. */
static kith_status make_sigma(kith_i_loss loss, double delta, kith_i_scale *out,
                              kith_error *err)
{
    kith_privacy privacy = {.epsilon = ldexp((double)loss, -KITH_I_LOSS_BITS),
                            .delta = delta,
                            .neighbors = KITH_REPLACE_ONE};
    kith_measure measure;
    kith_i_loss total;
    if (!(delta > 0))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the Gaussian randomiser needs delta above 0: use "
                           "the codebook for pure epsilon");
    kith_status status = kith_i_privacy_total(&privacy, &measure, &total, err);
    if (status)
        return status;
    kith_i_u128 apart = 2 * KITH_I_GAUSSIAN_UNIT;
    return kith_i_scale_gaussian(apart * apart, total, out, err);
}

static kith_status make_vectors(const kith_i_question *q, uint32_t d,
                                kith_i_mechanism *m, kith_error *err)
{
    m->width = kith_i_question_width(q, d);
    m->kept = kith_i_question_kept(q, d);
    m->buckets = (uint32_t)q->place.places;
    if ((uint64_t)m->kept * m->buckets > TABLE_MAX * 4)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "question \"%s\" has too many places for vectors "
                           "of this size",
                           q->what);
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        return make_sigma(m->loss, q->delta, &m->sigma, err);
    double odds = (double)m->odds.num / (double)m->odds.den;
    uint32_t outputs = KITH_I_CODEBOOK;
    kith_i_codebook_law law;
    if (q->report == KITH_I_REPORT_MOMENT) {
        kith_i_matrix_choose(odds, m->width, &m->rank, &outputs);
        law = kith_i_matrix_solve(odds, m->width, m->rank, outputs, 0);
    } else {
        law = kith_i_codebook_solve(odds, m->width, 0);
    }
    m->kind = KITH_I_RANDOMIZER_CODEBOOK;
    m->outputs = outputs;
    m->top = law.top;
    m->alpha = law.alpha;
    return KITH_OK;
}

kith_status kith_i_mechanism_make(const kith_i_question *q, uint32_t d,
                                  kith_i_mechanism *out, kith_error *err)
{
    const char *flaw = kith_i_question_flaw(q, d);
    if (flaw)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "question \"%s\" is refused by the clients: %s",
                           q->what ? q->what : "", flaw);
    kith_i_mechanism m = {.kind = q->randomizer};
    kith_status status = kith_i_report_loss(q->epsilon, &m.loss, err);
    if (status)
        return status;
    m.odds = kith_i_odds_floor(m.loss);
    if (m.odds.num <= m.odds.den)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon of a report is too small to be used");
    status = kith_i_question_width(q, d) ? make_vectors(q, d, &m, err)
                                         : make_symbols(q, &m, err);
    if (!status)
        *out = m;
    return status;
}

kith_status kith_i_limits_make(const kith_i_mechanism *m,
                               const kith_i_question *q, kith_i_loss epsilon,
                               double delta, kith_i_limits *out,
                               kith_error *err)
{
    const kith_i_loss most =
        (kith_i_loss)ldexp(KITH_I_LOCAL_EPSILON_MAX, KITH_I_LOSS_BITS);
    epsilon = m->loss < epsilon ? m->loss : epsilon;
    delta = q->delta < delta ? q->delta : delta;
    if (epsilon == 0 || epsilon > most || !(delta >= 0 && delta < 1))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a report declares a loss of nothing, or more than "
                           "%g: nothing is hidden by that",
                           KITH_I_LOCAL_EPSILON_MAX);
    kith_i_limits limits = {.odds = kith_i_odds_floor(epsilon), .delta = delta};
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN && delta > 0) {
        kith_status status = make_sigma(epsilon, delta, &limits.sigma, err);
        if (status)
            return status;
    }
    *out = limits;
    return KITH_OK;
}
