/* Centres, what is known of them, and how they get better. */
#ifndef KITH_REFINE_MEANS_H
#define KITH_REFINE_MEANS_H

#include "method_run.h"

/* ---- refine_means.c: recentred means ---- */

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
/* raw and raw_var of the model are what was known of the shares before, and are
 * brought up to date. FIRST: of these centres; else of others near to them. */
typedef enum kith_i_refine_stage {
    KITH_I_REFINE_FIRST,
    KITH_I_REFINE_MIDDLE,
    KITH_I_REFINE_LAST
} kith_i_refine_stage;
/* share: of those who are asked; vector_share: of the group that will send
 * vectors; top: the largest distance that is told from others. */
typedef struct kith_i_refine_look {
    kith_i_refine_stage stage;
    double share, vector_share, top;
} kith_i_refine_look;
/* One round: how many users each centre has and how far they are, and what
 * follows from it for the vectors (kith_i_refine_radii). */
kith_status kith_i_refine_see(kith_i_local_run *run, kith_i_local_model *model,
                              const kith_i_refine_look *look, kith_error *err);
/* Shares and clip radii from the answers: users by centre (NULL: not asked),
 * and by centre and distance. */
void kith_i_refine_radii(const kith_i_local_run *run, kith_i_local_model *model,
                         const kith_i_refine_look *look,
                         const kith_i_answer *counts,
                         const kith_i_answer *distances);
kith_i_question kith_i_refine_question(const kith_i_local_run *run,
                                       const kith_i_local_model *model,
                                       double share);
/* Who is nearest to which centre, and how far; top: see kith_i_refine_look. */
kith_i_question kith_i_refine_distances(const kith_i_local_run *run,
                                        const kith_i_local_model *model,
                                        double share, double top);
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

/* ---- first_means.c: first means in all dimensions ---- */

/* model: anchors measured; low rank plus shrinkage, centres moved. */
kith_status kith_i_first_step(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err);
/* Merge to k centres. */
kith_status kith_i_first_merge(kith_i_local_run *run,
                               const kith_i_local_model *from, uint32_t k,
                               kith_i_local_model *to, kith_error *err);

/* ---- split_clusters.c ---- */

kith_i_question kith_i_split_question(const kith_i_local_run *run,
                                      const kith_i_local_model *model,
                                      double share);
/* old: centres (count x d) that the moments are about. The model may grow to
 * k centres. */
kith_status kith_i_split_apply(kith_i_local_run *run, kith_i_local_model *model,
                               const double *old, const kith_i_answer *moments,
                               uint32_t k, kith_error *err);

#endif
