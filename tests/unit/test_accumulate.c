/* Sums and counts per cell against one-by-one additions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

enum { CELLS = 5 };

static void check_shape(kith_i_coins *coins, uint32_t rows, uint32_t d,
                        rows_kind kind)
{
    naive_rows n = naive_rows_new(coins, rows, d, kind);
    size_t count = (size_t)CELLS * d;
    int64_t *want = malloc(count * sizeof *want);
    int64_t *dense = malloc(count * sizeof *dense);
    int64_t *sparse = malloc(count * sizeof *sparse);
    int64_t want_n[CELLS], dense_n[CELLS], sparse_n[CELLS], lone_n[CELLS];
    uint32_t *cell = malloc(rows * sizeof *cell);
    /* Sums are added to what is there, even beyond 32 bits. */
    for (size_t i = 0; i < count; i++)
        want[i] = dense[i] = sparse[i] = (int64_t)i * 1000000007 - 5;
    for (int j = 0; j < CELLS; j++)
        want_n[j] = dense_n[j] = sparse_n[j] = lone_n[j] = j;
    for (uint32_t r = 0; r < rows; r++) {
        uint64_t c = kith_i_coins_below(coins, CELLS + 2);
        cell[r] = c <= CELLS ? (uint32_t)c : UINT32_MAX;
        if (c >= CELLS)
            continue;
        want_n[c]++;
        for (uint32_t i = 0; i < d; i++)
            want[c * d + i] += n.q[(size_t)r * d + i];
    }
    kith_i_accumulate_rows(&n.dense, cell, CELLS, dense, dense_n);
    kith_i_accumulate_rows(&n.sparse, cell, CELLS, sparse, NULL);
    kith_i_accumulate_rows(&n.sparse, cell, CELLS, NULL, sparse_n);
    kith_i_accumulate_rows(&n.dense, cell, CELLS, NULL, lone_n);
    assert_memory_equal(dense, want, count * sizeof *want);
    assert_memory_equal(sparse, want, count * sizeof *want);
    assert_memory_equal(dense_n, want_n, sizeof want_n);
    assert_memory_equal(sparse_n, want_n, sizeof want_n);
    assert_memory_equal(lone_n, want_n, sizeof want_n);
    free(want);
    free(dense);
    free(sparse);
    free(cell);
    naive_rows_free(&n);
}

static void test_against_loops(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 21, 0);
    for (uint32_t d = 1; d < 40; d++)
        for (int kind = 0; kind < ROWS_KINDS; kind++)
            check_shape(&coins, 1 + 13 * d % 101, d, (rows_kind)kind);
    check_shape(&coins, 1024, 300, ROWS_EXTREME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
