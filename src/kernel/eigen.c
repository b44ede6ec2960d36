/* Leading eigenvectors of a symmetric matrix of released values: LAPACK. Where
 * only some are wanted its dsyevr spends a third of the time on their values,
 * one after the other, by bisection; here they are found side by side. Large
 * ones take seconds, so the caller is asked meanwhile whether to stop. */
#include "kernel_i.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "wide_code.h"

/* Eigenpairs of a symmetric matrix. */
void dsyevr_(const char *jobz, const char *range, const char *uplo,
             const int *n, double *a, const int *lda, const double *vl,
             const double *vu, const int *il, const int *iu,
             const double *abstol, int *m, double *w, double *z, const int *ldz,
             int *isuppz, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info);
/* Symmetric to tridiagonal; values and vectors of that; and back. */
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda,
             double *d, double *e, double *tau, double *work, const int *lwork,
             int *info);
/* Parts of dsytrd: some columns; the rest of the matrix; what is left. */
void dlatrd_(const char *uplo, const int *n, const int *nb, double *a,
             const int *lda, double *e, double *tau, double *w, const int *ldw);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k,
             const double *alpha, const double *a, const int *lda,
             const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc);
void dsytd2_(const char *uplo, const int *n, double *a, const int *lda,
             double *d, double *e, double *tau, int *info);
void dstebz_(const char *range, const char *order, const int *n,
             const double *vl, const double *vu, const int *il, const int *iu,
             const double *abstol, const double *d, const double *e, int *m,
             int *nsplit, double *w, int *iblock, int *isplit, double *work,
             int *iwork, int *info);
void dstein_(const int *n, const double *d, const double *e, const int *m,
             const double *w, const int *iblock, const int *isplit, double *z,
             const int *ldz, double *work, int *iwork, int *ifail, int *info);
void dormtr_(const char *side, const char *uplo, const char *trans,
             const int *m, const int *n, const double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work,
             const int *lwork, int *info);

enum {
    ABREAST = 16,       /* values that are looked for side by side */
    MOST_HALVINGS = 80, /* of an interval: more than doubles can tell apart */
    BLOCK = 60,         /* columns of LAPACK's work space */
    PANEL = 32,         /* columns that dsytrd takes at a time */
    LARGE = 512         /* rows from which on it takes long */
};

typedef int64_t masks __attribute__((vector_size(32), may_alias, aligned(8)));

size_t kith_i_eigen_work(uint32_t d)
{
    return (size_t)d * (BLOCK + 3) + 64;
}

size_t kith_i_eigen_integers(uint32_t d)
{
    return (size_t)d * 14 + 16;
}

/* below[t] = how many eigenvalues are less than x[t]: the signs of the pivots
 * of T - x. square[i]: of the entry beside d[i] and d[i - 1]. */
KITH_I_WIDE static void count_below(const double *d, const double *square,
                                    size_t n, double least, const double *x,
                                    int64_t *below)
{
    enum { VECTORS = ABREAST / 4 };
    lanes pivot[VECTORS], at[VECTORS];
    masks count[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        at[v] = *(const lanes *)(x + 4 * v);
        pivot[v] = (lanes){1, 1, 1, 1};
        count[v] = (masks){0};
    }
    for (size_t i = 0; i < n; i++)
        for (int v = 0; v < VECTORS; v++) {
            lanes p = (d[i] - at[v]) - square[i] / pivot[v];
            masks tiny = (p < least) & (p > -least);
            masks bits =
                ((masks)p & ~tiny) |
                ((masks)(lanes){-least, -least, -least, -least} & tiny);
            pivot[v] = (lanes)bits;
            count[v] -= pivot[v] < 0;
        }
    for (int v = 0; v < VECTORS; v++)
        *(masks *)(below + 4 * v) = count[v];
}

/* The `want` largest eigenvalues of a tridiagonal matrix, ascending, each
 * within a few units in the last place of the largest. square: n. */
static void largest_values(const double *d, const double *e, size_t n,
                           size_t want, double *square, double *values)
{
    double low = d[0], high = d[0], most = 1;
    square[0] = 0;
    for (size_t i = 0; i < n; i++) { /* Gershgorin */
        double before = i > 0 ? fabs(e[i - 1]) : 0;
        double beside = before + (i + 1 < n ? fabs(e[i]) : 0);
        square[i] = before * before;
        most = fmax(most, square[i]);
        low = fmin(low, d[i] - beside);
        high = fmax(high, d[i] + beside);
    }
    double least = DBL_MIN * most;
    double margin = 4 * DBL_EPSILON * (double)n * fmax(fabs(low), fabs(high));
    low -= margin + least;
    high += margin + least;
    for (size_t from = 0; from < want; from += ABREAST) {
        double a[ABREAST], b[ABREAST], x[ABREAST];
        int64_t below[ABREAST];
        for (size_t t = 0; t < ABREAST; t++) {
            a[t] = low;
            b[t] = high;
        }
        for (int round = 0; round < MOST_HALVINGS; round++) {
            int open = 0;
            for (size_t t = 0; t < ABREAST; t++) {
                x[t] = a[t] + (b[t] - a[t]) / 2;
                open |= x[t] > a[t] && x[t] < b[t];
            }
            if (!open)
                break;
            count_below(d, square, n, least, x, below);
            for (size_t t = 0; t < ABREAST; t++) {
                int64_t rank = (int64_t)(n - want + from + t);
                *(below[t] > rank ? &b[t] : &a[t]) = x[t];
            }
        }
        for (size_t t = 0; t < ABREAST && from + t < want; t++)
            values[from + t] = b[t];
    }
}

