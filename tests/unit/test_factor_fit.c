/* Planes from fourth moments: gradient against finite differences, value
 * against the tensor written out, recovery; and L-BFGS by itself. */
#include <math.h>

#include "kernel/lbfgs.h"
#include "subspace/subspace_auto_i.h"
#include "support/cmocka_all.h"

/* ---- L-BFGS ---- */

static double rosenbrock(void *arg, const double *x, double *g)
{
    size_t n = *(size_t *)arg;
    double value = 0;
    memset(g, 0, n * sizeof *g);
    for (size_t i = 0; i + 1 < n; i++) {
        double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
        value += 100 * u * u + v * v;
        g[i] += -400 * u * x[i] - 2 * v;
        g[i + 1] += 200 * u;
    }
    return value;
}

static double flat(void *arg, const double *x, double *g)
{
    (void)arg, (void)x;
    g[0] = 0;
    return 3;
}

static void test_lbfgs(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 20; n += 6) {
        double x[20], *scratch = malloc(kith_i_lbfgs_scratch(n) * 8);
        for (size_t i = 0; i < n; i++)
            x[i] = i % 2 ? 1 : -1.2;
        double start = rosenbrock(&n, x, scratch), before = start;
        for (uint32_t t = 1; t <= 400; t *= 2) { /* more steps, less value */
            double y[20];
            memcpy(y, x, sizeof y);
            double value = kith_i_lbfgs(rosenbrock, &n, n, t, 0, y, scratch);
            double own[20];
            assert_true(value == rosenbrock(&n, y, own));
            assert_true(value <= before);
            before = value;
        }
        double value = kith_i_lbfgs(rosenbrock, &n, n, 1000, 0, x, scratch);
        assert_true(value < 1e-12 || (n > 2 && fabs(value - 3.99) < .1));
        free(scratch);
    }
    double x = 5, scratch[64];
    assert_true(kith_i_lbfgs(flat, NULL, 1, 10, 0, &x, scratch) == 3);
    assert_true(x == 5);
}

/* ---- the objective ---- */

static size_t pair_at(size_t i, size_t j, size_t w)
{
    size_t a = i < j ? i : j, b = i < j ? j : i;
    return a * w - a * (a + 1) / 2 + b;
}

/* 3 Sym(S (x) S) added to the matrix on pairs, all indices written out. */
static void add_moments(double *matrix, size_t w, const double *s)
{
    size_t pairs = w * (w + 1) / 2;
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++)
            for (size_t c = 0; c < w; c++)
                for (size_t e = c; e < w; e++) {
                    double v = s[a * w + b] * s[c * w + e] +
                               s[a * w + c] * s[b * w + e] +
                               s[a * w + e] * s[b * w + c];
                    v *= (a == b ? 1 : sqrt(2)) * (c == e ? 1 : sqrt(2));
                    matrix[pair_at(a, b, w) * pairs + pair_at(c, e, w)] += v;
                }
}

static void second_moments(const double *b, size_t q, size_t w, double *s)
{
    for (size_t i = 0; i < w; i++)
        for (size_t j = 0; j < w; j++) {
            s[i * w + j] = 0;
            for (size_t t = 0; t < q; t++)
                s[i * w + j] += b[t * w + i] * b[t * w + j];
        }
}

/* |T - sum_l 3 Sym(S_l (x) S_l)|^2 - |T|^2. The matrix on pairs keeps the inner
 * product of tensors: its weights count (a,b) and (b,a). */
static double naive_value(const kith_i_factor *f, const double *b)
{
    size_t w = f->r, pairs = w * (w + 1) / 2;
    double *model = calloc(pairs * pairs, 8), *s = malloc(w * w * 8), sum = 0;
    for (size_t l = 0; l < f->k; l++) {
        second_moments(b + l * f->q * w, f->q, w, s);
        add_moments(model, w, s);
    }
    for (size_t i = 0; i < pairs * pairs; i++)
        sum += model[i] * model[i] - 2 * model[i] * f->tensor[i];
    free(model);
    free(s);
    return sum;
}

