/* delta(epsilon) as a number, rounded up, from the bounds that the accountant
 * decides with. The library only ever asks whether it is within a limit. */
#ifndef KITH_GDP_DELTA_H
#define KITH_GDP_DELTA_H

#include <math.h>

#include "budget/gdp.h"
#include "budget/purse.h"

/* Of Gaussian DP with this mu: the next double above it, or itself. Anything
 * that makes no sense gives 1: no privacy. */
static inline double gdp_delta(double epsilon, double mu)
{
    if (!(epsilon >= 0) || !(mu >= 0) || isinf(mu))
        return 1;
    if (isinf(epsilon) || mu <= 0)
        return 0;
    mpfr_t square, bound;
    mpfr_init2(square, 128);
    mpfr_init2(bound, 96);
    mpfr_set_d(square, mu, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN); /* exact */
    mpfr_mul_2ui(square, square, 1, MPFR_RNDN);
    double above = 1, below = 0;
    for (mpfr_prec_t p = 96; p <= 6144 && below < above; p *= 2) {
        mpfr_set_prec(bound, p);
        kith_i_gdp_delta_bound(bound, epsilon, square, MPFR_RNDU);
        above = mpfr_get_d(bound, MPFR_RNDU);
        kith_i_gdp_delta_bound(bound, epsilon, square, MPFR_RNDD);
        below = mpfr_get_d(bound, MPFR_RNDU);
    }
    mpfr_clears(square, bound, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return above < 1 ? above : 1;
}

/* Of everything that is paid from both purses. */
static inline double purses_delta(kith_i_purses caps, double epsilon)
{
    if (!(epsilon >= 0))
        return 1;
    if (isinf(epsilon))
        return 0;
    mpfr_t bound;
    mpfr_init2(bound, 768);
    kith_i_purses_delta_bound(bound, &caps, epsilon, MPFR_RNDU);
    double above = mpfr_get_d(bound, MPFR_RNDU);
    mpfr_clear(bound);
    mpfr_free_cache();
    return above < 1 ? above : 1;
}

#endif
