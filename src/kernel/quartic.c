/* Fourth moments of quantised rows, exactly.
 *
 * A distinct entry (a <= b <= c <= e) is the product of the features v_a v_b
 * and v_c v_e summed over rows: a matrix product of features. With |v| <= 2^10
 * a product is at most 2^40 and a block's sum at most 2^50, so BLAS on
 * integer-valued doubles never rounds (R2). Blocks add up in 64-bit integers.
 *
 * Left features are sorted by (b, a) and right ones by (c, e): for the pairs
 * whose b is in a run of RUN values, everything that is needed is one
 * rectangle, and the rectangles together are hardly more than the distinct
 * entries, a third of the triangle of the features' Gram matrix. */
#include "quartic.h"

#include <cblas.h>
#include <string.h>

enum { RUN = 8, BATCH = 256 };

static size_t pairs(size_t w)
{
    return w * (w + 1) / 2;
}

size_t kith_i_quartic_size(uint32_t w)
{
    size_t n = w;
    return n * (n + 1) / 2 * (n + 2) / 3 * (n + 3) / 4;
}

/* The rectangle of the run from b0 on: pairs (a, b) by pairs (c >= b0, e). */
static size_t run_rows(size_t b0, size_t w)
{
    size_t b1 = b0 + RUN < w ? b0 + RUN : w;
    return pairs(b1) - pairs(b0);
}

static size_t run_columns(size_t b0, size_t w)
{
    return pairs(w - b0);
}

size_t kith_i_quartic_scratch(uint32_t w)
{
    size_t size = 2 * BATCH * pairs(w);
    for (size_t b0 = 0; b0 < w; b0 += RUN)
        size += run_rows(b0, w) * run_columns(b0, w);
    return size;
}

static void make_features(const int16_t *values, size_t rows, size_t w,
                          double *left, double *right)
{
    double v[KITH_I_QUARTIC_MOST];
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < w; i++)
            v[i] = values[r * w + i];
        for (size_t b = 0; b < w; b++)
            for (size_t a = 0; a <= b; a++)
                *left++ = v[a] * v[b];
        for (size_t c = 0; c < w; c++)
            for (size_t e = c; e < w; e++)
                *right++ = v[c] * v[e];
    }
}

/* sums += the rectangles. The tail of (c, e) with c >= b is contiguous both in
 * a rectangle's row and in the lexicographic order. */
static void settle(const double *products, size_t w, int64_t *sums)
{
    size_t at = 0;
    for (size_t a = 0; a < w; a++) {
        const double *from = products;
        for (size_t b0 = 0; b0 < w; b0 += RUN) {
            size_t columns = run_columns(b0, w);
            size_t b1 = b0 + RUN < w ? b0 + RUN : w;
            for (size_t b = a > b0 ? a : b0; b < b1; b++) {
                size_t tail = pairs(w - b);
                const double *row = from +
                                    (pairs(b) + a - pairs(b0)) * columns +
                                    (columns - tail);
                for (size_t t = 0; t < tail; t++)
                    sums[at + t] = (int64_t)((uint64_t)sums[at + t] +
                                             (uint64_t)(int64_t)row[t]);
                at += tail;
            }
            from += run_rows(b0, w) * columns;
        }
    }
}

void kith_i_quartic_rows(const int16_t *values, uint32_t rows, uint32_t w,
                         double *scratch, int64_t *sums)
{
    size_t p = pairs(w);
    double *left = scratch, *right = left + BATCH * p;
    double *products = right + BATCH * p;
    for (size_t first = 0; first < rows; first += BATCH) {
        size_t n = rows - first < BATCH ? rows - first : BATCH;
        make_features(values + first * w, n, w, left, right);
        double *to = products;
        for (size_t b0 = 0; b0 < w; b0 += RUN) {
            size_t m = run_rows(b0, w), columns = run_columns(b0, w);
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m,
                        (int)columns, (int)n, 1.0, left + pairs(b0), (int)p,
                        right + (p - columns), (int)p, first > 0 ? 1.0 : 0.0,
                        to, (int)columns);
            to += m * columns;
        }
    }
    if (rows > 0)
        settle(products, w, sums);
}
