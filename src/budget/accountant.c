/* The accountant: what (epsilon, delta) is worth in the integer currencies,
 * and what a pure step or a selection costs in Gaussian DP. The curves are in
 * gdp.c; here every real condition is decided for an integer, outward (I25). */
#include "budget_i.h"

#include <gmp.h>
#include <math.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"
#include "gdp.h"

/* An exponential mechanism of range e is (0.6267 e)-GDP; see below. */
enum { SELECTION_NUM = 6267, SELECTION_DEN = 10000 };

static const double MAX_EPSILON = 4096;

static kith_status check_privacy(const kith_privacy *privacy, kith_error *err)
{
    if (!privacy)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no privacy parameters were given");
    double epsilon = privacy->epsilon, delta = privacy->delta;
    if (!(epsilon > 0))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon must be set and positive (it has no "
                           "default; 1 is a common choice)");
    if (!(epsilon <= MAX_EPSILON))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "epsilon must be at most %g: beyond that nothing "
                           "is protected and a non-private run is more "
                           "honest",
                           MAX_EPSILON);
    if (!(delta >= 0 && delta < 1))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "delta must be at least 0 (pure) and below 1; "
                           "choose much less than one over the number of "
                           "people, such as 1e-6");
    if (privacy->neighbors != KITH_ADD_REMOVE &&
        privacy->neighbors != KITH_REPLACE_ONE)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the neighbours must be set: add-remove (one row "
                           "more or less) or replace-one (one row changed)");
    return KITH_OK;
}

/* out = 2 mu^2 for mu^2 = units / 2^50; exact at 64 bits or more. */
static void twice_units(mpfr_t out, kith_i_loss units)
{
    mpfr_set_uj(out, units, MPFR_RNDN);
    mpfr_div_2ui(out, out, KITH_I_LOSS_BITS - 1, MPFR_RNDN);
}

/* Where the answer of largest_square should be, in plain doubles: only a place
 * to start looking. */
static kith_i_loss guess_square(double epsilon, double delta)
{
    double low = 0, high = 16383; /* mu^2: below 2^64 units */
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2, w = sqrt(2 * middle);
        double first = erfc(epsilon / w - w / 4);
        double second = exp(epsilon + log(erfc(epsilon / w + w / 4)));
        if (first - second <= 2 * delta)
            low = middle;
        else
            high = middle;
    }
    return (kith_i_loss)ldexp(low, KITH_I_LOSS_BITS) | 1; /* never 0 */
}

static int square_within(kith_i_loss units, double epsilon, double delta)
{
    mpfr_t square;
    mpfr_init2(square, 64);
    twice_units(square, units);
    int yes = kith_i_gdp_delta_within(epsilon, square, delta);
    mpfr_clear(square);
    return yes;
}

/* Claim: a mechanism that is mu-GDP with mu^2 = result / 2^50 is
 *   (epsilon, delta)-DP; one unit more is not (or could not be shown to be).
 *   The result is below UINT64_MAX.
 * Needs: checked parameters, delta > 0.
 * Because: mu-GDP is equivalent to (x, delta(x; mu))-DP for all x >= 0 (Dong,
 *   Roth, Su 2022; arXiv 1905.02383, Corollary 2.13), and yes is only moved to
 *   a value for which delta(epsilon; mu) <= delta was proved. delta grows with
 *   mu, so the search finds the last such value: outward from a guess in
 *   growing steps until it is bracketed, then by bisection. */
static kith_i_loss largest_square(double epsilon, double delta)
{
    kith_i_loss yes = 0, no = UINT64_MAX;
    kith_i_loss guess = guess_square(epsilon, delta);
    kith_i_loss step = (guess >> 44) + 1;
    int up = square_within(guess, epsilon, delta), within = up;
    if (up)
        yes = guess;
    else
        no = guess;
    while (within == up && step <= (no - yes) / 16) {
        kith_i_loss probe = up ? yes + step : no - step;
        within = square_within(probe, epsilon, delta);
        if (within)
            yes = probe;
        else
            no = probe;
        step *= 16;
    }
    while (no - yes > 1) {
        kith_i_loss middle = yes + (no - yes) / 2;
        if (square_within(middle, epsilon, delta))
            yes = middle;
        else
            no = middle;
    }
    mpfr_free_cache();
    return yes;
}

