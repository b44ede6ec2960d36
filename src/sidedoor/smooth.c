/* Smooth sensitivity of a medoid.
 *
 * Outputs s_1..s_m in a metric space; one record changes at most s of them.
 * r_i(t): radius of the ball about s_i with t outputs, s_i included (the
 * diameter L when t > m). t0 = floor((m + s) / 2) + 1; the medoid g has the
 * smallest r_i(t0). h(j, t): the j-th smallest of r_1(t)..r_m(t), L when j > m.
 *
 * Claim: S = max_{n>=0} exp(-beta n) min(L, 2 h(1 + (n+1)s, t0 + (n+1)s)) is
 *   at least the distance between the medoids of neighbours, and S(x') <=
 *   e^beta S(x).
 * Because: the balls of both medoids hold t0 outputs each, and 2 t0 > m + s,
 *   so they share an output that did not change: d(g, g') <= h(1, t0) +
 *   h'(1, t0). For an output that did not change r'_i(t) <= r_i(t + s), and at
 *   most s did: h'(j, t) <= h(j + s, t + s). So d(g, g') <= 2 h(1+s, t0+s),
 *   and nothing is further apart than L: the term n = 0; and every term of
 *   S(x') is at most e^beta times the next term of S(x). Nissim et al. average
 *   the largest r_i instead, which needs s / beta <= m to make sense, and pay
 *   2 L for the diameter; this needs nothing.
 *
 * Claim: g + (S / alpha) N(0, I_D) is (epsilon, delta)-DP for the alpha and
 *   beta of kith_i_smooth_set, for every epsilon.
 * Because: neighbours have two Gaussians whose widths differ by a factor
 *   sqrt(v), 1 <= v <= e^(2 beta), at a distance of at most alpha times the
 *   smaller width, since both S bound it. Let lambda = 1 + x > 1. The Renyi
 *   divergence of order lambda of the wide one from the narrow one (W from N)
 *   is, with gap = 1 - x (v - 1) > 0 and the shift at its largest,
 *     R = lambda alpha^2 / (2 gap) - D (ln gap + x ln v) / (2 x).
 *   It grows with the shift; and with v: the first term does, and d/dv (ln gap
 *   + x ln v) = x lambda (1 - v) / (v gap) <= 0. That of N from W is
 *     lambda alpha^2 / (2 up) - D (ln up - lambda ln v) / (2 x) <= R,
 *   up = 1 + lambda (v - 1): for up >= 1 >= gap, and f(v) = ln up - ln gap -
 *   (1 + 2x) ln v has f(1) = 0 and f' = (1 + 2x) (1 / (up gap) - 1 / v) >= 0,
 *   because up gap = v - x lambda (v - 1)^2 <= v. So v = e^(2 beta) and W, N
 *   are the worst.
 *   With Y the log-ratio, delta = E max(0, 1 - e^(epsilon - Y)); 1 - e^-u <=
 *   e^(x u) c for c = max_u (1 - e^-u) e^(-x u) = x^x / lambda^lambda (at e^-u
 *   = x / lambda). So delta <= c e^(x (R - epsilon)), and it is enough that
 *     R <= epsilon - ln x + (lambda ln lambda + ln delta) / x,
 *   which says how large alpha may be: for any x and beta we like. Nissim et
 *   al. bound the shift and the width one by one, for epsilon < 1.
 *   S^2 is rounded up to an integer of at least 2^20, a relative error below
 *   2^-20; scales are rounded up by 2^-38: beta is lowered by 2^-20 for it.
 *   (The maximum of a smooth bound and a constant is smooth.)
 *
 * Which x and beta: those with the least mean of ln(noise), if the outputs lie
 *   so close that S is L / 2 to L / 64 but for the first term that is L, number
 *   n: ln S is then uniform there, or -beta n where that is more. Found in
 *   floating point; alpha is worked out for what was found, rounded down. */
#include "smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"

