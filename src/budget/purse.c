/* Two purses, one promise. E = caps.pure / 2^50, V = caps.gauss / 2^50,
 * mu = sqrt(V), p = e^E / (1 + e^E).
 *
 * Claim: whatever is asked, in whatever order and after seeing whatever
 *   results, all releases paid from purses E (epsilon adds) and V (mu^2 adds)
 *   together are (epsilon, delta(epsilon))-DP for every epsilon at once, with
 *     delta(epsilon) = p G(epsilon - E) + (1 - p) G(epsilon + E),
 *     G(x) = Phi(-x/mu + mu/2) - e^x Phi(-x/mu - mu/2), also for x < 0.
 * Needs: E and V were fixed before the first release; each release's price is
 *   fixed before its outcome; each purse is charged with at least that price.
 * Because: let RR(E) be the trade-off function of randomised response and G_mu
 *   that of a Gaussian pair. Assume, by induction on the number of releases
 *   still to come, that what the rest of (e, v) shows is at least RR(e') x
 *   G_sqrt(v') from every state. The price of the next release is fixed, so
 *   the state after it is the same for all outcomes and adaptive composition
 *   (Dong, Roth, Su 2022, Theorem 3.2) applies: a pure release of a gives
 *   RR(a) x RR(e - a) x G_sqrt(v) >= RR(e) x G_sqrt(v), because every
 *   composition of pure losses that add up to e is e-DP; a Gaussian one of m
 *   gives RR(e) x G_m x G_sqrt(v - m^2) = RR(e) x G_sqrt(v).
 *   Closed form: the privacy loss of the pair is +E with probability p and -E
 *   otherwise, plus that of the Gaussian pair, which is independent; and
 *   delta(epsilon) = E[(1 - e^(epsilon - loss))+] is linear in the first.
 *   delta falls with epsilon and grows with E and V, so roundings can be
 *   directed. */
#include "purse.h"

#include <math.h>
#include <string.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"
#include "gdp.h"

enum { FIRST_PRECISION = 96, LAST_PRECISION = 768 };

static mpfr_rnd_t opposite(mpfr_rnd_t toward)
{
    return toward == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU;
}

static void set_units(mpfr_t out, kith_i_loss units) /* exact: 64 bits */
{
    mpfr_set_uj(out, units, MPFR_RNDN);
    mpfr_div_2ui(out, out, KITH_I_LOSS_BITS, MPFR_RNDN);
}

/* G at x, bounded; without a Gaussian purse it is max(0, 1 - e^x). */
static void gauss_bound(mpfr_t out, const mpfr_t x, kith_i_loss units,
                        mpfr_rnd_t toward)
{
    if (units == 0) {
        mpfr_expm1(out, x, opposite(toward));
        mpfr_neg(out, out, MPFR_RNDN);
        if (mpfr_sgn(out) < 0)
            mpfr_set_zero(out, 1);
        return;
    }
    mpfr_t twice;
    mpfr_init2(twice, 66);
    set_units(twice, units);
    mpfr_mul_2ui(twice, twice, 1, MPFR_RNDN);
    kith_i_gdp_delta_bound_at(out, x, twice, toward);
    mpfr_clear(twice);
}

/* weight * G(epsilon + shift), where weight = 1 / (1 + e^-shift'): with
 * shift = -E the weight is p, with shift = E it is 1 - p: in both cases
 * 1 / (1 + e^shift). */
static void term_bound(mpfr_t out, double epsilon, const mpfr_t shift,
                       kith_i_loss gauss, mpfr_rnd_t toward)
{
    mpfr_rnd_t against = opposite(toward);
    mpfr_t x, weight;
    mpfr_inits2(mpfr_get_prec(out), x, weight, (mpfr_ptr)NULL);
    mpfr_add_d(x, shift, epsilon, against); /* G falls with x */
    gauss_bound(out, x, gauss, toward);
    mpfr_exp(weight, shift, against);
    mpfr_add_ui(weight, weight, 1, against);
    mpfr_div(out, out, weight, toward); /* out >= 0 up to rounding */
    mpfr_clears(x, weight, (mpfr_ptr)NULL);
}

void kith_i_purses_delta_bound(mpfr_t out, const struct kith_i_purses *caps,
                               double epsilon, mpfr_rnd_t toward)
{
    mpfr_t shift, other;
    mpfr_init2(shift, 64);
    mpfr_init2(other, mpfr_get_prec(out));
    set_units(shift, caps->pure);
    term_bound(other, epsilon, shift, caps->gauss, toward);
    mpfr_neg(shift, shift, MPFR_RNDN);
    term_bound(out, epsilon, shift, caps->gauss, toward);
    mpfr_add(out, out, other, toward);
    mpfr_clears(shift, other, (mpfr_ptr)NULL);
}

/* Whether delta(epsilon) <= delta, proved: 0 when in doubt. */
static int promise_within(kith_i_purses caps, double epsilon, double delta)
{
    int yes = 0, no = 0;
    for (mpfr_prec_t p = FIRST_PRECISION; p <= LAST_PRECISION && !yes && !no;
         p *= 2) {
        mpfr_t bound;
        mpfr_init2(bound, p);
        kith_i_purses_delta_bound(bound, &caps, epsilon, MPFR_RNDU);
        yes = mpfr_cmp_d(bound, delta) <= 0;
        if (!yes) {
            kith_i_purses_delta_bound(bound, &caps, epsilon, MPFR_RNDD);
            no = mpfr_cmp_d(bound, delta) > 0;
        }
        mpfr_clear(bound);
    }
    return yes;
}

