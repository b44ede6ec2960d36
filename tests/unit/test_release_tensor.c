/* Fourth moments: exact sums, values, sensitivity by differences under the same
 * noise, the law of the noise by multiplicity, and what is refused. */
#include <math.h>

#include "base/wide.h"
#include "kernel/aggregate.h"
#include "release/release_gram.h"
#include "release/release_tensor.h"
#include "support/make_data.h"
#include "support/nuclear.h"
#include "support/stat.h"

enum { N = 400, D = 4, SIZE = 35, PAIRS = 10 };

/* ---- the kernel ---- */

static void naive(const int16_t *v, size_t rows, size_t w, int64_t *out)
{
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++)
            for (size_t c = b; c < w; c++)
                for (size_t e = c; e < w; e++) {
                    kith_i_i128 sum = 0;
                    for (size_t r = 0; r < rows; r++) {
                        const int16_t *x = v + r * w;
                        sum += (kith_i_i128)x[a] * x[b] * x[c] * x[e];
                    }
                    *out++ = (int64_t)sum;
                }
}

static void check_kernel(uint32_t w, uint32_t rows, int extreme)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, w + rows, 1);
    size_t size = kith_i_quartic_size(w);
    int16_t *v = malloc((size_t)rows * w * sizeof *v + 1);
    for (size_t i = 0; i < (size_t)rows * w; i++) {
        int16_t x = (int16_t)(kith_i_coins_below(&coins, 2049));
        v[i] = (int16_t)(extreme ? (i % 7 ? 1024 : -1024) : x - 1024);
    }
    double *scratch = malloc(kith_i_quartic_scratch(w) * sizeof *scratch);
    int64_t *got = calloc(size, sizeof *got), *want = malloc(size * 8);
    kith_i_quartic_rows(v, rows, w, scratch, got);
    naive(v, rows, w, want);
    assert_memory_equal(got, want, size * sizeof *got);
    /* it adds, and blocks do not matter */
    kith_i_quartic_rows(v, rows / 3, w, scratch, got);
    kith_i_quartic_rows(v + (size_t)(rows / 3) * w, rows - rows / 3, w, scratch,
                        got);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(got[i], 2 * want[i]);
    free(v);
    free(scratch);
    free(got);
    free(want);
}

static void test_kernel(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 3, 7, 8, 9, 16, 17, 25};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        check_kernel(widths[i], 0, 0);
        check_kernel(widths[i], 300, 0);
        check_kernel(widths[i], 1024, 1);
    }
    check_kernel(64, 20, 0);
    assert_int_equal(kith_i_quartic_size(48), 249900);
    assert_int_equal(kith_i_quartic_size(64), 766480);
}

/* The weights of the distinct entries are those of the whole tensor. */
static void test_weights(void **state)
{
    (void)state;
    uint32_t seen[3][3][3][3] = {0}, w = 3;
    for (uint32_t i = 0; i < 81; i++) {
        uint32_t t[4] = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 3; b++)
                if (t[b] > t[b + 1]) {
                    uint32_t s = t[b];
                    t[b] = t[b + 1];
                    t[b + 1] = s;
                }
        seen[t[0]][t[1]][t[2]][t[3]]++;
    }
    for (uint32_t a = 0; a < w; a++)
        for (uint32_t b = a; b < w; b++)
            for (uint32_t c = b; c < w; c++)
                for (uint32_t e = c; e < w; e++)
                    assert_int_equal(kith_i_quartic_weight(a, b, c, e),
                                     seen[a][b][c][e]);
    assert_int_equal(kith_i_quartic_weight(0, 1, 2, 3), 24);
}

static void test_integers(void **state)
{
    (void)state;
    const int16_t from[] = {0, 15, 16, -15, -16, -17, 16384, -16384, 32767};
    const int16_t want[] = {0, 0, 1, 0, -1, -1, 1024, -1024, 2047};
    int16_t to[9];
    kith_i_truncate_values(from, 9, 4, to);
    assert_memory_equal(to, want, sizeof want);
    int64_t a[2] = {INT64_MAX, -5}, b[2] = {3, 7};
    kith_i_add_wrapping(b, 2, a);
    assert_true(a[0] == INT64_MIN + 2 && a[1] == 2);
}

/* ---- the release ---- */