/* Does the matrix fall apart, by LAPACK's measure? Its parts then have vectors
 * of their own. */
static int falls_apart(const double *d, const double *e, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (fabs(d[i] * d[i + 1]) * DBL_EPSILON * DBL_EPSILON + DBL_MIN >=
            e[i] * e[i])
            return 1;
    return 0;
}

/* Largest first. */
static void sort_pairs(size_t want, size_t d, double *values, double *vectors)
{
    for (size_t j = 0; j < want; j++) {
        size_t most = j;
        for (size_t t = j + 1; t < want; t++)
            most = values[t] > values[most] ? t : most;
        double value = values[j];
        values[j] = values[most];
        values[most] = value;
        for (size_t i = 0; most != j && i < d; i++) {
            double t = vectors[j * d + i];
            vectors[j * d + i] = vectors[most * d + i];
            vectors[most * d + i] = t;
        }
    }
}

static int all_pairs(double *matrix, int n, double *work, int *integers,
                     double *values, double *vectors)
{
    int low = 1, found = 0, info = 0, integer_size = 10 * n + 16;
    int work_size = n * BLOCK + 64;
    double zero = 0;
    dsyevr_("V", "I", "U", &n, matrix, &n, &zero, &zero, &low, &n, &zero,
            &found, values, vectors, &n, integers, work, &work_size,
            integers + 2 * (size_t)n, &integer_size, &info);
    return info != 0 || found != n ? -1 : 0;
}

typedef struct {
    const double *diagonal, *beside;
    int n;
} tridiagonal;

/* Of T: values and vectors. space: n * BLOCK + 64, integers: n * 6. */
static int some_of_tridiagonal(const tridiagonal *t, int want, double *space,
                               int *integers, double *values, double *vectors)
{
    const double *d = t->diagonal, *e = t->beside;
    int n = t->n;
    int low = n - want + 1, found = want, parts = 1, info = 0;
    int *block = integers, *ends = block + n, *more = ends + n;
    int *failed = more + 3 * (size_t)n;
    double zero = 0;
    if (falls_apart(d, e, (size_t)n)) {
        dstebz_("I", "B", &n, &zero, &zero, &low, &n, &zero, d, e, &found,
                &parts, space, block, ends, space + n, more, &info);
        if (info != 0 || found != want)
            return -1;
        memcpy(values, space, (size_t)want * sizeof *values);
    } else {
        largest_values(d, e, (size_t)n, (size_t)want, space, values);
        for (int i = 0; i < want; i++)
            block[i] = 1;
        ends[0] = n;
    }
    dstein_(&n, d, e, &want, values, block, ends, vectors, &n, space, more,
            failed, &info);
    return info < 0 ? -1 : 0; /* above 0: some are the last of five tries */
}

/* dsytrd's own steps for the upper triangle, bit for bit, with a look at the
 * caller between them: -1 when it shall stop. */
static int reduce(double *a, int n, double *d, double *e, double *tau,
                  double *space)
{
    int space_size = n * BLOCK + 64, info = 0, panel = PANEL, end = n;
    double minus = -1, one = 1;
    if (n < LARGE) {
        dsytrd_("U", &n, a, &n, d, e, tau, space, &space_size, &info);
        return info;
    }
    for (; end > PANEL; end -= PANEL) {
        int first = end - PANEL;
        if (kith_i_stop_wanted())
            return -1;
        dlatrd_("U", &end, &panel, a, &n, e, tau, space, &n);
        dsyr2k_("U", "N", &first, &panel, &minus, a + (size_t)first * (size_t)n,
                &n, space, &n, &one, a, &n);
        for (int j = first; j < end; j++) {
            a[(size_t)j * (size_t)n + (size_t)j - 1] = e[j - 1];
            d[j] = a[(size_t)j * (size_t)n + (size_t)j];
        }
    }
    dsytd2_("U", &end, a, &n, d, e, tau, &info);
    return info;
}

int kith_i_eigen_top(double *matrix, uint32_t d, uint32_t want, double *work,
                     int *integers, double *values, double *vectors)
{
    int n = (int)d, m = (int)want, info = 0, failed = 0;
    int space_size = n * BLOCK + 64;
    double *diagonal = work, *beside = work + d, *tau = work + 2 * (size_t)d;
    double *space = work + 3 * (size_t)d;
    if (want == d) {
        failed = all_pairs(matrix, n, work, integers, values, vectors);
    } else {
        info = reduce(matrix, n, diagonal, beside, tau, space);
        tridiagonal t = {diagonal, beside, n};
        failed = info != 0 ||
                 some_of_tridiagonal(&t, m, space, integers, values, vectors);
        if (!failed)
            dormtr_("L", "U", "N", &n, &m, matrix, &n, tau, vectors, &n, space,
                    &space_size, &info);
    }
    if (failed || info != 0)
        return -1;
    sort_pairs(want, d, values, vectors);
    return 0;
}

kith_status kith_i_eigen_alone(double *matrix, uint32_t d, uint32_t want,
                               double *values, double *vectors, kith_error *err)
{
    double *work = kith_i_alloc(kith_i_eigen_work(d), sizeof *work);
    int *integers = kith_i_alloc(kith_i_eigen_integers(d), sizeof *integers);
    kith_status status = work && integers ? KITH_OK : kith_i_fail_memory(err);
    int saved = kith_i_blas_single();
    if (!status &&
        kith_i_eigen_top(matrix, d, want, work, integers, values, vectors))
        status =
            kith_i_fail(err, KITH_ERR_INTERNAL, "LAPACK found no eigenvectors");
    kith_i_blas_restore(saved);
    kith_i_free(work);
    kith_i_free(integers);
    return status;
}
