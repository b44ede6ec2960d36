/* How much of noisy means is believed (auto/believe.c), on means whose truth is
 * known: all of it without noise, next to nothing of noise alone, and where the
 * truth is a linear function of the places far more than feature by feature.
 * Seeded. */
#include "auto/stages.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = 60, D = 50, Q = 4 };

typedef struct {
    double truth[K * D], means[K * D], noise[K], size[K], places[K * Q];
} bed;

/* slope: of the linear function; rest: of what is not. */
static void make(bed *b, double slope, double rest, double noise)
{
    kith_i_coins coins;
    double axes[Q * D];
    kith_i_coins_seed(&coins, 9, 1);
    for (int i = 0; i < Q * D; i++)
        axes[i] = kith_i_coins_normal(&coins);
    for (int i = 0; i < K * Q; i++)
        b->places[i] = kith_i_coins_normal(&coins);
    for (int j = 0; j < K; j++) {
        b->size[j] = 100 + 50 * kith_i_coins_unit(&coins);
        b->noise[j] = noise * 100 / b->size[j];
        for (int i = 0; i < D; i++) {
            double v = 3 + rest * kith_i_coins_normal(&coins);
            for (int a = 0; a < Q; a++)
                v += slope * b->places[j * Q + a] * axes[a * D + i];
            b->truth[j * D + i] = v;
            b->means[j * D + i] = v + b->noise[j] * kith_i_coins_normal(&coins);
        }
    }
}

/* Mean squared error of a coordinate after believing. */
static double error_of(bed *b)
{
    auto_run run = {.d = D, .frame.q = Q};
    double sum = 0;
    kith_i_auto_believe(&run, K, b->noise, b->places, b->means);
    assert_int_equal(run.status, KITH_OK);
    kith_i_pool_drop(&run.pool, 0);
    for (int i = 0; i < K * D; i++)
        sum += pow(b->means[i] - b->truth[i], 2) / (K * D);
    return sum;
}

static void test_exact(void **state)
{
    (void)state;
    static bed b;
    make(&b, 1, 1, 1e-6);
    assert_true(error_of(&b) < 1e-11);
}

static void test_noise(void **state)
{
    (void)state;
    static bed b;
    make(&b, 0, 0, 1);
    assert_true(error_of(&b) < .1); /* 1 / K for the mean of all */
}

/* The fit has Q + 1 numbers for each feature instead of K. The best estimate of
 * one feature by itself would have the error 2 / (2 + 1) * .6. */
static void test_linear(void **state)
{
    (void)state;
    static bed b;
    make(&b, .7, 0, 1);
    assert_true(error_of(&b) < .2);
}

/* Signal of the same variance as the noise, without any order: half of it. */
static void test_rest(void **state)
{
    (void)state;
    static bed b;
    make(&b, 0, 1, 1);
    assert_true(error_of(&b) < .55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_linear), cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