kith_status kith_i_privacy_total(const kith_privacy *privacy,
                                 kith_measure *measure, kith_i_loss *total,
                                 kith_error *err)
{
    kith_status status = check_privacy(privacy, err);
    if (status != KITH_OK)
        return status;
    int pure = privacy->delta <= 0;
    kith_i_loss units =
        pure ? (kith_i_loss)ldexp(privacy->epsilon, KITH_I_LOSS_BITS)
             : largest_square(privacy->epsilon, privacy->delta);
    if (units == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "epsilon is below the smallest loss that is "
                           "counted: raise epsilon or delta");
    *measure = pure ? KITH_PURE_DP : KITH_GAUSSIAN_DP;
    *total = units;
    return KITH_OK;
}

kith_status kith_privacy_mu(double epsilon, double delta, double *out,
                            kith_error *err)
{
    if (!out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no place for the result was given");
    if (delta == 0) /* NaN and negative values get their own message below */
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "mu needs delta > 0: with delta = 0 the loss is "
                           "epsilon itself");
    kith_privacy privacy = {epsilon, delta, KITH_ADD_REMOVE};
    kith_measure measure;
    kith_i_loss total;
    kith_status status = kith_i_privacy_total(&privacy, &measure, &total, err);
    if (status != KITH_OK)
        return status;
    mpfr_t mu; /* sqrt(2 mu^2 / 2), one rounding, down */
    mpfr_init2(mu, 64);
    twice_units(mu, total);
    mpfr_div_2ui(mu, mu, 1, MPFR_RNDN);
    mpfr_sqrt(mu, mu, MPFR_RNDD);
    *out = mpfr_get_d(mu, MPFR_RNDD);
    mpfr_clear(mu);
    mpfr_free_cache();
    return KITH_OK;
}

/* ---- a pure step in Gaussian currency ------------------------------------ */

/* A bound on erfc(w/4) (1 + e^epsilon), w^2 = square, from above or below. */
static void response_bound(mpfr_t out, const mpfr_t epsilon,
                           const mpfr_t square, mpfr_rnd_t toward)
{
    mpfr_rnd_t against = toward == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
    mpfr_t odds;
    mpfr_init2(odds, mpfr_get_prec(out));
    mpfr_exp(odds, epsilon, toward);
    mpfr_add_ui(odds, odds, 1, toward);
    mpfr_sqrt(out, square, against);
    mpfr_div_2ui(out, out, 2, MPFR_RNDN);
    mpfr_erfc(out, out, toward);
    mpfr_mul(out, out, odds, toward);
    mpfr_clear(odds);
}

/* Whether mu^2 = units / 2^50 covers epsilon; 0 when in doubt. */
static int covers_pure(const mpfr_t epsilon, kith_i_loss units)
{
    mpfr_t square, bound;
    mpfr_init2(square, 64);
    twice_units(square, units);
    int yes = 0, no = 0;
    for (mpfr_prec_t p = 96; p <= 384 && !yes && !no; p *= 2) {
        mpfr_init2(bound, p);
        response_bound(bound, epsilon, square, MPFR_RNDU);
        yes = mpfr_cmp_ui(bound, 2) <= 0;
        if (!yes) {
            response_bound(bound, epsilon, square, MPFR_RNDD);
            no = mpfr_cmp_ui(bound, 2) > 0;
        }
        mpfr_clear(bound);
    }
    mpfr_clear(square);
    return yes;
}

