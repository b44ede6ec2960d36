/* Odds of local randomisers: rationals at most e^epsilon. */
#ifndef KITH_RATIO_H
#define KITH_RATIO_H

#include <stdint.h>

#include "budget_i.h"

/* Largest epsilon of a report: odds must fit 48 bits. */
#define KITH_I_LOCAL_EPSILON_MAX 20.0

/* num / den, den a power of two, 1 <= num / den <= e^epsilon, num < 2^48. */
typedef struct kith_i_odds {
    uint64_t num, den;
} kith_i_odds;

/* floor(epsilon 2^50): what a report costs. KITH_ERR_PRIVACY unless epsilon is
 * in (0, KITH_I_LOCAL_EPSILON_MAX] and at least one unit. */
kith_status kith_i_report_loss(double epsilon, kith_i_loss *out,
                               kith_error *err);

/* The largest odds of the form num / 2^s that a report of this loss may have,
 * with s <= 32 as large as num < 2^48 allows. */
kith_i_odds kith_i_odds_floor(kith_i_loss loss);

#endif
