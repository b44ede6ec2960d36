/* Parts of `auto` that other scripts end with. */
#ifndef KITH_METHOD_PARTS_H
#define KITH_METHOD_PARTS_H

#include "grow_tree.h"
#include "refine_means.h"

/* ---- scripts ---- */

kith_status kith_i_local_one(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err);
/* Variance of a coordinate; and how far noise moves a mean, root mean square,
 * at most the radius. Shrinking makes the first less, if it is believed. */
typedef struct kith_i_mean_noise {
    double variance, error;
} kith_i_mean_noise;
/* Its first step: a mean by this share of the users; and the same as a model,
 * the answer for now (run->mean_error). about: nullable. */
kith_status kith_i_mean_ask(kith_i_local_run *run, double share, double *mean,
                            kith_i_mean_noise *about, kith_error *err);
kith_status kith_i_mean_at_once(kith_i_local_run *run, double share,
                                kith_i_local_model *model, kith_error *err);
/* Offsets from a mean that was found at once make it sharper: distances up to
 * top are told by the first share, offsets sent by the second. */
kith_status kith_i_mean_sharpen(kith_i_local_run *run,
                                kith_i_local_model *model, double top,
                                double histogram_share, double vector_share,
                                kith_error *err);
/* method_auto_near.c: the floor. blur: squared distance below which a method
 * sees nothing. Can it be found out whether most users are that near to their
 * mean? Ask; when they are, everybody else is asked too, and the model is the
 * mean.
 */
int kith_i_near_can(const kith_i_local_run *run, double blur);
kith_status kith_i_near_ask(kith_i_local_run *run, double blur,
                            kith_i_local_model *model, int *near,
                            kith_error *err);
/* Grown trees as a model. */
kith_status kith_i_low_finish(kith_i_local_run *run, const kith_i_grow_set *set,
                              kith_i_local_model *model, kith_error *err);
kith_status kith_i_local_low(kith_i_local_run *run, kith_i_local_model *model,
                             kith_error *err);
kith_status kith_i_local_high(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err);
kith_status kith_i_local_projected(kith_i_local_run *run,
                                   kith_i_local_model *model, kith_error *err);

#endif
