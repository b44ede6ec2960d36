/* choose.c: the last centres, or one mean. */
#ifndef KITH_AUTO_CHOOSE_H
#define KITH_AUTO_CHOOSE_H

#include "auto/refine.h"

/* k centres about a mean (both in steps of the rows): one is the mean itself,
 * so that nothing is lost against it, the others in random directions, at the
 * distance that is best for rows which spread alike in all of them. */
void kith_i_auto_about_mean(auto_run *run, const auto_scout *scout,
                            const double *mean, double *full);

/* Whether what is known leaves doubt that the centres are better than one mean;
 * if not, the choice's share goes to the last step. */
kith_status kith_i_auto_doubt(auto_run *run, const auto_start *start,
                              auto_shares *shares);

/* Where noise is so large that the centres may be worse than one mean: the rows
 * choose between the two, by one private selection. */
kith_status kith_i_auto_choose(auto_run *run, const auto_scout *scout,
                               double share, auto_found *found);

#endif
