/* smooth.c: smooth sensitivity of a medoid (Nissim, Raskhodnikova, Smith 2007,
 * re-derived; the proofs are in smooth.c). No records here: only distances
 * between the outputs on blocks. */
#ifndef KITH_SMOOTH_H
#define KITH_SMOOTH_H

#include <stdint.h>

#include "budget/budget_i.h"

/* How (epsilon, delta) is spent: alpha_squared for the shift of the Gaussian,
 * beta for the change of its width. */
typedef struct kith_i_smooth {
    kith_i_loss alpha_squared; /* units of mu^2 */
    double beta;
    double least; /* the noise for equal outputs, in parts of the diameter */
} kith_i_smooth;

/* Constants for noise in R^dimension about a medoid of m outputs, of which one
 * record may change `each`. Public: no record is looked at. */
kith_status kith_i_smooth_set(double epsilon, double delta, double dimension,
                              uint32_t m, uint32_t each, kith_i_smooth *out,
                              kith_error *err);

/* m outputs, of which one record may change `each`; squares: m x m squared
 * distances, symmetric, integers of at most `diameter`. Rows are sorted in
 * place. *medoid: the output whose ball with a bit more than half of all is the
 * smallest. Returns the square of a smooth bound on how far the medoid can
 * move, rounded up; at least 2^KITH_I_SMOOTH_BITS. work: m numbers. */
enum { KITH_I_SMOOTH_BITS = 20 };
uint64_t kith_i_smooth_medoid(uint64_t *squares, uint32_t m, uint32_t each,
                              uint64_t diameter, double beta, uint64_t *work,
                              uint32_t *medoid);

#endif
