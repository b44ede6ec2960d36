/* A block: a view of some quantised rows, the currency between data (which
 * owns rows), kernel (which computes on them) and dp (which guards them).
 * It says nothing about where in the dataset the rows stand (R2). */
#ifndef KITH_BLOCK_H
#define KITH_BLOCK_H

#include <stdint.h>

typedef struct kith_i_block {
    uint32_t rows, dimension;
    const int16_t *dense;  /* rows x dimension, row-major; NULL when sparse  */
    const uint32_t *start; /* sparse: rows + 1 offsets into index and value  */
    const uint32_t *index; /* increasing within a row                        */
    const int16_t *value;  /* never zero                                     */
    const int16_t *beside; /* the same rows in a second view, dense; or NULL */
    uint32_t beside_dimension;
} kith_i_block;

/* I8: upper limit of rows in any block handed out by data/. */
#define KITH_I_BLOCK_ROWS 1024u

#endif
