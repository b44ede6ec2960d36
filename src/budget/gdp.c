/* Gaussian differential privacy as curves: delta(epsilon; mu), its inverse,
 * and the tight zCDP conversion for comparisons. MPFR, every rounding outward
 * (I25). Letters: mu as in Dong, Roth, Su 2022; w = sqrt(2) mu, so that every
 * argument of erfc below is epsilon/w -+ w/4. */
#include "gdp.h"

#include <math.h>
#include <string.h>

#include "budget_i.h"

enum { FIRST_PRECISION = 96, LAST_PRECISION = 384, SHARP_PRECISION = 6144 };

static mpfr_rnd_t opposite(mpfr_rnd_t toward)
{
    return toward == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
}

/* Claim: out >= delta(epsilon; mu) when toward is MPFR_RNDU and <= when it is
 *   MPFR_RNDD, whatever the precision of out, where delta(epsilon; mu) =
 *   Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2).
 * Needs: epsilon finite, of either sign; twice_mu_squared = 2 mu^2 > 0 without
 *   error; out has 53 bits or more.
 * Because: delta grows with mu (its derivative is the normal density at
 *   epsilon/mu - mu/2, whatever the sign), so w may be rounded toward and then
 * taken as exact; Phi(-x sqrt 2) = erfc(x)/2 falls with x, so the first term
 * wants its argument rounded against and itself toward, the second the reverse.
 * MPFR rounds correctly; underflow gives 0 or the smallest number, whichever
 *   lies in the direction asked for, and overflow likewise. */
void kith_i_gdp_delta_bound_at(mpfr_t out, const mpfr_t eps,
                               const mpfr_t twice_mu_squared, mpfr_rnd_t toward)
{
    mpfr_rnd_t against = opposite(toward);
    mpfr_prec_t precision = mpfr_get_prec(out);
    mpfr_t w, quarter, x, first, second;
    mpfr_inits2(precision, w, quarter, x, first, second, (mpfr_ptr)NULL);
    mpfr_sqrt(w, twice_mu_squared, toward);
    mpfr_div_2ui(quarter, w, 2, MPFR_RNDN); /* exact */

    mpfr_div(x, eps, w, against);
    mpfr_sub(x, x, quarter, against);
    mpfr_erfc(first, x, toward);

    mpfr_div(x, eps, w, toward);
    mpfr_add(x, x, quarter, toward);
    mpfr_erfc(second, x, against);
    mpfr_exp(x, eps, against);
    mpfr_mul(second, second, x, against);

    mpfr_sub(out, first, second, toward);
    mpfr_div_2ui(out, out, 1, toward);
    mpfr_clears(w, quarter, x, first, second, (mpfr_ptr)NULL);
}

void kith_i_gdp_delta_bound(mpfr_t out, double epsilon,
                            const mpfr_t twice_mu_squared, mpfr_rnd_t toward)
{
    mpfr_t eps;
    mpfr_init2(eps, 53); /* exact */
    mpfr_set_d(eps, epsilon, MPFR_RNDN);
    kith_i_gdp_delta_bound_at(out, eps, twice_mu_squared, toward);
    mpfr_clear(eps);
}

/* Ziv's strategy: most questions are decided with few digits. What 384 bits
 * cannot decide is answered "no", the safe side. They are enough for every
 * mu^2 that is a multiple of 2^-50 and epsilon <= 4096: the two terms cancel
 * at most 2^62-fold and an error in the argument grows at most 2^75-fold. */
int kith_i_gdp_delta_within(double epsilon, const mpfr_t twice_mu_squared,
                            double delta)
{
    for (mpfr_prec_t p = FIRST_PRECISION; p <= LAST_PRECISION; p *= 2) {
        mpfr_t bound;
        mpfr_init2(bound, p);
        kith_i_gdp_delta_bound(bound, epsilon, twice_mu_squared, MPFR_RNDU);
        int yes = mpfr_cmp_d(bound, delta) <= 0, no = 0;
        if (!yes) {
            kith_i_gdp_delta_bound(bound, epsilon, twice_mu_squared, MPFR_RNDD);
            no = mpfr_cmp_d(bound, delta) > 0;
        }
        mpfr_clear(bound);
        if (yes || no)
            return yes;
    }
    return 0;
}

static void twice_square(mpfr_t out, double mu) /* precision >= 106: exact */
{
    mpfr_set_d(out, mu, MPFR_RNDN);
    mpfr_sqr(out, out, MPFR_RNDN);
    mpfr_mul_2ui(out, out, 1, MPFR_RNDN);
}

/* Claim: at least delta(epsilon; mu); the next double above it, or itself.
 * Needs: epsilon >= 0, mu >= 0. Anything else gives 1: no privacy.
 * Because: kith_i_gdp_delta_bound; digits are added until both sides round up
 * to the same double, and when they never do the upper side is returned. */
