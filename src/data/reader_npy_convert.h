/* Items of an NPY array to doubles. */
#ifndef KITH_READER_NPY_CONVERT_H
#define KITH_READER_NPY_CONVERT_H

#include <stddef.h>

#include "reader_npy_header.h"

/* Copy count items of so many bytes, 1, 2, 4 or 8, which stand `stride` bytes
 * from each other, to places that are `to_stride` bytes apart. */
void kith_i_npy_gather(const char *from, ptrdiff_t stride, char *to,
                       size_t to_stride, size_t count, size_t item);

/* count items, one after another, not necessarily aligned, to the nearest
 * doubles (every type but the 64-bit integers is exact). */
void kith_i_npy_convert(const kith_i_npy *npy, const char *from, size_t count,
                        double *to);

/* Nonzero when all values are finite. */
int kith_i_npy_all_finite(const double *values, size_t count);

#endif
