/* Fourth moments of quantised rows: a symmetric tensor of order four in R^w,
 * by its distinct entries (a <= b <= c <= e, in lexicographic order). */
#ifndef KITH_QUARTIC_H
#define KITH_QUARTIC_H

#include <stddef.h>
#include <stdint.h>

/* Rows handed to kith_i_quartic_rows: entries up to 2^10, at most 64 of them
 * (766480 distinct entries). */
enum { KITH_I_QUARTIC_BITS = 10, KITH_I_QUARTIC_MOST = 64 };

/* Number of distinct entries: w (w+1) (w+2) (w+3) / 24. */
size_t kith_i_quartic_size(uint32_t w);

/* How often a distinct entry occurs in the whole tensor: 24 over the product
 * of the factorials of the multiplicities; 1, 4, 6, 12 or 24. */
static inline uint32_t kith_i_quartic_weight(uint32_t a, uint32_t b, uint32_t c,
                                             uint32_t e)
{
    static const uint8_t weight[8] = {24, 12, 12, 4, 12, 6, 4, 1};
    return weight[(a == b) | (b == c) << 1 | (c == e) << 2];
}

/* sums[.] += sum over rows of v_a v_b v_c v_e, modulo 2^64, exactly: rows of w
 * values, |v| <= 2^10, at most KITH_I_BLOCK_ROWS of them. scratch: doubles. */
size_t kith_i_quartic_scratch(uint32_t w);
void kith_i_quartic_rows(const int16_t *values, uint32_t rows, uint32_t w,
                         double *scratch, int64_t *sums);

#endif
