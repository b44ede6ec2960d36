/* centers: plain files of numbers for other tools: .npy and .csv. */
#ifndef KITH_TOOL_CENTERS_H
#define KITH_TOOL_CENTERS_H

#include <stdint.h>
#include <stdio.h>

/* Header of a .npy file, version 1.0, of rows x columns doubles in C order;
 * a multiple of 64 bytes. */
void npy_write_header(FILE *file, uint64_t rows, uint64_t columns);
/* The numbers, little-endian whatever the machine is. */
void npy_write_values(FILE *file, const double *values, size_t count);

/* A line of names, quoted where they need it. */
void csv_write_names(FILE *file, const char *const *names, size_t count);
/* count numbers, commas between, end of line; they read back exactly. */
void csv_write_row(FILE *file, const double *values, size_t count);

#endif
