/* radii.c: histograms of distances, and the radii to clip at. */
#ifndef KITH_AUTO_RADII_H
#define KITH_AUTO_RADII_H

#include "auto/auto_run.h"

/* Noisy numbers of rows by distance, in bins of equal width in the logarithm.
 */
typedef struct auto_hist {
    double up[AUTO_BINS];  /* upper edge of a bin               */
    double mid[AUTO_BINS]; /* typical value in it               */
    double h[AUTO_BINS];   /* noisy count, 0 when lost in noise */
    double total;
    double sd; /* of a count */
    int seen;  /* something stood out of the noise */
    /* what clipping at an upper edge does: the mean of the factors, and their
     * relative variance */
    double kept[AUTO_BINS], varied[AUTO_BINS];
} auto_hist;

/* Fill h and total from noisy counts: what is lost in noise becomes 0. prior:
 * the distance to assume when everything is. */
void kith_i_auto_hist_clean(const auto_recipe *recipe, const int64_t *counts,
                            double sd, double prior, auto_hist *hist);
/* sum of h (mid - r)+ */
double kith_i_auto_excess(const auto_hist *hist, double r);
double kith_i_auto_mean_square(const auto_hist *hist);
/* What noise does to it, as a part of it. */
double kith_i_auto_looseness(const auto_hist *hist);

/* Where to clip the rows of a sum. Divided by `kept` the clipped sum is right
 * but for what the variance of the factors allows. */
typedef struct auto_clip {
    double radius; /* in the unit of the histogram's distances */
    double kept;   /* the sum is this much too short */
    double noise;  /* sd of a coordinate of the sum, after that */
    double cost;   /* expected squared error of the mean */
} auto_clip;

/* A sum of vectors in R^dim: noise of a coordinate if they are clipped to 1,
 * and how far they are in the mean (squared, without noise). */
typedef struct auto_sum {
    double unit, dim, square;
} auto_sum;

/* The radius that balances both for so many rows. */
auto_clip kith_i_auto_clip(const auto_run *run, const auto_hist *hist,
                           const auto_sum *sum, double size);

#endif
