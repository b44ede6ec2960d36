/* How far users are from their centres, when the histogram is mostly noise. */
#ifndef KITH_DISTANCE_SHAPE_H
#define KITH_DISTANCE_SHAPE_H

#include "refine_means.h"

/* profiles: count x bands, each sums to 1: what is to be expected of a
 * cluster's distances, given a noisy histogram by centre and band. The model's
 * shares are set. distances->sd is finite and above 0. */
void kith_i_shape_profiles(const kith_i_local_model *model,
                           const kith_i_answer *distances, double *profiles);

#endif