typedef struct {
    double epsilon, delta;
    kith_neighbors neighbors;
    uint32_t threads, bits;
    uint64_t seed;
} setting;

static kith_i_tensor release(const double *rows, size_t n, uint32_t d,
                             const setting *set, int64_t *out)
{
    kith_bounds bounds = ball(1);
    bounds.unit_rows = 1;
    kith_session *s =
        open_session(load(rows, n, d, bounds), set->epsilon, set->delta,
                     set->neighbors, set->threads, set->seed);
    kith_i_tensor_spec spec = {
        .what = "moments", .bits = set->bits, .charge = kith_i_session_left(s)};
    kith_i_tensor about = {0};
    kith_error err = {0};
    if (kith_i_release_tensor(s, &spec, out, &about, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return about;
}

static void test_values(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 3);
    for (uint32_t bits = 6; bits <= 10; bits += 4) {
        setting set = {4000, 1e-6, KITH_ADD_REMOVE, 2, bits, 1};
        int64_t got[SIZE];
        kith_i_tensor about = release(rows, N, D, &set, got);
        assert_true(about.step == ldexp(1, 14 - (int)bits));
        double want[SIZE] = {0};
        for (size_t r = 0; r < N; r++) {
            double t[D], length = 0;
            for (size_t i = 0; i < D; i++)
                length += rows[r * D + i] * rows[r * D + i];
            for (size_t i = 0; i < D; i++)
                t[i] = trunc(trunc(rows[r * D + i] / sqrt(length) * 16384) /
                             about.step);
            double *to = want;
            for (int a = 0; a < D; a++)
                for (int b = a; b < D; b++)
                    for (int c = b; c < D; c++)
                        for (int e = c; e < D; e++)
                            *to++ += t[a] * t[b] * t[c] * t[e];
        }
        for (int i = 0; i < SIZE; i++) /* 8 sd: 1e-14; a row in the division */
            assert_true(fabs((double)got[i] - want[i]) <=
                        8 * about.sd + 8 * pow(2, 3 * bits));
    }
    free(rows);
}

/* Threads and the order of the rows change nothing. */
static void test_invariance(void **state)
{
    (void)state;
    double *rows = make_rows(3 * N, D, 3, 3), *turned = malloc(3 * N * D * 8);
    for (size_t r = 0; r < 3 * N; r++)
        memcpy(turned + r * D, rows + (3 * N - 1 - r) * D, D * 8);
    for (int pure = 0; pure < 2; pure++) {
        setting set = {1, pure ? 0 : 1e-6, KITH_REPLACE_ONE, 1, 10, 7};
        int64_t a[SIZE], b[SIZE];
        release(rows, 3 * N, D, &set, a);
        set.threads = 3;
        release(turned, 3 * N, D, &set, b);
        assert_memory_equal(a, b, sizeof a);
    }
    free(rows);
    free(turned);
}

/* Frobenius norm of a difference of tensors. */
static double frobenius(const int64_t *a, const int64_t *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = i; j < d; j++)
            for (uint32_t k = j; k < d; k++)
                for (uint32_t l = k; l < d; l++) {
                    double v = (double)(*a++ - *b++);
                    sum += kith_i_quartic_weight(i, j, k, l) * v * v;
                }
    return sqrt(sum);
}

/* Replacement rows that are orthogonal, equal, oblique, zero; huge ones. In
 * units of the noise the change must not exceed the budget. */
static void test_sensitivity(void **state)
{
    (void)state;
    static const double pairs[][2][D] = {
        {{1, 0, 0, 0}, {0, 1, 0, 0}},
        {{1, 1, 1, 1}, {1, -1, 1, -1}},
        {{3, 1, 2, 0}, {3, 1, 2, .1}},
        {{1, 2, 3, 4}, {0, 0, 0, 0}},
        {{1e200, -1e200, 0, 0}, {1e-200, 1e-200, 0, 0}}};
    double mu, nearest[2][2] = {{0}};
    assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
    double *rows = make_rows(N + 1, D, 4, 3),
           *other = make_rows(N + 1, D, 4, 3);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (int mode = 0; mode < 4; mode++) {
            int pure = mode & 1, replace = mode >> 1;
            memcpy(rows + N * D, pairs[p][0], sizeof pairs[p][0]);
            memcpy(other + N * D, pairs[p][1], sizeof pairs[p][1]);
            setting set = {1,
                           pure ? 0 : 1e-6,
                           replace ? KITH_REPLACE_ONE : KITH_ADD_REMOVE,
                           2,
                           10,
                           4};
            int64_t a[SIZE], b[SIZE];
            double sd = release(rows, N + 1, D, &set, a).sd;
            release(other, replace ? N + 1 : N, D, &set, b);
            double change[SIZE], spent = frobenius(a, b, D) / sd / mu;
            for (int i = 0; i < SIZE; i++)
                change[i] = (double)(a[i] - b[i]);
            if (pure) /* sd is sqrt(pairs + 1) scales */
                spent = quartic_nuclear(change, D) / sd * sqrt(PAIRS + 1);
            assert_true(spent <= 1 + 1e-9);
            nearest[pure][replace] = fmax(nearest[pure][replace], spent);
        }
    for (int mode = 0; mode < 4; mode++) /* the bounds are reached */
        assert_true(nearest[mode & 1][mode >> 1] > .99);
    free(rows);
    free(other);
}

