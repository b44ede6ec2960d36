/* Gaussian differential privacy as curves: delta(epsilon; mu), its inverse,
 * and the tight zCDP conversion for comparisons. MPFR, every rounding outward
 * (I25). Letters: mu as in Dong, Roth, Su 2022; w = sqrt(2) mu, so that every
 * argument of erfc below is epsilon/w -+ w/4. */
#include "gdp.h"

#include <math.h>
#include <string.h>

#include "budget_i.h"

enum { FIRST_PRECISION = 96, LAST_PRECISION = 384 };

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
