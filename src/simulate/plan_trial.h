/* plan_trial: made-up users for a plan, and how a run on them went. */
#ifndef KITH_PLAN_TRIAL_H
#define KITH_PLAN_TRIAL_H

#include "local_run.h"

typedef struct kith_i_trial {
    uint32_t k, d;
    uint64_t users, copies; /* rows, and how many users each stands for */
    double *centers;        /* k x d: the truth */
    double *upto;           /* k: share of the rows in clusters up to this */
    double *rows;
    kith_i_local_bounds box;
} kith_i_trial;

/* error: root mean square distance of a true centre from the nearest found;
 * lost: is a cluster? */
typedef struct kith_i_trial_outcome {
    double error;
    int lost;
} kith_i_trial_outcome;

/* box, k, d, users and copies are set. uneven: clusters as they may come, not
 * of one size and as well apart as they can be. */
kith_status kith_i_trial_make(kith_i_trial *trial, uint64_t seed, int uneven,
                              kith_error *err);
void kith_i_trial_free(kith_i_trial *trial);
/* By the law. summary: NULL, or what was asked. */
kith_status kith_i_trial_run(const kith_i_trial *trial,
                             const kith_i_domain *domain,
                             const kith_local_options *opt,
                             kith_i_trial_outcome *out,
                             kith_local_summary **summary, kith_error *err);

#endif
