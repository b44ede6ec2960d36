/* Exact inner products of numbers of 69 bits: what the Wishart noise of the
 * gate is made of (noise/sampler_wishart.c). */
#ifndef KITH_WIDE_GRAM_H
#define KITH_WIDE_GRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/wide.h"

/* A number v = +-(whole 2^64 + digit), whole at most 31, in three limbs:
 * v = limb[0] 2^46 + limb[1] 2^23 + limb[2], |limb[0]| <= 2^23, the others at
 * most 2^22, all of them integers. */
enum { KITH_I_LIMBS = 3, KITH_I_WIDE_WHOLE = 31, KITH_I_TILE = 96 };

/* whole[i] >= 0: plus; below: minus, and -1 - whole[i] is meant. */
void kith_i_wide_split(const int8_t *whole, const uint64_t *digit, size_t count,
                       double *const limbs[KITH_I_LIMBS]);

/* sums[x (x+1) / 2 + y] += (or -=) the inner product of rows x and y, in units
 * of 2^23 and without the products of two last limbs (each at most 2^44), for
 * the rows x from first to end - 1 and all y <= x. Rows of `columns` numbers,
 * at most 2^11; end - first at most KITH_I_TILE. scratch: KITH_I_TILE x end. */
void kith_i_wide_gram(const double *const limbs[KITH_I_LIMBS], uint32_t first,
                      uint32_t end, uint32_t columns, int minus,
                      double *scratch, kith_i_i128 *sums);

#endif
