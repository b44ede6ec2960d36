/* A small fixed computation with real-valued numbers: whoever rounds otherwise
 * gets another digest. */
#include "fingerprint.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mix.h"
#include "kernel_i.h"
#include "lbfgs.h"

enum { N = 48, ROWS = 37, TOP = 5, STEPS = 20 };

/* Of no special form: products of these round. */
static void fill(double *x, size_t count, uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 0);
    for (size_t i = 0; i < count; i++)
        x[i] = kith_i_coins_normal(&coins);
}

/* Rosenbrock's valley: each step depends on the last bits of those before. */
static double valley(void *arg, const double *x, double *gradient)
{
    (void)arg;
    double value = 0;
    memset(gradient, 0, N * sizeof *gradient);
    for (int i = 0; i + 1 < N; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        gradient[i] -= 400 * a * x[i] + 2 * b;
        gradient[i + 1] += 200 * a;
    }
    return value;
}

static uint64_t mix_reals(uint64_t h, const double *x, size_t count)
{
    return kith_i_mix_bytes(h, x, count * sizeof *x);
}

static uint64_t mix_library(uint64_t h)
{
    for (int i = 1; i < 64; i++) {
        double x = i * .173;
        double y[] = {exp(-x),     log(x),    pow(x, 1.37), sin(x),
                      erfc(x / 4), lgamma(x), cbrt(x),      exp2(x)};
        h = mix_reals(h, y, sizeof y / sizeof *y);
    }
    return h;
}

static char fingerprint[192];

static void take(void)
{
    double a[N * N], rows[ROWS * N], products[N * ROWS], values[TOP],
        vectors[TOP * N], work[8192];
    int integers[1024];
    fill(a, N * N, 1);
    fill(rows, ROWS * N, 2);
    int saved = kith_i_blas_single();
    kith_i_dot_products(a, N, rows, ROWS, N, products);
    uint64_t h = mix_reals(0, products, N * ROWS);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            a[j * N + i] = a[i * N + j];
    int failed = kith_i_eigen_top(a, N, TOP, work, integers, values, vectors);
    h = kith_i_mix(h, (uint64_t)(int64_t)failed);
    h = mix_reals(mix_reals(h, values, TOP), vectors, TOP * N);
    kith_i_blas_restore(saved);
    fill(a, N, 3);
    kith_i_lbfgs(valley, NULL, N, STEPS, 0, a, work);
    h = mix_library(mix_reals(h, a, N));
    snprintf(fingerprint, sizeof fingerprint,
             "%s, kernel %s, arithmetic %016" PRIx64, openblas_get_config(),
             openblas_get_corename(), h);
}

const char *kith_i_fingerprint(void)
{
    /* once: OpenBLAS writes its configuration into one buffer */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take);
    return fingerprint;
}
