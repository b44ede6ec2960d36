/* auto on two lumps, one of them a twentieth of the rows and far away: a
 * histogram whose noise hides the small one must not make auto clip it. Seeded,
 * so there are no false alarms. */
#include "support/auto_compare.h"

enum { D = 2, FAR_EVERY = 20, RUNS = 4, FEW = 2000, MANY_RUNS = 60 };

static double draw_lump(kith_i_coins *coins)
{
    return .1 + .01 * kith_i_coins_normal(coins);
}

/* Mean cost over some seeds, relative to that of the exact mean. */
static double relative_cost(size_t n, uint32_t k, double epsilon, double delta)
{
    table t = make_table(n, D, draw_lump, 0, 1);
    double mean[D] = {0}, sum = 0;
    for (size_t i = 0; i < n * D; i++) {
        if (i / D % FAR_EVERY == 0)
            t.rows[i] = .95;
        mean[i % D] += t.rows[i] / (double)n;
    }
    for (uint64_t seed = 500; seed < 500 + RUNS; seed++)
        sum += run_cost(&t, k, KITH_KMEANS_AUTO, epsilon, delta, seed);
    double one = cost_of(t.rows, n, D, mean, 1);
    free(t.rows);
    return sum / RUNS / one;
}

/* One mean of so many rows is all but exact. */
static void test_one_mean(void **state)
{
    (void)state;
    assert_true(relative_cost(10000, 1, 1, 1e-6) < 1.005);
    assert_true(relative_cost(10000, 1, 1, 0) < 1.005);
    assert_true(relative_cost(50000, 1, .1, 1e-6) < 1.005);
}

/* Both lumps are found, where they are. */
static void test_two_lumps(void **state)
{
    (void)state;
    assert_true(relative_cost(50000, 2, .1, 0) < .02);
    assert_true(relative_cost(2000, 2, 1, 1e-6) < .05);
    assert_true(relative_cost(2000, 2, 1, 0) < .05);
}

/* Histograms of so few rows are noise in one run of a hundred or so: sums must
 * not be clipped beyond where rows can be (five times the diagonal then). */
static void test_radii(void **state)
{
    (void)state;
    table t = make_table(FEW, D, draw_lump, 0, 1);
    double most = 0;
    for (size_t i = 0; i < FEW * D; i++)
        t.rows[i] = i / D % FAR_EVERY == 0 ? .95 : t.rows[i];
    for (uint64_t seed = 500; seed < 500 + MANY_RUNS; seed++) {
        kith_result *r = run_once(&t, 8, KITH_KMEANS_AUTO, .5, 0, seed);
        for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
            kith_receipt receipt;
            assert_int_equal(kith_result_receipt(r, i, &receipt), KITH_OK);
            if (strstr(receipt.what, "sums"))
                most = fmax(most, receipt.sensitivity);
        }
        kith_result_free(r);
    }
    free(t.rows);
    print_message("longest radius %g\n", most);
    /* rows are within sqrt(D) of the mean, the middle of a box that they are
     * looked for in within sqrt(2) times that */
    assert_true(most < (1 + sqrt(2)) * sqrt(D));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_mean),
                                       cmocka_unit_test(test_two_lumps),
                                       cmocka_unit_test(test_radii)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
