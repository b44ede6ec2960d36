/* Dense linear algebra on plain doubles: products, Gram matrices, singular
 * values, positive definite systems, optimal assignment. For released values
 * and for the non-private solvers; never between a record and its noise.
 * Matrices are row-major. BLAS and LAPACK are behind these. */
#ifndef KITH_DENSE_H
#define KITH_DENSE_H

#include <stddef.h>
#include <stdint.h>

/* ---- dense.c ---- */

/* out (m x n) = a b, with a m x p and b p x n; the flipped ones are stored the
 * other way round (a as p x m, b as n x p). KITH_I_ADD: added to out. */
enum {
    KITH_I_FLIP_NONE = 0,
    KITH_I_FLIP_A = 1,
    KITH_I_FLIP_B = 2,
    KITH_I_ADD = 4
};
void kith_i_multiply(int how, uint32_t m, uint32_t n, uint32_t p,
                     const double *a, const double *b, double *out);

/* gram (d x d) += rows' rows, of n x d rows: the lower triangle only, which is
 * the half that kith_i_eigen_top reads. */
void kith_i_gram_add(const double *rows, uint32_t n, uint32_t d, double *gram);

/* a (m x n, destroyed) = u diag(values) v, with s = min(m, n): u m x s, values
 * decreasing, v s x n. Returns 0, or -1 if LAPACK fails. */
typedef struct kith_i_singular {
    double *u, *values, *v;
} kith_i_singular;
size_t kith_i_svd_work(uint32_t m, uint32_t n);
size_t kith_i_svd_integers(uint32_t m, uint32_t n);
int kith_i_svd(double *a, uint32_t m, uint32_t n, double *work, int *integers,
               const kith_i_singular *out);

/* Each of count rows b of right becomes the x with matrix x = b; matrix (n x n,
 * symmetric positive definite) is destroyed. -1: it is not definite. */
int kith_i_definite_solve(double *matrix, uint32_t n, double *right,
                          uint32_t count);

/* ---- matching.c ---- */

/* The permutation with the least sum of cost[i*k + match[i]] (Kuhn, Munkres);
 * returns that sum. Costs are finite. work: 3 (k + 1) doubles; integers:
 * 3 (k + 1). */
double kith_i_match(const double *cost, uint32_t k, double *work,
                    uint32_t *integers, uint32_t *match);

#endif
