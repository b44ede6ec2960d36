/* Items of an NPY array to doubles. */
#ifndef KITH_READER_NPY_CONVERT_H
#define KITH_READER_NPY_CONVERT_H

#include <stddef.h>

#include "reader_npy_header.h"

/* count items, one after another, not necessarily aligned, to the nearest
 * doubles (every type but the 64-bit integers is exact). */
void kith_i_npy_convert(const kith_i_npy *npy, const char *from, size_t count,
                        double *to);

/* Nonzero when all values are finite. */
int kith_i_npy_all_finite(const double *values, size_t count);

#endif
