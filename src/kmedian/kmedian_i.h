/* k-median: noisy steps of Weiszfeld's kind from a private start
 * (docs/kmedian.md). */
#ifndef KITH_KMEDIAN_I_H
#define KITH_KMEDIAN_I_H

#include "cluster/cluster_i.h"

/* A unit vector is this many lattice steps long, and the part of a record in
 * the sum of inverse distances at most KITH_I_MEDIAN_INVERSE. */
enum {
    KITH_I_MEDIAN_UNIT = 1 << 20,
    KITH_I_MEDIAN_INVERSE = KITH_I_MEDIAN_UNIT / 4
};

/* L2 bound of what one record adds in a step. */
uint64_t kith_i_median_radius(void);

typedef struct kith_i_median_run {
    kith_session *session;
    const kith_i_domain *domain;
    uint32_t k;
    double tau;             /* lattice units */
    double *centers;        /* k x d, lattice units; the caller's */
    double *weights;        /* k; the caller's */
    kith_i_centers lattice; /* the same, rounded */
    uint64_t *radius;       /* k */
    uint32_t width;         /* features that steps move the centres in */
    uint32_t *features;     /* they; NULL: all */
    uint32_t *slot;         /* the place of each of the d features among them */
    double *part;           /* k x width: the lattice there */
} kith_i_median_run;

/* run: session, k, centers and weights are set. Closed in any case. Sparse
 * records: centres move in the features in which one of them is not zero now,
 * most of all; so they stay sparse, noise is added to these numbers alone, and
 * a record costs a time in proportion to them and its entries. rows: of a plan,
 * whose centres say nothing. */
kith_status kith_i_median_open(kith_i_median_run *run, uint64_t rows,
                               kith_error *err);
void kith_i_median_close(kith_i_median_run *run);

/* Below which distance a record pulls less: a low quantile of the distances
 * from a noisy histogram. */
kith_status kith_i_median_tau(kith_i_median_run *run, kith_i_loss charge,
                              kith_error *err);

/* One step. count_charge: 0, or the weights are released too. rows: the guess
 * of a plan, or 0. *noise: that it moved a centre of an average cluster,
 * lattice units. */
typedef struct kith_i_median_step {
    const char *what;
    kith_i_loss charge, count_charge;
} kith_i_median_step;
kith_status kith_i_median_move(kith_i_median_run *run,
                               const kith_i_median_step *step, double rows,
                               double *noise, kith_error *err);

/* ---- kmedian_sample.c: Lemma 2 of Balcan et al. 2017 ---- */

/* Whether that can be done with this much, before anything is spent. */
kith_status kith_i_median_check_sample(const kith_i_domain *domain,
                                       kith_i_loss charge, kith_error *err);

/* Instead of steps: draw all medians at once from the exponential mechanism
 * whose loss is the sum of distances to the centre that a record is nearest to
 * now, by a Markov chain. Spends what is left; the session's guarantee becomes
 * "asymptotic". Dense rows. result->rows is set. */
kith_status kith_i_median_sample(kith_i_median_run *run, kith_result *result,
                                 kith_error *err);

#endif
