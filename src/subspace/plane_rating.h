/* How far planes can be told from noise, by the released matrices that they
 * were read off. */
#ifndef KITH_PLANE_RATING_H
#define KITH_PLANE_RATING_H

#include <stdint.h>

/* Of all planes of a result together. */
typedef struct kith_i_plane_rating {
    uint32_t directions; /* looked at; 0: nothing is known */
    uint32_t lost;       /* those that may be noise */
    double squares;      /* summed squares of the angles by which noise turns
                            the others */
} kith_i_plane_rating;

/* A released symmetric matrix, and the noise in it. */
typedef struct kith_i_noisy_matrix {
    uint32_t width;
    double trace;
    double sd;   /* on the diagonal; 1/sqrt 2 of it elsewhere */
    double edge; /* about the largest eigenvalue of the noise */
} kith_i_noisy_matrix;

/* Add a plane with q directions; values: the matrix along them. */
void kith_i_rating_add(kith_i_plane_rating *rating,
                       const kith_i_noisy_matrix *matrix, const double *values,
                       uint32_t q);

/* As if each of its q directions had this value, and there were nothing
 * elsewhere. */
void kith_i_rating_add_even(kith_i_plane_rating *rating,
                            const kith_i_noisy_matrix *matrix, double value,
                            uint32_t q);

/* By how much noise turns a plane with q directions: root of the summed squared
 * angles of an average plane, lost directions left out; where all are lost, q
 * right angles. NaN: nothing is known. */
double kith_i_rating_turn(const kith_i_plane_rating *rating, uint32_t q);

#endif
