/* lloyd: private Lloyd iterations, a short script over releases (dp) and
 * arithmetic on released values (kernel). No record, no entropy, no ledger in
 * sight. */
#ifndef KITH_LLOYD_I_H
#define KITH_LLOYD_I_H

#include "kernel/kernel_i.h"
#include "run/run.h"

/* spread.c: k points spread over the domain without looking at data (lattice
 * units, k x d). */
kith_status kith_i_spread(const kith_i_domain *domain, uint32_t k,
                          kith_i_coins *coins, double *centers,
                          kith_error *err);

/* spread.c: a uniformly random point of the domain at distance >= margin from
 * its border (0..1: the part of the half-width, or of the radius, that is left
 * free). */
void kith_i_place_point(const kith_i_domain *domain, kith_i_coins *coins,
                        double margin, double *point);

/* revive.c: each of k centres of size 0 moves next to the one whose cluster is
 * largest now and takes half of it. sizes are updated. */
void kith_i_revive_lost(const kith_i_domain *domain, kith_i_coins *coins,
                        uint32_t k, double *sizes, double *centers);

/* kmeans_lloyd.c: fills the result's centres, weights, rounds and noise.
 * rows: the expected number of rows for a plan, 0 in a real run. */
kith_status kith_i_kmeans_lloyd(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err);

#endif
