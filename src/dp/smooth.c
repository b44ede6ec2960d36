/* Smooth sensitivity of a medoid.
 *
 * Outputs s_1..s_m in a metric space; one record changes at most s of them.
 * r_i(t): radius of the ball about s_i with t outputs, s_i included (the
 * diameter L when t > m). t0 = floor((m + s) / 2) + 1; the medoid g has the
 * smallest r_i(t0). h(j, t): the j-th smallest of r_1(t)..r_m(t), L when j > m.
 *
 * Claim: S = 2 max_{n>=0} exp(-beta n) h(1 + (n+1)s, t0 + (n+1)s) is at least
 *   the distance between the medoids of neighbours, and S(x') <= e^beta S(x).
 * Because: the balls of both medoids hold t0 outputs each, and 2 t0 > m + s,
 *   so they share an output that did not change: d(g, g') <= h(1, t0) +
 *   h'(1, t0). For an output that did not change r'_i(t) <= r_i(t + s), and at
 *   most s did: h'(j, t) <= h(j + s, t + s). So d(g, g') <= 2 h(1+s, t0+s),
 *   which is the term n = 0; and every term of S(x') is at most e^beta times
 *   the next term of S(x). Nissim et al. average the largest r_i instead,
 *   which needs s / beta <= m to make sense; this needs nothing.
 *
 * Claim: g + (S / alpha) N(0, I_D) is (epsilon, delta)-DP for the alpha and
 *   beta of kith_i_smooth_set, for every epsilon.
 * Because: with halves e1 = e2 = epsilon/2, d1 = delta/2, d2 = e^-e1 delta/2:
 *   moving the centre by at most S costs (e1, d1), since it is alpha-GDP and
 *   alpha is chosen for that. Changing the width from S to e^l S, |l| <= beta,
 *   costs (e2, d2): with z normal the log-ratio is |z|^2 (e^(2l) - 1)/2 - lD;
 *   but for d2, D - 2 sqrt(Dt) <= |z|^2 <= D + 2 sqrt(Dt) + 2t =: D + w with
 *   t = ln(1/d2), on the side that matters (Laurent, Massart 2000); and
 *   e^(2l) - 1 <= 2l (1 + 1.2 l) for l <= 0.15: so it is at most
 *   l w + 1.2 l^2 (D + w) for l > 0, and less for l < 0. beta makes this e2.
 *   Both together: epsilon = e1 + e2, delta = d1 + e^e1 d2.
 *   S^2 is rounded up to an integer of at least 2^20, a relative error below
 *   2^-20; scales are rounded up by 2^-38: beta is lowered by 2^-20 for it.
 *   (The maximum of a smooth bound and a constant is smooth.) */
#include "smooth.h"

#include <stdlib.h>
#include <string.h>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"

enum { PRECISION = 128 };
static const double BETA_MOST = .15;

/* beta = 2 e / (w + sqrt(w^2 + 4.8 v e)), rounded down. */
static double beta_of(double epsilon, double delta, double dimension)
{
    mpfr_t t, w, v, root, e;
    mpfr_inits2(PRECISION, t, w, v, root, e, (mpfr_ptr)0);
    mpfr_set_d(e, epsilon, MPFR_RNDN);
    mpfr_div_2ui(e, e, 1, MPFR_RNDN); /* exact */
    mpfr_set_d(t, delta, MPFR_RNDN);
    mpfr_d_div(t, 2, t, MPFR_RNDU);
    mpfr_log(t, t, MPFR_RNDU);
    mpfr_add(t, t, e, MPFR_RNDU);
    mpfr_mul_d(w, t, dimension, MPFR_RNDU);
    mpfr_sqrt(w, w, MPFR_RNDU);
    mpfr_add(w, w, t, MPFR_RNDU);
    mpfr_mul_2ui(w, w, 1, MPFR_RNDU);
    mpfr_add_d(v, w, dimension, MPFR_RNDU);
    mpfr_mul(v, v, e, MPFR_RNDU);
    mpfr_mul_d(v, v, 4.8000001, MPFR_RNDU);
    mpfr_sqr(root, w, MPFR_RNDU);
    mpfr_add(root, root, v, MPFR_RNDU);
    mpfr_sqrt(root, root, MPFR_RNDU);
    mpfr_add(root, root, w, MPFR_RNDU);
    mpfr_mul_2ui(e, e, 1, MPFR_RNDN);
    mpfr_div(e, e, root, MPFR_RNDD);
    double beta = mpfr_get_d(e, MPFR_RNDD);
    mpfr_clears(t, w, v, root, e, (mpfr_ptr)0);
    mpfr_free_cache();
    beta = (beta < BETA_MOST ? beta : BETA_MOST) - 0x1p-20;
    return beta > 0 ? beta : 0;
}

kith_status kith_i_smooth_set(double epsilon, double delta, double dimension,
                              kith_i_smooth *out, kith_error *err)
{
    kith_privacy shift = {epsilon / 2, delta / 2, KITH_ADD_REMOVE};
    kith_measure measure;
    kith_status status =
        kith_i_privacy_total(&shift, &measure, &out->alpha_squared, err);
    if (!status)
        out->beta = beta_of(epsilon, delta, dimension);
    return status;
}

/* ceil(4 square exp(-2 beta n)) */
static uint64_t term(uint64_t square, double beta, uint32_t n)
{
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_d(x, -2 * beta, MPFR_RNDN);
    mpfr_mul_ui(x, x, n, MPFR_RNDU);
    mpfr_exp(x, x, MPFR_RNDU);
    mpfr_mul_2ui(x, x, 2, MPFR_RNDU);
    mpfr_t s;
    mpfr_init2(s, 64);
    mpfr_set_uj(s, square, MPFR_RNDN);
    mpfr_mul(x, x, s, MPFR_RNDU);
    uint64_t value = mpfr_get_uj(x, MPFR_RNDU);
    mpfr_clear(s);
    mpfr_clear(x);
    return value;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t kith_i_smooth_medoid(uint64_t *squares, uint32_t m, uint32_t each,
                              uint64_t diameter, double beta, uint64_t *work,
                              uint32_t *medoid)
{
    uint64_t largest = (uint64_t)1 << KITH_I_SMOOTH_BITS;
    uint64_t t0 = ((uint64_t)m + each) / 2 + 1;
    for (uint32_t i = 0; i < m; i++)
        qsort(squares + (size_t)i * m, m, sizeof *squares, compare);
    *medoid = 0;
    for (uint32_t i = 1; i < m && t0 <= m; i++)
        if (squares[(size_t)i * m + t0 - 1] <
            squares[(size_t)*medoid * m + t0 - 1])
            *medoid = i;
    for (uint32_t n = 0;; n++) {
        uint64_t j = 1 + ((uint64_t)n + 1) * each, t = t0 + j - 1, h = diameter;
        int last = t > m; /* j < t: from here on all terms have the diameter */
        if (!last) {
            for (uint32_t i = 0; i < m; i++)
                work[i] = squares[(size_t)i * m + t - 1];
            qsort(work, m, sizeof *work, compare);
            h = work[j - 1];
        }
        uint64_t value = term(h, beta, n);
        largest = value > largest ? value : largest;
        if (last)
            break;
    }
    mpfr_free_cache();
    return largest;
}
