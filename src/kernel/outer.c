/* Gram matrices of quantised vectors, exactly: BLAS on integer-valued doubles
 * (I17: a block's sums are below 2^30 times its rows, far under 2^53), added
 * up in int64 across blocks. */
#include "kernel_i.h"

#include <cblas.h>

#include "wide_code.h"

enum { BAND = 192 };

void kith_i_gram_rows(const int16_t *values, uint32_t rows, uint32_t w,
                      double *scratch, int64_t *gram)
{
    size_t count = (size_t)rows * w;
    double *wide = scratch, *block = scratch + count;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        wide[i] = values[i];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)w, (int)rows, 1.0,
                wide, (int)w, 0.0, block, (int)w);
    for (size_t i = 0; i < w; i++)
        for (size_t j = 0; j <= i; j++)
            gram[i * w + j] += (int64_t)block[i * w + j];
}

KITH_I_WIDE static void widen(const int16_t *restrict from, size_t count,
                              float *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* Sums of small values are below 2^24, exact in single precision. */
KITH_I_WIDE static void add_sums(const float *restrict from, size_t count,
                                 int64_t *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += (int32_t)from[i];
}

/* A band of rows of the matrix at a time: its sums are still in the second
 * cache when they are added up. */
static void add_products(const float *wide, uint32_t n, uint32_t w, float *band,
                         int64_t *gram)
{
    for (uint32_t from = 0; from < w; from += BAND) {
        uint32_t rows = w - from < BAND ? w - from : BAND;
        if (from > 0)
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows,
                        (int)from, (int)n, 1.0f, wide + from, (int)w, wide,
                        (int)w, 0.0f, band, (int)w);
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, (int)rows, (int)n,
                    1.0f, wide + from, (int)w, 0.0f, band + from, (int)w);
        for (size_t i = 0; i < rows; i++)
            add_sums(band + i * w, from + i + 1, gram + (from + i) * w);
    }
}

static uint32_t rows_at_once(uint32_t rows)
{
    return rows < KITH_I_SMALL_ROWS ? rows : KITH_I_SMALL_ROWS;
}

size_t kith_i_gram_small_scratch(uint32_t rows, uint32_t w)
{
    size_t floats = (size_t)w * (rows_at_once(rows) + (w < BAND ? w : BAND));
    return (floats + 1) / 2;
}

void kith_i_gram_small(const int16_t *values, uint32_t rows, uint32_t w,
                       double *scratch, int64_t *gram)
{
    float *wide = (float *)(void *)scratch;
    float *band = wide + (size_t)rows_at_once(rows) * w;
    for (uint32_t from = 0; from < rows; from += KITH_I_SMALL_ROWS) {
        uint32_t n = rows_at_once(rows - from);
        widen(values + (size_t)from * w, (size_t)n * w, wide);
        add_products(wide, n, w, band, gram);
    }
}
