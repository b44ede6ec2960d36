/* The stages of `auto`, in the order in which they run. Each reads what those
 * before it have left in the run, and leaves what it finds. */
#ifndef KITH_AUTO_STAGES_H
#define KITH_AUTO_STAGES_H

#include "auto/auto_run.h"

/* ---- scout.c ---- */

/* A1 to A4: how many rows there are, where their mean is, and how far from it
 * they reach (run->n, run->scout). */
void kith_i_auto_scout(auto_run *run);

/* Best way to sum k clusters with this share where there is no good origin yet:
 * in L2 about what these lengths are from, or in L1 about zero. */
auto_clip kith_i_auto_plan_plain(const auto_run *run, const auto_hist *lengths,
                                 double k, double share);

/* The mean, better than before, with this share. Rows that noise hides are not
 * clipped where that costs next to nothing. Returns the squared distance that
 * noise has moved it. */
double kith_i_auto_better_mean(auto_run *run, double share);

/* ---- axes.c ---- */

/* A5 (run->frame). Sets the run's recipe to the one for random axes, if they
 * are. */
void kith_i_auto_find_frame(auto_run *run);

/* to += factor axes^T c (to: d) */
void kith_i_auto_along(const auto_run *run, double factor, const double *c,
                       double *to);
/* From the view to the rows' lattice: mean + axes^T c (full: k x d). */
void kith_i_auto_lift(const auto_run *run, uint32_t k, const double *centers,
                      double *full);

/* ---- recipe.c ---- */

/* What is left of the budget, divided (run->shares). */
void kith_i_auto_divide(auto_run *run);
/* What the steps have, divided again for another number of clusters. */
void kith_i_auto_divide_again(auto_run *run);

/* ---- tree.c ---- */

enum { AUTO_ROOTS = 12 };

/* What is known of a box. */
typedef struct auto_count {
    double count, variance; /* of all releases; HUGE_VAL: not counted */
    double size, unsure;    /* by least squares, and its variance */
    int near;               /* below the first root */
    uint32_t box;           /* where its corners are, until it is cut */
} auto_count;

typedef struct auto_tree {
    kith_i_forest face; /* as the gate sees it */
    uint32_t nodes, room;
    uint32_t leaves;         /* boxes that are not cut */
    double edge[AUTO_ROOTS]; /* half width of a root's box, in spreads */
    kith_i_box *node;        /* first the roots, from the inside out */
    auto_count *rows;        /* of each node */
    double *box;             /* leaf x 2 x q: lower, upper corner */
} auto_tree;

/* A6: grows until nothing is worth cutting. What it does not need of its share
 * goes to the later stages. Free it. */
void kith_i_auto_grow(auto_run *run, auto_tree *tree);
void kith_i_auto_tree_free(auto_tree *tree);
/* All but what finds the leaf of a row: boxes are most of a tree. */
void kith_i_auto_tree_trim(auto_tree *tree);

/* The sizes that fit all counts best (least squares). A box has no less than
 * nothing, and its halves add up to it. */
void kith_i_auto_fit_sizes(auto_tree *tree);

/* ---- leaves.c, cells.c: the summary ---- */

/* Halve the widest points, if they have this many rows, on paper until there
 * are so many: boxes stand for rows all over them. */
void kith_i_auto_halve(auto_run *run, uint32_t many, double least);

/* A7: a point for each leaf that stands out of the noise. */
void kith_i_auto_leaves(auto_run *run, auto_tree *tree);

/* A8: the summary is clustered into more cells than clusters, whose sizes and
 * means are bought; they replace it. Without room for that its share goes to
 * the later steps. */
void kith_i_auto_cells(auto_run *run);

/* ---- noisy_step.c: Lloyd steps on residuals ---- */

/* Sizes of k clusters as far as they are known, and the variances of that
 * (HUGE_VAL: nothing is). */
typedef struct auto_sizes {
    double *mean, *variance;
    double *squares; /* of a summary: squared distances in all, */
    double cost;     /* their mean over all rows, */
    double total;    /* and the size of all */
} auto_sizes;

/* A step releases the sizes of its cells, a histogram of distances in units of
 * their scales, and the sums of the clipped residuals. What it is told: */
