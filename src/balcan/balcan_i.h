/* The five algorithms of Balcan, Dick, Liang, Mou, Zhang, "Differentially
 * private clustering in high-dimensional Euclidean spaces" (ICML 2017), each
 * in its own file, with the repairs of docs/balcan.md and docs/central.md. */
#ifndef KITH_BALCAN_I_H
#define KITH_BALCAN_I_H

#include "kernel/row_losses.h"
#include "lloyd/lloyd_i.h"

/* ---- partition.c: Algorithm 1, private_partition ---- */

typedef struct kith_i_partition_spec {
    const char *what; /* of the receipts */
    const kith_i_view *view;
    uint32_t levels;
    int64_t threshold; /* 0: from the noise */
    kith_i_loss charge;
} kith_i_partition_spec;

/* Smallest threshold at which, among `cells` empty cells, half a cell is
 * expected to reach it through noise of this loss alone. */
int64_t kith_i_partition_threshold(const kith_session *session,
                                   kith_i_loss charge, double cells);

/* A root of this shift (p numbers in [-1, 1]: parts of the ball's radius) with
 * nothing below it. */
void kith_i_tree_root(kith_i_tree *tree, const kith_i_domain *domain,
                      const double *shift);
/* Middle of a cube of level 1..depth. */
void kith_i_tree_center(const kith_i_tree *tree, uint32_t level, size_t cube,
                        double *out);
/* Grow a root. */
kith_status kith_i_partition(kith_session *session,
                             const kith_i_partition_spec *spec,
                             kith_i_tree *tree, kith_error *err);
void kith_i_tree_free(kith_i_tree *tree);

/* ---- candidates.c: Algorithm 2, candidate ---- */

enum {
    KITH_I_PARTITIONS = 2,
    KITH_I_PARTITION_LEVELS = 5,
    KITH_I_CANDIDATES = 300
};

/* *out: *count points of the view's ball on its lattice (count x p, the
 * caller's), at least `least` and at most max(least, KITH_I_CANDIDATES). */
typedef struct kith_i_candidates_spec {
    const kith_i_view *view;
    uint32_t least;
    kith_i_loss charge;
    uint32_t partitions, levels; /* 0: KITH_I_PARTITIONS, _PARTITION_LEVELS */
} kith_i_candidates_spec;
kith_status kith_i_candidates(kith_session *session,
                              const kith_i_candidates_spec *ask,
                              kith_i_coins *coins, double **out,
                              uint32_t *count, kith_error *err);

/* ---- localswap.c: Algorithm 3, localswap ---- */

/* What the map of a swap looks at: all of it is public. */
typedef struct kith_i_localswap_spec {
    const kith_i_view *view;
    const double *candidates; /* count x p */
    uint32_t count, k, rounds;
    kith_i_loss charge;
    int median;    /* distances, not their squares */
    int last_draw; /* as printed: which Z(t) is returned is drawn too; not with
                      median */
} kith_i_localswap_spec;

/* chosen: k indices of candidates. */
kith_status kith_i_localswap(kith_session *session,
                             const kith_i_localswap_spec *spec,
                             kith_i_coins *coins, uint32_t *chosen,
                             kith_error *err);

/* ---- recovery.c, recovery_radius.c: second half of Algorithm 4 ---- */

/* Part of a release of means that goes to the counts. */
enum { KITH_I_COUNT_PERCENT = 15 };

typedef struct kith_i_recovery {
    kith_session *session;
    uint32_t k;
    kith_i_coins *coins;
    double *centers;  /* k x d, lattice units of the records */
    double *weights;  /* k noisy sizes; the caller's */
    double rows;      /* noisy number of records, at least 1 */
    double noise;     /* of a centre with 1/k of the rows, lattice units */
    double *mean;     /* d: noisy mean of all records */
    double *raw;      /* k x d: the means before they are drawn to it */
    double *variance; /* k: of the noise on a coordinate of raw */
    double mean_variance;
    int plan;        /* there are no records */
    uint64_t radius; /* of the clipped rows about the mean; 0: as they are */
    uint32_t picks;  /* sparse rows: features of a centre; 0: from the noise */
} kith_i_recovery;

/* weights: k, the caller's. Closed in any case. */
kith_status kith_i_recovery_open(kith_i_recovery *r, kith_session *session,
                                 uint32_t k, kith_i_coins *coins,
                                 double *weights, kith_error *err);
void kith_i_recovery_close(kith_i_recovery *r);
/* First: how many records there are and where their mean is. rows: the guess
 * of a plan, or 0. mean_charge 0: their number only (sparse rows are not
 * recentred). */
kith_status kith_i_recover_mean(kith_i_recovery *r, uint64_t rows,
                                kith_i_loss count_charge,
                                kith_i_loss mean_charge, kith_error *err);
/* Then: a radius about that mean, small where noise is worse than clipping.
 * round_charge: of a release that will use it. Not for sparse rows: zeros must
 * stay zeros. */
kith_status kith_i_recover_radius(kith_i_recovery *r, kith_i_loss charge,
                                  kith_i_loss round_charge, kith_error *err);
/* Means of the rows whose view is nearest to each of k points (k x p) or, with
 * neither, whose own place is nearest to r->centers. last: lost centres stay
 * lost. */
kith_status kith_i_recover(kith_i_recovery *r, const char *what,
                           const kith_i_view *view, const double *points,
                           int last, kith_i_loss charge, kith_error *err);

/* ---- recovery_sparse.c: Algorithm 5 ---- */

/* As kith_i_recover, with few features for each centre: m of them, from the
 * noise and the noisy number of rows. */
kith_status kith_i_recover_sparse(kith_i_recovery *r, const char *what,
                                  const kith_i_view *view, const double *points,
                                  int last, kith_i_loss charge,
                                  kith_error *err);
/* m: features that a choice of this charge can tell from the others. */
uint32_t kith_i_sparse_picks(const kith_session *session, kith_i_loss charge,
                             uint32_t k, double rows);
/* C: what an entry may add to the score of its feature. */
uint32_t kith_i_sparse_bound(const kith_i_domain *domain);

/* ---- balcan_paper.c: the constants as printed ---- */

typedef struct kith_i_paper_constants {
    double n, trials, partitions, swaps, dimension;
    double epsilon; /* of one level of one partition */
    double gamma;   /* records that activate a cube  */
} kith_i_paper_constants;

kith_i_paper_constants kith_i_paper_constants_of(double n, uint32_t k,
                                                 double epsilon);
/* A run with them, or KITH_ERR_PRIVACY with the numbers where they cannot be
 * represented: before anything is spent if no number of rows would help, else
 * after the count. rows: a plan's guess, or 0. */
kith_status kith_i_kmeans_paper(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err);

/* ---- balcan.c: Algorithm 4 ---- */

kith_status kith_i_kmeans_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err);
/* The same with the k-median loss in the swaps, up to the first recovery: a
 * start for kmedian.c, which makes the rounds. */
kith_status kith_i_median_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err);

#endif
