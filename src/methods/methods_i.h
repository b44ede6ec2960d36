/* methods: what the methods `auto`, `one-round` and the single mean share.
 * Each module asks through a run, computes on answers, and leaves public
 * numbers in the run's memory, which is freed as a whole. */
#ifndef KITH_METHODS_I_H
#define KITH_METHODS_I_H

#include "kernel/kernel_i.h"
#include "method.h"

/* ---- method_run.c: one run of a method ------------------------------------
 */

enum { KITH_I_LOCAL_QUESTIONS = 64 };

typedef struct kith_i_local_run {
    const kith_i_local_task *task;
    kith_i_collector *collector;
    kith_i_coins coins;
    double asked; /* shares of the users asked so far: never above 1 */
    unsigned round, rounds;
    void *memory; /* blocks of kith_i_local_take */
    kith_i_answer answers[KITH_I_LOCAL_QUESTIONS];
    size_t answer_count;
} kith_i_local_run;

void kith_i_local_open(kith_i_local_run *run, const kith_i_local_task *task,
                       kith_i_collector *collector, unsigned rounds);
void kith_i_local_close(kith_i_local_run *run);
/* Zeroed memory that lives as long as the run; NULL when memory is short. */
void *kith_i_local_take(kith_i_local_run *run, size_t count, size_t size);
double *kith_i_local_numbers(kith_i_local_run *run, size_t a, size_t b);
/* One round. answers: kept by the run. */
kith_status kith_i_local_ask(kith_i_local_run *run,
                             const kith_i_question *questions, size_t count,
                             const kith_i_answer **answers, kith_error *err);
/* Users that a share means. */
double kith_i_local_users(const kith_i_local_run *run, double share);
/* A vector report about one place with this centre and radius, and a symbol
 * report: the parts of a question that never vary. */
kith_i_question kith_i_local_question(const kith_i_local_run *run,
                                      const char *what, double share,
                                      kith_i_report_kind report);
void kith_i_local_clip(const kith_i_local_task *task, uint32_t count,
                       double *points);

/* ---- answer_estimators.c: small estimators ----------------------------------
 */

/* out_i = max(0, p_i - t var_i), t such that they sum to 1. */
void kith_i_norm_sub(const double *p, const double *var, size_t n, double *out);
/* Top eigenvalue without what noise of this variance adds to it; 0 when it
 * is not above the noise. */
double kith_i_debias(double value, double variance, double d);
/* 1 - (d-2) sd^2 / |s|^2, between 0 and 1; 1 when d <= 2. 0 for infinite sd. */
double kith_i_james_stein(const double *s, size_t d, double sd);
double kith_i_norm_squared(const double *v, size_t d);

/* ---- solve_points.c: weighted k-means, or k-median, of released points ----
 */

/* Best of `restarts`. Points of weight <= 0 are left out; with at most k
 * others these are the answer. labels (nullable): n, UINT32_MAX for left out.
 */
kith_status kith_i_local_solve(kith_i_local_run *run, const double *points,
                               const double *weights, uint32_t n, uint32_t d,
                               uint32_t k, uint32_t restarts, double *centers,
                               uint32_t *labels, uint32_t *found,
                               kith_error *err);

/* ---- grow_tree.c: adaptive histogram
 * ------------------------------------------
 */

enum { KITH_I_GROW_AXES = 3 };

typedef struct kith_i_grow_node {
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES];
    uint32_t left, right; /* 0: a leaf */
    uint32_t depth;
    int axis;
    double threshold;
    double mean, precision;    /* of the reports about this node as a leaf */
    double up, up_var;         /* of reports below and at the node */
    double estimate, variance; /* of all reports */
    double weight;             /* after pruning; terminals sum to 1 */
    int alive, terminal;
} kith_i_grow_node;

