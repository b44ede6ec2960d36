/* cluster: algorithms as short scripts over releases (dp) and arithmetic on
 * released values (kernel). No record, no entropy, no ledger in sight. */
#ifndef KITH_CLUSTER_I_H
#define KITH_CLUSTER_I_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "kernel/kernel_i.h"
#include "kith/cluster.h"
#include "result/result_i.h"

/* spread.c: k points spread over the domain without looking at data (lattice
 * units, k x d). */
kith_status kith_i_spread(const kith_i_domain *domain, uint32_t k,
                          kith_i_coins *coins, double *centers,
                          kith_error *err);

/* revive.c: each of k centres of size 0 moves next to the one whose cluster is
 * largest now and takes half of it. sizes are updated. */
void kith_i_revive_lost(const kith_i_domain *domain, kith_i_coins *coins,
                        uint32_t k, double *sizes, double *centers);

/* kmeans.c: runs the method that opt asks for, or the one that stands in for
 * it; fills the result like the methods below. */
kith_status kith_i_kmeans_run(kith_session *session,
                              const kith_kmeans_options *opt, uint64_t rows,
                              kith_result *result, kith_error *err);

/* kmeans_lloyd.c: fills the result's centres, weights, rounds and noise.
 * rows: the expected number of rows for a plan, 0 in a real run. */
/* A start that knows where the rows are: all but one in `spare` of the centres
 * (0: all) are spread over this part of the bounds' width, about the middle (in
 * steps of the lattice); the others over all of the bounds. */
typedef struct kith_i_start {
    const double *middle;
    double part;
    uint32_t spare;
} kith_i_start;

/* start: NULL, or released values. */
kith_status kith_i_kmeans_lloyd(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                const kith_i_start *start, kith_result *result,
                                kith_error *err);

/* auto.c: likewise; dense rows, or sparse ones cut to a few features. It
 * decides from what it has released, so a plan shows a typical run. */
kith_status kith_i_kmeans_auto(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err);

/* ---- run.c: what all methods share ----------------------------------------
 */

/* Options of a caller, whose first member is their size, over the defaults in
 * opt (size bytes). init: the function that should have set that member. */
kith_status kith_i_options_read(const void *given, const char *init,
                                size_t size, void *opt, kith_error *err);
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
                     : kith_i_fail(err, KITH_ERR_PRIVACY,
                                   "the budget is too small to be divided: "
                                   "raise epsilon or delta");
}

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
    uint64_t rows;
    uint32_t dimension;
    int sparse;
    const kith_bounds *bounds;
    const kith_privacy *privacy;
} kith_i_plan;
kith_status kith_i_run_plan(const kith_i_plan *plan,
                            const kith_i_method *method, kith_result **out,
                            kith_error *err);

#endif
