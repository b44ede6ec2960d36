/* Greedy k-means++ on weighted points: its law on a tiny example, computed by
 * enumeration, and the corners (no weight, no points, too few points). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

enum { N = 4, RUNS = 200000 };
static const double line[N] = {0, 1, 3, 7};
static const double line_weights[N] = {1, 2, 0.5, 0.25};

static double gap(int a, int b)
{
    return (line[a] - line[b]) * (line[a] - line[b]);
}

static double cost_of_pair(int a, int b)
{
    double cost = 0;
    for (int i = 0; i < N; i++)
        cost += line_weights[i] * fmin(gap(i, a), gap(i, b));
    return cost;
}

/* want[a][b]: probability that the first centre is a and the second b, when
 * the better of two D^2 draws is kept (the first of equals). */
static void pair_law(double want[N][N])
{
    double total = 0;
    memset(want, 0, N * sizeof *want);
    for (int i = 0; i < N; i++)
        total += line_weights[i];
    for (int a = 0; a < N; a++) {
        double q[N], mass = 0;
        for (int i = 0; i < N; i++)
            mass += q[i] = line_weights[i] * gap(i, a);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int keep = cost_of_pair(a, j) < cost_of_pair(a, i) ? j : i;
                want[a][keep] +=
                    line_weights[a] / total * q[i] / mass * q[j] / mass;
            }
    }
}

/* Hoeffding: each of 16 frequencies is off by more than t = 0.0066 with
 * probability below 2 exp(-2 RUNS t^2) < 6e-8; all together < 1e-6. */
static void test_law(void **state)
{
    (void)state;
    double want[N][N], scratch[N * 3], centers[2];
    int seen[N][N] = {{0}};
    kith_i_points points = {
        .coords = line, .weights = line_weights, .n = N, .d = 1};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 30, 0);
    pair_law(want);
    for (int run = 0; run < RUNS; run++) {
        int at[2] = {-1, -1};
        kith_i_seed_points(&points, 2, &coins, scratch, centers);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < N; i++)
                at[c] = centers[c] == line[i] ? i : at[c];
        assert_true(at[0] >= 0 && at[1] >= 0);
        seen[at[0]][at[1]]++;
    }
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            assert_true(fabs((double)seen[a][b] / RUNS - want[a][b]) < 0.0066);
}

static void test_candidates(void **state)
{
    (void)state;
    static const uint32_t k[] = {1, 2, 3, 7, 8, 10, 20, 21, 64};
    static const uint32_t want[] = {2, 2, 3, 3, 4, 4, 4, 5, 6};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        assert_int_equal(kith_i_seed_candidates(k[i]), want[i]);
}

/* Two well separated pairs and a far point of no weight: k = 2 takes one of
 * each pair whatever the coins (greedy or not, D^2 within a pair is 1e-8 of
 * the rest: 20 seeds fail with probability < 1e-6). */
static void test_separated(void **state)
{
    (void)state;
    const double coords[5 * 2] = {0, 0, 0.01, 0, 100, 100, 100, 100.01, 1e6, 0};
    const double weights[5] = {1, 1, 1, 1, 0};
    kith_i_points points = {coords, weights, 5, 2};
    for (uint64_t seed = 0; seed < 20; seed++) {
        double scratch[5 * 3], centers[4];
        kith_i_coins coins;
        kith_i_coins_seed(&coins, seed, 1);
        kith_i_seed_points(&points, 2, &coins, scratch, centers);
        assert_true((centers[0] < 50) != (centers[2] < 50));
        assert_true(centers[0] < 1000 && centers[2] < 1000);
    }
}

static void check_corner(uint32_t n, const double *weights, uint32_t k)
{
    const double coords[3 * 2] = {1, 2, 1, 2, -4, 8};
    kith_i_points points = {coords, weights, n, 2};
    size_t room = n * (1 + (size_t)kith_i_seed_candidates(k));
    double *scratch = naive_scratch_new(room);
    double *centers = naive_scratch_new(2 * (size_t)k);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, n, k);
    kith_i_seed_points(&points, k, &coins, scratch, centers);
    int second = 0;
    for (uint32_t j = 0; j < k; j++) {
        const double *c = centers + 2 * (size_t)j;
        int first = c[0] == 1 && c[1] == 2;
        int other = n == 3 && c[0] == -4 && c[1] == 8;
        assert_true(n ? first || other : c[0] == 0 && c[1] == 0);
        second |= other;
    }
    /* both distinct points are found when both have weight */
    if (n == 3 && weights[0] > 0 && weights[2] > 0 && k > 1)
        assert_true(second);
    assert_true(naive_scratch_free(scratch, room));
    assert_true(naive_scratch_free(centers, 2 * (size_t)k));
}

static void test_corners(void **state)
{
    (void)state;
    static const double weights[][3] = {
        {1, 1, 1}, {0, 0, 0}, {0, 0, 1}, {1e-300, 1, 1e-300}};
    for (uint32_t n = 0; n <= 3; n++)
        for (size_t w = 0; w < 4; w++)
            for (uint32_t k = 1; k <= 9; k++)
                check_corner(n, weights[w], k);
}

/* Many distances at once are those one by one, bit for bit, and close to a
 * plain sum; the nearest is the first of the smallest. */
static void test_distances(void **state)
{
    (void)state;
    enum { MOST = 37, WIDE = 19 };
    double x[MOST * WIDE], c[WIDE], got[MOST];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 31, 0);
    for (size_t d = 0; d <= WIDE; d++)
        for (size_t n = 1; n <= MOST; n++) {
            for (size_t i = 0; i < n * d; i++) /* few values: many ties */
                x[i] = n % 2 ? kith_i_coins_normal(&coins)
                             : (double)kith_i_coins_below(&coins, 2);
            for (size_t i = 0; i < d; i++)
                c[i] = kith_i_coins_normal(&coins);
            double near, least = HUGE_VAL;
            uint32_t first = 0;
            kith_i_distances_squared(x, n, d, c, got);
            for (size_t r = 0; r < n; r++) {
                double one = kith_i_distance_squared(x + r * d, c, d), sum = 0;
                for (size_t i = 0; i < d; i++)
                    sum += pow(x[r * d + i] - c[i], 2);
                assert_true(got[r] == one);
                assert_true(fabs(one - sum) <= 1e-13 * sum);
                first = one < least ? (uint32_t)r : first;
                least = fmin(least, one);
            }
            assert_int_equal(kith_i_nearest(c, x, (uint32_t)n, d, &near),
                             first);
            assert_true(near == least);
        }
}

/* As many words as is said, whatever the points: solvers skip ahead by it. */
static void test_words(void **state)
{
    (void)state;
    static const double coords[6] = {1, 5, 5, 9, 2, 5}, equal[6] = {0};
    static const double weights[6] = {1, 2, 0, 1, 3, 1}, none[6] = {0};
    for (uint32_t n = 0; n <= 6; n++)
        for (uint32_t k = 1; k <= 12; k++)
            for (int kind = 0; kind < 3; kind++) {
                kith_i_points points = {kind == 1 ? equal : coords,
                                        kind == 2 ? none : weights, n, 1};
                double scratch[6 * 5 + 1], centers[12];
                kith_i_coins coins, other;
                kith_i_coins_seed(&coins, n, k);
                other = coins;
                kith_i_seed_points(&points, k, &coins, scratch, centers);
                for (uint64_t i = kith_i_seed_words(n, k); i > 0; i--)
                    (void)kith_i_coins_u64(&other);
                assert_memory_equal(&coins, &other, sizeof coins);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),       cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_separated), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_distances), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
