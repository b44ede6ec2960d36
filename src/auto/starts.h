/* starts.c: centres of the summary, free of charge. */
#ifndef KITH_AUTO_STARTS_H
#define KITH_AUTO_STARTS_H

#include "auto/noisy_step.h"

/* A9: k centres (k x q) of the summary. */
kith_status kith_i_auto_solve(auto_run *run, const auto_summary *summary,
                              double *centers, kith_error *err);

#endif
