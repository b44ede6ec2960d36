/* kernel: arithmetic without policy. No allocation, no I/O, no globals, no
 * coins it was not handed. BLAS and LAPACK are called in this layer only.
 *
 * Two kinds live here. Record-local kernels (assign, accumulate, outer) work
 * on quantised rows with exact integers, or with BLAS on integer-valued
 * doubles whose every partial sum is below 2^53 (assign also on floats, where
 * their errors cannot decide): their results do not depend on order, block
 * edges or threads (R2). Kernels on released points (seeding, lloyd) use plain
 * doubles. */
#ifndef KITH_KERNEL_I_H
#define KITH_KERNEL_I_H

#include <stddef.h>
#include <stdint.h>

#include "base/base_i.h"
#include "base/block.h"

/* ---- assign.c: nearest centre ------------------------------------------- */

/* k integer-valued centres on the data's lattice. Built by the caller:
 * coords[j*d + i] when dense, coords[i*k + j] (transposed) when sparse, and
 * squares[j] = |c_j|^2, all exact integers in double. */
typedef struct kith_i_centers {
    uint32_t k, d;
    int sparse;
    double *coords;
    double *squares;
} kith_i_centers;

/* Round k x d real centres (lattice units, |c| within the domain) to lattice
 * points and fill the two arrays of *out (coords: k*d, squares: k doubles). */
void kith_i_centers_set(kith_i_centers *out, const double *real);

/* Doubles of scratch that one call needs. */
size_t kith_i_assign_scratch(uint32_t block_rows, uint32_t k, uint32_t d,
                             int sparse);

/* labels[r] = the j with the smallest |x_r - c_j|^2, the lowest j on ties,
 * compared exactly. If score is not NULL, score[r] = min_j |c_j|^2 - 2 x.c_j
 * (add |x|^2 for the squared distance), also exact. */
void kith_i_assign_block(const kith_i_centers *centers,
                         const kith_i_block *block, double *scratch,
                         uint32_t *labels, double *score);

/* All of them: scores[r*k + j] = |c_j|^2 - 2 x_r.c_j, exact. Same scratch. */
void kith_i_score_block(const kith_i_centers *centers,
                        const kith_i_block *block, double *scratch,
                        double *scores);

/* ---- pull.c: the part of a record in a step of k-median ---- */

typedef struct kith_i_pull {
    const kith_i_centers *centers; /* sparse like the rows */
    double tau;     /* distances below it count as this much; > 0       */
    double unit;    /* scale of the unit vectors,                       */
    double inverse; /* and of tau / distance; both at most 2^30         */
    /* Sparse rows: values are made of some features only, so that they take a
     * time in proportion to these and to the row's entries. */
    const uint32_t *slot; /* of each feature: its place, or width       */
    const double *part;   /* k x width: the centres in these features   */
    uint32_t width;       /* how many                                   */
} kith_i_pull;

size_t kith_i_pull_scratch(uint32_t k, uint32_t d, int sparse);

/* cell[r] = the nearest centre c of x, and with m = max(|x - c|, tau) value[r]
 * = trunc(unit (x - c) / m), d numbers (or width, of a sparse row), and
 * trunc(inverse tau / m). value may be NULL. */
void kith_i_pull_block(const kith_i_pull *pull, const kith_i_block *block,
                       double *scratch, uint32_t *cell, int32_t *value);

/* |x|^2 of a row, exact. */
double kith_i_row_square(const kith_i_block *block, uint32_t row);

/* ---- project.c: linear maps of rows, exactly ---- */

/* y_j = trunc((x - offset) . axis_j * 2^-shift), q integer-valued axes with
 * |axis_j| <= 2^24: with |x| < 2^26 every sum stays below 2^51. Filled by
 * kith_i_projection_set; arrays are the caller's (axes: q*d, offsets: q). */
typedef struct kith_i_projection {
    uint32_t q, d;
    int sparse;
    int shift;
    double *axes;    /* q x d when dense, d x q when sparse */
    double *offsets; /* offset . axis_j */
} kith_i_projection;

/* axes: q x d real rows of length <= about 1, offset: d lattice units or NULL.
 * finer_log2: lattice steps of y per step of x, as a power of two. */
void kith_i_projection_set(kith_i_projection *out, const double *axes,
                           const double *offset, int finer_log2);
size_t kith_i_project_scratch(uint32_t block_rows, uint32_t q, uint32_t d,
                              int sparse);
/* rows: block->rows x q. */
void kith_i_project_block(const kith_i_projection *p, const kith_i_block *block,
                          double *scratch, int16_t *rows);

/* ---- blas.c -------------------------------------------------------------- */

/* out[j*n + r] = centers_j . rows_r (k x d by n x d, row-major). Exact on
 * integers whose sums stay below 2^53 (floats: 2^24); ordinary rounding, which
 * may depend on n, otherwise. */
void kith_i_dot_singles(const float *centers, uint32_t k, const float *rows,
                        uint32_t n, uint32_t d, float *out);
/* Does this host multiply floats with all of their bits, and round to the
 * nearest? Its BLAS may have been told to use fewer (bf16, TF32): 4097 has 13,
 * and 4097 x 4095 = 2^24 - 1 as many as there are. */
