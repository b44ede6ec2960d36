/* Exact sums of rows per cell: part of the unit that touches records and
 * sums on their way to the noise, so it has no floating point and no vector
 * registers at all (R2; compiled with -mgeneral-regs-only). Sums cannot
 * overflow: |q| < 2^15 and fewer than 2^31 rows (I12, R4). Integers, so the
 * order of rows cannot be seen (I14). */
#include "kernel_i.h"

/* Four at a time: the loads, additions and stores of different features do
 * not wait for each other. */
static void add_dense(const int16_t *q, uint32_t d, int64_t *sum)
{
    uint32_t i = 0;
    for (; i + 4 <= d; i += 4) {
        int64_t a = sum[i] + q[i], b = sum[i + 1] + q[i + 1];
        int64_t c = sum[i + 2] + q[i + 2], e = sum[i + 3] + q[i + 3];
        sum[i] = a;
        sum[i + 1] = b;
        sum[i + 2] = c;
        sum[i + 3] = e;
    }
    for (; i < d; i++)
        sum[i] += q[i];
}

static void add_sparse(const kith_i_block *block, uint32_t row, int64_t *sum)
{
    for (uint32_t t = block->start[row]; t < block->start[row + 1]; t++)
        sum[block->index[t]] += block->value[t];
}

void kith_i_accumulate_rows(const kith_i_block *block, const uint32_t *cell,
                            uint32_t cells, int64_t *sums, int64_t *counts)
{
    size_t d = block->dimension;
    for (uint32_t r = 0; r < block->rows; r++) {
        if (cell[r] >= cells) /* I16 */
            continue;
        if (counts)
            counts[cell[r]]++;
        if (!sums)
            continue;
        int64_t *sum = sums + cell[r] * d;
        if (block->dense)
            add_dense(block->dense + r * d, block->dimension, sum);
        else
            add_sparse(block, r, sum);
    }
}
