/* The predicted error, printed before anybody is asked (local.md 3.4).
 *
 * A centre is a mean of n_j = m/k of the m users who send vectors. Each report
 * has noise rho sd(epsilon) a coordinate, rho the radius that records are
 * clipped to around a published point, and every report is noise for every
 * centre: the centre moves by rho sd sqrt(d m) / n_j. Where centres come from
 * counts of cells instead, the counts of the cells that a cluster covers take
 * the place of the coordinates. */
#include "noise_forecast.h"

#include <math.h>

#include "collect/collect_i.h"

/* A cluster's radius as a part of the bounds' after the first rounds; cells
 * that it covers; a share is seen when it is this many standard deviations. */
static const double RECENTRED = 0.25;
static const double CELLS = 16;
static const double SEEN = 4;

/* Noise of a coordinate of one report of a vector of length 1 at most. */
static double vector_sd(const kith_i_question *vectors, uint32_t d)
{
    static const double one = 1;
    kith_i_question q = *vectors;
    kith_i_mechanism mechanism;
    q.report = KITH_I_REPORT_VECTOR;
    q.place = (kith_i_place){.kind = KITH_I_PLACE_ONE, .places = 1};
    q.radii = &one;
    q.centers = NULL;
    if (kith_i_mechanism_make(&q, d, &mechanism, NULL))
        return HUGE_VAL; /* such a report cannot be made */
    return kith_i_mechanism_sd(&mechanism);
}

kith_i_local_forecast kith_i_local_predict(const kith_i_local_task *task,
                                           uint64_t users,
                                           const kith_i_question *vectors,
                                           const kith_i_question *counts)
{
    kith_i_local_forecast f;
    double d = task->d, k = task->k, n = fmax(1, (double)users);
    double sd =
        kith_i_olh_sd(counts->epsilon) / sqrt(fmax(1, n * counts->share));
    f.smallest = fmin(1, SEEN * sd);
    if (vectors) {
        double m = fmax(1, n * vectors->share);
        f.first_error =
            task->radius * vector_sd(vectors, task->d) * k * sqrt(d / m);
    } else {
        f.first_error = task->radius * sd * k * sqrt(CELLS);
    }
    f.center_error = RECENTRED * f.first_error;
    return f;
}
