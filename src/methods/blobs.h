/* Round blobs fitted to the cells of a grown tree. */
#ifndef KITH_BLOBS_H
#define KITH_BLOBS_H

#include "grow_tree.h"

/* ---- blob_fit.c: round blobs by least squares ---- */

/* A blob is axes + 2 numbers: weight, centre, log of the sd of a coordinate. */
typedef struct kith_i_blob_fit {
    kith_i_grow_cell *cells; /* outer ones are widened to infinity */
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
/* Variances of the cells, if their shares are what k blobs expect. */
void kith_i_blobs_weigh(kith_i_blob_fit *f, const double *blobs, uint32_t k);
/* The sum of all weights, if nothing is said of it, and its sd: from these
 * blobs on, of which f->cells[0] says that they sum to 1. */
double kith_i_blobs_total(kith_i_blob_fit *f, const double *blobs, uint32_t k,
                          double *sd);
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

/* ---- blob_average.c: the mean of all blobs that the reports allow ---- */

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

/* ---- blob_smooth.c: what the cells would be if clusters were round ---- */

enum { KITH_I_BLOBS_MOST = 16 }; /* clusters; more are not tried */

/* Leaves shrunk to blobs: room for (k + 1) points a leaf that is
 * shown. best: room for k x (axes + 2), the blobs that fit best. */
typedef struct kith_i_blob_points {
    double *points, *weights, *best;
    uint32_t count; /* 0: the data are not blobs */
    uint32_t found; /* blobs; 0: not tried */
    double misfit;  /* chi squared above its mean, in standard deviations */
    double total, total_sd; /* share of the users that blobs explain; sd
                               HUGE_VAL: not known */
} kith_i_blob_points;

/* Fit k round blobs to the reports of all trees, beginning from weighted
 * points; where they explain them, shrink the leaves of the tree that is shown
 * to them. */
kith_status kith_i_blobs_smooth(kith_i_local_run *run,
                                const kith_i_grow_set *set,
                                const kith_i_points *start, uint32_t k,
                                kith_i_blob_points *out, kith_error *err);

#endif
