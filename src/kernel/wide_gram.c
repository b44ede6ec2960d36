/* Inner products of wide integers with BLAS, exactly.
 *
 * A product of two limbs is at most 2^46, or 2^45 where it comes in pairs; with
 * DEPTH = 128 columns at a time every partial sum is an integer of at most 2^53
 * in magnitude, so that doubles never round (R2). */
#include "wide_gram.h"

#include <cblas.h>

enum { DEPTH = 128, LIMB = 23 };

void kith_i_wide_split(const int8_t *whole, const uint64_t *digit, size_t count,
                       double *const limbs[KITH_I_LIMBS])
{
    const int64_t half = (int64_t)1 << (LIMB - 1);
    for (size_t i = 0; i < count; i++) {
        int minus = whole[i] < 0;
        kith_i_i128 v = minus ? -1 - whole[i] : whole[i];
        v = (kith_i_i128)((kith_i_u128)v << 64 | digit[i]);
        v = minus ? -v : v;
        for (int l = KITH_I_LIMBS - 1; l > 0; l--) {
            /* to the nearest: >> rounds down */
            kith_i_i128 rest = (v + half) >> LIMB;
            limbs[l][i] = (double)(int64_t)(v - rest * ((int64_t)2 * half));
            v = rest;
        }
        limbs[0][i] = (double)(int64_t)v;
    }
}

typedef struct {
    uint32_t a, b, shift;
} term;
static const term terms[] = {
    {0, 0, 3 * LIMB}, {0, 1, 2 * LIMB}, {0, 2, LIMB}, {1, 1, LIMB}, {1, 2, 0}};

typedef struct {
    uint32_t first, end, columns, depth; /* rows, what is multiplied of them */
} slice;

/* to (+)= rows first .. end - 1 of a times all rows of b. */
static void multiply(const slice *s, const double *a, const double *b,
                     double keep, double *to)
{
    int end = (int)s->end, columns = (int)s->columns;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, end - (int)s->first,
                end, (int)s->depth, 1.0, a + (size_t)s->first * s->columns,
                columns, b, columns, keep, to, end);
}

void kith_i_wide_gram(const double *const limbs[KITH_I_LIMBS], uint32_t first,
                      uint32_t end, uint32_t columns, int minus,
                      double *scratch, kith_i_i128 *sums)
{
    for (uint32_t from = 0; from < columns; from += DEPTH) {
        slice s = {first, end, columns,
                   columns - from < DEPTH ? columns - from : DEPTH};
        for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
            const double *a = limbs[terms[t].a] + from;
            const double *b = limbs[terms[t].b] + from;
            multiply(&s, a, b, 0, scratch);
            if (a != b)
                multiply(&s, b, a, 1, scratch);
            for (size_t x = first; x < end; x++) {
                const double *row = scratch + (x - first) * end;
                kith_i_i128 *sum = sums + x * (x + 1) / 2;
                for (size_t y = 0; y <= x; y++) {
                    kith_i_i128 v = (int64_t)row[y];
                    v *= (kith_i_i128)1 << terms[t].shift;
                    sum[y] += minus ? -v : v;
                }
            }
        }
    }
}
