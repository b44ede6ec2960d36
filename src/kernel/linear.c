/* Linear algebra for draws: thin doors to BLAS and LAPACK. */
#include "linear.h"

#include <cblas.h>
#include <math.h>

#include "wide_code.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau,
             double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a,
             const int *lda, const double *tau, double *work, const int *lwork,
             int *info);

/* Below this size plain loops beat the packing of a BLAS. */
enum { SMALL = 96 };

/* Row j of the factor: minus what rows from..j-1 of it hold, then scaled. */
KITH_I_WIDE static int finish_row(double *a, uint32_t n, uint32_t from,
                                  uint32_t j)
{
    double *row = a + (size_t)j * n;
    for (uint32_t i = from; i < j; i++) {
        const double *above = a + (size_t)i * n;
        double c = above[j];
        for (uint32_t t = j; t < n; t++)
            row[t] -= c * above[t];
    }
    if (!(row[j] > 0))
        return -1;
    double scale = 1 / sqrt(row[j]);
    for (uint32_t t = j; t < n; t++)
        row[t] *= scale;
    return 0;
}

/* Four rows at a time, so that what is below is loaded and stored once. */
KITH_I_WIDE static int cholesky_small(double *a, uint32_t n)
{
    for (uint32_t j = 0; j < n; j += 4) {
        uint32_t end = j + 4 < n ? j + 4 : n;
        for (uint32_t i = j; i < end; i++)
            if (finish_row(a, n, j, i))
                return -1;
        const double *p = a + (size_t)j * n, *q = p + n, *r = q + n, *s = r + n;
        for (uint32_t i = end; i < n; i++) {
            double *to = a + (size_t)i * n;
            double c = p[i], d = q[i], e = r[i], f = s[i];
            for (uint32_t t = i; t < n; t++)
                to[t] -= (c * p[t] + d * q[t]) + (e * r[t] + f * s[t]);
        }
    }
    for (uint32_t i = 1; i < n; i++) /* the mirror image, for backsolve */
        for (uint32_t j = 0; j < i; j++)
            a[(size_t)i * n + j] = a[(size_t)j * n + i];
    return 0;
}

int kith_i_cholesky(double *a, uint32_t n)
{
    if (n <= SMALL)
        return cholesky_small(a, n);
    int size = (int)n, info = 0; /* row-major upper is column-major lower */
    dpotrf_("L", &size, a, &size, &info);
    return info == 0 ? 0 : -1;
}

KITH_I_WIDE static void backsolve_small(const double *factor, uint32_t n,
                                        double *x)
{
    for (uint32_t i = n; i-- > 0;) {
        const double *row = factor + (size_t)i * n;
        double c = x[i] / row[i];
        x[i] = c;
        for (uint32_t t = 0; t < i; t++)
            x[t] -= c * row[t];
    }
}

void kith_i_backsolve(const double *upper, uint32_t n, double *rows,
                      uint32_t count)
{
    if (n <= SMALL)
        for (uint32_t r = 0; r < count; r++)
            backsolve_small(upper, n, rows + (size_t)r * n);
    else if (count == 1)
        cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit,
                    (int)n, upper, (int)n, rows, 1);
    else /* X U'^-1 has the rows (U^-1 x)' */
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasTrans,
                    CblasNonUnit, (int)count, (int)n, 1.0, upper, (int)n, rows,
                    (int)n);
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
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1.0, a,
                (int)stride, x, 1, 0.0, out, 1);
}

void kith_i_reflect_rows(double *rows, uint32_t m, uint32_t d, const double *v,
                         double scale, double *scratch)
{
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)m, (int)d, 1.0, rows, (int)d, v,
                1, 0.0, scratch, 1);
    cblas_dger(CblasRowMajor, (int)m, (int)d, -scale, v, 1, scratch, 1, rows,
               (int)d);
}

/* H w H = w - v p' - p v' with p = scale w v - (scale^2 v'w v / 2) v, where v
 * is zero outside of the last m coordinates. */
void kith_i_reflect_both(double *w, uint32_t n, uint32_t m, const double *v,
                         double scale, double *scratch)
{
    uint32_t first = n - m;
    double *p = scratch, inner = 0;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)m, scale, w + first,
                (int)n, v, 1, 0.0, p, 1);
    for (uint32_t i = 0; i < m; i++)
        inner += v[i] * p[first + i];
    for (uint32_t i = 0; i < m; i++)
        p[first + i] -= scale / 2 * inner * v[i];
    /* columns of the block in all rows, then rows of the block */
    cblas_dger(CblasRowMajor, (int)n, (int)m, -1.0, p, 1, v, 1, w + first,
               (int)n);
    cblas_dger(CblasRowMajor, (int)m, (int)n, -1.0, v, 1, p, 1,
               w + (size_t)first * n, (int)n);
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
