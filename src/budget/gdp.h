/* What accountant.c and purse.c (and tests) ask of gdp.c and purse.c: budget/
 * only, because of
 * MPFR's types. twice_mu_squared is 2 mu^2 > 0 without error. The caller frees
 * MPFR's cache. */
#ifndef KITH_GDP_H
#define KITH_GDP_H

#include <mpfr.h>

/* A bound on delta(epsilon; mu) at the precision of out (53 bits or more):
 * from above when toward is MPFR_RNDU, from below when it is MPFR_RNDD. */
void kith_i_gdp_delta_bound(mpfr_t out, double epsilon,
                            const mpfr_t twice_mu_squared, mpfr_rnd_t toward);

/* The same for an epsilon of any sign and precision, taken as exact. */
void kith_i_gdp_delta_bound_at(mpfr_t out, const mpfr_t epsilon,
                               const mpfr_t twice_mu_squared,
                               mpfr_rnd_t toward);

/* The same bounds on delta(epsilon) of everything that is paid from two purses
 * (purse.c). */
struct kith_i_purses;
void kith_i_purses_delta_bound(mpfr_t out, const struct kith_i_purses *caps,
                               double epsilon, mpfr_rnd_t toward);

/* Whether delta(epsilon; mu) <= delta, proved: 0 when in doubt. */
int kith_i_gdp_delta_within(double epsilon, const mpfr_t twice_mu_squared,
                            double delta);

#endif