/* On no data the release is noise: entries that occur g times have variance
 * sd^2 / g. Gaussian: chi-square sums, false alarm <= 1e-6 each. */
static void test_noise_gaussian(void **state)
{
    (void)state;
    double sum[25] = {0}, none = 0;
    size_t count[25] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting set = {1, 1e-6, KITH_ADD_REMOVE, 1, 10, seed};
        int64_t z[SIZE], *at = z;
        double sd = release(&none, 0, D, &set, z).sd;
        for (uint32_t a = 0; a < D; a++)
            for (uint32_t b = a; b < D; b++)
                for (uint32_t c = b; c < D; c++)
                    for (uint32_t e = c; e < D; e++) {
                        uint32_t g = kith_i_quartic_weight(a, b, c, e);
                        double v = (double)*at++ / sd;
                        sum[g] += g * v * v;
                        count[g]++;
                    }
    }
    static const int weights[] = {1, 4, 6, 12, 24};
    for (int i = 0; i < 5; i++) {
        size_t n = count[weights[i]];
        double x = sum[weights[i]];
        assert_true(n > 0 && x <= chi_square_limit(n));
        assert_true(x >= (double)n - 2 * sqrt((double)n * ALARM));
    }
}

/* Pure, where it is less noise: a Wishart difference has the same variances by
 * class. By the samples' own sd at 6 sd; the law is in
 * spec/test_wishart_difference.c. */
static void test_noise_trace(void **state)
{
    (void)state;
    double sum[25] = {0}, square[25] = {0}, none = 0;
    size_t count[25] = {0};
    assert_true(kith_i_tensor_noise(KITH_ADD_REMOVE, D).by_trace);
    for (uint64_t seed = 0; seed < 1500; seed++) {
        setting set = {1, 0, KITH_ADD_REMOVE, 1, 10, seed};
        int64_t z[SIZE], *at = z;
        double sd = release(&none, 0, D, &set, z).sd;
        for (uint32_t a = 0; a < D; a++)
            for (uint32_t b = a; b < D; b++)
                for (uint32_t c = b; c < D; c++)
                    for (uint32_t e = c; e < D; e++) {
                        uint32_t g = kith_i_quartic_weight(a, b, c, e);
                        double v = (double)*at++ / sd;
                        sum[g] += g * v * v;
                        square[g] += g * v * v * g * v * v;
                        count[g]++;
                    }
    }
    static const int weights[] = {1, 4, 6, 12, 24};
    for (int i = 0; i < 5; i++) {
        int g = weights[i];
        double n = (double)count[g], mean = sum[g] / n;
        double off = sqrt((square[g] / n - mean * mean) / n);
        print_message("occurs %d times: variance %.3f +- %.3f\n", g, mean, off);
        assert_true(fabs(mean - 1) <= 6 * off && off < .1);
    }
}

/* Pure, K-norm (which is less noise in the plane, when rows are replaced): r =
 * |z| / b in isometric coordinates is Gamma(FEW), so its sum over m seeds is
 * Gamma(m FEW); and each class has its part of |z|^2: with x_c its chi-square,
 * x_c / x is Beta. Both by normal limits at 6 sd: 2e-9, and the parts are sums
 * of 400. */