typedef struct auto_step {
    uint32_t k, width;
    const char *what;
    double *scale;         /* k: in steps of the residuals' space */
    double share, counts;  /* all of it; the part for sizes; 0: as used */
    double hist;           /* share of the histogram; 0: the last one does */
    const auto_clip *clip; /* of all cells, in place of one; or NULL */
    const kith_i_forest *forest; /* cells are its leaves; or NULL */
    /* what it finds: */
    auto_hist lengths; /* in scales */
    auto_sizes sizes;  /* counted, joined with what was known before */
    double *move;      /* k x width: residual means, not shrunk yet */
    double *noise;     /* k: sd of one coordinate of move */
    double *used;      /* k: what sums were divided by, never lost in noise, */
    double *kept;      /* k: and by what clipping has left of them */
    double sum_sd;     /* of a coordinate of a residual sum, rms over the k */
    double loose;      /* relative sd of the squares of rms, by noise */
    double *rms;       /* k: distance of the rows from the centre, which is */
    double kappa;      /* so many times what was expected */
} auto_step;

/* Room for steps of k cells, of whose sizes nothing is known. */
auto_step kith_i_auto_step_new(auto_run *run, const char *what, uint32_t k,
                               uint32_t width);

/* What the summary knows of k cells. */
auto_sizes kith_i_auto_weigh(auto_run *run, uint32_t k, const double *centers);
/* Typical distance of the rows from each of k centres (scale: k). */
void kith_i_auto_scales(auto_run *run, uint32_t k, const double *centers,
                        double *scale);

/* Join what is known of the sizes of k clusters and what was counted now, with
 * this sd. */
void kith_i_auto_join_sizes(const auto_recipe *recipe, auto_sizes *known,
                            uint32_t k, double sd, const int64_t *counts);
/* A step of the rows nearest to these centres in the view (NULL: in all
 * features). Residuals are from full (k x d), in all features; NULL: from the
 * centres. What they are from is rounded. */
void kith_i_auto_take_step(auto_run *run, const kith_i_view *view,
                           double *centers, double *full, auto_step *step);

/* How much of each of k moves to believe: the larger of its own James-Stein
 * factor and one pooled over all. */
void kith_i_auto_shrink(const double *move, uint32_t width, uint32_t k,
                        const double *noise, double *factor);

/* A step that moves its centres. */
void kith_i_auto_step_in(auto_run *run, const kith_i_view *view,
                         double *centers, auto_step *step);

/* ---- starts.c: what the summary tells, free of charge: centres, and how many.
 * -------------------------------------------------------------------------- */

/* A9: k centres of the summary (k x q): for cells, or for the clusters. */
void kith_i_auto_solve(auto_run *run, uint32_t k, int cells, double *centers);

/* Where a range of numbers was asked for: the one that the summary shows
 * becomes run->k, and the shares of the steps follow it. */
void kith_i_auto_number(auto_run *run);
/* Without a summary: the fewest. */
void kith_i_auto_fewest(auto_run *run);

/* ---- refine.c, blind.c: from centres of the summary to centres of the
 * rows. -------------------------------------------------------------------- */

/* A10 and A11: rounds in the view, then the last step (run->found). */
void kith_i_auto_refine(auto_run *run);
/* A11 where the axes are random. */
void kith_i_auto_last_blind(auto_run *run);

/* Move the centres in all features (run->found) by residual means: their part
 * inside the axes is a correction, the rest is believed as far as it is not
 * noise. */
void kith_i_auto_move_full(auto_run *run, auto_step *step);

/* ---- believe.c: how much of noisy means in full space to believe ---- */

/* Of noisy means of k clusters (k x d), which become what is believed of them:
 * a mean of all, a linear function of the places in the view (k x q), and a
 * rest, each shortened to the part that is not noise (empirical Bayes). noise:
 * sd of a coordinate of each. */
void kith_i_auto_believe(auto_run *run, uint32_t k, const double *noise,
                         const double *places, double *means);

/* ---- choose.c: the last centres, or one mean ---- */

/* k centres about a mean (both in steps of the rows): one is the mean itself,
 * so that nothing is lost against it, the others in random directions, at the
 * distance that is best for rows which spread alike in all of them. */
void kith_i_auto_about_mean(auto_run *run, const double *mean, double *full);

/* Whether what is known leaves doubt that the centres are better than one mean;
 * if not, the choice's share goes to the last step. */
void kith_i_auto_doubt(auto_run *run);

/* Where noise is so large that the centres may be worse than one mean: the rows
 * choose between the two, by one private selection. */
void kith_i_auto_choose(auto_run *run);

#endif
