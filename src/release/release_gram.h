/* release_gram.c: second moments by cell. */
#ifndef KITH_RELEASE_GRAM_H
#define KITH_RELEASE_GRAM_H

#include "dp/dp_i.h"
#include "noise/trace_noise.h"

typedef struct kith_i_gram_spec {
    const char *what;
    uint32_t cells;
    uint32_t width;  /* of a value, or the dimension for records */
    uint64_t radius; /* L2 bound of a value, |entries| < 2^15; 0: records */
    int halvings;    /* a value's step is 2^halvings lattice steps */
    int by_trace;    /* pure: a Wishart difference where it is less noise; */
                     /* costs a time like width^3 */
    kith_i_loss charge;
} kith_i_gram_spec;

/* out: cells x width x width, symmetric: sum of v v' by cell, with noise whose
 * law is invariant under rotations: off-diagonal entries have 1/sqrt 2 of the
 * sd of the diagonal. GOE in Gaussian DP; in pure DP K-norm noise in the same
 * geometry, or a Wishart difference for each cell. *sd: standard deviation on
 * the diagonal. Dense rows only. */
kith_status kith_i_release_gram(kith_session *session, const kith_i_ask *ask,
                                const kith_i_gram_spec *spec, int64_t *out,
                                double *sd, kith_error *err);

#endif
