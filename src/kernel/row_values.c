/* Numbers about one row. */
#include "row_values.h"

/* Squared distance of a row to the origin of its cell. */
static double distance(const kith_i_distance_bins *b, const kith_i_block *block,
                       uint32_t row, uint32_t cell, const double *score)
{
    if (!b->origins)
        return kith_i_row_square(block, row) + score[row];
    size_t w = block->dimension;
    const int16_t *x = block->dense + row * w;
    const int32_t *origin = b->origins + cell * w;
    if (!b->taxicab)
        return (double)kith_i_residual_square(x, origin, w);
    /* squared as a double: it need not fit 64 bits */
    double length = (double)kith_i_residual_taxicab(x, origin, w);
    return length * length;
}

/* From the cell to the first bin whose upper edge is not passed. */
void kith_i_distance_bin_rows(const kith_i_distance_bins *b,
                              const kith_i_block *block, const double *score,
                              uint32_t *cell)
{
    size_t edges = b->bins - 1;
    for (uint32_t r = 0; r < block->rows; r++) {
        if (cell[r] == KITH_I_NO_CELL)
            continue;
        double square = distance(b, block, r, cell[r], score);
        const double *limit = b->limits + (b->by_cell ? cell[r] * edges : 0);
        uint32_t low = 0, high = (uint32_t)edges;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (square <= limit[middle])
                high = middle;
            else
                low = middle + 1;
        }
        cell[r] = low;
    }
}

static int16_t entry_at(const kith_i_block *block, uint32_t row,
                        uint32_t feature)
{
    if (feature >= block->dimension)
        return 0;
    if (block->dense)
        return block->dense[(size_t)row * block->dimension + feature];
    uint32_t low = block->start[row], high = block->start[row + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (block->index[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    return low < block->start[row + 1] && block->index[low] == feature
               ? block->value[low]
               : 0;
}

void kith_i_row_entries(const kith_i_block *block, uint32_t row,
                        const uint32_t *features, uint32_t count, int32_t *out)
{
    for (uint32_t t = 0; t < count; t++)
        out[t] = entry_at(block, row, features[t]);
}

void kith_i_row_lengths(const kith_i_block *block, uint32_t row, uint32_t one,
                        uint64_t square, int32_t *out)
{
    uint64_t part = (uint64_t)kith_i_row_square(block, row) * one / square;
    out[0] = (int32_t)part;
    out[1] = (int32_t)(part * part / one);
}
