/* The odds of a local randomiser, rounded toward privacy.
 *
 * Claim: num / den <= e^(loss / 2^50), and num + 1 would be too much.
 * Needs: loss below 2^56.
 * Because: MPFR's exponential is correctly rounded, here downward at 128 bits;
 *   the product with a power of two is exact, and its floor is taken last. If
 *   the exact value were an integer the floor of a number below it would be
 *   one too small: still private, and e^x is irrational for rational x > 0. */
#include "ratio.h"

#include <math.h>
#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "base/base_i.h"

enum { MAX_SHIFT = 32, NUM_BITS = 48 };

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

kith_i_odds kith_i_odds_floor(kith_i_loss loss)
{
    mpfr_t e;
    mpfr_init2(e, 128);
    mpfr_set_uj(e, loss, MPFR_RNDD); /* exact */
    mpfr_div_2ui(e, e, KITH_I_LOSS_BITS, MPFR_RNDD);
    mpfr_exp(e, e, MPFR_RNDD);
    /* e^epsilon < 2^bits */
    mpfr_exp_t bits = mpfr_get_exp(e);
    unsigned shift =
        bits + MAX_SHIFT > NUM_BITS ? (unsigned)(NUM_BITS - bits) : MAX_SHIFT;
    mpfr_mul_2ui(e, e, shift, MPFR_RNDD);
    kith_i_odds odds = {.num = mpfr_get_uj(e, MPFR_RNDD),
                        .den = (uint64_t)1 << shift};
    mpfr_clear(e);
    mpfr_free_cache();
    return odds;
}
