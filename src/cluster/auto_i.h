/* Inside the `auto` method (docs/auto.md): the state of a run and its parts.
 * Steps A1 to A12 are those of the recipe; "share" is a part of the session's
 * whole budget (of mu^2). */
#ifndef KITH_AUTO_I_H
#define KITH_AUTO_I_H

#include "cluster/cluster_i.h"

/* Cells are of two classes, those of usual width and wide ones: factors for the
 * scales of each, for clipping (rho) and of the rms distance (kappa). */
enum { AUTO_CLASSES = 2 };
typedef struct auto_radii {
    double rho[AUTO_CLASSES], kappa[AUTO_CLASSES];
    double loose[AUTO_CLASSES]; /* relative sd of kappa^2, by noise */
} auto_radii;

/* One run. Lengths are in lattice steps of the space they belong to. */
typedef struct auto_run {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    uint32_t k, d;
    kith_i_loss total;
    int pure;         /* the currency: epsilon, else mu^2 */
    double budget;    /* the whole of it: epsilon, or mu */
    double used;      /* shares so far */
    double n_hat;     /* A1 */
    double n_sd;      /* its noise */
    double plan;      /* rows that a plan assumes; 0 in a real run */
    uint32_t shells;  /* boxes far out, if the bounds are so wide */
    auto_radii radii; /* of the last histogram of residuals */
    unsigned done, steps;
    kith_i_coins coins;
} auto_run;

/* ---- auto.c: what all parts use -------------------------------------------
 */

/* The charge of a share, and progress by one release. */
kith_status kith_i_auto_charge(auto_run *run, double share, kith_i_loss *charge,
                               kith_error *err);
kith_status kith_i_auto_tick(auto_run *run, kith_error *err);

/* Noise that a share buys: the standard deviation of a count, and of one
 * coordinate of a sum of vectors in the unit ball of R^dim. */
double kith_i_auto_count_sd(const auto_run *run, double share);
double kith_i_auto_sum_sd(const auto_run *run, double share, double dim);

/* Distance that noise moves the centre of one of k equal clusters, in steps of
 * the rows, if a coordinate of its sum has this standard deviation. */
double kith_i_auto_center_noise(const auto_run *run, double sum_sd, double k);

/* ---- auto_recipe.c: how the budget is divided, and how fine the summary is -
 */

/* A6. A box is cut into 2^halvings at each of so many levels, if it has more
 * than cut_sds sd of one count. */
typedef struct auto_tree_recipe {
    uint32_t levels, halvings;
    double cut_sds;
} auto_tree_recipe;
auto_tree_recipe kith_i_auto_tree_recipe(int pure, int blind, int shells);
/* A7: from how many sd on a leaf is kept. */
double kith_i_auto_leaf_sds(int pure);
/* A8: how many fine cells, if the sum of a cell's residuals, one scale long at
 * most, has noise of this length. */
double kith_i_auto_most_cells(int pure, double k, double n, double noise);
struct auto_space;
struct auto_shares;
struct auto_shares kith_i_auto_divide(const auto_run *run,
                                      const struct auto_space *space);

/* ---- auto_hist.c: histograms of distances, and radii from them ------------
 */

enum { AUTO_MOST_BINS = 192 }; /* 60, and twice those of a closer look */
typedef struct auto_hist {
    uint32_t bins;
    double up[AUTO_MOST_BINS];  /* upper edge of a bin                 */
    double mid[AUTO_MOST_BINS]; /* typical value in it                 */
    double h[AUTO_MOST_BINS];   /* noisy count, 0 when lost in noise   */
    double raw[AUTO_MOST_BINS]; /* as it was released                  */
    double total;
    double sd; /* of a count */
    int seen;  /* something stood out of the noise */
} auto_hist;

/* Fill h and total from noisy counts: what is lost in noise becomes 0. prior:
 * the distance to assume when everything is. */
void kith_i_auto_hist_clean(auto_hist *hist, const int64_t *counts, double sd,
                            int pure, double prior);
/* sum of h (mid - r)+ */
double kith_i_auto_excess(const auto_hist *hist, double r);
double kith_i_auto_mean_square(const auto_hist *hist);
/* What noise does to it, as a part of it. */
double kith_i_auto_looseness(const auto_hist *hist);