typedef struct kith_i_grow {
    uint32_t axes, nodes, leaves, room, start_depth;
    kith_i_grow_node *node; /* 2 room, children after their parent */
    double *score;          /* 2 room */
    /* Set by kith_i_grow_open to what suits d <= 3: sd that make a node count
     * as there, among the first cells and below them; how many levels a leaf
     * is split at once. */
    double start_z, deep_z;
    uint32_t split_levels;
} kith_i_grow;

/* 2^depth equal cells to begin with, at most `room` of them ever. */
kith_status kith_i_grow_open(kith_i_local_run *run, kith_i_grow *grow,
                             uint32_t axes, const double *low,
                             const double *high, uint32_t depth, uint32_t room,
                             kith_error *err);
/* The tree as it is now, down to a depth, as the place of a question. leaf:
 * the node of each published leaf. */
kith_status kith_i_grow_publish(kith_i_local_run *run, const kith_i_grow *grow,
                                uint32_t depth, const kith_i_lens *lens,
                                kith_i_place *place, uint32_t **leaf,
                                kith_error *err);
/* Reports about published leaves, then least squares over the tree. */
void kith_i_grow_take(kith_i_grow *grow, const uint32_t *leaf,
                      const kith_i_answer *answer);
void kith_i_grow_estimate(kith_i_grow *grow);
/* Split what is worth it when the next group sees cells with this sd. */
void kith_i_grow_split(kith_i_grow *grow, double next_sd);
/* Decide what is there: terminals and their weights. */
void kith_i_grow_prune(kith_i_grow *grow);
/* points: terminals x axes (room for one more than leaves), with weight and
 * variance of the weight. rest: mass that no terminal covers becomes one more
 * point when it is more than a quarter. Returns their number. */
uint32_t kith_i_grow_points(const kith_i_grow *grow, int rest, double *points,
                            double *weights, double *variances);

/* The leaves as they are, estimates with their sign. */
typedef struct kith_i_grow_cell {
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES];
    double estimate, variance;
} kith_i_grow_cell;

/* cells: room for grow->leaves. */
uint32_t kith_i_grow_cells(const kith_i_grow *grow, kith_i_grow_cell *cells);

/* ---- blob_fit.c: round blobs by least squares -----------------------
 */

/* A blob is axes + 2 numbers: weight, centre, log of the sd of a coordinate. */
typedef struct kith_i_blob_fit {
    const kith_i_grow_cell *cells; /* outer ones are widened to infinity */
    uint32_t count, axes;
    double low[KITH_I_GROW_AXES], high[KITH_I_GROW_AXES]; /* of all cells */
    double narrow, wide;                                  /* log of the width */
    /* set by kith_i_blobs_room */
    double *expected, *without, *slopes, *normal, *factor;
    double *gradient, *step, *trial, *moved, *best;
} kith_i_blob_fit;

/* Memory for so many blobs and f->count cells. */
kith_status kith_i_blobs_room(kith_i_local_run *run, kith_i_blob_fit *f,
                              uint32_t room, kith_error *err);
/* Fit `count` blobs, leave out what is missed least until there are k, then
 * try each elsewhere. Returns chi squared, with that of a prior on widths. */
double kith_i_blobs_fit(kith_i_blob_fit *f, double *blobs, uint32_t count,
                        uint32_t k);
/* Chi squared of k blobs on the cells, their expected cells, and, when not
 * NULL, its derivatives (count x k x (axes + 2)). */
double kith_i_blobs_misfit(const kith_i_grow_cell *cells, uint32_t count,
                           uint32_t axes, const double *blobs, uint32_t k,
                           double *expected, double *slopes);
/* Chi squared of the prior: widths are alike. */
double kith_i_blobs_prior(const double *blobs, uint32_t k, uint32_t axes);
/* Mass of one blob in a cell, and the mean of what is in it. */
double kith_i_blobs_part(const kith_i_grow_cell *cell, uint32_t axes,
                         const double *blob, double *middle);

