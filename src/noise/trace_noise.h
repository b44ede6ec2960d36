/* trace_noise.c: the noise of moments in pure DP, for who draws it and for who
 * plans with it. */
#ifndef KITH_TRACE_NOISE_H
#define KITH_TRACE_NOISE_H

#include <stdint.h>

#include "kith/budget.h"

/* What noise the gate adds in pure DP to a Gram matrix or a tensor. sd: of the
 * diagonal (of an entry aaaa), for a charge of epsilon = 1 and records of
 * length at most 1; edge: about its largest eigenvalue (of the tensor: as a
 * matrix on pairs of indices). */
typedef struct kith_i_trace_noise {
    int by_trace; /* a Wishart difference; 0: K-norm */
    double sd, edge;
} kith_i_trace_noise;
kith_i_trace_noise kith_i_gram_noise(kith_neighbors neighbors, uint32_t cells,
                                     uint32_t width, int by_trace);
kith_i_trace_noise kith_i_tensor_noise(kith_neighbors neighbors,
                                       uint32_t width);

#endif
