/* The door to OpenBLAS and LAPACK for dense matrices of doubles. LAPACK is
 * column-major: a row-major matrix is the transpose of what it sees. */
#include "dense.h"

#include <cblas.h>

void dgesdd_(const char *jobz, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt,
             const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a,
            const int *lda, double *b, const int *ldb, int *info);

void kith_i_multiply(int how, uint32_t m, uint32_t n, uint32_t p,
                     const double *a, const double *b, double *out)
{
    int fa = how & KITH_I_FLIP_A, fb = how & KITH_I_FLIP_B;
    double keep = how & KITH_I_ADD ? 1 : 0;
    if (m == 0 || n == 0)
        return;
    cblas_dgemm(CblasRowMajor, fa ? CblasTrans : CblasNoTrans,
                fb ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)p, 1.0, a,
                (int)(fa ? m : p), b, (int)(fb ? p : n), keep, out, (int)n);
}

void kith_i_gram_add(const double *rows, uint32_t n, uint32_t d, double *gram)
{
    if (n > 0)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)d, (int)n, 1.0,
                    rows, (int)d, 1.0, gram, (int)d);
}

size_t kith_i_svd_work(uint32_t m, uint32_t n)
{
    /* LAPACK asks for 4 s^2 + 7 s of the shorter side and the longer one. */
    size_t s = m < n ? m : n, l = m < n ? n : m;
    return 4 * s * s + 7 * s + 64 * (s + l) + 64;
}

size_t kith_i_svd_integers(uint32_t m, uint32_t n)
{
    return 8 * (size_t)(m < n ? m : n);
}

int kith_i_svd(double *a, uint32_t m, uint32_t n, double *work, int *integers,
               const kith_i_singular *out)
{
    /* LAPACK sees the n x m transpose v' diag u': its left vectors are the
     * rows of v, its right ones the columns of u. */
    int rows = (int)n, columns = (int)m, s = (int)(m < n ? m : n), info = 0;
    int lwork = (int)kith_i_svd_work(m, n);
    if (s == 0)
        return 0;
    dgesdd_("S", &rows, &columns, a, &rows, out->values, out->v, &rows, out->u,
            &s, work, &lwork, integers, &info);
    return info ? -1 : 0;
}

int kith_i_definite_solve(double *matrix, uint32_t n, double *right,
                          uint32_t count)
{
    int size = (int)n, sides = (int)count, info = 0;
    dposv_("U", &size, &sides, matrix, &size, right, &size, &info);
    return info ? -1 : 0;
}