/* Which of n cells are wide (out: n), by their scales and (noisy) sizes.
 * Returns out, or NULL if none is. */
const uint8_t *kith_i_auto_find_wide(const double *scale, const double *size,
                                     uint32_t n, uint8_t *out);
/* RADIUS: the factors rho that balance clipping bias and noise, given the
 * scales and (noisy) sizes of n cells. prior: of wide cells that nothing is
 * seen of. */
void kith_i_auto_radius(const auto_run *run, const auto_hist *hists,
                        const uint8_t *wide, const double *scale,
                        const double *size, uint32_t n, double share,
                        double dim, double prior, auto_radii *out);

/* What clipping at r does to records of these lengths: *kept is the mean of the
 * factors, returned is their relative variance. Dividing a clipped sum by
 * *kept leaves only the bias that the variance allows. */
double kith_i_auto_clipping(const auto_hist *hist, double r, double *kept);

/* ---- auto_locate.c: where a record is -------------------------------------
 */

struct auto_forest;

/* A record's cell is its nearest centre, or its leaf of a forest, as seen in
 * the view `by` (NULL: the records); its residual is taken from the cell's
 * origin in the space of `view` (NULL: the records). */
typedef struct auto_locator {
    const kith_i_centers *centers; /* or */
    const struct auto_forest *forest;
    const kith_i_view *view, *by;
    const kith_i_view *labels; /* cells, if they are kept */
    uint32_t cells, width;
    const uint8_t *wide; /* class of each cell; NULL: all the same */
    int taxicab;      /* distances and radii are in L1: Laplace noise (pure) */
    int32_t *origins; /* cells x width */
} auto_locator;

/* Compute the cells once for all releases that follow
 * (kith_i_auto_locator_free). by and view may differ only after this. */
kith_status kith_i_auto_locator_label(auto_run *run, auto_locator *locator,
                                      kith_error *err);
/* centres: cells x width reals. Allocates (kith_i_auto_locator_free). */
kith_status kith_i_auto_locator_set(auto_locator *out, const double *origins,
                                    kith_error *err);
void kith_i_auto_locator_free(auto_run *run, auto_locator *locator);

/* Noisy number of records in each cell. */
kith_status kith_i_auto_counts(auto_run *run, const auto_locator *locator,
                               const char *what, double share,
                               kith_i_cells *out, kith_error *err);

/* Noisy sums of residuals, each clipped to its cell's radius. */
kith_status kith_i_auto_residuals(auto_run *run, const auto_locator *locator,
                                  const char *what, const double *radius,
                                  double share, kith_i_cells *out,
                                  kith_error *err);

/* HIST: distances to the cell's origin in units of scale[cell], one histogram
 * for each class of the locator's cells. lo < 1: around 1 is expected; else
 * (lo, hi in lattice steps) nothing is. */
kith_status kith_i_auto_histogram(auto_run *run, const auto_locator *locator,
                                  const double *scale, const char *what,
                                  double lo, double hi, uint32_t bins,
                                  double share, auto_hist *out,
                                  kith_error *err);

/* ---- auto_hand.c: when a summary would be noise ---------------------------
 */

enum { AUTO_LLOYD_ROUNDS = 5, AUTO_LEAST_ROUNDS = 2, AUTO_MANY_AXES = 16 };
struct auto_space;
kith_status kith_i_auto_hand_over(auto_run *run, struct auto_space *space,
                                  uint64_t rows, kith_result *result,
                                  kith_error *err);
/* Where all centres are far from where the rows are, one goes to the mean of
 * A3. spread: the rows' rms distance from it, steps. */
kith_status kith_i_auto_keep_mean(const auto_run *run,
                                  const struct auto_space *space, double spread,
                                  kith_result *result, kith_error *err);
/* Distance that noise moves the mean of an average cluster in each of so many
 * of lloyd's rounds, with what is left of the budget. */
double kith_i_auto_lloyd_noise(const auto_run *run, double rounds);

/* ---- auto_pca.c: A4, A5 ---------------------------------------------------
 */