int kith_i_singles_hold(void);
void kith_i_dot_products(const double *centers, uint32_t k, const double *rows,
                         uint32_t n, uint32_t d, double *out);

/* Keep OpenBLAS to one thread while our own workers call it: returns the old
 * setting for _restore. */
int kith_i_blas_single(void);
void kith_i_blas_restore(int saved);

/* Get the memory that OpenBLAS will want when so many of our workers call it at
 * once, while a failure can still be told: OpenBLAS itself would try for ever.
 * KITH_ERR_MEMORY. Before anything is charged. */
kith_status kith_i_blas_reserve(uint32_t workers, kith_error *err);

/* ---- accumulate.c: integers only, compiled without vector or FP registers */

/* sums[cell*d + i] += q_i and counts[cell] += 1 for every row whose cell is
 * below cells; other rows are left out. sums or counts may be NULL. */
void kith_i_accumulate_rows(const kith_i_block *block, const uint32_t *cell,
                            uint32_t cells, int64_t *sums, int64_t *counts);

/* ---- outer.c: Gram matrices ---------------------------------------------- */

/* gram[i*w + j] += sum_r v_r[i] v_r[j] for j <= i (lower triangle), exactly:
 * rows of w int16 values, BLAS on integer-valued doubles per block.
 * scratch: rows*w + w*w doubles. */
void kith_i_gram_rows(const int16_t *values, uint32_t rows, uint32_t w,
                      double *scratch, int64_t *gram);

/* The same for |values| <= KITH_I_SMALL_VALUE, in single precision: 256 rows of
 * products of at most 2^16 stay within 2^24, so nothing rounds. */
#define KITH_I_SMALL_VALUE 256u
#define KITH_I_SMALL_ROWS  256u
size_t kith_i_gram_small_scratch(uint32_t rows, uint32_t w); /* doubles */
void kith_i_gram_small(const int16_t *values, uint32_t rows, uint32_t w,
                       double *scratch, int64_t *gram);

/* ---- a row and a point of the lattice: residual.c -------------------------
 * |x| < 2^15, |o| < 2^17. */

/* Sum of (x - o)^2, and of |x - o|. */
uint64_t kith_i_residual_square(const int16_t *x, const int32_t *o, size_t w);
uint64_t kith_i_residual_taxicab(const int16_t *x, const int32_t *o, size_t w);
/* out = x - o, or (x - o) / 2^halvings: toward zero if it is halved once, else
 * to the nearest, halves away from zero. */
void kith_i_residual(const int16_t *x, const int32_t *o, size_t w,
                     int32_t *out);
void kith_i_residual_coarse(const int16_t *x, const int32_t *o, size_t w,
                            int halvings, int32_t *out);

/* ---- released points: seeding.c, lloyd.c --------------------------------- */

/* n weighted points of dimension d, row-major; weights >= 0. */
typedef struct kith_i_points {
    const double *coords;
    const double *weights;
    uint32_t n, d;
} kith_i_points;

/* The part of a noisy vector to believe, its squared length known and that of
 * its noise expected (positive-part James-Stein). */
static inline double kith_i_shrink(double square, double noise)
{
    return square > noise ? 1 - noise / square : 0;
}

double kith_i_distance_squared(const double *a, const double *b, size_t d);
/* The same of n points from c, bit for bit. */
void kith_i_distances_squared(const double *points, size_t n, size_t d,
                              const double *c, double *out);
/* The first of the k centres that is nearest to x, and how near. */
uint32_t kith_i_nearest(const double *x, const double *centers, uint32_t k,
                        size_t d, double *square);

/* How many draws greedy k-means++ compares in each step, and how many words it
 * takes from the coins in all. */
uint32_t kith_i_seed_candidates(uint32_t k);
uint64_t kith_i_seed_words(uint32_t n, uint32_t k);

/* Greedy k-means++ (2 + floor(ln k) candidates a step): fills k x d centers.
 * scratch: n * (3 + floor(ln k)) doubles. With fewer than k distinct points
 * some are repeated. */
void kith_i_seed_points(const kith_i_points *points, uint32_t k,
                        kith_i_coins *coins, double *scratch, double *centers);

/* Lloyd until nothing moves or max_rounds; an empty centre moves to the point
 * that costs most. Returns the weighted cost. scratch: n + k*(d+1) doubles;
 * labels: n. */
double kith_i_lloyd_points(const kith_i_points *points, uint32_t k,
                           uint32_t max_rounds, double *scratch,
                           uint32_t *labels, double *centers);

/* ---- eigen.c: released matrices ------------------------------------------ */

/* The `want` largest eigenvalues of a symmetric d x d matrix (destroyed), in
 * decreasing order, and their eigenvectors as rows of vectors (want x d).
 * Returns 0, or -1 if LAPACK fails. work and integers: as many as asked. */
size_t kith_i_eigen_work(uint32_t d);
size_t kith_i_eigen_integers(uint32_t d);
int kith_i_eigen_top(double *matrix, uint32_t d, uint32_t want, double *work,
                     int *integers, double *values, double *vectors);
/* The same with memory of its own, the same bits for any number of threads. */
kith_status kith_i_eigen_alone(double *matrix, uint32_t d, uint32_t want,
                               double *values, double *vectors,
                               kith_error *err);

#endif