enum {
    PRECISION = 256, /* terms below 2^60 that leave 2^-50: no rounding shows */
    STEPS = 96,      /* of a grid */
    GOLDEN = 40,     /* and on from its best */
};
static const double ROUNDING = 0x1p-20; /* of beta */
static const double FIRST = .69314718;  /* ln 2 */
static const double LAST = 4.15888308;  /* ln 64 */

/* ---- alpha and beta ------------------------------------------------------ */

typedef struct {
    double epsilon, log_delta, dimension;
    double terms; /* before the diameter */
    double beta;  /* in largest_square */
} search;

/* alpha^2 for x and beta. */
static double alpha_square(const search *s, double x, double beta)
{
    double gap = 1 - x * expm1(2 * beta), lambda = 1 + x;
    if (!(gap > 0))
        return 0;
    double left = s->epsilon - log(x) + (lambda * log1p(x) + s->log_delta) / x +
                  s->dimension * (log(gap) + 2 * x * beta) / (2 * x);
    return left > 0 ? 2 * gap / lambda * left : 0;
}

/* The largest value of a function of exp(u), u in [low, high]: a grid, then
 * golden sections about its best point. */
static double climb(double (*value)(const search *, double), const search *s,
                    double low, double high, double *where)
{
    double step = (high - low) / STEPS, best = -HUGE_VAL, at = low;
    for (int i = 0; i <= STEPS; i++) {
        double v = value(s, exp(low + i * step));
        if (v > best) {
            best = v;
            at = low + i * step;
        }
    }
    double a = fmax(low, at - step), b = fmin(high, at + step);
    static const double part = .381966;
    for (int i = 0; i < GOLDEN; i++) {
        double c = a + part * (b - a), d = b - part * (b - a);
        if (value(s, exp(c)) < value(s, exp(d)))
            a = c;
        else
            b = d;
    }
    double v = value(s, exp((a + b) / 2));
    *where = v > best ? exp((a + b) / 2) : exp(at);
    return fmax(v, best);
}

static double square_of_x(const search *s, double x)
{
    return alpha_square(s, x, s->beta);
}

static double best_x(const search *s, double beta, double *x)
{
    search own = *s;
    own.beta = beta;
    return climb(square_of_x, &own, log(0x1p-20),
                 log(fmin(0x1p30, (1 - 0x1p-20) / expm1(2 * beta))), x);
}

/* Minus the mean of ln(noise^2): the mean of min(u, beta n), u uniform. */
static double quality(const search *s, double beta)
{
    double x, square = best_x(s, beta, &x), z = fmin(beta * s->terms, LAST);
    double over = fmax(z - FIRST, 0);
    return log(square) + 2 * (z - over * over / (2 * (LAST - FIRST)));
}

