/* Which of several answers serves the users best: asked, not guessed. */
#ifndef KITH_COMPARE_CENTERS_H
#define KITH_COMPARE_CENTERS_H

#include "method_run.h"

/* By how much another answer is cheaper for a user than the first one (squared
 * distance, mean over users), and the standard deviation of that; HUGE_VAL:
 * nobody answered. */
typedef struct kith_i_comparison {
    double gain, sd;
} kith_i_comparison;

/* Answers at most, the first included. */
enum { KITH_I_COMPARE_MOST = 4 };

/* Share of the users that the question is worth, by public numbers; 0: it
 * should not be asked. */
double kith_i_compare_share(const kith_i_local_run *run);
/* Standard deviation of a gain that this share of the users tells, of the bound
 * that it is clipped to (one mean: the variance of the centres). */
double kith_i_compare_sd(const kith_i_local_run *run, double share);
/* One round: users of `share` say, by one of three symbols, whether another
 * answer serves them better than the first; every other one has users of its
 * own. With few users the last ones are not asked about. out: count - 1. */
kith_status kith_i_compare(kith_i_local_run *run, double share,
                           const kith_i_candidate *answers, uint32_t count,
                           kith_i_comparison *out, kith_error *err);

#endif
