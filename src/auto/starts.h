/* starts.c: what the summary tells, free of charge: centres, and how many. */
#ifndef KITH_AUTO_STARTS_H
#define KITH_AUTO_STARTS_H

#include "auto/noisy_step.h"

/* A9: k centres (k x q) of the summary. */
kith_status kith_i_auto_solve(auto_run *run, const auto_summary *summary,
                              double *centers);

/* Where a range of numbers was asked for (run->number): the one that the
 * summary shows becomes run->k, and the shares of the steps follow it. */
kith_status kith_i_auto_number(auto_run *run, const auto_frame *frame,
                               const auto_summary *summary,
                               auto_shares *shares);
/* Without a summary: the fewest. */
kith_status kith_i_auto_fewest(auto_run *run, double trace);

#endif
