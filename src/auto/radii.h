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
/* What clipping at r does to rows of these lengths: *kept is the mean of the
 * factors, returned is their relative variance. Dividing a clipped sum by
 * *kept leaves only the bias that the variance allows. */
double kith_i_auto_clipping(const auto_hist *hist, double r, double *kept);

/* Factors of the scales of cells, for clipping (rho) and of the rms distance.
 */
typedef struct auto_radii {
    double rho, kappa;
    double loose; /* relative sd of kappa^2, by noise */
} auto_radii;

/* n cells whose sums in R^dim are to be bought with a share. */
typedef struct auto_widths {
    uint32_t n;
    const double *scale, *size; /* expected distance of rows; noisy number */
    double share, dim;
} auto_widths;

/* rho balances clipping bias and noise. */
auto_radii kith_i_auto_balance(const auto_run *run, const auto_hist *hist,
                               const auto_widths *cells);

#endif
