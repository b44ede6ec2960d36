/* Inner products of wide integers: against 128-bit integers, at the limits. */
#include "kernel/wide_gram.h"
#include "support/cmocka_all.h"

static uint64_t next_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 31;
}

enum { EXTREME = 1, TOP = 2 };

static void check(uint32_t p, uint32_t columns, int kind)
{
    size_t count = (size_t)p * columns, triangle = (size_t)p * (p + 1) / 2;
    int8_t *whole = malloc(count);
    uint64_t *digit = malloc(count * sizeof *digit), state = p + columns;
    double *limbs[KITH_I_LIMBS];
    for (int l = 0; l < KITH_I_LIMBS; l++)
        limbs[l] = malloc(count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        int k = (int)(next_word(&state) % 6);
        k = kind == EXTREME ? KITH_I_WIDE_WHOLE : k;
        whole[i] = (int8_t)(next_word(&state) & 1 && kind != TOP ? -1 - k : k);
        digit[i] = kind == EXTREME ? UINT64_MAX - i % 3 : next_word(&state);
    }
    kith_i_wide_split(whole, digit, count, limbs);
    for (size_t i = 0; i < count; i++) { /* the limbs are the number */
        int64_t high = (int64_t)limbs[0][i], mid = (int64_t)limbs[1][i];
        int64_t low = (int64_t)limbs[2][i];
        assert_true(llabs(high) <= 1 << 23 && llabs(mid) <= 1 << 22);
        assert_true(llabs(low) <= 1 << 22);
        kith_i_i128 v = ((kith_i_i128)high * (1 << 23) + mid) * (1 << 23) + low;
        int minus = whole[i] < 0, k = minus ? -1 - whole[i] : whole[i];
        kith_i_i128 want =
            (kith_i_i128)((kith_i_u128)(unsigned)k << 64 | digit[i]);
        assert_true(v == (minus ? -want : want));
    }
    kith_i_i128 *sums = calloc(triangle, sizeof *sums);
    double *scratch = malloc((size_t)KITH_I_TILE * p * sizeof *scratch);
    for (int minus = 0; minus < 3; minus++) /* plus, minus, plus */
        for (uint32_t x = 0; x < p; x += KITH_I_TILE)
            kith_i_wide_gram((const double *const *)limbs, x,
                             x + KITH_I_TILE < p ? x + KITH_I_TILE : p, columns,
                             minus == 1, scratch, sums);
    for (size_t x = 0, at = 0; x < p; x++)
        for (size_t y = 0; y <= x; y++, at++) {
            kith_i_i128 want = 0;
            for (size_t t = 0; t < columns; t++) {
                int64_t a[3], b[3];
                for (int l = 0; l < 3; l++) {
                    a[l] = (int64_t)limbs[l][x * columns + t];
                    b[l] = (int64_t)limbs[l][y * columns + t];
                }
                want += ((kith_i_i128)(a[0] * b[0])) * ((kith_i_i128)1 << 69);
                want += ((kith_i_i128)(a[0] * b[1] + a[1] * b[0])) *
                        ((kith_i_i128)1 << 46);
                want += (kith_i_i128)(a[0] * b[2] + a[1] * b[1] + a[2] * b[0]) *
                        (1 << 23);
                want += a[1] * b[2] + a[2] * b[1];
            }
            assert_true(sums[at] == want);
        }
    for (int l = 0; l < KITH_I_LIMBS; l++)
        free(limbs[l]);
    free(whole);
    free(digit);
    free(sums);
    free(scratch);
}

static void test_all(void **state)
{
    (void)state;
    check(1, 2, 0);
    check(5, 6, 0);
    check(96, 97, 0);
    check(130, 131, TOP);
    check(97, 300, EXTREME);
    check(3, 2048, EXTREME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
