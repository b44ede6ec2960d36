/* Odds of the randomisers: rationals at most e^epsilon, in integers only, so
 * that a device needs no library to find out what it may allow. */
#ifndef KITH_ODDS_H
#define KITH_ODDS_H

#include <stdint.h>

/* Largest epsilon of a report: odds must fit 48 bits. */
#define KITH_I_LOCAL_EPSILON_MAX 20.0
/* Losses of reports are epsilon * 2^50, as in budget/. */
#define KITH_I_REPORT_LOSS_BITS 50
#define KITH_I_REPORT_LOSS_MAX  (UINT64_C(20) << KITH_I_REPORT_LOSS_BITS)

/* num / den, den a power of two, 1 <= num / den <= e^epsilon, num < 2^48. */
typedef struct kith_i_odds {
    uint64_t num, den;
} kith_i_odds;

/* The largest odds of the form num / 2^s that a report of this loss may have,
 * with s <= 32 as large as num < 2^48 allows. loss <= KITH_I_REPORT_LOSS_MAX.
 */
kith_i_odds kith_i_odds_floor(uint64_t loss);

#endif
