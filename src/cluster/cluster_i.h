/* cluster: algorithms as short scripts over releases (dp) and arithmetic on
 * released values (kernel). No record, no entropy, no ledger in sight. */
#ifndef KITH_CLUSTER_I_H
#define KITH_CLUSTER_I_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "kernel/kernel_i.h"
#include "kith/cluster.h"
#include "result_i.h"

/* spread.c: k points spread over the domain without looking at data (lattice
 * units, k x d). */
kith_status kith_i_spread(const kith_i_domain *domain, uint32_t k,
                          kith_i_coins *coins, double *centers,
                          kith_error *err);

/* kmeans.c: runs the method that opt asks for, or the one that stands in for
 * it; fills the result like the methods below. */
kith_status kith_i_kmeans_run(kith_session *session,
                              const kith_kmeans_options *opt, uint64_t rows,
                              kith_result *result, kith_error *err);

/* kmeans_lloyd.c: fills the result's centres, weights, rounds and noise.
 * rows: the expected number of rows for a plan, 0 in a real run. */
kith_status kith_i_kmeans_lloyd(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err);

/* auto.c: likewise; Gaussian DP, dense rows. It decides from what it has
 * released, so a plan shows a typical run. */
kith_status kith_i_kmeans_auto(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err);

#endif
