/* One run of `auto`: the numbers of its recipe, what its stages have found so
 * far, and what all of them use: the noise that a share buys, histograms of
 * distances with the radii to clip at, and what the gate is asked. */
#ifndef KITH_AUTO_RUN_H
#define KITH_AUTO_RUN_H

#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "kernel/forest.h"
#include "kernel/kernel_i.h"
#include "kernel/vectors.h"
#include "run/run.h"

enum {
    AUTO_BINS = 60,
    AUTO_SWAPPED = 100 /* cells that a search improves by swaps */
};

/* ---- recipe.c: a column of recipe.def for each kind of run ---- */

typedef struct auto_recipe {
#define NUMBER(name, gaussian, pure, blind) double name;
#define WHOLE(name, gaussian, pure, blind)  uint32_t name;
#include "auto/recipe.def"
#undef NUMBER
#undef WHOLE
} auto_recipe;

/* blind: pure, and the axes are random. */
const auto_recipe *kith_i_auto_recipe(int pure, int blind);

/* ---- what the stages find, each for those after it ---- */

/* Noisy numbers of rows by distance, in bins of equal width in the logarithm.
 */
typedef struct auto_hist {
    double up[AUTO_BINS];  /* upper edge of a bin               */
    double mid[AUTO_BINS]; /* typical value in it               */
    double h[AUTO_BINS];   /* noisy count, 0 when lost in noise */
    double total, square;  /* of all rows: number, mean squared distance */
    double sd;             /* of a count */
    int seen;              /* something stood out of the noise */
    /* what clipping at an upper edge does: the mean of the factors, and their
     * relative variance */
    double kept[AUTO_BINS], varied[AUTO_BINS];
} auto_hist;

/* How the rows lie. Lengths in steps of their lattice. */
typedef struct auto_scout {
    double *mean;    /* d, of the rows */
    double astray;   /* squared distance that it may be off */
    double reach;    /* no row is further from it */
    auto_hist norms; /* distances from it */
    double trace;    /* their mean square */
    double *zero;    /* d: the caller's zero, clamped to the bounds */
    int taxicab;     /* L1 lengths about it were looked at: */
    auto_hist taxicabs;
} auto_scout;

/* The space that clustering runs in: a few axes about the mean, and the rows'
 * coordinates in them (the view). Lengths in steps of the view's lattice from
 * here on, but where "full" says that they are the rows'. */
typedef struct auto_frame {
    const kith_i_view *view;
    uint32_t q;
    int blind;      /* the axes are random: no second moments were bought */
    double finer;   /* lattice steps of the view per step of the rows */
    double *axes;   /* q x d, orthonormal rows; they begin at the mean */
    double *spread; /* q: sd of the rows along them */
    double reach;   /* no row is further from the mean */
    double trace;   /* mean squared distance from it */
    double outside; /* the part of that outside the axes */
} auto_frame;

/* What is left of the budget, divided. */
typedef struct auto_shares {
    double tree, leaf, cells, steps, last;
    double choice; /* of the last centres or one mean; 0: none */
    double hist;   /* for one histogram */
    double counts; /* part of a step that goes to sizes */
    uint32_t cell_steps, rounds;
} auto_shares;

/* Weighted points that stand for the rows, made of released values. */
typedef struct auto_summary {
    uint32_t n, q;
    double *points; /* n x q */
    double *size;   /* rows that a point stands for */
    double *unsure; /* noise variance of that */
    double *noise;  /* sd of one coordinate of a point */
    double *weight; /* for solving: less where a point is mostly noise */
    double *within; /* mean squared distance of its rows from it */
    int far;        /* some are of boxes beyond the outliers */
} auto_summary;

/* The centres of the rows, in steps of their lattice. */
typedef struct auto_found {
    double *full;     /* k x d */
    double *sizes;    /* k */
    double noise;     /* sd of a coordinate of a cluster's sum */
    double *squares;  /* k: expected squared distances of the rows */
    double loose;     /* their relative sd; < 0: they are not known */
    uint32_t carried; /* places that were told apart */
} auto_found;

/* ---- auto.c ---- */

typedef struct auto_run {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    kith_result *result;
    const auto_recipe *recipe;
    uint32_t k, d; /* k: the most, until it is chosen */
    kith_i_loss total;
    int pure;      /* the currency: epsilon, else mu^2 */
    double budget; /* the whole of it: epsilon, or mu */
    double used;   /* shares so far */
    double plan;   /* rows that a plan assumes; 0 in a real run */
    double n;      /* rows, as far as they are known */
    double n_sd;   /* of the counts that n joins */
    auto_scout scout;
    auto_frame frame;
    auto_shares shares;
    auto_summary summary;
    double *centers; /* k x q: of the summary, then of the rows in the view */
    auto_found found;
    unsigned done, steps;
    kith_i_coins coins;
    kith_i_pool pool; /* all memory of the run */
    kith_status status;
    kith_error *err; /* of whoever asked for it */
} auto_run;