/* alpha^2, rounded down, in units of 2^-50; same formula. */
static kith_i_loss certified(double epsilon, double delta, double dimension,
                             double x, double beta)
{
    mpfr_t gap, sum, t, big_x;
    mpfr_inits2(PRECISION, gap, sum, t, big_x, (mpfr_ptr)0);
    mpfr_set_d(big_x, x, MPFR_RNDN);
    mpfr_set_d(gap, 2 * beta, MPFR_RNDN);
    mpfr_expm1(gap, gap, MPFR_RNDN);
    mpfr_mul(gap, gap, big_x, MPFR_RNDN);
    mpfr_ui_sub(gap, 1, gap, MPFR_RNDN);
    mpfr_log(sum, gap, MPFR_RNDN); /* D/2 (ln gap + 2 x beta) */
    mpfr_mul_d(t, big_x, 2 * beta, MPFR_RNDN);
    mpfr_add(sum, sum, t, MPFR_RNDN);
    mpfr_mul_d(sum, sum, dimension, MPFR_RNDN);
    mpfr_div_2ui(sum, sum, 1, MPFR_RNDN);
    mpfr_log1p(t, big_x, MPFR_RNDN); /* lambda ln lambda */
    mpfr_add(sum, sum, t, MPFR_RNDN);
    mpfr_mul(t, t, big_x, MPFR_RNDN);
    mpfr_add(sum, sum, t, MPFR_RNDN);
    mpfr_set_d(t, delta, MPFR_RNDN);
    mpfr_log(t, t, MPFR_RNDN);
    mpfr_add(sum, sum, t, MPFR_RNDN);
    mpfr_div(sum, sum, big_x, MPFR_RNDN);
    mpfr_log(t, big_x, MPFR_RNDN);
    mpfr_sub(sum, sum, t, MPFR_RNDN);
    mpfr_add_d(sum, sum, epsilon, MPFR_RNDN);
    mpfr_mul(sum, sum, gap, MPFR_RNDN); /* 2 gap / lambda */
    mpfr_add_ui(big_x, big_x, 1, MPFR_RNDN);
    mpfr_div(sum, sum, big_x, MPFR_RNDN);
    mpfr_mul_2ui(sum, sum, 1 + KITH_I_LOSS_BITS, MPFR_RNDN);
    kith_i_loss square = 0;
    if (mpfr_sgn(gap) > 0 && mpfr_cmp_ui(sum, 1) > 0) {
        mpfr_sub_d(sum, sum, 0x1p-20, MPFR_RNDN); /* all roundings above */
        square = mpfr_get_uj(sum, MPFR_RNDD);
    }
    mpfr_clears(gap, sum, t, big_x, (mpfr_ptr)0);
    mpfr_free_cache();
    return square;
}

static uint64_t majority(uint32_t m, uint32_t each)
{
    return ((uint64_t)m + each) / 2 + 1;
}

kith_status kith_i_smooth_set(double epsilon, double delta, double dimension,
                              uint32_t m, uint32_t each, kith_i_smooth *out,
                              kith_error *err)
{
    uint64_t t0 = majority(m, each);
    search s = {epsilon, log(delta), dimension,
                (double)(m > t0 ? (m - t0) / each : 0), 0};
    double beta = ROUNDING, x;
    if (s.terms > 0)
        climb(quality, &s, log(ROUNDING), log(LAST / s.terms), &beta);
    beta = fmax(beta, ROUNDING);
    best_x(&s, beta, &x);
    kith_i_loss square = certified(epsilon, delta, dimension, x, beta);
    if (square == 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon or delta is too small for noise that "
                           "depends on the rows: raise it");
    out->alpha_squared = square;
    out->beta = beta - ROUNDING;
    out->least = exp(-out->beta * s.terms) /
                 sqrt(ldexp((double)square, -KITH_I_LOSS_BITS));
    return KITH_OK;
}

/* ---- the medoid and its bound -------------------------------------------- */

/* ceil(square exp(-2 beta n)) */
static uint64_t term(uint64_t square, double beta, uint32_t n)
{
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_d(x, -2 * beta, MPFR_RNDN);
    mpfr_mul_ui(x, x, n, MPFR_RNDU);
    mpfr_exp(x, x, MPFR_RNDU);
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
    uint64_t t0 = majority(m, each);
    for (uint32_t i = 0; i < m; i++)
        qsort(squares + (size_t)i * m, m, sizeof *squares, compare);
    *medoid = 0;
    for (uint32_t i = 1; i < m && t0 <= m; i++)
        if (squares[(size_t)i * m + t0 - 1] <
            squares[(size_t)*medoid * m + t0 - 1])
            *medoid = i;
    for (uint32_t n = 0;; n++) {
        uint64_t j = 1 + ((uint64_t)n + 1) * each, t = t0 + j - 1, h = diameter;
        if (t <= m) { /* and j < t */
            for (uint32_t i = 0; i < m; i++)
                work[i] = squares[(size_t)i * m + t - 1];
            qsort(work, m, sizeof *work, compare);
            h = 4 * work[j - 1] < diameter ? 4 * work[j - 1] : diameter;
        }
        uint64_t value = term(h, beta, n);
        largest = value > largest ? value : largest;
        if (h == diameter) /* later terms have it too, and count for less */
            break;
    }
    mpfr_free_cache();
    return largest;
}
