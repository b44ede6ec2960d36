/* The door to OpenBLAS for products of rows and centres, and its threads. */
#include "kernel_i.h"

#include <cblas.h>

void kith_i_dot_products(const double *centers, uint32_t k, const double *rows,
                         uint32_t n, uint32_t d, double *out)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, (int)n, (int)d,
                1.0, centers, (int)d, rows, (int)d, 0.0, out, (int)n);
}

int kith_i_blas_single(void)
{
    int saved = openblas_get_num_threads();
    kith_i_blas_restore(1);
    return saved;
}

void kith_i_blas_restore(int saved)
{
    if (openblas_get_num_threads() != saved) /* it may start threads */
        openblas_set_num_threads(saved);
}
