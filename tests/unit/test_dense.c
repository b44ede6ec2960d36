/* Dense kernels against loops, and the assignment against all permutations. */
#include <math.h>

#include "base/base_i.h"
#include "kernel/dense.h"
#include "support/cmocka_all.h"

static double *draw(size_t count, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 1);
    double *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = kith_i_coins_normal(&coins);
    return x;
}

static void test_multiply(void **state)
{
    (void)state;
    enum { M = 7, N = 5, P = 9 };
    for (int how = 0; how < 8; how++) {
        double *a = draw(M * P, 1), *b = draw(P * N, 2), *out = draw(M * N, 3);
        double want[M * N];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = how & KITH_I_ADD ? out[i * N + j] : 0;
                for (int t = 0; t < P; t++)
                    sum += (how & KITH_I_FLIP_A ? a[t * M + i] : a[i * P + t]) *
                           (how & KITH_I_FLIP_B ? b[j * P + t] : b[t * N + j]);
                want[i * N + j] = sum;
            }
        kith_i_multiply(how, M, N, P, a, b, out);
        for (int i = 0; i < M * N; i++)
            assert_true(fabs(out[i] - want[i]) < 1e-12);
        free(a);
        free(b);
        free(out);
    }
}

static void test_gram(void **state)
{
    (void)state;
    enum { N = 11, D = 4 };
    double *x = draw(N * D, 4), gram[D * D];
    for (int i = 0; i < D * D; i++)
        gram[i] = i;
    kith_i_gram_add(x, 0, D, gram);
    kith_i_gram_add(x, N, D, gram);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            double sum = i * D + j;
            for (int r = 0; r < N && j <= i; r++)
                sum += x[r * D + i] * x[r * D + j];
            assert_true(fabs(gram[i * D + j] - sum) < 1e-12);
        }
    free(x);
}

static void check_svd(uint32_t m, uint32_t n)
{
    uint32_t s = m < n ? m : n;
    double *a = draw((size_t)m * n, m + 100 * n),
           *copy = draw((size_t)m * n, 0);
    double *u = malloc(m * s * sizeof *u), *v = malloc(s * n * sizeof *v);
    double *values = malloc(s * sizeof *values);
    double *work = malloc(kith_i_svd_work(m, n) * sizeof *work);
    int *integers = malloc(kith_i_svd_integers(m, n) * sizeof *integers);
    memcpy(copy, a, (size_t)m * n * sizeof *a);
    assert_int_equal(kith_i_svd(copy, m, n, work, integers,
                                &(kith_i_singular){u, values, v}),
                     0);
    for (uint32_t t = 0; t + 1 < s; t++)
        assert_true(values[t] >= values[t + 1] && values[t + 1] >= 0);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint32_t t = 0; t < s; t++)
                sum += u[i * s + t] * values[t] * v[t * n + j];
            assert_true(fabs(sum - a[i * n + j]) < 1e-11);
        }
    for (uint32_t i = 0; i < s; i++)
        for (uint32_t j = 0; j < s; j++) {
            double left = 0, right = 0;
            for (uint32_t t = 0; t < m; t++)
                left += u[t * s + i] * u[t * s + j];
            for (uint32_t t = 0; t < n; t++)
                right += v[i * n + t] * v[j * n + t];
            assert_true(fabs(left - (i == j)) < 1e-12);
            assert_true(fabs(right - (i == j)) < 1e-12);
        }
    free(a);
    free(copy);
    free(u);
    free(v);
    free(values);
    free(work);
    free(integers);
}

static void test_svd(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{1, 1},  {1, 6},  {6, 1},  {7, 7},
                                         {40, 3}, {3, 40}, {90, 80}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_svd(shapes[i][0], shapes[i][1]);
}

static void test_definite_solve(void **state)
{
    (void)state;
    enum { N = 6, M = 3 };
    double *x = draw(N * N, 5), *b = draw(M * N, 6), a[N * N], copy[N * N];
    double solved[M * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i * N + j] = i == j;
            for (int t = 0; t < N; t++)
                a[i * N + j] += x[i * N + t] * x[j * N + t];
        }
    memcpy(copy, a, sizeof a);
    memcpy(solved, b, sizeof solved);
    assert_int_equal(kith_i_definite_solve(copy, N, solved, M), 0);
    for (int r = 0; r < M; r++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += a[i * N + j] * solved[r * N + j];
            assert_true(fabs(sum - b[r * N + i]) < 1e-11);
        }
    a[0] = -1;
    assert_int_equal(kith_i_definite_solve(a, N, solved, M), -1);
    free(x);
    free(b);
}

static double try_all(const double *cost, uint32_t k, uint32_t row,
                      unsigned used)
{
    double best = row == k ? 0 : HUGE_VAL;
    for (uint32_t j = 0; row < k && j < k; j++)
        if (!(used >> j & 1))
            best = fmin(best, cost[row * k + j] +
                                  try_all(cost, k, row + 1, used | 1u << j));
    return best;
}

static void test_match(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 7; k++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            double *cost = draw(k * k, seed + 50 * k), work[3 * 8];
            uint32_t integers[3 * 8], match[8], seen = 0;
            for (uint32_t i = 0; seed % 2 && i < k * k; i++)
                cost[i] = round(cost[i]); /* ties */
            double sum = kith_i_match(cost, k, work, integers, match), ours = 0;
            for (uint32_t i = 0; i < k; i++) {
                assert_in_range(match[i], 0, k - 1);
                seen |= 1u << match[i];
                ours += cost[i * k + match[i]];
            }
            assert_int_equal(seen, (1u << k) - 1);
            assert_true(fabs(sum - ours) < 1e-12);
            assert_true(fabs(sum - try_all(cost, k, 0, 0)) < 1e-12);
            free(cost);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiply), cmocka_unit_test(test_gram),
        cmocka_unit_test(test_svd), cmocka_unit_test(test_definite_solve),
        cmocka_unit_test(test_match)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