/* The space that the clustering runs in. */
typedef struct auto_space {
    const kith_i_view *view;
    const kith_i_view *narrow; /* the view that this one was widened from */
    uint32_t q;
    int blind;          /* the axes are random: no second moments were bought */
    int unseen;         /* a summary would be noise: auto_hand.c */
    int single;         /* noise leaves room for one mean */
    int split;          /* rows are close together, but for some far away */
    double finer;       /* lattice steps of the view per step of the records */
    double *mean;       /* d: A3 */
    double astray;      /* squared distance it may be off; < 0: not bought */
    double *zero;       /* d: the caller's zero, clamped to the bounds */
    auto_hist norms;    /* distances from the mean, steps of the rows */
    auto_hist taxicabs; /* pure, many dimensions: L1 lengths about zero */
    int taxicab;        /* L1 was looked at, */
    double *axes;       /* q x d, orthonormal rows: A5 */
    double *spread;     /* q: sc, in steps of the view */
    double reach;       /* Rm, steps of the view */
    double trace;       /* mean squared norm, steps of the view squared */
    double outside;     /* vo: variance outside the axes, likewise */
} auto_space;

kith_status kith_i_auto_find_space(auto_run *run, auto_space *space,
                                   kith_error *err);
void kith_i_auto_space_free(auto_space *space);
void kith_i_auto_random_axes(auto_run *run, double *axes, uint32_t from,
                             uint32_t to);

/* ---- auto_middle.c: A1 to A3 ----------------------------------------------
 */

/* A1: n_hat. */
kith_status kith_i_auto_count_rows(auto_run *run, kith_error *err);
/* mean, zero, norms, taxicabs, reach and trace (in steps of the rows). */
kith_status kith_i_auto_find_middle(auto_run *run, auto_space *space,
                                    kith_error *err);

/* Better means, where bounds are so wide that it pays. */
kith_status kith_i_auto_approach_mean(auto_run *run, auto_space *space,
                                      kith_error *err);
/* The mean with all that is left of the budget. noise: how far noise alone may
 * have moved it, in steps of the rows. */
kith_status kith_i_auto_final_mean(auto_run *run, auto_space *space,
                                   double *noise, kith_error *err);

/* The distance from the mean up to which the norms show rows. */
double kith_i_auto_norms_end(const auto_space *space);
/* A mean is none if it may be off by more than this part of the mean squared
 * distance of the rows. */
#define AUTO_POOR .25
/* Rows fill the bounds if their rms distance is more than this part of them. */
#define AUTO_FILLS .2

/* Whether rows are beyond all that the norms show, and further than lloyd's
 * noise. */
kith_status kith_i_auto_any_far(auto_run *run, const auto_space *space,
                                int *out, kith_error *err);

/* A clipped sum in full space that has no good origin yet: which norm, which
 * radius, and what comes of it. */
typedef struct auto_plain {
    int taxicab;
    double radius;
    double kept;  /* the sum is this much too short */
    double noise; /* sd of a coordinate of the sum, after that */
    double cost;  /* expected, per row */
} auto_plain;

/* Best way to sum k clusters with this share. about: lengths about the mean, or
 * (for the mean itself) about the origin. */
auto_plain kith_i_auto_plan_plain(const auto_run *run, const auto_space *space,
                                  const auto_hist *about, double trace,
                                  double k, double share);

/* ---- auto_forest.c: A6, and A7 by kith_i_auto_leaves.c
 * ---------------------------
 */

/* Weighted points that stand for the data. */
typedef struct auto_coreset {
    uint32_t n, q;
    double *points;  /* n x q */
    double *weight;  /* for solving */
    double *size;    /* W0 */
    double *unsure;  /* noise variance of it */
    double *within;  /* v: variance around the point */
    double *scratch; /* n */
} auto_coreset;

typedef struct auto_shares {
    double tree, leaf, over, lloyd, rec, hist; /* hist: for one histogram */
    double counts; /* part of a step that goes to counts */
    uint32_t over_steps, rounds;
    uint32_t hists; /* rounds that buy one; the others use the last radius */
} auto_shares;

/* shares: those of the later stages come out changed; over_steps is 0 if A7 and
 * A8 are not worth their price and the coreset is made up. */
kith_status kith_i_auto_grow(auto_run *run, const auto_space *space,
                             auto_shares *shares, auto_coreset *out,
                             kith_error *err);
