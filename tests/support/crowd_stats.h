/* What a simulated crowd has cost so far. */
#ifndef KITH_CROWD_STATS_H
#define KITH_CROWD_STATS_H

#include "data/fold.h"
#include "simulate/crowd.h"

static inline kith_i_crowd_stats crowd_stats(const kith_i_collector *collector)
{
    return ((const kith_i_crowd *)collector)->stats;
}

/* By the user who spent most. */
static inline double crowd_epsilon(const kith_i_collector *collector)
{
    const kith_i_crowd *crowd = (const kith_i_crowd *)collector;
    kith_i_loss most = 0;
    for (uint64_t i = 0; i < kith_i_dataset_rows(crowd->data); i++)
        most = crowd->spent[i] > most ? crowd->spent[i] : most;
    return kith_i_loss_value(most, KITH_PURE_DP);
}

#endif
