/* How many empty cells lie before the next one whose noise reaches the
 * threshold: the exact treatment of cells that cannot be enumerated. */
#include "sampler.h"

#include <mpfr.h>

enum { EXTRA_BITS = 96, MARGIN_BITS = 48 };

/* p = Pr[noise >= least] to within a factor 1 +- 2^(MARGIN_BITS - precision).
 * Laplace: a^least / (1 + a), a = exp(-1/t). Gaussian: erfc(z / sqrt 2) / 2,
 * z = (least - 1/2) / sigma. A handful of operations, each correct to half a
 * unit; exp and erfc lose log2 of their argument (squared), below 40 bits for
 * every least / scale < 2^20. */
static void tail_probability(mpfr_t p, kith_i_noise_kind kind,
                             kith_i_scale scale, int64_t least)
{
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(p));
    mpfr_set_uj(t, scale.num, MPFR_RNDN);
    mpfr_div_2ui(t, t, scale.shift, MPFR_RNDN);
    if (kind == KITH_I_LAPLACE) {
        mpfr_si_div(t, -1, t, MPFR_RNDN);
        mpfr_set_sj(p, least, MPFR_RNDN);
        mpfr_mul(p, p, t, MPFR_RNDN);
        mpfr_exp(p, p, MPFR_RNDN);
        mpfr_exp(t, t, MPFR_RNDN);
        mpfr_add_ui(t, t, 1, MPFR_RNDN);
        mpfr_div(p, p, t, MPFR_RNDN);
    } else {
        mpfr_set_sj(p, 2 * least - 1, MPFR_RNDN);
        mpfr_div(p, p, t, MPFR_RNDN);
        mpfr_set_ui(t, 8, MPFR_RNDN);
        mpfr_sqrt(t, t, MPFR_RNDN);
        mpfr_div(p, p, t, MPFR_RNDN); /* (2 least - 1) / (2 sqrt 2 sigma) */
        mpfr_erfc(p, p, MPFR_RNDN);
        mpfr_div_2ui(p, p, 1, MPFR_RNDN);
    }
    mpfr_clear(t);
}

/* floor(ln(u) / ln(1-p)) with u and p moved by their margins: up = 0 gives the
 * least possible value (u high, p high), up = 1 the largest. */
static uint64_t gap_bound(const kith_i_lazy *u, const mpfr_t p, int up)
{
    mpfr_prec_t precision = mpfr_get_prec(p);
    mpfr_t a, b, margin;
    mpfr_inits2(precision, a, b, margin, NULL);
    mpfr_set_ui_2exp(margin, 1, MARGIN_BITS - (mpfr_exp_t)precision, MPFR_RNDU);
    mpfr_set_zero(a, 1);
    for (uint32_t i = u->count; i-- > 0;) { /* a = digits of u */
        mpfr_t digit;
        mpfr_init2(digit, 64);
        mpfr_set_uj(digit, u->digit[i], MPFR_RNDN);
        mpfr_add(a, a, digit, MPFR_RNDN);
        mpfr_div_2ui(a, a, 64, MPFR_RNDN);
        mpfr_clear(digit);
    }
    if (!up) { /* u below the next digit */
        mpfr_set_ui_2exp(b, 1, -64 * (mpfr_exp_t)u->count, MPFR_RNDN);
        mpfr_add(a, a, b, MPFR_RNDU);
    }
    mpfr_set_ui(b, 1, MPFR_RNDN);
    if (up)
        mpfr_sub(b, b, margin, MPFR_RNDD);
    else
        mpfr_add(b, b, margin, MPFR_RNDU);
    mpfr_mul(b, b, p, up ? MPFR_RNDD : MPFR_RNDU);
    mpfr_neg(b, b, MPFR_RNDN);
    mpfr_log1p(b, b, MPFR_RNDN);
    mpfr_log(a, a, MPFR_RNDN); /* u = 0 gives -inf: the largest gap */
    mpfr_div(a, a, b, MPFR_RNDN);
    /* and the margin of these last operations */
    mpfr_mul(margin, margin, a, MPFR_RNDA);
    if (up)
        mpfr_add(a, a, margin, MPFR_RNDU);
    else
        mpfr_sub(a, a, margin, MPFR_RNDD);
    uint64_t result = UINT64_MAX;
    if (mpfr_sgn(a) <= 0)
        result = 0;
    else if (mpfr_fits_uintmax_p(a, MPFR_RNDD))
        result = mpfr_get_uj(a, MPFR_RNDD);
    mpfr_clears(a, b, margin, NULL);
    return result;
}

/* Claim: geometric: Pr[gap >= g] = (1 - p)^g.
 * Needs: least >= 1, so that 0 < p < 1/2.
 * Because: for a uniform real u, floor(ln u / ln(1-p)) >= g iff u <= (1-p)^g.
 *   u is drawn digit by digit and everything is enclosed from both sides with
 *   growing precision until both ends have the same floor. */
uint64_t kith_i_sample_gap(kith_i_entropy *e, kith_i_noise_kind kind,
                           kith_i_scale scale, int64_t least)
{
    kith_i_lazy u = {.count = 0};
    uint64_t low, high;
    do {
        kith_i_lazy_extend(e, &u);
        mpfr_t p;
        mpfr_init2(p, (mpfr_prec_t)(64 * u.count + EXTRA_BITS));
        tail_probability(p, kind, scale, least);
        low = gap_bound(&u, p, 0);
        high = gap_bound(&u, p, 1);
        mpfr_clear(p);
    } while (low != high && !e->failed);
    return low;
}