/* ---- blob_average.c: the mean of all blobs that the reports allow ---
 */

/* box, open: leaves with their estimates, and widened to infinity. part and
 * place (zero at first; leaves x k, x axes): sums over the samples of the mass
 * of a blob in a leaf, and of mass times its mean there. */
typedef struct kith_i_blob_mean {
    const kith_i_grow_cell *box, *open;
    uint32_t leaves, k, samples;
    double *part, *place;
} kith_i_blob_mean;

/* f, blobs: a fit, to begin from. */
kith_status kith_i_blobs_average(kith_i_local_run *run,
                                 const kith_i_blob_fit *f, const double *blobs,
                                 kith_i_blob_mean *mean, kith_error *err);

/* ---- blob_smooth.c: what the cells would be if clusters were round --------
 */

enum { KITH_I_BLOBS_MOST = 16 }; /* clusters; more are not tried */

/* Weighted points to begin from. */
typedef struct kith_i_blob_start {
    const double *points, *weights;
    uint32_t count;
} kith_i_blob_start;

/* Fit k round blobs to the reports; where they explain them, shrink the leaves
 * to them: *count points (at most (k + 1) x grow->leaves) with weights. *count
 * is 0 when the data are not blobs. */
kith_status kith_i_blobs_smooth(kith_i_local_run *run, const kith_i_grow *grow,
                                const kith_i_blob_start *start, uint32_t k,
                                double *points, double *weights,
                                uint32_t *count, kith_error *err);

/* ---- refine_means.c: recentred means -------------------------------------
 */

enum { KITH_I_REFINE_BANDS = 10 };

/* Centres with what is known of them. One allocation. */
typedef struct kith_i_local_model {
    uint32_t count, d;
    double *center; /* count x d */
    double *var;    /* of a coordinate of a centre */
    double *raw;    /* share of the users; sums to 1 */
    double *raw_var;
    /* from the last histogram of distances */
    double *share;   /* raw, kept away from 0 */
    double *profile; /* count x bands, each sums to 1 */
    double *radius;  /* clip radius */
    double *bias;    /* predicted distance lost by clipping */
    double *spread;  /* predicted mean squared distance */
    double *pull;    /* what a unit of report moves: radius, or 1 / mean inverse
                        distance, with distances of at least the radius */
    /* from the last vectors */
    double *move; /* count x d: the measured displacement */
    double *sd;   /* of a coordinate of it */
} kith_i_local_model;

kith_status kith_i_model_new(kith_i_local_run *run, uint32_t count,
                             kith_i_local_model *out, kith_error *err);
kith_i_question kith_i_refine_histogram(const kith_i_local_run *run,
                                        const kith_i_local_model *model,
                                        double share, double top);
/* raw and raw_var of the model are what was known of the shares before, and are
 * brought up to date. FIRST: of these centres; else of others near to them.
 * vector_share: of the group that will send vectors. */
typedef enum kith_i_refine_stage {
    KITH_I_REFINE_FIRST,
    KITH_I_REFINE_MIDDLE,
    KITH_I_REFINE_LAST
} kith_i_refine_stage;
void kith_i_refine_radii(const kith_i_local_run *run, kith_i_local_model *model,
                         const kith_i_answer *answer, double top,
                         kith_i_refine_stage stage, double vector_share);
kith_i_question kith_i_refine_question(const kith_i_local_run *run,
                                       const kith_i_local_model *model,
                                       double share);
/* move and sd from the vectors; centres are not moved yet. */
void kith_i_refine_measure(kith_i_local_model *model,
                           const kith_i_answer *answer);
/* Empirical-Bayes steps. */
void kith_i_refine_step(kith_i_local_model *model);
/* Both rounds, for the last time. */
kith_status kith_i_refine(kith_i_local_run *run, kith_i_local_model *model,
                          double top, double histogram_share,
                          double vector_share, kith_error *err);
