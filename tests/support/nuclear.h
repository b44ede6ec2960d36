/* Nuclear norms of small symmetric matrices: what a Wishart difference is paid
 * by. The largest loss that any output can show is the nuclear norm of the
 * change, over b. */
#ifndef KITH_TEST_NUCLEAR_H
#define KITH_TEST_NUCLEAR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Sum of the absolute eigenvalues, by Jacobi's rotations; destroys a. */
static inline double nuclear_norm(double *a, size_t n)
{
    double rest = HUGE_VAL, size = 0;
    for (size_t i = 0; i < n * n; i++)
        size += a[i] * a[i];
    for (int sweep = 0; sweep < 60 && rest > 1e-26 * size; sweep++) {
        rest = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double off = a[p * n + q];
                rest += off * off;
                if (off == 0)
                    continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * off);
                double t = (theta >= 0 ? 1 : -1) /
                           (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
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
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(a[i * n + i]);
    return sum;
}

/* Distinct entries (a <= b <= c <= e) of a symmetric tensor in R^w as a matrix
 * on pairs, off-diagonal pairs weighted by sqrt 2: its nuclear norm. */
static inline double quartic_nuclear(const double *distinct, size_t w)
{
    size_t pairs = w * (w + 1) / 2, next = 0;
    size_t *at = calloc(w * w, sizeof *at);
    double *m = calloc(pairs * pairs, sizeof *m);
    for (size_t i = 0; i < w; i++)
        for (size_t j = i; j < w; j++)
            at[i * w + j] = at[j * w + i] = next++;
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++)
            for (size_t c = b; c < w; c++)
                for (size_t e = c; e < w; e++) {
                    double v = *distinct++;
                    size_t i[4] = {a, b, c, e};
                    for (size_t s = 1; s < 4; s++) { /* a's partner */
                        size_t r = s == 1 ? 2 : 1, t = s == 3 ? 2 : 3;
                        size_t x = at[i[0] * w + i[s]], y = at[i[r] * w + i[t]];
                        double weight = (i[0] == i[s] ? 1 : sqrt(2)) *
                                        (i[r] == i[t] ? 1 : sqrt(2));
                        m[x * pairs + y] = m[y * pairs + x] = weight * v;
                    }
                }
    double norm = nuclear_norm(m, pairs);
    free(at);
    free(m);
    return norm;
}

#endif
