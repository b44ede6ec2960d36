/* Cholesky factors and triangular systems. Small ones are done here, four rows
 * at a time in registers: a BLAS would spend its time on packing. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linear.h"
#include "wide_code.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);

enum { SMALL = KITH_I_SMALL };

/* What four finished rows j..j+3 of the factor hold in columns j..j+3: the
 * entries above the diagonal, and 1 over the diagonal. */
typedef struct {
    double c01, c02, c03, c12, c13, c23, i0, i1, i2, i3;
} corner;

/* Four rows of the factor in 4 or 8 columns. */
typedef struct {
    lanes row[4][2];
} tile;

#define INLINE static inline __attribute__((always_inline))

/* Rows j..j+3 in 4 * width columns from t on, less what the rows above hold. */
INLINE tile take_out(const double *a, uint32_t stride, uint32_t j, uint32_t t,
                     int width)
{
    tile x;
    for (int r = 0; r < 4; r++)
        for (int w = 0; w < width; w++)
            x.row[r][w] =
                *(const lanes *)(a + (size_t)(j + (uint32_t)r) * stride + t +
                                 4 * w);
    for (uint32_t i = 0; i < j; i++) {
        const double *above = a + (size_t)i * stride;
        for (int w = 0; w < width; w++) {
            lanes y = *(const lanes *)(above + t + 4 * w);
            for (int r = 0; r < 4; r++)
                x.row[r][w] -= above[j + (uint32_t)r] * y;
        }
    }
    return x;
}

/* The four rows less what they hold of each other, scaled; stored at `to`. */
INLINE void finish(const tile *x, const corner *k, int width, double *to,
                   uint32_t stride)
{
    for (int w = 0; w < width; w++) {
        lanes a = x->row[0][w] * k->i0;
        lanes b = (x->row[1][w] - k->c01 * a) * k->i1;
        lanes c = (x->row[2][w] - k->c02 * a - k->c12 * b) * k->i2;
        lanes d = x->row[3][w] - k->c03 * a - k->c13 * b - k->c23 * c;
        *(lanes *)(to + 4 * w) = a;
        *(lanes *)(to + stride + 4 * w) = b;
        *(lanes *)(to + 2 * (size_t)stride + 4 * w) = c;
        *(lanes *)(to + 3 * (size_t)stride + 4 * w) = d * k->i3;
    }
}

/* From a tile that begins on the diagonal. */
INLINE int corner_of(const tile *x, corner *k)
{
    lanes a = x->row[0][0], b = x->row[1][0], c = x->row[2][0];
    double p0 = a[0];
    k->i0 = 1 / sqrt(p0);
    k->c01 = a[1] * k->i0;
    k->c02 = a[2] * k->i0;
    k->c03 = a[3] * k->i0;
    double p1 = b[1] - k->c01 * k->c01;
    k->i1 = 1 / sqrt(p1);
    k->c12 = (b[2] - k->c01 * k->c02) * k->i1;
    k->c13 = (b[3] - k->c01 * k->c03) * k->i1;
    double p2 = c[2] - k->c02 * k->c02 - k->c12 * k->c12;
    k->i2 = 1 / sqrt(p2);
    k->c23 = (c[3] - k->c02 * k->c03 - k->c12 * k->c13) * k->i2;
    double p3 =
        x->row[3][0][3] - k->c03 * k->c03 - k->c13 * k->c13 - k->c23 * k->c23;
    k->i3 = 1 / sqrt(p3);
    return p0 > 0 && p1 > 0 && p2 > 0 && p3 > 0;
}

KITH_I_WIDE static int cholesky_small(double *a, uint32_t stride)
{
    for (uint32_t j = 0; j < stride; j += 4) {
        double *to = a + (size_t)j * stride;
        corner k;
        tile x;
        if (j + 4 == stride) {
            x = take_out(a, stride, j, j, 1);
            if (!corner_of(&x, &k))
                return -1;
            finish(&x, &k, 1, to + j, stride);
            return 0;
        }
        x = take_out(a, stride, j, j, 2);
        if (!corner_of(&x, &k))
            return -1;
        finish(&x, &k, 2, to + j, stride);
        uint32_t t = j + 8;
        for (; t + 8 <= stride; t += 8) {
            x = take_out(a, stride, j, t, 2);
            finish(&x, &k, 2, to + t, stride);
        }
        if (t < stride) {
            x = take_out(a, stride, j, t, 1);
            finish(&x, &k, 1, to + t, stride);
        }
    }
    return 0;
}

