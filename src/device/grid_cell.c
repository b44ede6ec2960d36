/* The cell of a record in a shifted grid, as a number. Client code.
 *
 * A grid is what the paper's locality-sensitive hashing comes down to: points
 * close to each other in the lens mostly share a cell, points farther apart
 * than its diagonal never do. E2LSH has the same form, with Gaussian rows in
 * the lens (weighted_hash.c). */
#include <math.h>

#include "places.h"

double kith_i_lens_at(const kith_i_lens *lens, const double *x, uint32_t i)
{
    double y = 0;
    if (lens->rows) {
        const double *row = lens->rows + (size_t)i * lens->d;
        for (uint32_t t = 0; t < lens->d; t++)
            y += row[t] * (lens->offset ? x[t] - lens->offset[t] : x[t]);
    } else {
        y = lens->offset ? x[i] - lens->offset[i] : x[i];
    }
    if (lens->half && y > lens->half[i])
        y = lens->half[i];
    if (lens->half && y < -lens->half[i])
        y = -lens->half[i];
    return y;
}

uint64_t kith_i_grid_key(const kith_i_grid *grid, const double *x)
{
    uint64_t key = 0, radix = 1;
    for (uint32_t i = 0; i < grid->lens.q; i++) {
        double reach = grid->lens.half ? grid->lens.half[i] : 0;
        double shift = grid->shift ? grid->shift[i] : 0;
        double y = kith_i_lens_at(&grid->lens, x, i);
        double cell = floor((y + reach + shift) / grid->side);
        uint64_t at = grid->cells - 1;
        if (!(cell > 0)) /* NaN too */
            at = 0;
        else if (cell < (double)at)
            at = (uint64_t)cell;
        key += at * radix;
        radix *= grid->cells;
    }
    return key;
}

uint32_t kith_i_key_find(const uint64_t *keys, uint32_t count, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && keys[low] == key ? low : count;
}