/* Whether anything has gone wrong. The first that does stays in the status;
 * from then on nothing is paid or released, and what is computed goes nowhere.
 * So stages call one another without a look at it, but before they touch what
 * was taken from the pool or released. */
int kith_i_auto_failed(auto_run *run);

/* The charge of a share, and progress by one release. */
kith_i_loss kith_i_auto_charge(auto_run *run, double share);
void kith_i_auto_tick(auto_run *run);

/* Noise that a share buys: the standard deviation of a count, and of one
 * coordinate of a sum of vectors in the unit ball of R^dim. All rules are
 * written with these two, so that they are the same for both currencies. */
double kith_i_auto_count_sd(const auto_run *run, double share);
double kith_i_auto_sum_sd(const auto_run *run, double share, double dim);

/* Squared distance that this noise moves the centre of one of k equal clusters
 * in R^dim, if rows are clipped to the unit ball. */
double kith_i_auto_center_noise(const auto_run *run, double share, double dim,
                                double k);

/* Join what is known of a number, and its variance (HUGE_VAL: nothing is), with
 * another estimate, by precision. */
static inline void kith_i_auto_join(double *known, double *variance,
                                    double other, double its_variance)
{
    double part =
        *variance < HUGE_VAL ? *variance / (*variance + its_variance) : 1;
    *known += part * (other - *known);
    *variance = part * its_variance;
}

/* What is left of the budget. */
static inline double kith_i_auto_left(const auto_run *run)
{
    return 1 - 1e-9 - run->used;
}

/* ---- radii.c ---- */

/* Fill h and total from noisy counts: what is lost in noise becomes 0. prior:
 * the distance to assume when everything is. */
void kith_i_auto_hist_clean(const auto_recipe *recipe, const int64_t *counts,
                            double sd, double prior, auto_hist *hist);
/* What noise does to the mean square, as a part of it. */
double kith_i_auto_looseness(const auto_hist *hist);

/* Where to clip the rows of a sum. Divided by `kept` the clipped sum is right
 * but for what the variance of the factors allows. */
typedef struct auto_clip {
    double radius; /* in the unit of the histogram's distances */
    double kept;   /* the sum is this much too short */
    double noise;  /* sd of a coordinate of the sum, after that */
    double cost;   /* expected squared error of the mean */
    int taxicab;   /* the radius is in L1 */
} auto_clip;

/* A sum of vectors in R^dim: noise of a coordinate if they are clipped to 1,
 * and how far they are in the mean (squared, without noise). */
typedef struct auto_sum {
    double unit, dim, square;
} auto_sum;

/* The radius that balances both for so many rows. */
auto_clip kith_i_auto_clip(const auto_run *run, const auto_hist *hist,
                           const auto_sum *sum, double size);

/* ---- asks.c: where a row is (its cell and its residual), and the releases
 * that are made of it. All of it is a function of the one row and of released
 * values (R2). What is released belongs to the run's pool. ----------------- */

/* A row's cell is its nearest centre, or its leaf of a forest, as seen in the
 * view `by` (NULL: the rows); its residual is taken from the cell's origin in
 * the space of `view` (NULL: the rows). */
typedef struct auto_place {
    const kith_i_centers *centers; /* or */
    const kith_i_forest *forest;
    const kith_i_view *view, *by;
    const kith_i_view *labels; /* cells, once they are kept */
    uint32_t cells, width;
    int taxicab;          /* distances and radii are in L1: Laplace noise */
    const double *origin; /* cells x width, rounded to the lattice */
    int32_t *origins;     /* likewise: kith_i_auto_place_open makes them */
} auto_place;

/* k centres in R^d as the gate wants them. */
kith_i_centers kith_i_auto_lattice(auto_run *run, uint32_t k, uint32_t d,
                                   const double *coords);

/* Rounds the origins and, if label, finds every row's cell once for all
 * releases that follow, until they are closed (kith_i_labels_close). */
void kith_i_auto_place_open(auto_run *run, auto_place *place, int label);

/* Noisy number of rows in each cell. */
kith_i_cells kith_i_auto_counts(auto_run *run, const auto_place *place,
                                const char *what, double share);

/* Noisy sums of residuals, each clipped to its cell's radius. */
kith_i_cells kith_i_auto_residuals(auto_run *run, const auto_place *place,
                                   const char *what, const double *radius,
                                   double share);

/* Distances to the cell's origin in units of scale[cell], from lo to hi. */
typedef struct auto_look {
    const char *what;
    const double *scale;
    double lo, hi, prior; /* prior: assumed where nothing is seen */
    double share;
} auto_look;
void kith_i_auto_histogram(auto_run *run, const auto_place *place,
                           const auto_look *look, auto_hist *out);

#endif