/* Non-negative doubles in the order of their bit patterns. */
static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double kith_i_purses_epsilon(kith_i_purses caps, double delta)
{
    if (!(delta >= 0))
        return HUGE_VAL;
    if (promise_within(caps, 0, delta))
        return 0;
    if (delta <= 0) {
        mpfr_t e;
        mpfr_init2(e, 64);
        set_units(e, caps.pure);
        double epsilon = caps.gauss ? HUGE_VAL : mpfr_get_d(e, MPFR_RNDU);
        mpfr_clear(e);
        return epsilon;
    }
    uint64_t no = 0, yes = 0x7ff0000000000000u; /* 0 and infinity */
    while (yes - no > 1) {
        uint64_t middle = no + (yes - no) / 2;
        if (promise_within(caps, from_bits(middle), delta))
            yes = middle;
        else
            no = middle;
    }
    mpfr_free_cache();
    return from_bits(yes);
}

/* ---- what an account can hold -------------------------------------------- */

/* Largest V beside E, by bisection: yes is only moved to a proved value. */
static kith_i_loss largest_gauss(kith_i_loss pure, const kith_privacy *promise)
{
    kith_i_purses caps = {pure, 0};
    kith_i_loss yes = 0, no = KITH_I_PURSE_MAX;
    while (no - yes > 1) {
        caps.gauss = yes + (no - yes) / 2;
        if (promise_within(caps, promise->epsilon, promise->delta))
            yes = caps.gauss;
        else
            no = caps.gauss;
    }
    mpfr_free_cache();
    return yes;
}

kith_status kith_i_purses_solve(const kith_privacy *promise, double pure,
                                kith_i_purses *out, kith_error *err)
{
    kith_measure measure;
    kith_i_loss total;
    kith_status status = kith_i_privacy_total(promise, &measure, &total, err);
    if (status)
        return status;
    if (!(pure >= 0 && pure <= promise->epsilon))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the pure part of an account is from 0 to its "
                           "epsilon, %g",
                           promise->epsilon);
    if (measure == KITH_PURE_DP) {
        if (pure > 0 && pure < promise->epsilon)
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               "with delta 0 an account is pure altogether: "
                               "leave the pure part out");
        *out = (kith_i_purses){total, 0};
    } else {
        kith_i_loss units = (kith_i_loss)ldexp(pure, KITH_I_LOSS_BITS);
        *out = (kith_i_purses){units,
                               units ? largest_gauss(units, promise) : total};
    }
    if (out->pure > KITH_I_PURSE_MAX || out->gauss > KITH_I_PURSE_MAX)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "such a limit does not fit a ledger: nothing would "
                           "be protected");
    return KITH_OK;
}

/* ---- what would still fit ------------------------------------------------ */

/* Below it nothing is left: budgets and prices are rounded, and what remains of
 * that is no run for anybody. */
static const double LEAST_RUN = 1e-6;

/* Does a run of epsilon (paid as a Gaussian amount if converted) cost no more
 * than left? */
static int costs_at_most(double epsilon, double delta, int convert,
                         kith_i_loss left)
{
    kith_privacy run = {epsilon, delta, KITH_ADD_REMOVE};
    kith_measure measure;
    kith_i_loss total;
    if (kith_i_privacy_total(&run, &measure, &total, NULL))
        return 0;
    return (convert ? kith_i_pure_as_gaussian(total) : total) <= left;
}

/* The largest number of four digits, as people write it, that costs no more
 * than left. value is about the largest number that does. */
static double roundest(double value, double delta, int convert,
                       kith_i_loss left)
{
    if (!(value >= LEAST_RUN))
        return 0;
    value = fmin(value, 4096); /* no run has more */
    double digits = floor(log10(value)) - 3;
    double scale =
        pow(10, fabs(digits)); /* exact: quotients are rounded once */
    double units = ceil(digits < 0 ? value * scale : value / scale) + 1;
    for (int tries = 0; tries < 8 && units > tries; tries++) {
        double now = units - tries;
        double candidate = digits < 0 ? now / scale : now * scale;
        if (costs_at_most(candidate, delta, convert, left))
            return candidate;
    }
    return 0;
}

double kith_i_purse_fits(kith_i_loss left, double delta)
{
    if (left == 0)
        return 0;
    double epsilon =
        delta > 0 ? kith_i_purses_epsilon((kith_i_purses){0, left}, delta)
                  : ldexp((double)left, -KITH_I_LOSS_BITS);
    return roundest(epsilon, delta, 0, left);
}

double kith_i_purse_fits_converted(kith_i_loss left)
{
    /* Of epsilon-DP, mu-GDP follows from Phi(mu / 2) = e^eps / (1 + e^eps). */
    double half = sqrt(ldexp((double)left, -KITH_I_LOSS_BITS)) / 2;
    double tail = erfc(half / sqrt(2)) / 2; /* far out: the density / half */
    double odds = half < 20 ? log1p(-tail) - log(tail)
                            : half * half / 2 + log(half * sqrt(2 * M_PI));
    return roundest(odds, 0, 1, left);
}