/* ---- auto_even.c: when the forest shows nothing ----------------------------
 */

/* A coreset that is made up, and shares for A10 and A11 only. */
kith_status kith_i_auto_assume_even(auto_run *run, const auto_space *space,
                                    double pool, auto_shares *shares,
                                    auto_coreset *out, kith_error *err);

/* ---- kith_i_auto_solve.c: A9, and its part in A8
 * ---------------------------------
 */

kith_status kith_i_auto_coreset_new(auto_coreset *out, uint32_t n, uint32_t q,
                                    kith_error *err);
void kith_i_auto_coreset_free(auto_coreset *coreset);

/* Searches of the coreset, each from the best of some seedings, are free of
 * charge, but with many clusters not of time. */
enum { AUTO_SEEDINGS = 4, AUTO_MANY_CLUSTERS = 100 };

/* k centres of the coreset: restarts of k-means++ and Lloyd, then the best
 * swaps, repeated; the best cost wins. */
kith_status kith_i_auto_solve(auto_run *run, const auto_coreset *coreset,
                              uint32_t k, uint32_t repeats, uint32_t starts,
                              int swaps, double *centers, kith_error *err);

/* Take centres away from a solution with k until fewer are left, each time the
 * one that the coreset misses least; Lloyd follows. */
kith_status kith_i_auto_thin(const auto_coreset *coreset, uint32_t k,
                             uint32_t fewer, double *centers, kith_error *err);

/* SCALES: typical distance of the data from each of k centres. */
void kith_i_auto_scales(const auto_coreset *coreset, uint32_t k,
                        const double *centers, double *scale);

/* ---- auto_sizes.c: what is known of sizes ----------------------------------
 */

/* Sizes of k clusters as far as they are known, and the variances of that. */
typedef struct auto_sizes {
    double *mean, *variance;
} auto_sizes;

/* What the coreset knows of the size of each of k cells, and the variance of
 * that. */
void kith_i_auto_sum_sizes(const auto_coreset *c, uint32_t k,
                           const double *centers, double *size,
                           double *variance);

/* Join what is known of the sizes of k clusters and what was counted now (size,
 * with this sd). */
void kith_i_auto_join_sizes(auto_sizes *known, uint32_t k, double sd,
                            double *size);

/* ---- auto_step.c: A8 to A12, step by step ---------------------------------
 */

/* What a step found: residual means, sizes and their noise. */
typedef struct auto_step {
    uint32_t k, width;
    double *move;   /* k x width: residual means, not shrunk yet */
    double *noise;  /* k: sd of one coordinate of move */
    double *size;   /* k: noisy counts */
    double size_sd; /* of each of them */
    double sum_sd;  /* of a coordinate of a residual sum, rms over the k */
    double loose;   /* relative sd of the squares of rms, by noise */
    uint8_t *wide;  /* k: its class */
    double *rms;    /* k: distance of the rows from the centre */
    double *beyond; /* k: the scale to look with next, if rows were clipped */
} auto_step;

/* Sizes (out->size, of out->k cells) by one release, joined with what is known
 * of them (or NULL). used: what to divide sums by, never lost in noise. */
kith_status kith_i_auto_count_sizes(auto_run *run, const auto_locator *locator,
                                    const char *what, double share,
                                    auto_sizes *known, auto_step *out,
                                    double *used, kith_error *err);

/* A round's share of the one before: later ones count for more. */
#define AUTO_GROWTH 1.25

/* STEP: sizes, a histogram and residual sums of the locator's cells. scale: one
 * for each, in steps of the residuals' space. */
kith_status kith_i_auto_take_step(auto_run *run, auto_locator *locator,
                                  const auto_shares *shares,
                                  const double *scale, double share,
                                  const char *what, auto_sizes *known,
                                  auto_step *out, kith_error *err);
void kith_i_auto_step_free(auto_step *step);

/* SHRINK: the factor for each of k rows of w values, stride apart: the larger
 * of its own James-Stein factor and one pooled over the rows. dim: how many of
 * the values are free. */
void kith_i_auto_shrink(const double *move, size_t stride, uint32_t w,
                        uint32_t k, const double *noise, double dim,
                        double *factor);

/* A step in the view: new centres, and what it found. by: cells are those of
 * these centres in space->narrow, or NULL. */
