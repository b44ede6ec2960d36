/* Directions against noise, by released values only: free, and it leaks
 * nothing.
 *
 * A direction is worth what the released matrix has along it beyond the mean of
 * what it has elsewhere. Noise alone makes that as large as its own largest
 * eigenvalue, and what it adds along the plane it takes from elsewhere: at most
 * as much again. */
#include "plane_rating.h"

#include <math.h>

/* Standard deviations beyond what noise alone makes. Measured on matrices that
 * are noise only, 2 to 12 features: about 1 of 10,000 at most is taken for rows
 * (tests/unit/test_plane_rating.c). */
static const double SURE = 5;
static const double RIGHT_ANGLE = 1.5707963267948966;

/* A direction with so much beyond the mean of the `others`. */
static void add_direction(kith_i_plane_rating *rating,
                          const kith_i_noisy_matrix *matrix, double others,
                          double beyond)
{
    rating->directions++;
    if (!(others > 0)) /* the whole space: nothing to be turned to */
        return;
    double noise = matrix->edge * fmin(matrix->width / others, 2);
    if (!(beyond > noise + SURE * matrix->sd)) {
        rating->lost++;
        return;
    }
    /* what it would be without the noise that made it larger */
    double own = (beyond + sqrt(beyond * beyond - noise * noise)) / 2;
    double square = others / 2 * pow(matrix->sd / own, 2);
    rating->squares += fmin(square, RIGHT_ANGLE * RIGHT_ANGLE);
}

void kith_i_rating_add(kith_i_plane_rating *rating,
                       const kith_i_noisy_matrix *matrix, const double *values,
                       uint32_t q)
{
    double others = (double)matrix->width - q, elsewhere = matrix->trace;
    for (uint32_t j = 0; j < q; j++)
        elsewhere -= values[j];
    for (uint32_t j = 0; j < q; j++)
        add_direction(rating, matrix, others, values[j] - elsewhere / others);
}

void kith_i_rating_add_even(kith_i_plane_rating *rating,
                            const kith_i_noisy_matrix *matrix, double value,
                            uint32_t q)
{
    for (uint32_t j = 0; j < q; j++)
        add_direction(rating, matrix, (double)matrix->width - q, value);
}

double kith_i_rating_turn(const kith_i_plane_rating *rating, uint32_t q)
{
    uint32_t seen = rating->directions - rating->lost;
    if (!rating->directions)
        return (double)NAN;
    return seen ? sqrt(rating->squares / seen * q) : sqrt(q) * RIGHT_ANGLE;
}
