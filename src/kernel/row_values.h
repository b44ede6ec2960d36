/* Numbers about one row: the bin of its distance, its entries, its length.
 * Record-local (R2). */
#ifndef KITH_ROW_VALUES_H
#define KITH_ROW_VALUES_H

#include "kernel_i.h"

#define KITH_I_NO_CELL UINT32_MAX /* the row contributes nothing */

/* Instead of its cell: the bin of a row's distance to the cell's origin. */
typedef struct kith_i_distance_bins {
    uint32_t bins;
    const double *limits;   /* squared upper edges of all bins but the last */
    int by_cell;            /* limits are cells x (bins - 1)                */
    const int32_t *origins; /* cells x dimension; NULL: the nearest centre  */
    int taxicab;            /* distances are in L1; needs origins           */
} kith_i_distance_bins;

/* cell[r]: from a row's cell to the first bin whose upper edge its distance
 * does not pass. score: kith_i_assign_block's, where there are no origins. Rows
 * in no cell stay there. */
void kith_i_distance_bin_rows(const kith_i_distance_bins *bins,
                              const kith_i_block *block, const double *score,
                              uint32_t *cell);

/* out[t] = the row's entry in features[t]. */
void kith_i_row_entries(const kith_i_block *block, uint32_t row,
                        const uint32_t *features, uint32_t count, int32_t *out);

/* out = |x|^2 and |x|^4 as parts of square and its square, in units of 1 / one
 * (at most 2^30), toward zero; |x|^2 <= square < 2^33. */
void kith_i_row_lengths(const kith_i_block *block, uint32_t row, uint32_t one,
                        uint64_t square, int32_t *out);

#endif
