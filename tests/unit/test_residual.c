/* Distances of rows from points of the lattice against plain loops in wider
 * integers, at every length around the width of a register, at the ends of
 * the ranges, and so wide that the square of an L1 length passes 64 bits. */
#include "support/cmocka_all.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/base_i.h"
#include "kernel/kernel_i.h"

enum { MOST = 70000, ORIGIN = 131071 };

static int16_t x[MOST];
static int32_t o[MOST], out[MOST];

/* kind 0: anything; 1: as far apart as can be; 2: equal. */
static void fill(kith_i_coins *coins, size_t w, int kind)
{
    for (size_t i = 0; i < w; i++) {
        x[i] = (int16_t)((int64_t)kith_i_coins_below(coins, 65535) - 32767);
        o[i] = (int32_t)((int64_t)kith_i_coins_below(coins, 2 * ORIGIN + 1) -
                         ORIGIN);
        if (kind == 1) {
            x[i] = i % 3 ? 32767 : -32767;
            o[i] = i % 3 ? -ORIGIN : ORIGIN;
        } else if (kind == 2) {
            o[i] = x[i];
        }
    }
}

static void check(size_t w)
{
    __extension__ __int128 square = 0, length = 0;
    for (size_t i = 0; i < w; i++) {
        int64_t v = (int64_t)x[i] - o[i];
        square += v * v;
        length += v < 0 ? -v : v;
    }
    assert_true(kith_i_residual_square(x, o, w) == (uint64_t)square);
    assert_true(kith_i_residual_taxicab(x, o, w) == (uint64_t)length);
    kith_i_residual(x, o, w, out);
    for (size_t i = 0; i < w; i++)
        assert_int_equal(out[i], x[i] - o[i]);
    for (int halvings = 0; halvings < 12; halvings++) {
        kith_i_residual_coarse(x, o, w, halvings, out);
        int32_t half = halvings > 1 ? 1 << (halvings - 1) : 0;
        for (size_t i = 0; i < w; i++) {
            int32_t v = x[i] - o[i];
            v = (v < 0 ? v - half : v + half) / (1 << halvings);
            assert_int_equal(out[i], v);
        }
    }
}

static void test_lengths(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 11, 0);
    for (size_t w = 0; w <= 70; w++)
        for (int kind = 0; kind < 3; kind++) {
            fill(&coins, w, kind);
            check(w);
        }
    for (int kind = 0; kind < 3; kind++) {
        fill(&coins, MOST, kind);
        check(MOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