static void test_noise_pure(void **state)
{
    (void)state;
    enum { SEEDS = 400, PLANE = 2, FEW = 5 };
    assert_false(kith_i_tensor_noise(KITH_REPLACE_ONE, PLANE).by_trace);
    double total = 0, part[25] = {0}, none = 0;
    size_t count[25] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        setting set = {1, 0, KITH_REPLACE_ONE, 1, 10, seed};
        int64_t z[FEW], *at = z;
        double b = release(&none, 0, PLANE, &set, z).sd / sqrt(FEW + 1);
        double square = 0, own[25] = {0};
        memset(count, 0, sizeof count);
        for (uint32_t i = 0; i < PLANE; i++)
            for (uint32_t j = i; j < PLANE; j++)
                for (uint32_t k = j; k < PLANE; k++)
                    for (uint32_t l = k; l < PLANE; l++) {
                        uint32_t g = kith_i_quartic_weight(i, j, k, l);
                        double v = (double)*at++ / b;
                        own[g] += g * v * v;
                        square += g * v * v;
                        count[g]++;
                    }
        total += sqrt(square);
        for (int g = 1; g < 25; g++)
            part[g] += own[g] / square / SEEDS;
    }
    double mean = SEEDS * (double)FEW;
    assert_true(fabs(total - mean) <= 6 * sqrt(mean));
    for (int g = 1; g < 25; g++) {
        double p = (double)count[g] / FEW;
        double sd = sqrt(p * (1 - p) / (FEW / 2. + 1) / SEEDS);
        assert_true(fabs(part[g] - p) <= 6 * sd + 1e-12);
    }
}

/* A view is released at the same price: rows in the plane of its axes. */
static void test_view(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 3);
    kith_bounds bounds = ball(1);
    bounds.unit_rows = 1;
    kith_session *s = open_session(load(rows, N, D, bounds), 4000, 1e-6,
                                   KITH_REPLACE_ONE, 2, 1);
    double axes[2 * D] = {1, 0, 0, 0, 0, .6, .8, 0};
    kith_i_tensor_spec spec = {
        .what = "m", .bits = 10, .charge = kith_i_session_left(s)};
    assert_int_equal(kith_i_view_open(s, axes, 2, NULL, 1, &spec.view, NULL),
                     KITH_OK);
    int64_t got[5];
    kith_i_tensor about;
    assert_int_equal(kith_i_release_tensor(s, &spec, got, &about, NULL),
                     KITH_OK);
    double want[5] = {0};
    for (size_t r = 0; r < N; r++) {
        const double *x = rows + r * D;
        double length =
            sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]) / 1024;
        double y = x[0] / length, z = (.6 * x[1] + .8 * x[2]) / length;
        for (int i = 0; i < 5; i++)
            want[i] += pow(y, 4 - i) * pow(z, i);
    }
    for (int i = 0; i < 5; i++) /* truncation: a row changes by 2^-10 or so */
        assert_true(fabs((double)got[i] - want[i]) <=
                    8 * about.sd + N * 8 * 0x1p30);
    kith_session_close(s);
    free(rows);
}

static void test_refused(void **state)
{
    (void)state;
    double *rows = make_rows(3, 65, 1, 1);
    kith_error err = {0};
    kith_i_tensor about;
    int64_t *out = calloc(kith_i_quartic_size(65), sizeof *out);
    for (int wide = 0; wide < 2; wide++) {
        kith_session *s = open_session(load(rows, 3, wide ? 65 : 3, ball(1)), 1,
                                       1e-6, KITH_ADD_REMOVE, 1, 1);
        kith_i_loss left = kith_i_session_left(s);
        for (uint32_t bits = 0; bits <= 11; bits += 11) {
            kith_i_tensor_spec spec = {
                .what = "m", .bits = wide ? 10 : bits, .charge = left};
            assert_int_equal(kith_i_release_tensor(s, &spec, out, &about, &err),
                             KITH_ERR_INTERNAL);
        }
        kith_i_tensor_spec dear = {.what = "m", .bits = 10, .charge = left + 1};
        if (!wide)
            assert_int_equal(kith_i_release_tensor(s, &dear, out, &about, &err),
                             KITH_ERR_BUDGET);
        assert_int_equal(kith_i_session_left(s), left); /* nothing was paid */
        kith_session_close(s);
    }
    free(out);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_noise_gaussian),
        cmocka_unit_test(test_noise_trace),
        cmocka_unit_test(test_noise_pure),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
