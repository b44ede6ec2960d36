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

/* Cells are of two classes, those of usual width and wide ones: factors for the
 * scales of each, for clipping (rho) and of the rms distance (kappa). */
enum { AUTO_CLASSES = 2 };
typedef struct auto_radii {
    double rho[AUTO_CLASSES], kappa[AUTO_CLASSES];
    double loose[AUTO_CLASSES]; /* relative sd of kappa^2, by noise */
} auto_radii;

/* n cells whose sums in R^dim are to be bought with a share. */
typedef struct auto_widths {
    uint32_t n;
    const double *scale, *size; /* expected distance of rows; noisy number */
    const uint8_t *wide;        /* class of each; NULL: all are usual */
    double share, dim;
} auto_widths;

/* Which of n cells are wide (out: n), by their scales and (noisy) sizes.
 * Returns out, or NULL if none is. */
const uint8_t *kith_i_auto_find_wide(const auto_run *run,
                                     const auto_widths *cells, uint8_t *out);
/* The factors rho that balance clipping bias and noise. hists: one for each
 * class; prior: of wide cells that nothing is seen of. */
void kith_i_auto_balance(const auto_run *run, const auto_hist *hists,
                         const auto_widths *cells, double prior,
                         auto_radii *out);

#endif
