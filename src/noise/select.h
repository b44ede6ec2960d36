/* Exact selection from integer totals: the two mechanisms, without records. */
#ifndef KITH_SELECT_H
#define KITH_SELECT_H

#include <stdint.h>

#include "sampler.h"

/* Weight exponent per unit of loss: num / 2^shift, shift <= 62. */
typedef struct kith_i_exponent {
    uint64_t num;
    uint32_t shift;
} kith_i_exponent;

/* Permute-and-flip: go through the candidates in random order, stop at one
 * with probability exp(-b (L - L_min)). order: scratch, n entries. */
uint32_t kith_i_permute_and_flip(kith_i_entropy *e, kith_i_exponent b,
                                 const int64_t *losses, uint32_t n,
                                 uint32_t *order);

/* Exponential mechanism: Pr[c] proportional to exp(-b L_c), by rejection. */
uint32_t kith_i_exponential(kith_i_entropy *e, kith_i_exponent b,
                            const int64_t *losses, uint32_t n);

#endif