/* Pooled variance of the moves above their noise, over q coordinates. */
double kith_i_refine_pool(const double *moves, const double *sd, uint32_t count,
                          uint32_t d, double q);

/* ---- first_means.c: first means in all dimensions ------------------------
 */

/* model: anchors measured; low rank plus shrinkage, centres moved. */
kith_status kith_i_first_step(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err);
/* Merge to k centres. */
kith_status kith_i_first_merge(kith_i_local_run *run,
                               const kith_i_local_model *from, uint32_t k,
                               kith_i_local_model *to, kith_error *err);

/* ---- split_clusters.c -------------------------------------------------------
 */

kith_i_question kith_i_split_question(const kith_i_local_run *run,
                                      const kith_i_local_model *model,
                                      double share);
/* old: centres (count x d) that the moments are about. The model may grow to
 * k centres. */
kith_status kith_i_split_apply(kith_i_local_run *run, kith_i_local_model *model,
                               const double *old, const kith_i_answer *moments,
                               uint32_t k, kith_error *err);

/* ---- plane_find.c ---------------------------------------------------------
 */

typedef struct kith_i_local_plane {
    double *origin; /* d */
    double radius;  /* holds about 90 % of the users */
    kith_i_lens lens;
    double half[KITH_I_GROW_AXES];
    double moment; /* mean squared distance to the origin */
} kith_i_local_plane;

/* A first mean, where most users are around it, and the directions in which
 * they vary most. */
kith_status kith_i_plane_find(kith_i_local_run *run, double mean_share,
                              double radius_share, double moment_share,
                              kith_i_local_plane *plane, kith_error *err);
/* The same with random directions, when noise would hide the true ones. */
kith_status kith_i_plane_draw(kith_i_local_run *run, double mean_share,
                              double radius_share, kith_i_local_plane *plane,
                              kith_error *err);

/* Random orthonormal rows. */
void kith_i_plane_frame(kith_i_coins *coins, uint32_t axes, size_t d,
                        double *rows);

/* ---- plane_anchors.c -----------------------------------------------------
 */

kith_status kith_i_plane_open(kith_i_local_run *run,
                              const kith_i_local_plane *plane, uint32_t depth,
                              uint32_t room, kith_i_grow *grow,
                              kith_error *err);
/* The `wanted` points of R^d that the tree's cells are best seen from, with
 * shares (raw) and their variances. */
kith_status kith_i_plane_anchors(kith_i_local_run *run,
                                 const kith_i_local_plane *plane,
                                 kith_i_grow *grow, uint32_t wanted,
                                 kith_i_local_model *anchors, kith_error *err);

/* ---- scripts -------------------------------------------------------------
 */

kith_status kith_i_local_one(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err);
/* Its first step: a mean by this share of the users, and its variance. */
kith_status kith_i_mean_at_once(kith_i_local_run *run, double share,
                                kith_i_local_model *model, kith_error *err);
/* method_auto_near.c: the floor. blur: squared distance below which a method
 * sees nothing. Can it be found out whether most users are that near to their
 * mean? Ask; when they are, everybody else is asked too, and the model is the
 * mean.
 */
int kith_i_near_can(const kith_i_local_run *run, double blur);
kith_status kith_i_near_ask(kith_i_local_run *run, double blur,
                            kith_i_local_model *model, int *near,
                            kith_error *err);
/* Weighted points in all dimensions, or a grown tree, as a model. */
kith_status kith_i_low_solve(kith_i_local_run *run, const double *points,
                             const double *weights, uint32_t count,
                             kith_i_local_model *model, kith_error *err);
kith_status kith_i_low_finish(kith_i_local_run *run, kith_i_grow *grow,
                              kith_i_local_model *model, kith_error *err);
kith_status kith_i_local_low(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err);
kith_status kith_i_local_high(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err);
kith_status kith_i_local_projected(kith_i_local_run *run,
                                   kith_i_local_model *model, kith_error *err);

#endif
