/* The header of an NPY file (versions 1, 2 and 3). */
#ifndef KITH_READER_NPY_HEADER_H
#define KITH_READER_NPY_HEADER_H

#include <stdint.h>

#include "kith/status.h"
#include "stream.h"

typedef struct kith_i_npy {
    char kind;        /* 'f', 'i', 'u' or 'b'                            */
    uint32_t item;    /* bytes in an item: 1, 2, 4 or 8                  */
    int swapped;      /* not in this machine's byte order                */
    int fortran;      /* column after column                             */
    uint64_t rows;    /*                                                 */
    uint64_t columns; /* 1 for a one-dimensional array                   */
    uint64_t offset;  /* of the first item in the file                   */
} kith_i_npy;

/* Read and step over the header. All products of its numbers fit: offset +
 * rows * columns * item <= INT64_MAX. */
kith_status kith_i_npy_read_header(kith_i_stream *stream, kith_i_npy *out,
                                   kith_error *err);

#endif