int kith_i_cholesky(double *a, uint32_t n)
{
    uint32_t stride = kith_i_padded(n);
    if (n <= SMALL) {
        for (uint32_t i = 0; i < n; i++) /* pad with a piece of identity */
            for (uint32_t j = n; j < stride; j++)
                a[(size_t)i * stride + j] = 0;
        for (uint32_t i = n; i < stride; i++)
            for (uint32_t j = 0; j < stride; j++)
                a[(size_t)i * stride + j] = i == j;
        return cholesky_small(a, stride);
    }
    int size = (int)n, apart = (int)stride, info = 0;
    dpotrf_("L", &size, a, &apart, &info); /* it sees the transpose */
    return info == 0 ? 0 : -1;
}

INLINE double across(const lanes *a)
{
    return ((*a)[0] + (*a)[1]) + ((*a)[2] + (*a)[3]);
}

/* x (padded) = U^-1 x, from the last four rows up. */
KITH_I_WIDE static void backsolve_small(const double *upper, uint32_t stride,
                                        double *x)
{
    double inverse[SMALL];
    for (uint32_t i = 0; i < stride; i++)
        inverse[i] = 1 / upper[(size_t)i * stride + i];
    for (uint32_t j = stride; j >= 4;) {
        j -= 4;
        const double *u0 = upper + (size_t)j * stride, *u1 = u0 + stride;
        const double *u2 = u1 + stride, *u3 = u2 + stride;
        lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (uint32_t t = stride; t > j + 4;) { /* the newest last */
            t -= 4;
            lanes y = *(const lanes *)(x + t);
            s0 += *(const lanes *)(u0 + t) * y;
            s1 += *(const lanes *)(u1 + t) * y;
            s2 += *(const lanes *)(u2 + t) * y;
            s3 += *(const lanes *)(u3 + t) * y;
        }
        double y3 = (x[j + 3] - across(&s3)) * inverse[j + 3];
        double y2 = (x[j + 2] - across(&s2) - u2[j + 3] * y3) * inverse[j + 2];
        double y1 = x[j + 1] - across(&s1) - u1[j + 3] * y3;
        y1 = (y1 - u1[j + 2] * y2) * inverse[j + 1];
        double y0 = x[j] - across(&s0) - u0[j + 3] * y3 - u0[j + 2] * y2;
        y0 = (y0 - u0[j + 1] * y1) * inverse[j];
        x[j] = y0;
        x[j + 1] = y1;
        x[j + 2] = y2;
        x[j + 3] = y3;
    }
}

void kith_i_backsolve(const double *upper, uint32_t n, double *rows,
                      uint32_t count)
{
    uint32_t stride = kith_i_padded(n);
    if (n <= SMALL) {
        double x[SMALL] = {0};
        for (uint32_t r = 0; r < count; r++) {
            memcpy(x, rows + (size_t)r * n, n * sizeof *x);
            backsolve_small(upper, stride, x);
            memcpy(rows + (size_t)r * n, x, n * sizeof *x);
        }
        return;
    }
    /* X U'^-1 has the rows (U^-1 x)' */
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit,
                (int)count, (int)n, 1.0, upper, (int)stride, rows, (int)n);
}

KITH_I_WIDE static void forward_small(const double *upper, uint32_t stride,
                                      double *x)
{
    for (uint32_t j = 0; j < stride; j += 4) {
        const double *u0 = upper + (size_t)j * stride, *u1 = u0 + stride;
        const double *u2 = u1 + stride, *u3 = u2 + stride;
        double y0 = x[j] / u0[j], y1 = (x[j + 1] - u0[j + 1] * y0) / u1[j + 1];
        double y2 = x[j + 2] - u0[j + 2] * y0 - u1[j + 2] * y1;
        y2 /= u2[j + 2];
        double y3 = x[j + 3] - u0[j + 3] * y0 - u1[j + 3] * y1;
        y3 = (y3 - u2[j + 3] * y2) / u3[j + 3];
        x[j] = y0;
        x[j + 1] = y1;
        x[j + 2] = y2;
        x[j + 3] = y3;
        for (uint32_t t = j + 4; t < stride; t += 4)
            *(lanes *)(x + t) -=
                (*(const lanes *)(u0 + t) * y0 +
                 *(const lanes *)(u1 + t) * y1) +
                (*(const lanes *)(u2 + t) * y2 + *(const lanes *)(u3 + t) * y3);
    }
}

void kith_i_forwardsolve(const double *upper, uint32_t n, double *x)
{
    uint32_t stride = kith_i_padded(n);
    if (n > SMALL) {
        cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)n,
                    upper, (int)stride, x, 1);
        return;
    }
    double y[SMALL] = {0};
    memcpy(y, x, n * sizeof *y);
    forward_small(upper, stride, y);
    memcpy(x, y, n * sizeof *y);
}
