/* Leading eigenvectors of a symmetric matrix of released values (LAPACK). */
#include "kernel_i.h"

#include <string.h>

/* LAPACK's dsyevr: selected eigenpairs of a real symmetric matrix. */
void dsyevr_(const char *jobz, const char *range, const char *uplo,
             const int *n, double *a, const int *lda, const double *vl,
             const double *vu, const int *il, const int *iu,
             const double *abstol, int *m, double *w, double *z, const int *ldz,
             int *isuppz, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info);

size_t kith_i_eigen_work(uint32_t d)
{
    return (size_t)d * 66 + 64;
}

size_t kith_i_eigen_integers(uint32_t d)
{
    return (size_t)d * 14 + 16;
}

int kith_i_eigen_top(double *matrix, uint32_t d, uint32_t want, double *work,
                     int *integers, double *values, double *vectors)
{
    int n = (int)d, low = (int)(d - want + 1), high = (int)d, found = 0;
    int work_size = (int)(26 * (size_t)d + 64), info = 0;
    int integer_size = (int)(10 * (size_t)d + 16);
    double zero = 0;
    double *w = work, *space = work + d; /* values ascend in w */
    int *support = integers, *integer_space = integers + 2 * (size_t)d;
    int lwork = (int)kith_i_eigen_work(d) - n;
    if (lwork < work_size)
        return -1;
    dsyevr_("V", "I", "U", &n, matrix, &n, &zero, &zero, &low, &high, &zero,
            &found, w, vectors, &n, support, space, &lwork, integer_space,
            &integer_size, &info);
    if (info != 0 || found != (int)want)
        return -1;
    for (uint32_t j = 0; j < want; j++)
        values[j] = w[want - 1 - j];
    for (uint32_t j = 0; j < want / 2; j++) /* largest first */
        for (uint32_t i = 0; i < d; i++) {
            double *a = vectors + (size_t)j * d + i;
            double *b = vectors + (size_t)(want - 1 - j) * d + i;
            double t = *a;
            *a = *b;
            *b = t;
        }
    return 0;
}
