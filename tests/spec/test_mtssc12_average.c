/* Sample and aggregate by averaging (GUPT: Mohan, Thakurta, Shi, Song, Culler
 * 2012) as `--method sample-aggregate` runs it: n^0.4 blocks; the average of
 * what k-means says on each, in a canonical order; noise for one block that
 * changes by k diameters. One record is in one block: with rows of which each
 * block sees a known share, the sum is known. */
#include <math.h>

#include "baseline/baseline_i.h"
#include "sidedoor/release_average.h"
#include "support/make_data.h"

static void test_block_count(void **state)
{
    (void)state;
    assert_int_equal(kith_i_block_count(100000), 100); /* of n^0.6 = 1000 */
    assert_int_equal(kith_i_block_count(1024), 16);
    assert_int_equal(kith_i_block_count(1), 1);
    assert_int_equal(kith_i_block_count(-3), 1);
    assert_int_equal(kith_i_block_count(1e12), 1000);
}

/* Three tight clusters: every block finds them, so the average is their means
 * in lexicographic order. */
static void test_average(void **state)
{
    (void)state;
    enum { N = 3000, D = 2, K = 3, BLOCKS = 24 };
    static const double at[K][D] = {{-.5, .6}, {-.5, -.2}, {.7, .1}};
    static const int order[K] = {1, 0, 2};
    double *rows = malloc(sizeof *rows * N * D);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 2);
    for (int i = 0; i < N * D; i++)
        rows[i] = at[i / D % K][i % D];
    for (int r = 0; r < N; r++) /* so that -.5 and -.5 stay apart */
        rows[r * D] += r % K == 1 ? -.01 : 0;
    for (int mode = 0; mode < 4; mode++) {
        kith_session *s = open_session(
            load(rows, N, D, unit_box()), 4000, mode & 1 ? 1e-6 : 0,
            mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE, 2, 7);
        int64_t out[K * D];
        double sd = 0, step = kith_i_domain_step(kith_i_session_domain(s));
        kith_i_average_spec spec = {"average of blocks", K, BLOCKS};
        assert_int_equal(kith_i_release_average(s, &spec, out, &sd, NULL),
                         KITH_OK);
        for (int j = 0; j < K; j++)
            for (int i = 0; i < D; i++) {
                double want = at[order[j]][i];
                want -= order[j] == 1 && i == 0 ? .01 : 0;
                /* 20 sd: e^-28 of Laplace noise; a step is lost by rounding */
                assert_true(fabs((double)out[j * D + i] * step / BLOCKS -
                                 want) < 20 * sd * step / BLOCKS + 2 * step);
            }
        assert_true(kith_i_session_is_spent(s));
        kith_session_close(s);
    }
    free(rows);
}

/* One row in another place changes one block's answer: with the same coins and
 * (nearly) no noise the sums differ by at most what is charged for, and by as
 * much when it is all that its block knows. */
static void test_one_block(void **state)
{
    (void)state;
    enum { N = 12, BLOCKS = 12 };
    double rows[N] = {0};
    int64_t sums[2];
    kith_receipt line = {0};
    double step = 0;
    for (int t = 0; t < 2; t++) {
        rows[N - 1] = t ? 1 : -1;
        kith_session *s = open_session(load(rows, N, 1, unit_box()), 4000, 0,
                                       KITH_REPLACE_ONE, 1, 3);
        double sd;
        kith_i_average_spec spec = {"average of blocks", 1, BLOCKS};
        assert_int_equal(kith_i_release_average(s, &spec, &sums[t], &sd, NULL),
                         KITH_OK);
        kith_receipt *lines = NULL;
        size_t count = 0;
        assert_int_equal(kith_i_session_receipts(s, &lines, &count, NULL), 0);
        assert_int_equal(count, 1);
        line = lines[0];
        for (size_t i = 0; i < count; i++)
            kith_i_free((char *)(uintptr_t)lines[i].what);
        kith_i_free(lines);
        step = kith_i_domain_step(kith_i_session_domain(s));
        assert_true(sd * step < .005);
        kith_session_close(s);
    }
    double moved = (double)(sums[1] - sums[0]) * step;
    assert_true(fabs(line.sensitivity - 2) < 1e-3);
    assert_true(fabs(moved - 2) < .1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_count),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
