/* Taking centres away from a solution (cluster/kith_i_auto_solve.c) against
 * trying every one of them each time. Deterministic. */
#include "cluster/auto_i.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

enum { POINTS = 60, MOST = 20, Q = 3, ROUNDS = 30 };

static double cost_without(const auto_coreset *c, uint32_t k,
                           const double *centers, uint32_t out)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < k; j++) {
            double square = 0;
            for (uint32_t a = 0; a < Q; a++)
                square += pow(c->points[i * Q + a] - centers[j * Q + a], 2);
            best = j == out ? best : fmin(best, square);
        }
        sum += c->weight[i] * best;
    }
    return sum;
}

static void naive_thin(const auto_coreset *c, uint32_t k, uint32_t fewer,
                       double *centers)
{
    for (; k > fewer; k--) {
        uint32_t out = 0;
        for (uint32_t j = 1; j < k; j++)
            if (cost_without(c, k, centers, j) <
                cost_without(c, k, centers, out))
                out = j;
        memmove(centers + out * Q, centers + (k - 1) * Q, Q * sizeof *centers);
    }
    double scratch[POINTS + MOST * (Q + 1)];
    uint32_t labels[POINTS];
    kith_i_points points = {c->points, c->weight, c->n, Q};
    (void)kith_i_lloyd_points(&points, fewer, ROUNDS, scratch, labels, centers);
}

static void test_thin(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    for (int round = 0; round < 50; round++) {
        auto_coreset c;
        double mine[MOST * Q], other[MOST * Q];
        assert_int_equal(kith_i_auto_coreset_new(&c, POINTS, Q, NULL), KITH_OK);
        for (uint32_t i = 0; i < POINTS * Q; i++)
            c.points[i] = kith_i_coins_normal(&coins);
        for (uint32_t i = 0; i < POINTS; i++)
            c.weight[i] = .1 + kith_i_coins_unit(&coins);
        for (uint32_t i = 0; i < MOST * Q; i++)
            mine[i] = other[i] = kith_i_coins_normal(&coins);
        uint32_t fewer = 1 + (uint32_t)round % (MOST - 1);
        assert_int_equal(kith_i_auto_thin(&c, MOST, fewer, mine, NULL),
                         KITH_OK);
        naive_thin(&c, MOST, fewer, other);
        for (uint32_t i = 0; i < fewer * Q; i++)
            assert_true(fabs(mine[i] - other[i]) < 1e-9);
        kith_i_auto_coreset_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
