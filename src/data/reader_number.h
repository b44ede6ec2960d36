/* Numbers in text: exact (correctly rounded) and fast. Used by the CSV, TSV
 * and svmlight readers. */
#ifndef KITH_READER_NUMBER_H
#define KITH_READER_NUMBER_H

#include <stddef.h>

/* Read a decimal number (sign, digits, point, exponent) at p. Returns the
 * first byte after it, or NULL when there is none; *out may be infinite. The
 * text must end somewhere in a byte that cannot be part of a number, and the
 * 8 bytes from there must be readable (a stream's window is like that). */
const char *kith_i_number_scan(const char *p, double *out);

/* Words for "no value": nothing at all, NA, N/A, NaN, null, none, inf and
 * infinity, in any case, with or without a sign. */
int kith_i_number_is_missing(const char *p, size_t length);

#endif
