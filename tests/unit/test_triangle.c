/* Cholesky factors and triangular systems against their definitions, in sizes
 * on both sides of every block and of where LAPACK takes over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "kernel/linear.h"
#include "support/cmocka_all.h"

enum { MOST = 132 };

static double a[MOST * MOST], u[MOST * MOST], x[MOST], y[MOST];

/* Definite, rows kith_i_padded(n) apart; what is below is rubbish. */
static void fill(uint32_t n, kith_i_coins *coins)
{
    uint32_t apart = kith_i_padded(n);
    static double g[MOST * MOST];
    for (uint32_t i = 0; i < n * n; i++)
        g[i] = kith_i_coins_normal(coins);
    for (uint32_t i = 0; i < apart * apart; i++)
        a[i] = (double)NAN;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++) {
            double sum = i == j;
            for (uint32_t t = 0; t < n; t++)
                sum += g[i * n + t] * g[j * n + t] / n;
            a[i * apart + j] = sum;
        }
    for (uint32_t i = 0; i < n; i++)
        x[i] = kith_i_coins_normal(coins);
}

static void check(uint32_t n, kith_i_coins *coins)
{
    uint32_t apart = kith_i_padded(n);
    fill(n, coins);
    memcpy(u, a, sizeof u);
    assert_int_equal(kith_i_cholesky(u, n), 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++) {
            double sum = 0;
            for (uint32_t t = 0; t <= i; t++)
                sum += u[t * apart + i] * u[t * apart + j];
            assert_true(fabs(sum - a[i * apart + j]) < 1e-12);
        }
    memcpy(y, x, sizeof y);
    kith_i_backsolve(u, n, y, 1);
    for (uint32_t i = 0; i < n; i++) {
        double sum = -x[i];
        for (uint32_t t = i; t < n; t++)
            sum += u[i * apart + t] * y[t];
        assert_true(fabs(sum) < 1e-11);
    }
    memcpy(y, x, sizeof y);
    kith_i_forwardsolve(u, n, y);
    for (uint32_t i = 0; i < n; i++) {
        double sum = -x[i];
        for (uint32_t t = 0; t <= i; t++)
            sum += u[t * apart + i] * y[t];
        assert_true(fabs(sum) < 1e-11);
    }
    for (uint32_t at = 0; at < n; at++) { /* one bad pivot, wherever it is */
        memcpy(u, a, sizeof u);
        u[at * apart + at] = -1;
        assert_int_equal(kith_i_cholesky(u, n), -1);
    }
}

static void test_factors(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  11,  12,
                              13, 16, 20, 42, 50, 95, 96, 97, 100, 131};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check(sizes[i], &coins);
}

/* Several right-hand sides are solved one by one. */
static void test_many_rows(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    for (uint32_t n = 10; n <= 110; n += 100) {
        double many[3 * 110], one[110];
        fill(n, &coins);
        memcpy(u, a, sizeof u);
        assert_int_equal(kith_i_cholesky(u, n), 0);
        for (uint32_t i = 0; i < 3 * n; i++)
            many[i] = kith_i_coins_normal(&coins);
        for (uint32_t r = 0; r < 3; r++) {
            double all[3 * 110];
            memcpy(all, many, 3 * n * sizeof *all);
            memcpy(one, many + r * n, n * sizeof *one);
            kith_i_backsolve(u, n, one, 1);
            kith_i_backsolve(u, n, all, 3);
            for (uint32_t i = 0; i < n; i++)
                assert_true(fabs(all[r * n + i] - one[i]) < 1e-11);
        }
    }
}

/* H w H and H rows with H = I - scale v v' on the last m coordinates. */
static void test_reflections(void **state)
{
    (void)state;
    enum { N = 11 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (uint32_t m = 1; m <= N; m++) {
        double w[N * N], h[N * N], part[N * N], want[N * N] = {0}, v[N];
        double rows[N * N], scratch[2 * N], square = 0;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j <= i; j++)
                w[i * N + j] = w[j * N + i] = kith_i_coins_normal(&coins);
        for (uint32_t i = 0; i < m; i++) {
            v[i] = kith_i_coins_normal(&coins);
            square += v[i] * v[i];
        }
        for (uint32_t i = 0; i < N * N; i++) {
            uint32_t r = i / N, c = i % N, first = N - m;
            h[i] = r == c;
            if (r >= first && c >= first)
                h[i] -= 2 / square * v[r - first] * v[c - first];
        }
        kith_i_congruence(h, w, N, part, want);
        memcpy(rows, w, sizeof rows);
        kith_i_reflect_rows(rows + (N - m) * N, m, N, v, 2 / square, scratch);
        kith_i_reflect_both(w, N, m, v, 2 / square, scratch);
        for (uint32_t i = 0; i < N * N; i++) {
            assert_true(fabs(w[i] - want[i]) < 1e-12);
            assert_true(fabs(rows[i] - part[i]) < 1e-12); /* h w */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_reflections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
