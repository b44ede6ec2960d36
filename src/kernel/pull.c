/* How hard a record pulls at its centre, for k-median: the unit vector from
 * the centre to the record, and the inverse of their distance.
 *
 * Record-local (R2): the squared distance is an exact integer, the rest is
 * sqrt, division and multiplication of doubles, each correctly rounded and
 * each on one number at a time, then truncation to integers. */
#include <math.h>

#include "kernel_i.h"

size_t kith_i_pull_scratch(uint32_t k, uint32_t d, int sparse)
{
    return kith_i_assign_scratch(KITH_I_BLOCK_ROWS, k, d, sparse) +
           KITH_I_BLOCK_ROWS;
}

double kith_i_row_square(const kith_i_block *block, uint32_t row)
{
    size_t d = block->dimension;
    const int16_t *q = block->dense ? block->dense + row * d
                                    : block->value + block->start[row];
    size_t count = block->dense ? d : block->start[row + 1] - block->start[row];
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (int32_t)q[i] * q[i];
    return (double)sum;
}

/* At most the unit already, but for a part that is not of the centres: that
 * must not leave the type. */
static int32_t within(double v, double unit)
{
    return (int32_t)fmax(-unit, fmin(unit, v));
}

/* value[i] = trunc((x_i - c_i) * factor); of a sparse row, for the features
 * that have a place. */
static void scale_row(const kith_i_pull *pull, const kith_i_block *block,
                      uint32_t row, uint32_t j, double factor, int32_t *value)
{
    if (block->dense) {
        size_t d = pull->centers->d;
        const int16_t *q = block->dense + row * d;
        const double *c = pull->centers->coords + j * d;
        for (size_t i = 0; i < d; i++)
            value[i] = (int32_t)((q[i] - c[i]) * factor);
        return;
    }
    size_t w = pull->width;
    const double *c = pull->part + j * w;
    for (size_t i = 0; i < w; i++)
        value[i] = within(-c[i] * factor, pull->unit);
    for (uint32_t t = block->start[row]; t < block->start[row + 1]; t++) {
        size_t i = pull->slot[block->index[t]];
        if (i < w)
            value[i] = within((block->value[t] - c[i]) * factor, pull->unit);
    }
}

void kith_i_pull_block(const kith_i_pull *pull, const kith_i_block *block,
                       double *scratch, uint32_t *cell, int32_t *value)
{
    const kith_i_centers *centers = pull->centers;
    size_t width = block->dense ? centers->d : pull->width;
    double *score = scratch;
    kith_i_assign_block(centers, block, scratch + KITH_I_BLOCK_ROWS, cell,
                        score);
    for (uint32_t r = 0; value && r < block->rows; r++) {
        double distance = sqrt(kith_i_row_square(block, r) + score[r]);
        double length = distance > pull->tau ? distance : pull->tau;
        int32_t *v = value + r * (width + 1);
        scale_row(pull, block, r, cell[r], pull->unit / length, v);
        v[width] = (int32_t)(pull->inverse * (pull->tau / length));
    }
}
