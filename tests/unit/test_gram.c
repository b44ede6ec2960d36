/* Gram matrices against 128-bit loops, over several blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/kernel_naive.h"

static void check_shape(kith_i_coins *coins, uint32_t rows, uint32_t w,
                        rows_kind kind)
{
    naive_rows n = naive_rows_new(coins, rows, w, kind);
    size_t cells = (size_t)w * w, room = (size_t)rows * w + cells;
    int64_t *gram = malloc(cells * sizeof *gram);
    double *scratch = naive_scratch_new(room);
    for (size_t i = 0; i < cells; i++)
        gram[i] = (int64_t)i - 3;
    /* Two blocks of unequal size, added into what is there. */
    uint32_t first = rows / 3;
    kith_i_gram_rows(n.q, first, w, scratch, gram);
    kith_i_gram_rows(n.q + (size_t)first * w, rows - first, w, scratch, gram);
    for (uint32_t i = 0; i < w; i++)
        for (uint32_t j = 0; j < w; j++) {
            kith_i_i128 want = (kith_i_i128)i * w + j - 3;
            for (uint32_t r = 0; r < rows && j <= i; r++)
                want += (kith_i_i128)n.q[(size_t)r * w + i] *
                        n.q[(size_t)r * w + j];
            assert_true(gram[(size_t)i * w + j] == want);
        }
    assert_true(naive_scratch_free(scratch, room));
    free(gram);
    naive_rows_free(&n);
}

static void test_against_loops(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 3, 7, 16, 33, 65};
    static const uint32_t heights[] = {1, 2, 5, 64, 129, 1024};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 22, 0);
    for (size_t a = 0; a < sizeof widths / sizeof *widths; a++)
        for (size_t b = 0; b < sizeof heights / sizeof *heights; b++)
            for (int kind = 0; kind < ROWS_KINDS; kind++)
                check_shape(&coins, heights[b], widths[a], (rows_kind)kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
