/* How far a quantised row is from a point of the lattice, exactly: integers in
 * any order, so the width of the registers cannot be seen (R2). */
#include "kernel_i.h"

#include "wide_code.h"

/* The copies are static: gcc would export the function that picks one. */

/* |x - o| < 2^18, so that a square is below 2^36 and the sum of
 * KITH_I_MAX_DIMENSION (base/domain.h) of them below 2^57. */
KITH_I_WIDE static uint64_t sum_squares(const int16_t *x, const int32_t *o,
                                        size_t w)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w; i++) {
        int32_t v = x[i] - o[i];
        sum += (int64_t)v * v;
    }
    return (uint64_t)sum;
}

KITH_I_WIDE static uint64_t sum_sizes(const int16_t *x, const int32_t *o,
                                      size_t w)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w; i++) {
        int32_t v = x[i] - o[i];
        sum += v < 0 ? -v : v;
    }
    return (uint64_t)sum;
}

KITH_I_WIDE static void subtract(const int16_t *restrict x,
                                 const int32_t *restrict o, size_t w,
                                 int32_t *restrict out)
{
    for (size_t i = 0; i < w; i++)
        out[i] = x[i] - o[i];
}

/* Shifts of magnitudes: a division would take longer than all the rest. */
KITH_I_WIDE static void subtract_coarse(const int16_t *restrict x,
                                        const int32_t *restrict o, size_t w,
                                        int halvings, int32_t *restrict out)
{
    int32_t half = halvings > 1 ? 1 << (halvings - 1) : 0;
    for (size_t i = 0; i < w; i++) {
        int32_t v = x[i] - o[i], sign = -(v < 0);
        int32_t size = ((v ^ sign) - sign + half) >> halvings;
        out[i] = (size ^ sign) - sign;
    }
}

uint64_t kith_i_residual_square(const int16_t *x, const int32_t *o, size_t w)
{
    return sum_squares(x, o, w);
}

uint64_t kith_i_residual_taxicab(const int16_t *x, const int32_t *o, size_t w)
{
    return sum_sizes(x, o, w);
}

void kith_i_residual(const int16_t *x, const int32_t *o, size_t w, int32_t *out)
{
    subtract(x, o, w, out);
}

void kith_i_residual_coarse(const int16_t *x, const int32_t *o, size_t w,
                            int halvings, int32_t *out)
{
    subtract_coarse(x, o, w, halvings, out);
}