static double *random_symmetric(size_t w, kith_i_coins *coins)
{
    size_t pairs = w * (w + 1) / 2;
    double *matrix = calloc(pairs * pairs, 8), *s = malloc(w * w * 8);
    for (int t = 0; t < 6; t++) { /* a symmetric tensor, not of the model */
        double b[64];
        for (size_t i = 0; i < w; i++)
            b[i] = kith_i_coins_normal(coins);
        second_moments(b, 1, w, s);
        for (size_t i = 0; i < w * w; i++)
            s[i] *= t % 2 ? .3 : .2;
        add_moments(matrix, w, s);
        for (size_t i = 0; t == 1 && i < pairs * pairs; i++)
            matrix[i] = -matrix[i];
    }
    free(s);
    return matrix;
}

static void test_gradient(void **state)
{
    (void)state;
    static const uint32_t shapes[][3] = {
        {1, 1, 2}, {3, 2, 5}, {2, 3, 4}, {4, 1, 7}};
    for (size_t t = 0; t < 4; t++) {
        kith_i_factor f = {shapes[t][0], shapes[t][1], shapes[t][2], NULL};
        kith_i_coins coins;
        kith_i_coins_seed(&coins, t, 1);
        f.tensor = random_symmetric(f.r, &coins);
        size_t n = (size_t)f.k * f.q * f.r;
        double *scratch = malloc(kith_i_factor_scratch(&f) * 8);
        double b[64], g[64], other[64];
        for (size_t i = 0; i < n; i++)
            b[i] = .5 * kith_i_coins_normal(&coins);
        double value = kith_i_factor_value(&f, b, scratch, g);
        double want = naive_value(&f, b);
        assert_true(fabs(value - want) <= 1e-9 * (1 + fabs(want)));
        for (size_t i = 0; i < n; i++) {
            double at = b[i], h = 1e-5;
            b[i] = at + h;
            double up = kith_i_factor_value(&f, b, scratch, other);
            b[i] = at - h;
            double down = kith_i_factor_value(&f, b, scratch, other);
            b[i] = at;
            double slope = (up - down) / (2 * h);
            assert_true(fabs(slope - g[i]) <= 1e-6 * (1 + fabs(slope)));
        }
        free(scratch);
        free((void *)(uintptr_t)f.tensor);
    }
}

/* Planes are found again from their own moments, in some order. */
static void test_recovery(void **state)
{
    (void)state;
    enum { K = 3, Q = 2, R = 6, SIZE = Q * R };
    for (uint64_t seed = 0; seed < 5; seed++) {
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 2);
        double truth[K * SIZE], s[R * R];
        double *matrix = calloc(21 * 21, 8);
        for (int l = 0; l < K; l++) {
            kith_i_plane_random(truth + l * SIZE, Q, R, &coins);
            double b[SIZE]; /* uneven weights, not isotropic */
            for (int i = 0; i < SIZE; i++)
                b[i] = truth[l * SIZE + i] * (.5 - .1 * l) * (i < R ? 1 : .7);
            second_moments(b, Q, R, s);
            add_moments(matrix, R, s);
        }
        double one[K * SIZE], found[K * SIZE];
        kith_i_factor f = {K, Q, R, matrix};
        kith_i_coins same = coins;
        kith_error err = {0};
        assert_int_equal(kith_i_factor_fit(&f, 20, 2, &coins, found, &err),
                         KITH_OK);
        assert_int_equal(kith_i_factor_fit(&f, 20, 1, &same, one, &err),
                         KITH_OK);
        assert_memory_equal(one, found, sizeof one); /* threads: same bits */
        for (int l = 0; l < K; l++) {
            double best = 0;
            for (int m = 0; m < K; m++) {
                double dot = 0; /* |U V'|^2 = Q for equal planes */
                for (int i = 0; i < Q; i++)
                    for (int j = 0; j < Q; j++) {
                        double c = 0;
                        for (int t = 0; t < R; t++)
                            c += truth[l * SIZE + i * R + t] *
                                 found[m * SIZE + j * R + t];
                        dot += c * c;
                    }
                best = fmax(best, dot);
            }
            assert_true(best > Q - 1e-4);
        }
        free(matrix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lbfgs),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
