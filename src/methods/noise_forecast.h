/* noise_forecast: what noise will do to a local run, from public numbers. */
#ifndef KITH_NOISE_FORECAST_H
#define KITH_NOISE_FORECAST_H

#include "method.h"

typedef struct kith_i_local_forecast {
    double center_error; /* in units of the records */
    double first_error;  /* the same before anything is recentred */
    double smallest;     /* share of the users */
} kith_i_local_forecast;

/* vectors: who sends the vectors that make the centres, and how (share,
 * epsilon, delta, randomizer); NULL: centres come from counts of cells. counts:
 * likewise for the counts. */
kith_i_local_forecast kith_i_local_predict(const kith_i_local_task *task,
                                           uint64_t users,
                                           const kith_i_question *vectors,
                                           const kith_i_question *counts);

#endif
