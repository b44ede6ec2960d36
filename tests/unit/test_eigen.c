/* The largest eigenvalues and their vectors, against Jacobi's rotations:
 * random matrices, and those that bisection or inverse iteration might stumble
 * over (equal values, parts, zero, rank one, one row, any sign and size). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel_i.h"

enum { MOST = 70 };

static void rotate(double *a, size_t n, size_t p, size_t q)
{
    if (a[p * n + q] == 0)
        return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1), s = t * c;
    for (size_t i = 0; i < n; i++) {
        double x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
    for (size_t i = 0; i < n; i++) {
        double x = a[p * n + i], y = a[q * n + i];
        a[p * n + i] = c * x - s * y;
        a[q * n + i] = s * x + c * y;
    }
}

static int descending(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return (a < b) - (a > b);
}

static void jacobi(const double *matrix, size_t n, double *values)
{
    static double a[MOST * MOST];
    memcpy(a, matrix, n * n * sizeof *a);
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                rotate(a, n, p, q);
    for (size_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    qsort(values, n, sizeof *values, descending);
}

static void check(const double *matrix, uint32_t n, uint32_t want)
{
    static double copy[MOST * MOST], vectors[MOST * MOST];
    double truth[MOST], values[MOST], norm = 0, room;
    double *work = calloc(kith_i_eigen_work(n), sizeof *work);
    int *integers = calloc(kith_i_eigen_integers(n), sizeof *integers);
    memcpy(copy, matrix, (size_t)n * n * sizeof *copy);
    jacobi(matrix, n, truth);
    for (size_t i = 0; i < (size_t)n * n; i++)
        norm = fmax(norm, fabs(matrix[i]));
    room = 1e-13 * n * norm + 1e-300;
    assert_int_equal(
        kith_i_eigen_top(copy, n, want, work, integers, values, vectors), 0);
    for (uint32_t j = 0; j < want; j++) {
        const double *v = vectors + (size_t)j * n;
        assert_true(fabs(values[j] - truth[j]) <= room);
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;
            for (uint32_t t = 0; t < n; t++)
                sum += matrix[(size_t)i * n + t] * v[t];
            assert_true(fabs(sum - values[j] * v[i]) <= room);
        }
        for (uint32_t l = 0; l <= j; l++) {
            double dot = 0;
            for (uint32_t t = 0; t < n; t++)
                dot += v[t] * vectors[(size_t)l * n + t];
            assert_true(fabs(dot - (l == j)) <= 1e-12);
        }
    }
    free(work);
    free(integers);
}

enum {
    RANDOM,
    RANK_ONE,
    ZERO,
    IDENTITY,
    PARTS,
    LARGE,
    NEGATIVE,
    STEEP,
    TRIDIAGONAL,
    KINDS
};

static double entry(int kind, uint32_t i, uint32_t j, uint32_t n,
                    const double *x)
{
    double r = x[i] * x[n + j] + x[j] * x[n + i] + x[2 * n + (i + j) % n];
    switch (kind) {
    case RANK_ONE:
        return x[i] * x[j];
    case ZERO:
        return 0;
    case IDENTITY:
        return i == j;
    case PARTS: /* two of them, and some rows of zeros */
        return i % 2 == j % 2 && i % 5 && j % 5 ? r : 0;
    case LARGE:
        return r * 0x1p80;
    case NEGATIVE:
        return r - (i == j) * 100;
    case STEEP:
        return x[i] * x[j] * exp2(-(double)(i + j));
    case TRIDIAGONAL: /* Wilkinson's: pairs of values that are almost equal */
        return i == j ? fabs(i - (n - 1) / 2.0) : i == j + 1 || j == i + 1;
    default:
        return r;
    }
}

static void test_against_jacobi(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 5, 16, 21, 33, MOST};
    static double matrix[MOST * MOST];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 8, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            uint32_t n = sizes[s];
            double x[3 * MOST];
            for (uint32_t i = 0; i < 3 * n; i++)
                x[i] = kith_i_coins_normal(&coins);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++)
                    matrix[(size_t)i * n + j] = entry(kind, i, j, n, x);
            check(matrix, n, n);
            check(matrix, n, (n + 1) / 2);
            check(matrix, n, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_jacobi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
