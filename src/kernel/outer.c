/* Gram matrices of quantised vectors, exactly: BLAS on integer-valued doubles
 * (a block's sums are below 2^30 times its rows, far under 2^53), added up in
 * int64 across blocks. */
#include "kernel_i.h"

#include <cblas.h>

#include "wide_code.h"

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

/* Sums of small values are below 2^24, exact in single precision. */
KITH_I_WIDE static void add_sums(const float *restrict from, size_t count,
                                 int64_t *restrict to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += (int32_t)from[i];
}

void kith_i_gram_small(const int16_t *values, uint32_t rows, uint32_t w,
                       double *scratch, int64_t *gram)
{
    float *wide = (float *)(void *)scratch, *block = wide + (size_t)rows * w;
    for (uint32_t from = 0; from < rows; from += KITH_I_SMALL_ROWS) {
        uint32_t left = rows - from;
        uint32_t n = left < KITH_I_SMALL_ROWS ? left : KITH_I_SMALL_ROWS;
        const int16_t *v = values + (size_t)from * w;
        for (size_t i = 0; i < (size_t)n * w; i++)
            wide[i] = v[i];
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, (int)w, (int)n, 1.0f,
                    wide, (int)w, 0.0f, block, (int)w);
        for (size_t i = 0; i < w; i++)
            add_sums(block + i * w, i + 1, gram + i * w);
    }
}