kith_status kith_i_auto_step_in_view(auto_run *run, const auto_space *space,
                                     const auto_shares *shares, uint32_t k,
                                     const kith_i_centers *by,
                                     const double *scale, double share,
                                     const char *what, auto_sizes *known,
                                     double *centers, auto_step *found,
                                     kith_error *err);

/* A8 to A12. */
kith_status kith_i_auto_refine(auto_run *run, const auto_space *space,
                               auto_shares *shares, auto_coreset *coreset,
                               kith_result *result, kith_error *err);

/* ---- auto_over.c: A8 ------------------------------------------------------
 */

/* Replaces the coreset by this many cells, refined. May spend what A10 has. */
kith_status kith_i_auto_over_cluster(auto_run *run, const auto_space *space,
                                     auto_shares *shares, uint32_t cells,
                                     auto_coreset *coreset, kith_error *err);

/* From how many sd on a box far out stands out. */
double kith_i_auto_far_stands(const auto_run *run);

/* Without A8: forget leaves of the shells that do not stand out of the noise;
 * the forest kept all that might. */
void kith_i_auto_drop_doubtful(const auto_run *run, const auto_space *space,
                               auto_coreset *coreset);

/* ---- auto_hidden.c: places that are not seen ------------------------------
 */

/* Some of the k centres that A9 found, if the coreset can do without, go to
 * where rows may hide. count_sd: of the coreset's sizes. */
kith_status kith_i_auto_leave_some(auto_run *run, const auto_space *space,
                                   const auto_coreset *coreset, double count_sd,
                                   uint32_t repeats, double *centers,
                                   kith_error *err);

/* Fewer points than clusters: halve the widest until there are k. */
kith_status kith_i_auto_halve_points(auto_run *run, uint32_t k,
                                     auto_coreset *coreset, kith_error *err);

/* ---- auto_groups.c: how many clusters noise leaves room for (pure) --------
 */

/* P8; centers: k x q of scratch. */
kith_status kith_i_auto_carried(auto_run *run, const auto_space *space,
                                const auto_shares *shares,
                                const auto_coreset *coreset, double *centers,
                                uint32_t *out, kith_error *err);
/* What the coreset says of the sizes of k clusters (out->variance may be NULL;
 * infinite: nothing is known). Returns the mean squared distance of the rows
 * from the centres. */
double kith_i_auto_weigh(const auto_coreset *coreset, uint32_t k,
                         const double *centers, auto_sizes *out);

/* k centres (in the view) from the means in full space of a few groups
 * of them, whose centres in the view are middle. */
void kith_i_auto_spread_groups(const auto_run *run, const auto_space *space,
                               const auto_coreset *coreset, uint32_t groups,
                               const double *middle, const double *means,
                               const double *centers, double *full,
                               double *weights);

/* ---- auto_blind.c: A11 with random axes (pure) ----------------------------
 */

#define AUTO_BLIND_COUNTS .05 /* part of a step that goes to counts */
#define AUTO_ZOOM_FIRST   .45 /* part of the share for a first estimate */
/* Whether a second step from a first estimate pays. */
int kith_i_auto_zooms(const auto_run *run, double k, double share);
kith_status kith_i_auto_finish_blind(auto_run *run, const auto_space *space,
                                     const auto_shares *shares,
                                     const auto_coreset *coreset,
                                     const double *centers, double *full,
                                     kith_result *result, kith_error *err);

/* ---- kith_i_auto_recover.c: A11 when the view has fewer dimensions than the
 * rows -
 */

/* Take the part inside the axes (inside: k x q) out of the moves, which are
 * found->width wide. */
void kith_i_auto_take_apart(const auto_space *space, auto_step *found,
                            double *inside);

/* From the view back to the rows' lattice: mean + V c. */
void kith_i_auto_lift(const auto_space *space, uint32_t k, uint32_t d,
                      const double *centers, double *full);

/* full: k x d, the centres in the rows' lattice. */
kith_status kith_i_auto_recover(auto_run *run, const auto_space *space,
                                const auto_shares *shares, const double *scale,
                                auto_sizes *known, const double *centers,
                                double *full, auto_step *found,
                                kith_error *err);

#endif
