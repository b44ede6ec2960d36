/* moves.c: how far one row moves a statistic. The one table from which every
 * release takes both the scale of its noise and the sensitivity on its
 * receipt. */
#ifndef KITH_MOVES_H
#define KITH_MOVES_H

#include <stdint.h>

#include "kith/budget.h"

typedef enum kith_i_statistic {
    KITH_I_COUNTS,  /* a row adds 1 to one of several cells               */
    KITH_I_SUMS,    /* a vector v, |v| <= r of its cell, to one of them   */
    KITH_I_MOMENTS, /* v v' (or v^4), |v v'|_F <= r^2, to one of them     */
    KITH_I_TRACES,  /* the same, paid for by what is added and removed    */
    KITH_I_SCORES   /* a loss in [0, bound] to each of several candidates */
} kith_i_statistic;

/* In units of the bound (1, r, r^2, bound): the most by which neighbours differ
 * in L1, or (K-norm, score) in the sum over cells of their L2 changes; and the
 * square of the most by which they differ in L2. */
typedef struct kith_i_moves {
    uint64_t l1, l2_squared;
} kith_i_moves;

kith_i_moves kith_i_moves_of(kith_i_statistic what, kith_neighbors neighbors);

/* value sqrt(squared), squared 1 or 2, rounded up. */
uint64_t kith_i_root_times(uint64_t value, uint64_t squared);

#endif
