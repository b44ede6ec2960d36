/* Linear algebra for draws on the sphere and on planes: Cholesky factors,
 * triangular solves, congruences, reflections. Plain doubles, row-major. */
#ifndef KITH_LINEAR_H
#define KITH_LINEAR_H

#include <stddef.h>
#include <stdint.h>

/* Up to this size loops of our own, from there on BLAS and LAPACK. */
enum { KITH_I_SMALL = 96 };

/* ---- triangle.c ---- */

/* Rows of the matrices below start this many numbers apart. */
static inline uint32_t kith_i_padded(uint32_t n)
{
    return (n + 3) / 4 * 4;
}

/* a = U'U: the upper triangle of a (n x n), from the upper triangle, in place;
 * what is below is scratch. Room for kith_i_padded(n) rows. -1 when a is not
 * positive definite. */
int kith_i_cholesky(double *a, uint32_t n);

/* Each of count rows x (n numbers) becomes U^-1 x; upper: as kith_i_cholesky
 * left it. */
void kith_i_backsolve(const double *upper, uint32_t n, double *rows,
                      uint32_t count);
/* x becomes U'^-1 x. */
void kith_i_forwardsolve(const double *upper, uint32_t n, double *x);

/* ---- linear.c ---- */

/* out = basis a basis', both n x n, a symmetric; scratch n x n. */
void kith_i_congruence(const double *basis, const double *a, uint32_t n,
                       double *scratch, double *out);

/* out = a x for a symmetric n x n block whose rows are `stride` apart. */
void kith_i_symmetric_apply(const double *a, uint32_t stride, uint32_t n,
                            const double *x, double *out);

/* The sum of the squares of a block's entries. */
double kith_i_squares(const double *a, uint32_t stride, uint32_t n);

/* The reflection H = I - scale v v' of the last m coordinates. m rows of d:
 * rows = H rows. scratch: d. */
void kith_i_reflect_rows(double *rows, uint32_t m, uint32_t d, const double *v,
                         double scale, double *scratch);
/* w (n x n, symmetric) = H w H. scratch: 2n. */
void kith_i_reflect_both(double *w, uint32_t n, uint32_t m, const double *v,
                         double scale, double *scratch);

/* rows (d x d): the first q are orthonormal and stay, up to signs; the others
 * become a basis of the rest. scratch: 66 d doubles. -1 if LAPACK fails. */
int kith_i_basis_complete(double *rows, uint32_t q, uint32_t d,
                          double *scratch);

/* ---- labelled.c: inner loops of the Gibbs sampler ---- */

/* Rows are padded with zeros to a multiple of this many doubles. */
enum { KITH_I_LANES = 4, KITH_I_LABEL_ROWS = 256 };

/* out[j*n + r] = axes_j . rows_r: count axes of d numbers, n rows that are
 * `stride` apart. */
void kith_i_project_rows(const double *axes, uint32_t count, uint32_t d,
                         const double *rows, uint32_t stride, uint32_t n,
                         double *out);

/* Row r has score s_l = sum_j dots[(l*q + j)*n + r]^2 for label l of k. Writes
 * scores[l * KITH_I_LABEL_ROWS + r]; n <= KITH_I_LABEL_ROWS. */
void kith_i_label_scores(const double *dots, uint32_t k, uint32_t q, uint32_t n,
                         double *scores);

/* Draw label[r] with probability proportional to exp(score): coins[r] is a
 * uniform 32-bit number. Where 32 bits do not decide, label[r] is k and the
 * caller asks kith_i_label_finish with more. scores are destroyed: they become
 * cumulated weights. */
void kith_i_label_draw(double *scores, uint32_t k, const uint32_t *coins,
                       uint32_t n, uint32_t *label);
uint32_t kith_i_label_finish(const double *weights, uint32_t k, uint32_t row,
                             uint32_t coin, double more);

/* Move rows between scatter matrices: sums (k x d x stride, lower triangles)
 * lose x x' in from[r] and gain it in to[r] wherever the two differ; a label
 * >= k stands for none. */
typedef struct kith_i_strided {
    const double *x; /* n rows of d numbers, stride apart */
    uint32_t n, d, stride;
} kith_i_strided;
void kith_i_label_move(const kith_i_strided *rows, const uint32_t *from,
                       const uint32_t *to, uint32_t k, double *sums);

#endif
