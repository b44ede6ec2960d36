/* Greedy k-means++ over a dataset: the law of the first two centres on a tiny
 * example, against enumeration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/fold.h"
#include "plain/plain_i.h"

enum { N = 4, RUNS = 200000 };
static const double line[N] = {0, 1, 3, -7};

static double gap(int a, int b)
{
    return (line[a] - line[b]) * (line[a] - line[b]);
}

static double cost_of_pair(int a, int b)
{
    double cost = 0;
    for (int i = 0; i < N; i++)
        cost += fmin(gap(i, a), gap(i, b));
    return cost;
}

static void pair_law(double want[N][N])
{
    for (int a = 0; a < N; a++) {
        double mass = 0;
        for (int i = 0; i < N; i++) {
            mass += gap(i, a);
            want[a][i] = 0;
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int keep = cost_of_pair(a, j) < cost_of_pair(a, i) ? j : i;
                want[a][keep] += gap(i, a) * gap(j, a) / (mass * mass * N);
            }
    }
}

/* Hoeffding: each of 16 frequencies is off by more than t = 0.0066 with
 * probability below 2 exp(-2 RUNS t^2) < 6e-8; all together < 1e-6. */
static void test_law(void **state)
{
    (void)state;
    const double low = -8, high = 8;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_dataset *data = NULL;
    assert_int_equal(kith_dataset_from_rows(line, N, 1, &bounds, &data, NULL),
                     KITH_OK);
    double step = kith_dataset_step(data), want[N][N];
    int seen[N][N] = {{0}};
    kith_i_plain_run run = {.data = data,
                            .n = N,
                            .k = 2,
                            .d = 1,
                            .workers = 1,
                            .candidates = kith_i_seed_candidates(2),
                            .centers = {.k = 2, .d = 1}};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 40, 0);
    assert_true(kith_i_plain_alloc(&run));
    kith_i_plain_measure(&run);
    pair_law(want);
    for (int r = 0; r < RUNS; r++) {
        int at[2] = {-1, -1};
        kith_i_plain_seed(&run, &coins);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < N; i++)
                if (run.real[c] * step == line[i])
                    at[c] = i;
        assert_true(at[0] >= 0 && at[1] >= 0);
        seen[at[0]][at[1]]++;
    }
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            assert_true(fabs((double)seen[a][b] / RUNS - want[a][b]) < 0.0066);
    kith_i_plain_free(&run);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