double kith_i_gdp_delta(double epsilon, double mu)
{
    if (!(epsilon >= 0) || !(mu >= 0) || isinf(mu))
        return 1;
    if (isinf(epsilon) || mu <= 0)
        return 0;
    mpfr_t square, bound;
    mpfr_init2(square, 128);
    mpfr_init2(bound, FIRST_PRECISION);
    twice_square(square, mu);
    double above = 1;
    for (mpfr_prec_t p = FIRST_PRECISION; p <= SHARP_PRECISION; p *= 2) {
        mpfr_set_prec(bound, p);
        kith_i_gdp_delta_bound(bound, epsilon, square, MPFR_RNDU);
        above = mpfr_get_d(bound, MPFR_RNDU);
        kith_i_gdp_delta_bound(bound, epsilon, square, MPFR_RNDD);
        if (mpfr_get_d(bound, MPFR_RNDU) >= above) /* == */
            break;
    }
    mpfr_clears(square, bound, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return above < 1 ? above : 1;
}

/* Non-negative doubles in the order of their bit patterns. */
static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Claim: delta(result; mu) <= delta, and the double below it could not be
 *   shown to have that property.
 * Needs: mu >= 0 and delta >= 0; otherwise the result is infinite.
 * Because: bisection over the doubles; delta falls as epsilon grows. */
double kith_i_gdp_epsilon(double mu, double delta)
{
    if (!(mu >= 0) || isinf(mu) || !(delta >= 0))
        return HUGE_VAL;
    if (mu == 0 || delta >= 1)
        return 0;
    if (delta <= 0)
        return HUGE_VAL;
    mpfr_t square;
    mpfr_init2(square, 128);
    twice_square(square, mu);
    double epsilon = 0;
    if (!kith_i_gdp_delta_within(0, square, delta)) {
        uint64_t no = 0, yes = 0x7ff0000000000000u; /* 0 and infinity */
        while (yes - no > 1) {
            uint64_t middle = no + (yes - no) / 2;
            if (kith_i_gdp_delta_within(from_bits(middle), square, delta))
                yes = middle;
            else
                no = middle;
        }
        epsilon = from_bits(yes);
    }
    mpfr_clear(square);
    mpfr_free_cache();
    return epsilon;
}

/* ---- zCDP ---------------------------------------------------------------- */

/* epsilon at order alpha = 1 + e^u:
 * alpha rho - (log delta + log alpha) / (alpha - 1) + log(1 - 1/alpha). */
static double zcdp_estimate(double rho, double log_delta, double u)
{
    double a = exp(u), log_alpha = log1p(a);
    return (1 + a) * rho - (log_delta + log_alpha) / a + (u - log_alpha);
}

/* The same for the order 1 + a, rounded up. */
static double zcdp_bound(double rho, double delta, double a)
{
    mpfr_t sum, term, log_alpha, order;
    mpfr_inits2(LAST_PRECISION, sum, term, log_alpha, order, (mpfr_ptr)NULL);
    mpfr_set_d(order, a, MPFR_RNDN); /* exact */

    mpfr_set_d(sum, delta, MPFR_RNDN); /* exact */
    mpfr_log(sum, sum, MPFR_RNDD);
    mpfr_log1p(log_alpha, order, MPFR_RNDD);
    mpfr_add(sum, sum, log_alpha, MPFR_RNDD);
    mpfr_neg(sum, sum, MPFR_RNDN);
    mpfr_div(sum, sum, order, MPFR_RNDU);

    mpfr_log(term, order, MPFR_RNDU);
    mpfr_sub(term, term, log_alpha, MPFR_RNDU);
    mpfr_add(sum, sum, term, MPFR_RNDU);

    mpfr_add_ui(term, order, 1, MPFR_RNDU);
    mpfr_mul_d(term, term, rho, MPFR_RNDU);
    mpfr_add(sum, sum, term, MPFR_RNDU);
    double bound = mpfr_get_d(sum, MPFR_RNDU);
    mpfr_clears(sum, term, log_alpha, order, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return bound;
}

/* Claim: every rho-zCDP mechanism is (result, delta)-DP.
 * Needs: rho >= 0, delta >= 0; otherwise the result is infinite.
 * Because: Canonne, Kamath, Steinke 2020, section 2.3: for
 *   every alpha > 1, rho-zCDP gives delta = e^((alpha-1)(alpha rho - eps)) /
 *   (alpha-1) (1 - 1/alpha)^alpha. Solved for eps this is zcdp_bound, valid
 *   for each alpha, so alpha itself need not be exact. log delta is convex in
 *   alpha for each eps, so eps(alpha) has one valley and golden sections find
 *   its floor. */
double kith_i_zcdp_epsilon(double rho, double delta)
{
    if (!(rho >= 0) || isinf(rho) || !(delta >= 0))
        return HUGE_VAL;
    if (rho <= 0 || delta >= 1)
        return 0;
    if (delta <= 0)
        return HUGE_VAL;
    const double golden = 0.6180339887498949;
    double log_delta = log(delta), low = -690, high = 690;
    double left = high - golden * (high - low);
    double right = low + golden * (high - low);
    double at_left = zcdp_estimate(rho, log_delta, left);
    double at_right = zcdp_estimate(rho, log_delta, right);
    for (int i = 0; i < 90; i++) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = zcdp_estimate(rho, log_delta, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = zcdp_estimate(rho, log_delta, right);
        }
    }
    double bound = zcdp_bound(rho, delta, exp(low + (high - low) / 2));
    return bound > 0 ? bound : 0;
}
