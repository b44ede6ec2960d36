/* budget: what a release costs and whether it may be paid. Integers in units
 * of 2^-50 throughout: epsilon in pure DP, mu^2 in Gaussian DP. Every rounding
 * goes toward more loss or more noise. */
#ifndef KITH_BUDGET_I_H
#define KITH_BUDGET_I_H

#include <stdint.h>

#include "base/scale.h"
#include "base/wide.h"
#include "kith/budget.h"
#include "kith/status.h"

#define KITH_I_LOSS_BITS 50
typedef uint64_t kith_i_loss; /* loss * 2^50: epsilon, or mu^2 */

/* ---- loss.c: exact integer arithmetic (GMP) ------------------------------ */

/* Smallest sigma (about 40 significant bits, rounded up) with
 * sensitivity_squared / sigma^2 <= loss. KITH_ERR_PRIVACY when loss is zero or
 * the scale does not fit. */
kith_status kith_i_scale_gaussian(kith_i_u128 sensitivity_squared,
                                  kith_i_loss loss, kith_i_scale *out,
                                  kith_error *err);
/* Smallest t (rounded up likewise) with sensitivity / t <= loss. */
kith_status kith_i_scale_laplace(uint64_t sensitivity, kith_i_loss loss,
                                 kith_i_scale *out, kith_error *err);
/* ceil(num / sqrt g) with the same shift, g > 0: noise of an entry that occurs
 * g times in a symmetric array. sqrt 2: off the diagonal of a Gram. */
kith_i_scale kith_i_scale_over_root(kith_i_scale scale, uint32_t g);
kith_i_scale kith_i_scale_over_sqrt2(kith_i_scale scale);

double kith_i_scale_value(kith_i_scale scale);

/* Loss as a double, rounded up: epsilon (pure) or mu = sqrt(mu^2). */
double kith_i_loss_value(kith_i_loss loss, kith_measure measure);
/* floor(total * share), share in [0,1]. */
kith_i_loss kith_i_loss_share(kith_i_loss total, double share);
/* What each of so many rows of a person may lose; 0 and 1: all of it. */
kith_i_loss kith_i_loss_of_one(kith_i_loss total, kith_measure measure,
                               uint64_t rows);

/* ---- accountant.c: real-valued conversions (MPFR, outward rounding) ------ */

/* The whole budget of (epsilon, delta): epsilon, or the largest mu^2 with
 * delta(epsilon; mu) <= delta; rounded down. Checks the parameters:
 * epsilon finite, in (0, 4096]; delta in [0, 1); neighbors set. */
kith_status kith_i_privacy_total(const kith_privacy *privacy,
                                 kith_measure *measure, kith_i_loss *total,
                                 kith_error *err);

/* Smallest epsilon with delta(epsilon; mu) <= delta of Gaussian DP, rounded
 * up. */
double kith_i_gdp_epsilon(double mu, double delta);

/* An epsilon-DP step as Gaussian DP: mu^2 units, rounded up:
 * mu = 2 PhiInverse(e^eps / (1 + e^eps)). */
kith_i_loss kith_i_pure_as_gaussian(kith_i_loss epsilon);

/* Selection: largest range e (2^-50 units, rounded down) whose exponential
 * mechanism costs no more than loss: e = loss (pure), and mu = 0.6267 e
 * (Gaussian). */
kith_i_loss kith_i_selection_range(kith_measure measure, kith_i_loss loss);

#endif
