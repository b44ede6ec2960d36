/* Linear maps of quantised rows (principal directions, random projections),
 * exactly: integer-valued axes, every partial sum below 2^53, truncation
 * toward zero at the end. A function of the single row (R2). */
#include "kernel_i.h"

#include <math.h>
#include <string.h>

enum { AXIS_BITS = 24, LATTICE_MAX = 32767, BATCH_VALUES = 1 << 16 };

void kith_i_projection_set(kith_i_projection *out, const double *axes,
                           const double *offset, int finer_log2)
{
    size_t q = out->q, d = out->d;
    double most = ldexp(1, AXIS_BITS);
    out->shift = AXIS_BITS - finer_log2;
    for (size_t j = 0; j < q; j++) {
        double dot = 0;
        for (size_t i = 0; i < d; i++) {
            double a = nearbyint(ldexp(axes[j * d + i], AXIS_BITS));
            a = isfinite(a) ? fmax(-most, fmin(most, a)) : 0;
            out->axes[out->sparse ? i * q + j : j * d + i] = a;
            if (offset)
                dot += a * offset[i];
        }
        out->offsets[j] = nearbyint(dot);
    }
}

/* Rows that go to BLAS at once. */
static uint32_t batch_rows(uint32_t block_rows, uint32_t d)
{
    uint32_t rows = BATCH_VALUES / d;
    rows = rows < 8 ? 8 : rows;
    return rows < block_rows ? rows : block_rows;
}

size_t kith_i_project_scratch(uint32_t block_rows, uint32_t q, uint32_t d,
                              int sparse)
{
    if (sparse)
        return q;
    return (size_t)batch_rows(block_rows, d) * ((size_t)d + q);
}

static int16_t settle(double dot, double offset, double scale)
{
    double y = (dot - offset) * scale; /* a power of two: exact */
    y = y > LATTICE_MAX ? LATTICE_MAX : (y < -LATTICE_MAX ? -LATTICE_MAX : y);
    return (int16_t)y;
}

static void project_dense(const kith_i_projection *p, const int16_t *values,
                          uint32_t rows, double scale, double *scratch,
                          int16_t *out)
{
    size_t d = p->d, q = p->q;
    double *wide = scratch, *dots = scratch + rows * d;
    for (size_t i = 0; i < rows * d; i++)
        wide[i] = values[i];
    kith_i_dot_products(p->axes, p->q, wide, rows, p->d, dots);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < q; j++)
            out[r * q + j] = settle(dots[j * rows + r], p->offsets[j], scale);
}

static void project_sparse(const kith_i_projection *p,
                           const kith_i_block *block, double scale,
                           double *dots, int16_t *out)
{
    size_t q = p->q;
    for (uint32_t r = 0; r < block->rows; r++) {
        memset(dots, 0, q * sizeof *dots);
        for (uint32_t t = block->start[r]; t < block->start[r + 1]; t++) {
            const double *axis = p->axes + (size_t)block->index[t] * q;
            for (size_t j = 0; j < q; j++)
                dots[j] += block->value[t] * axis[j];
        }
        for (size_t j = 0; j < q; j++)
            out[r * q + j] = settle(dots[j], p->offsets[j], scale);
    }
}

void kith_i_project_block(const kith_i_projection *p, const kith_i_block *block,
                          double *scratch, int16_t *rows)
{
    double scale = ldexp(1, -p->shift);
    if (!block->dense) {
        project_sparse(p, block, scale, scratch, rows);
        return;
    }
    uint32_t batch = batch_rows(block->rows, p->d);
    for (uint32_t r = 0; r < block->rows; r += batch) {
        uint32_t n = block->rows - r < batch ? block->rows - r : batch;
        project_dense(p, block->dense + (size_t)r * p->d, n, scale, scratch,
                      rows + (size_t)r * p->q);
    }
}
