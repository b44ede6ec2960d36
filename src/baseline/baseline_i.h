/* baseline: methods that papers compare themselves with, as printed, but
 * private by the gate's accounting. For comparison, not for use:
 * docs/baselines.md says what each of them costs. Scripts over releases, like
 * lloyd. */
#ifndef KITH_BASELINE_I_H
#define KITH_BASELINE_I_H

#include "kernel/kernel_i.h"
#include "run/run.h"

/* Each fills the result's centres, weights, rounds and noise, as
 * kith_i_kmeans_lloyd does. rows: what a plan assumes, 0 in a real run. */

/* sulq_means.c: Blum, Dwork, McSherry, Nissim 2005. */
kith_status kith_i_kmeans_sulq(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err);

/* grid_means.c: Su, Cao, Li, Bertino, Jin 2016. */
kith_status kith_i_kmeans_grid(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err);

/* grid_means.c: in how many parts each of d features is cut; epsilon: of
 * Laplace noise. */
uint32_t kith_i_grid_side(double rows, double epsilon, uint32_t d);

/* sampled_means.c: sample and aggregate by averaging (Mohan et al. 2012), and
 * k-variates++ (Nock et al. 2016), by opt->method. */
kith_status kith_i_kmeans_sampled(kith_session *session,
                                  const kith_kmeans_options *opt, uint64_t rows,
                                  kith_result *result, kith_error *err);

/* sampled_means.c: the number of rows. A plan's; or public, when neighbours
 * replace a row; or noisy, for a hundredth of what is left, and at least 1. */
kith_status kith_i_baseline_count(kith_session *session, uint64_t rows,
                                  double *out, kith_error *err);

/* sampled_means.c: into how many blocks so many rows are dealt. */
uint32_t kith_i_block_count(double rows);

/* sulq_means.c: the distance that noise of this standard deviation in each
 * coordinate of a sum moves the mean of one of k equal parts of the rows, in
 * the data's (normalised) units. */
double kith_i_mean_moved(const kith_i_domain *domain, double sum_sd, uint32_t k,
                         double rows);

#endif
