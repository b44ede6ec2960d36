/* Which of several answers serves the users best: asked, not guessed. */
#ifndef KITH_COMPARE_CENTERS_H
#define KITH_COMPARE_CENTERS_H

#include "method_run.h"

/* A candidate answer: count x d centres, and shares of the users. */
typedef struct kith_i_candidate {
    const double *center, *share;
    uint32_t count;
} kith_i_candidate;

/* By how much the second is cheaper for a user (squared distance, mean over
 * users), and the standard deviation of that; HUGE_VAL: nobody answered. */
typedef struct kith_i_comparison {
    double gain, sd;
} kith_i_comparison;

/* Users of a comparison are in so many groups, with a threshold each. */
enum { KITH_I_COMPARE_GROUPS = 3 };

/* Is the question short enough for a device, with k centres at most? */
int kith_i_compare_can(uint32_t k);
/* One round: users of `share` say, by one of three symbols, whether the second
 * serves them better than the first. */
kith_status kith_i_compare(kith_i_local_run *run, double share,
                           const kith_i_candidate *first,
                           const kith_i_candidate *second,
                           kith_i_comparison *out, kith_error *err);

#endif
