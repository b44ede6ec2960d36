/* The four algorithms of Balcan, Dick, Liang, Mou, Zhang, "Differentially
 * private clustering in high-dimensional Euclidean spaces" (ICML 2017), each
 * in its own file, with the repairs of docs/balcan.md. */
#ifndef KITH_BALCAN_I_H
#define KITH_BALCAN_I_H

#include "cluster_i.h"

/* ---- partition.c: Algorithm 1, private_partition --------------------------
 */

enum { KITH_I_TREE_LEVELS = 12, KITH_I_TREE_DIMENSION = 20 };

/* A tree of cubes over a view. The root is [low_i, low_i + edge)^p in lattice
 * units; each cube has 2^p halves in every direction. A level lists its active
 * cubes as keys (index of the parent in the level above) * 2^p + (which half,
 * one bit for each direction), increasing. All of it is released. */
typedef struct kith_i_tree {
    uint32_t p, depth; /* depth: levels below the root that have cubes */
    int32_t low[KITH_I_TREE_DIMENSION];
    int32_t edge; /* a multiple of 2^KITH_I_TREE_LEVELS */
    struct kith_i_tree_level {
        kith_i_sparse_cell *cubes;
        size_t count;
    } level[KITH_I_TREE_LEVELS];
} kith_i_tree;

typedef struct kith_i_partition_spec {
    const char *what; /* of the receipts */
    const kith_i_view *view;
    uint32_t levels;
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
/* Where a row falls among the children of the cubes at the tree's depth:
 * KITH_I_NO_KEY when its cube is not active. */
uint64_t kith_i_tree_key(const kith_i_tree *tree, const int16_t *row);
/* Middle of a cube of level 1..depth. */
void kith_i_tree_center(const kith_i_tree *tree, uint32_t level, size_t cube,
                        double *out);
/* Grow a root. */
kith_status kith_i_partition(kith_session *session,
                             const kith_i_partition_spec *spec,
                             kith_i_tree *tree, kith_error *err);
void kith_i_tree_free(kith_i_tree *tree);

/* ---- candidates.c: Algorithm 2, candidate ---------------------------------
 */

enum {
    KITH_I_PARTITIONS = 2,
    KITH_I_PARTITION_LEVELS = 5,
    KITH_I_CANDIDATES = 300
};

/* *out: *count points of the view's ball on its lattice (count x p, the
 * caller's), at least `least` and at most max(least, KITH_I_CANDIDATES). */
kith_status kith_i_candidates(kith_session *session, const kith_i_view *view,
                              uint32_t least, kith_i_loss charge,
                              kith_i_coins *coins, double **out,
                              uint32_t *count, kith_error *err);

/* ---- localswap.c: Algorithm 3, localswap ----------------------------------
 */

typedef struct kith_i_localswap_spec {
    const kith_i_view *view;
    const double *candidates; /* count x p */
    uint32_t count, k, rounds;
    kith_i_loss charge;
} kith_i_localswap_spec;

/* chosen: k indices of candidates. */
kith_status kith_i_localswap(kith_session *session,
                             const kith_i_localswap_spec *spec,
                             kith_i_coins *coins, uint32_t *chosen,
                             kith_error *err);

/* ---- recovery.c: the second half of Algorithm 4 ---------------------------
 */

typedef struct kith_i_recovery {
    kith_session *session;
    uint32_t k;
    kith_i_coins *coins;
    double *centers; /* k x d, lattice units of the records */
    double *weights; /* k noisy sizes */
    double noise;    /* of a centre with 1/k of the rows, lattice units */
} kith_i_recovery;

/* Means of the rows whose view is nearest to each of k points (k x p). */
kith_status kith_i_recover(kith_i_recovery *r, const kith_i_view *view,
                           const double *points, double rows,
                           kith_i_loss charge, kith_error *err);
/* One paid Lloyd round about r->centers; last: lost centres stay. */
kith_status kith_i_recover_round(kith_i_recovery *r, const char *what,
                                 double rows, int last, kith_i_loss charge,
                                 kith_error *err);

/* ---- balcan.c: Algorithm 4 ------------------------------------------------
 */

kith_status kith_i_kmeans_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err);

#endif
