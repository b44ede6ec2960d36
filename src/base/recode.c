/* Sign, exponent and eight bits of a double; see recode.h. A function of one
 * value (R2), by the bits of its representation. */
#include "recode.h"

#include <math.h>

enum { LEAST = -41 }; /* exponent of the first octave */

int32_t kith_i_code_of(double x)
{
    int exponent;
    double size = fabs(x);
    if (size == 0)
        return 0;
    double mantissa = frexp(size, &exponent) * 2 - 1; /* from 0 to below 1 */
    int octave = exponent - 1 - LEAST;
    int32_t code = octave < 0 ? 1
                   : octave >= KITH_I_CODE_OCTAVES
                       ? KITH_I_CODE_MOST
                       : (octave << KITH_I_CODE_BITS) +
                             (int32_t)ldexp(mantissa, KITH_I_CODE_BITS) + 1;
    return x < 0 ? -code : code;
}

/* The least size whose code is at least c > 0. */
static double size_of(int32_t c)
{
    int32_t at = c - 1;
    double part = at & ((1 << KITH_I_CODE_BITS) - 1);
    return ldexp(1 + ldexp(part, -KITH_I_CODE_BITS),
                 (at >> KITH_I_CODE_BITS) + LEAST);
}

double kith_i_code_upper(int32_t c)
{
    return c > 0 ? size_of(c + 1) : c < -1 ? -size_of(-c) : 0;
}

double kith_i_code_lower(int32_t c)
{
    return -kith_i_code_upper(-c);
}

void kith_i_code_row(const double *raw, uint32_t d, int together, double *out)
{
    double most = 0;
    for (uint32_t i = 0; together && i < d; i++)
        most = fmax(most, fabs(raw[i]));
    for (uint32_t i = 0; i < d; i++)
        out[i] = !together ? kith_i_code_of(raw[i])
                 : i == 0  ? kith_i_code_of(most)
                           : 0;
}
