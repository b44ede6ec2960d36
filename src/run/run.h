/* run: what all central methods share: options, progress, the result around a
 * run, a count of the rows, and plans. */
#ifndef KITH_RUN_H
#define KITH_RUN_H

#include "base/base_i.h"
#include "base/options.h"
#include "base/pool.h"
#include "dp/dp_i.h"
#include "kith/cluster.h"
#include "result/result_i.h"

kith_status kith_i_options_check(uint32_t clusters, uint32_t rounds,
                                 kith_error *err);

/* Tell the caller how far a run is; KITH_ERR_CANCELLED if it shall stop. */
kith_status kith_i_progress(kith_progress_fn *progress, void *arg,
                            unsigned done, unsigned steps, kith_error *err);

/* Why no share can be paid from this budget: it is used up, or too small. */
static inline kith_status kith_i_fail_budget(kith_i_loss left, kith_error *err)
{
    return left == 0 ? kith_i_fail(err, KITH_ERR_BUDGET,
                                   "the budget of this session is used up")
                     : kith_i_fail(err, KITH_ERR_BUDGET,
                                   "the budget is too small to be divided: "
                                   "raise epsilon or delta");
}

/* A noisy number of rows, and the standard deviation of its noise; in a plan 0
 * rows. */
kith_status kith_i_run_count(kith_session *session, kith_i_loss charge,
                             double *rows, double *sd, kith_error *err);

/* A method fills centres, weights, rounds and noise of the result. rows: what a
 * plan assumes, 0 in a real run. */
typedef kith_status kith_i_method_fn(kith_session *session, const void *opt,
                                     uint64_t rows, kith_result *result,
                                     kith_error *err);
typedef struct kith_i_method {
    kith_i_method_fn *run;
    const void *opt;
    uint32_t clusters;
    uint64_t public_seed;
} kith_i_method;

/* Run the method and make the result, receipts included. */
kith_status kith_i_run(kith_session *session, const kith_i_method *method,
                       uint64_t rows, kith_result **out, kith_error *err);

/* The same on a session without data: prices, no values. */
typedef struct kith_i_plan {
    const kith_shape *shape;
    const kith_bounds *bounds;
    const kith_privacy *privacy;
} kith_i_plan;
kith_status kith_i_run_plan(const kith_i_plan *plan,
                            const kith_i_method *method, kith_result **out,
                            kith_error *err);

#endif