/* Claim: every (epsilon / 2^50)-DP mechanism is mu-GDP with mu^2 = result /
 *   2^50. When that does not fit (epsilon above about 2000) the result is
 *   UINT64_MAX, which stands for "more than any budget": kith_i_privacy_total
 *   stays below it, so such a charge is always refused.
 * Needs: nothing.
 * Because: an epsilon-DP pair is a post-processing of randomised response
 *   (Kairouz, Oh, Viswanath 2015), whose trade-off function has one corner, at
 *   type I = type II = q = 1 / (1 + e^epsilon), joined by straight lines to
 *   (0,1) and (1,0). G_mu is convex with the same ends, so it lies below iff
 *   it does at the corner: G_mu(q) <= q, which is Phi(-mu/2) <= q, or
 *   erfc(mu / (2 sqrt 2)) (1 + e^epsilon) <= 2. The left side falls with mu;
 *   yes is only moved to a value for which this was proved. */
kith_i_loss kith_i_pure_as_gaussian(kith_i_loss epsilon)
{
    if (epsilon == 0)
        return 0;
    mpfr_t eps;
    mpfr_init2(eps, 64);
    mpfr_set_uj(eps, epsilon, MPFR_RNDN);
    mpfr_div_2ui(eps, eps, KITH_I_LOSS_BITS, MPFR_RNDN);
    kith_i_loss no = 0, yes = UINT64_MAX; /* as "too much" it needs no proof */
    while (yes - no > 1) {
        kith_i_loss middle = no + (yes - no) / 2;
        if (covers_pure(eps, middle))
            yes = middle;
        else
            no = middle;
    }
    mpfr_clear(eps);
    mpfr_free_cache();
    return yes;
}

/* ---- selection ----------------------------------------------------------- */

/* Claim: an exponential mechanism whose log-probability ratios between
 *   neighbours lie in an interval of length e = result / 2^50 costs no more
 *   than loss: e-DP in pure currency, (0.6267 e)-GDP in Gaussian currency,
 *   with (0.6267 e)^2 <= loss / 2^50.
 * Needs: the ratio log P(y)/Q(y) is in [t - e, t] for some t (bounded range).
 * Because, pure: t is in [0, e], so both ratios are at most e. Gaussian: such
 *   a pair is a post-processing of the two-point pair with ratios t and t - e
 *   (Dong, Durfee, Rogers 2020), whose log-odds differ by e. Its trade-off
 *   function has one corner, so by the argument of pure_as_gaussian it is
 *   mu-GDP iff mu >= g(x + e) - g(x), g(x) = PhiInverse(1 / (1 + e^-x)), x the
 *   log-odds. And g' = p(1-p) / phi(z), p = Phi(z), is at most sqrt(2 pi)/4 =
 *   0.62666: a normal pair falls into the square |x|,|y| <= z at least as
 *   often as into the disc of radius z, (2p - 1)^2 >= 1 - e^(-z^2/2), which
 *   is 4 p(1-p) <= sqrt(2 pi) phi(z). So mu = 0.6267 e will do for all e, t. */
kith_i_loss kith_i_selection_range(kith_measure measure, kith_i_loss loss)
{
    if (measure == KITH_PURE_DP)
        return loss;
    /* floor(2^50 sqrt(loss / 2^50) / 0.6267), from one integer root */
    mpz_t square;
    mpz_init(square);
    mpz_import(square, 1, 1, sizeof loss, 0, 0, &loss);
    mpz_mul_2exp(square, square, KITH_I_LOSS_BITS);
    mpz_mul_ui(square, square, SELECTION_DEN * SELECTION_DEN);
    mpz_fdiv_q_ui(square, square, SELECTION_NUM * SELECTION_NUM);
    mpz_sqrt(square, square);
    kith_i_loss range = 0;
    mpz_export(&range, NULL, -1, sizeof range, 0, 0, square);
    mpz_clear(square);
    return range;
}
