/* Linear algebra for draws: thin doors to BLAS and LAPACK. */
#include "linear.h"

#include <cblas.h>

#include "wide_code.h"

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau,
             double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a,
             const int *lda, const double *tau, double *work, const int *lwork,
             int *info);

enum { SMALL = KITH_I_SMALL };

/* out = sum of v_i row_i, over count rows of n numbers. */
KITH_I_WIDE static void combine_small(const double *rows, uint32_t count,
                                      uint32_t stride, uint32_t n,
                                      const double *v, double *restrict out)
{
    uint32_t i = 0;
    for (uint32_t t = 0; t < n; t++)
        out[t] = 0;
    for (; i + 4 <= count; i += 4) {
        const double *a = rows + (size_t)i * stride, *b = a + stride;
        const double *c = b + stride, *d = c + stride;
        double p = v[i], q = v[i + 1], r = v[i + 2], s = v[i + 3];
        for (uint32_t t = 0; t < n; t++)
            out[t] += (p * a[t] + q * b[t]) + (r * c[t] + s * d[t]);
    }
    for (; i < count; i++)
        for (uint32_t t = 0; t < n; t++)
            out[t] += v[i] * rows[(size_t)i * stride + t];
}

static void combine(const double *rows, uint32_t count, uint32_t stride,
                    uint32_t n, const double *v, double *out)
{
    if (n <= SMALL)
        combine_small(rows, count, stride, n, v, out);
    else
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)count, (int)n, 1.0, rows,
                    (int)stride, v, 1, 0.0, out, 1);
}

/* row_i -= v_i p, for count rows of n numbers. */
KITH_I_WIDE static void subtract_small(double *rows, uint32_t count,
                                       uint32_t stride, uint32_t n,
                                       const double *v,
                                       const double *restrict p)
{
    for (uint32_t i = 0; i < count; i++) {
        double *row = rows + (size_t)i * stride, c = v[i];
        for (uint32_t t = 0; t < n; t++)
            row[t] -= c * p[t];
    }
}

static void subtract(double *rows, uint32_t count, uint32_t stride, uint32_t n,
                     const double *v, const double *p)
{
    if (n <= SMALL)
        subtract_small(rows, count, stride, n, v, p);
    else
        cblas_dger(CblasRowMajor, (int)count, (int)n, -1.0, v, 1, p, 1, rows,
                   (int)stride);
}

/* row_i -= v_i p + p_i v, where v_i and p_i are those of the last count
 * coordinates. */
KITH_I_WIDE static void subtract_both(double *rows, uint32_t count, uint32_t n,
                                      const double *restrict v,
                                      const double *restrict p)
{
    uint32_t first = n - count;
    for (uint32_t i = 0; i < count; i++) {
        double *row = rows + (size_t)i * n, c = v[i], e = p[first + i];
        double *block = row + first;
        const double *rest = p + first;
        for (uint32_t t = 0; t < first; t++)
            row[t] -= c * p[t];
        for (uint32_t t = 0; t < count; t++)
            block[t] -= c * rest[t] + e * v[t];
    }
}

KITH_I_WIDE static double square_rows(const double *a, uint32_t stride,
                                      uint32_t n)
{
    lanes even = {0}, odd = {0};
    double rest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double *row = a + (size_t)i * stride;
        uint32_t j = 0;
        for (; j + 8 <= n; j += 8) {
            lanes x = *(const lanes *)(row + j);
            lanes y = *(const lanes *)(row + j + 4);
            even += x * x;
            odd += y * y;
        }
        for (; j < n; j++)
            rest += row[j] * row[j];
    }
    even += odd;
    return rest + (even[0] + even[1]) + (even[2] + even[3]);
}

double kith_i_squares(const double *a, uint32_t stride, uint32_t n)
{
    return square_rows(a, stride, n);
}

void kith_i_congruence(const double *basis, const double *a, uint32_t n,
                       double *scratch, double *out)
{
    int d = (int)n;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, d, d, d, 1.0, basis,
                d, a, d, 0.0, scratch, d);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, d, d, d, 1.0, scratch,
                d, basis, d, 0.0, out, d);
}

void kith_i_symmetric_apply(const double *a, uint32_t stride, uint32_t n,
                            const double *x, double *out)
{
    combine(a, n, stride, n, x, out);
}

void kith_i_reflect_rows(double *rows, uint32_t m, uint32_t d, const double *v,
                         double scale, double *scratch)
{
    combine(rows, m, d, d, v, scratch);
    for (uint32_t i = 0; i < d; i++)
        scratch[i] *= scale;
    subtract(rows, m, d, d, v, scratch);
}

/* H w H = w - v p' - p v' with p = scale w v - (scale^2 v'w v / 2) v, where v
 * is zero outside of the last m coordinates. */
void kith_i_reflect_both(double *w, uint32_t n, uint32_t m, const double *v,
                         double scale, double *scratch)
{
    uint32_t first = n - m;
    double *p = scratch, inner = 0, *block = w + (size_t)first * n;
    combine(block, m, n, n, v, p);
    for (uint32_t i = 0; i < n; i++)
        p[i] *= scale;
    for (uint32_t i = 0; i < m; i++)
        inner += v[i] * p[first + i];
    for (uint32_t i = 0; i < m; i++)
        p[first + i] -= scale / 2 * inner * v[i];
    subtract_both(block, m, n, v, p);
    subtract(w + first, first, n, m, p, v);
}

int kith_i_basis_complete(double *rows, uint32_t q, uint32_t d, double *scratch)
{
    int m = (int)d, n = (int)q, info = 0, lwork = (int)(64 * (size_t)d);
    double *tau = scratch, *work = scratch + d;
    dgeqrf_(&m, &n, rows, &m, tau, work, &lwork, &info);
    if (!info)
        dorgqr_(&m, &m, &n, rows, &m, tau, work, &lwork, &info);
    return info ? -1 : 0;
}
