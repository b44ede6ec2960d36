/* purse: the two caps of an account (T16). The proof is in purse.c, the reasons
 * are in docs/decisions/0018-two-purses.md. Amounts are integers in units of
 * 2^-50: pure charges add up as epsilon, Gaussian ones as mu^2. */
#ifndef KITH_PURSE_H
#define KITH_PURSE_H

#include "budget_i.h"

typedef struct kith_i_purses {
    kith_i_loss pure, gauss;
} kith_i_purses;

/* Largest amount of a purse: it must fit a signed column of a store (T4). */
#define KITH_I_PURSE_MAX ((kith_i_loss)INT64_MAX)

/* Smallest epsilon at which everything that is paid from both purses keeps
 * delta, rounded up; infinite when there is none (delta = 0 and a Gaussian
 * purse). */
double kith_i_purses_epsilon(kith_i_purses caps, double delta);

/* The caps of an account that promises (epsilon, delta) and keeps `pure` of
 * its epsilon for pure runs: the largest Gaussian cap beside it. delta = 0: all
 * is pure, and pure must be 0 (unset) or epsilon. */
kith_status kith_i_purses_solve(const kith_privacy *promise, double pure,
                                kith_i_purses *out, kith_error *err);

/* The largest epsilon of four digits of a run with this delta that costs no
 * more than left (of the purse that such a run is paid from); 0 when nothing
 * fits. An epsilon below 1e-6 is nothing. */
double kith_i_purse_fits(kith_i_loss left, double delta);
/* The same of a pure run that is paid from the Gaussian purse. */
double kith_i_purse_fits_converted(kith_i_loss left);

#endif
