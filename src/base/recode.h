/* recode: any double as a small whole number in its order, so that the gate can
 * count values whose range nobody knows. */
#ifndef KITH_RECODE_H
#define KITH_RECODE_H

#include <stdint.h>

/* Octaves from 2^-41 to 2^63 for each sign, 2^8 codes in each; zero is 0.
 * Smaller and larger values are in the octaves at the ends. */
enum {
    KITH_I_CODE_BITS = 8,
    KITH_I_CODE_OCTAVES = 105,
    KITH_I_CODE_MOST = KITH_I_CODE_OCTAVES << KITH_I_CODE_BITS
};

/* Of a finite number; increasing, odd. */
int32_t kith_i_code_of(double x);
/* The least value whose code is above c - 1, and the least above c. */
double kith_i_code_lower(int32_t c);
double kith_i_code_upper(int32_t c);

/* d values to codes; together: the largest size, then zeros. out may be raw. */
void kith_i_code_row(const double *raw, uint32_t d, int together, double *out);

#endif
