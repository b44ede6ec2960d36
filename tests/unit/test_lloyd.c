/* Lloyd on weighted points against a straightforward version, and the
 * corners: empty centres, no weight, no points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

enum { N = 150, D = 7, K = 4, ROOM = N + K * (D + 1) };

static double squared(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < D; i++)
        s += pow(a[i] - b[i], 2);
    return s;
}

/* One round by the book; returns the cost before the move. */
static double naive_round(const double *x, const double *w, double *c)
{
    double sum[K][D] = {{0}}, mass[K] = {0}, cost = 0;
    for (int r = 0; r < N; r++) {
        int best = 0;
        for (int j = 1; j < K; j++)
            if (squared(x + r * D, c + j * D) <
                squared(x + r * D, c + best * D))
                best = j;
        cost += w[r] * squared(x + r * D, c + best * D);
        mass[best] += w[r];
        for (int i = 0; i < D; i++)
            sum[best][i] += w[r] * x[r * D + i];
    }
    for (int j = 0; j < K; j++)
        for (int i = 0; i < D; i++)
            c[j * D + i] = sum[j][i] / mass[j];
    return cost;
}

static void make_points(kith_i_coins *coins, double *x, double *w)
{
    for (int r = 0; r < N; r++) {
        w[r] = r % 10 ? kith_i_coins_unit(coins) : 0;
        for (int i = 0; i < D; i++)
            x[r * D + i] = kith_i_coins_normal(coins) + 3 * (r % K == i);
    }
}

static void test_against_naive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        double x[N * D], w[N], ours[K * D], theirs[K * D];
        double *scratch = naive_scratch_new(ROOM);
        uint32_t labels[N];
        uint32_t rounds = (uint32_t)seed % 6;
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 31, seed);
        make_points(&coins, x, w);
        for (int i = 0; i < K * D; i++)
            ours[i] = theirs[i] = x[D + i] / 2;
        for (uint32_t r = 0; r < rounds; r++)
            naive_round(x, w, theirs);
        kith_i_points points = {x, w, N, D};
        double cost =
            kith_i_lloyd_points(&points, K, rounds, scratch, labels, ours);
        for (int i = 0; i < K * D; i++)
            assert_true(fabs(ours[i] - theirs[i]) < 1e-9);
        for (int r = 0; r < N; r++)
            for (int j = 0; j < K; j++)
                assert_true(squared(x + r * D, ours + labels[r] * D) <=
                            squared(x + r * D, ours + j * D) + 1e-9);
        double want = naive_round(x, w, theirs);
        assert_true(fabs(cost - want) <= 1e-9 * want);
        assert_true(naive_scratch_free(scratch, ROOM));
    }
}

/* Run long: the centres must be a fixed point. */
static void test_converges(void **state)
{
    (void)state;
    double x[N * D], w[N], c[K * D], again[K * D], scratch[ROOM];
    uint32_t labels[N];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 32, 0);
    make_points(&coins, x, w);
    memcpy(c, x, sizeof c);
    kith_i_points points = {x, w, N, D};
    double cost = kith_i_lloyd_points(&points, K, 1000, scratch, labels, c);
    memcpy(again, c, sizeof c);
    double want = naive_round(x, w, again);
    assert_true(fabs(cost - want) <= 1e-9 * want);
    for (int i = 0; i < K * D; i++)
        assert_true(fabs(c[i] - again[i]) < 1e-12);
}

static void test_empty_centers_move(void **state)
{
    (void)state;
    /* Three centres on one spot: the two idle ones must find 10 and 20. */
    const double x[5] = {0, 0.5, 10, 10, 20}, w[5] = {1, 1, 1, 1, 3};
    double c[3] = {0, 0, 0}, scratch[5 + 3 * 2];
    uint32_t labels[5];
    kith_i_points points = {x, w, 5, 1};
    double cost = kith_i_lloyd_points(&points, 3, 50, scratch, labels, c);
    assert_true(fabs(cost - 0.125) < 1e-12);
    assert_true(c[labels[0]] == 0.25 && c[labels[2]] == 10 &&
                c[labels[4]] == 20);
}

/* Two idle centres move in the same round: to different points. */
static void test_idle_centers_part(void **state)
{
    (void)state;
    const double x[3] = {0, 10, 20}, w[3] = {1, 1, 1};
    double c[3] = {0, 0, 0}, scratch[3 + 3 * 2];
    uint32_t labels[3];
    kith_i_points points = {x, w, 3, 1};
    kith_i_lloyd_points(&points, 3, 1, scratch, labels, c);
    assert_true(c[0] == 10 && c[1] == 20 && c[2] == 10);
}

static void test_corners(void **state)
{
    (void)state;
    const double x[3] = {5, 5, 5}, none[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    double c[4] = {1, 2, 3, 4}, scratch[3 + 4 * 2];
    uint32_t labels[3];
    kith_i_points weightless = {x, none, 3, 1}, empty = {x, one, 0, 1};
    assert_true(kith_i_lloyd_points(&weightless, 4, 9, scratch, labels, c) ==
                0);
    assert_true(kith_i_lloyd_points(&empty, 4, 9, scratch, labels, c) == 0);
    for (int j = 0; j < 4; j++)
        assert_true(c[j] == j + 1); /* nothing to move to */
    kith_i_points equal = {x, one, 3, 1};
    assert_true(kith_i_lloyd_points(&equal, 4, 9, scratch, labels, c) == 0);
    assert_true(c[labels[0]] == 5 && isfinite(c[0] + c[1] + c[2] + c[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive), cmocka_unit_test(test_converges),
        cmocka_unit_test(test_empty_centers_move),
        cmocka_unit_test(test_idle_centers_part),
        cmocka_unit_test(test_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
