/* The predicted error, printed before anybody is asked (local.md 3.4).
 *
 * A centre is a mean of n_j = m/k of the m users who send vectors. Each report
 * has noise rho sd(epsilon) a coordinate, rho the radius that records are
 * clipped to around a published point, and every report is noise for every
 * centre: the centre moves by rho sd sqrt(d m) / n_j. Where centres come from
 * counts of cells instead, the counts of the cells that a cluster covers take
 * the place of the coordinates. */
#include "local_forecast.h"

#include <math.h>

/* A cluster's radius as a part of the bounds' after the first rounds; cells
 * that it covers; a share is seen when it is this many standard deviations. */
static const double RECENTRED = 0.25;
static const double CELLS = 16;
static const double SEEN = 4;

kith_i_local_forecast kith_i_local_predict(const kith_i_local_task *task,
                                           uint64_t users, double vector_share,
                                           double count_share)
{
    kith_i_local_forecast f;
    double d = task->d, k = task->k, n = fmax(1, (double)users);
    double counts = fmax(1, n * count_share);
    double sd = kith_i_olh_sd(task->epsilon) / sqrt(counts);
    f.smallest = fmin(1, SEEN * sd);
    if (vector_share > 0) {
        double m = fmax(1, n * vector_share);
        double vector = kith_i_vector_sd(task->epsilon, task->d + 1);
        f.first_error = task->radius * vector * k * sqrt(d / m);
    } else {
        f.first_error = task->radius * sd * k * sqrt(CELLS);
    }
    f.center_error = RECENTRED * f.first_error;
    return f;
}
