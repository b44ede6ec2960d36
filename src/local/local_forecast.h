/* local_forecast: what noise will do to a local run, from public numbers. */
#ifndef KITH_LOCAL_FORECAST_H
#define KITH_LOCAL_FORECAST_H

#include "local_i.h"

typedef struct kith_i_local_forecast {
    double center_error; /* in units of the records */
    double first_error;  /* the same before anything is recentred */
    double smallest;     /* share of the users */
} kith_i_local_forecast;

/* vector_share: of the users in the group whose vectors make the centres; 0:
 * centres come from counts of cells, of users count_share. */
kith_i_local_forecast kith_i_local_predict(const kith_i_local_task *task,
                                           uint64_t users, double vector_share,
                                           double count_share);

#endif
