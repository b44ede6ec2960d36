/* Rows against planes.
 *
 * Rows are integers of at most 15 bits, axes of 24 and of length about 2^24, so
 * every partial sum of a dot product is an integer below |x| |axis| < 2^51,
 * exact in whatever order BLAS adds (R2). What follows, squares and their sum
 * over the axes of a plane, is plain double arithmetic in a fixed order on
 * these exact numbers: the same bits whatever stands around the row. */
#include "plane_rows.h"

#include <math.h>
#include <string.h>

#include "kernel_i.h"

enum { AXIS_BITS = 24, BATCH_VALUES = 1 << 16 };

void kith_i_axes_set(kith_i_axes *out, const double *planes)
{
    size_t count = (size_t)out->sets * out->k * out->q * out->d;
    double most = ldexp(1, AXIS_BITS);
    for (size_t i = 0; i < count; i++) {
        double a = nearbyint(ldexp(planes[i], AXIS_BITS));
        out->coords[i] = isfinite(a) ? fmax(-most, fmin(most, a)) : 0;
    }
}

/* Rows that go to BLAS at once; changes speed only. */
static uint32_t batch_rows(const kith_i_axes *axes, uint32_t block_rows)
{
    size_t axis_count = (size_t)axes->sets * axes->k * axes->q;
    size_t wider = axes->d > axis_count ? axes->d : axis_count;
    size_t rows = BATCH_VALUES / wider;
    rows = rows < 8 ? 8 : rows;
    return rows < block_rows ? (uint32_t)rows : block_rows;
}

size_t kith_i_axes_scratch(const kith_i_axes *axes, uint32_t block_rows)
{
    size_t axis_count = (size_t)axes->sets * axes->k * axes->q;
    return batch_rows(axes, block_rows) * (axes->d + axis_count + 1);
}

/* dots[j * n + r] for all axes; afterwards the first row of each plane's dots
 * holds the sum of their squares. */
static double *plane_squares(const kith_i_axes *axes, const int16_t *values,
                             uint32_t n, double *wide)
{
    size_t d = axes->d, planes = (size_t)axes->sets * axes->k, q = axes->q;
    double *dots = wide + n * d;
    for (size_t i = 0; i < n * d; i++)
        wide[i] = values[i];
    kith_i_dot_products(axes->coords, (uint32_t)(planes * q), wide, n, axes->d,
                        dots);
    for (size_t l = 0; l < planes; l++) {
        double *sum = dots + l * q * n;
        for (size_t r = 0; r < n; r++)
            sum[r] *= sum[r];
        for (size_t j = 1; j < q; j++) {
            const double *dot = sum + j * n;
            for (size_t r = 0; r < n; r++)
                sum[r] += dot[r] * dot[r];
        }
    }
    return dots;
}

void kith_i_axes_cells(const kith_i_axes *axes, const kith_i_block *block,
                       double *scratch, uint32_t *cell)
{
    uint32_t batch = batch_rows(axes, block->rows);
    for (uint32_t first = 0; first < block->rows; first += batch) {
        uint32_t n = block->rows - first < batch ? block->rows - first : batch;
        double *squares = plane_squares(
            axes, block->dense + (size_t)first * axes->d, n, scratch);
        double *best = squares; /* of plane 0 */
        memset(cell + first, 0, n * sizeof *cell);
        for (uint32_t l = 1; l < axes->k; l++) {
            const double *s = squares + (size_t)l * axes->q * n;
            for (uint32_t r = 0; r < n; r++)
                if (s[r] > best[r]) {
                    best[r] = s[r];
                    cell[first + r] = l;
                }
        }
    }
}

void kith_i_axes_losses(const kith_i_axes *axes, const kith_i_block *block,
                        int shift, double *scratch, int32_t *loss)
{
    size_t d = axes->d, sets = axes->sets;
    uint32_t batch = batch_rows(axes, block->rows);
    double down = ldexp(1, -2 * AXIS_BITS), scale = ldexp(1, -shift);
    for (uint32_t first = 0; first < block->rows; first += batch) {
        uint32_t n = block->rows - first < batch ? block->rows - first : batch;
        const int16_t *values = block->dense + (size_t)first * d;
        double *squares = plane_squares(axes, values, n, scratch);
        for (uint32_t r = 0; r < n; r++) {
            int64_t length = 0;
            for (size_t i = 0; i < d; i++)
                length += (int32_t)values[r * d + i] * values[r * d + i];
            for (size_t s = 0; s < sets; s++) {
                const double *at = squares + s * axes->k * axes->q * n + r;
                double best = at[0];
                for (uint32_t l = 1; l < axes->k; l++) {
                    double other = at[(size_t)l * axes->q * n];
                    best = other > best ? other : best;
                }
                double rest = ((double)length - best * down) * scale;
                rest = rest > 0 ? rest : 0;
                loss[(first + r) * sets + s] =
                    rest < INT32_MAX ? (int32_t)rest : INT32_MAX;
            }
        }
    }
}
