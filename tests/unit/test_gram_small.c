/* Gram matrices in single precision, where they must be exact: small values,
 * at the limit too, against 64-bit loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/kernel_i.h"
#include "support/kernel_naive.h"

static void check(kith_i_coins *coins, uint32_t rows, uint32_t w, int extreme)
{
    size_t count = (size_t)rows * w, cells = (size_t)w * w;
    int16_t *v = malloc((count + 1) * sizeof *v);
    int64_t *gram = calloc(cells, sizeof *gram);
    size_t room = kith_i_gram_small_scratch(rows, w);
    double *scratch = naive_scratch_new(room);
    for (size_t i = 0; i < count; i++)
        v[i] = extreme ? (int16_t)KITH_I_SMALL_VALUE
                       : (int16_t)((int)kith_i_coins_below(coins, 513) - 256);
    kith_i_gram_small(v, rows, w, scratch, gram);
    for (uint32_t i = 0; i < w; i++)
        for (uint32_t j = 0; j <= i; j++) {
            int64_t want = 0;
            for (uint32_t r = 0; r < rows; r++)
                want += (int64_t)v[(size_t)r * w + i] * v[(size_t)r * w + j];
            assert_true(gram[(size_t)i * w + j] == want);
        }
    assert_true(naive_scratch_free(scratch, room));
    free(v);
    free(gram);
}

static void test_against_loops(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 3, 16, 65};
    static const uint32_t heights[] = {1, 5, 255, 256, 257, 1024};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 0);
    for (size_t a = 0; a < sizeof widths / sizeof *widths; a++)
        for (size_t b = 0; b < sizeof heights / sizeof *heights; b++)
            for (int extreme = 0; extreme < 2; extreme++)
                check(&coins, heights[b], widths[a], extreme);
    /* it works in bands of 192 columns */
    static const uint32_t wide[] = {191, 192, 193, 384, 400};
    for (size_t a = 0; a < sizeof wide / sizeof *wide; a++)
        check(&coins, 7 + 100 * (uint32_t)a, wide[a], a % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
