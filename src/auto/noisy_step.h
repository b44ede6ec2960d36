/* noisy_step.c: noisy Lloyd steps on residuals. A step releases the sizes of
 * its cells, a histogram of distances in units of their scales, and the sums of
 * the clipped residuals. */
#ifndef KITH_AUTO_STEP_H
#define KITH_AUTO_STEP_H

#include "auto/summary.h"

/* Sizes of k clusters as far as they are known, and the variances of that
 * (HUGE_VAL: nothing is). */
typedef struct auto_sizes {
    double *mean, *variance;
    double *squares; /* kith_i_auto_weigh: squared distances in all, */
    double total;    /* and size of all */
} auto_sizes;

/* What a step is told. */
typedef struct auto_job {
    const char *what;
    const double *scale;  /* of each cell, in steps of the residuals' space */
    double share, counts; /* all of it; the part for sizes */
    double hist;          /* share of the histogram; 0: the last one does */
    auto_sizes *known;    /* or NULL */
    auto_hist lengths;    /* the last histogram, in scales */
} auto_job;

/* What a step found. */
typedef struct auto_step {
    uint32_t k, width;
    double *move;   /* k x width: residual means, not shrunk yet */
    double *noise;  /* k: sd of one coordinate of move */
    double *size;   /* k: joined with what was known */
    double *used;   /* k: what sums were divided by, never lost in noise, */
    double *kept;   /* k: and by what clipping has left of them */
    double size_sd; /* of a count */
    double sum_sd;  /* of a coordinate of a residual sum, rms over the k */
    double loose;   /* relative sd of the squares of rms, by noise */
    double *rms;    /* k: distance of the rows from the centre, which is */
    double kappa;   /* so many times what was expected */
} auto_step;

/* Room for steps of k cells; both from the run's pool. */
kith_status kith_i_auto_step_new(auto_run *run, uint32_t k, uint32_t width,
                                 auto_step *out);
kith_status kith_i_auto_sizes_new(auto_run *run, uint32_t k, auto_sizes *out);

/* What the summary knows of the sizes of k cells. Returns the mean squared
 * distance of its rows from the centres. */
double kith_i_auto_weigh(const auto_summary *summary, uint32_t k,
                         const double *centers, auto_sizes *out);
/* Typical distance of the rows from each of k centres (scale: k). */
kith_status kith_i_auto_scales(auto_run *run, const auto_summary *summary,
                               uint32_t k, const double *centers,
                               double *scale);

/* Join what is known of the sizes of k clusters and what was counted now (size,
 * with this sd). */
void kith_i_auto_join_sizes(auto_sizes *known, uint32_t k, double sd,
                            double *size);
/* Sizes by one release, joined with what is known of them. */
kith_status kith_i_auto_count_sizes(auto_run *run, const auto_place *place,
                                    const auto_job *job, auto_step *out);
/* Means and their noise from sums. */
void kith_i_auto_set_moves(const kith_i_cells *sums, auto_step *out);
/* A step of the place's cells, which is opened and closed. */
kith_status kith_i_auto_take_step(auto_run *run, auto_place *place,
                                  auto_job *job, auto_step *out);

/* How much of each of k moves to believe: the larger of its own James-Stein
 * factor and one pooled over all. dim: how many of the width values are free.
 */
void kith_i_auto_shrink(const double *move, uint32_t width, uint32_t k,
                        const double *noise, double dim, double *factor);

/* A step in the view (NULL: in all features): new centres, and what it found.
 */
kith_status kith_i_auto_step_in(auto_run *run, const kith_i_view *view,
                                auto_job *job, double *centers,
                                auto_step *found);

#endif
