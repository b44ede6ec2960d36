/* The deviates that a Wishart difference is made of, without a seed: no two of
 * them share their digits, in any chunk, thread or matrix, and neither do the
 * digits that are drawn later. Chance of a false alarm: below n^2 / 2^63, n
 * digits in all: 2e-10. */
#include "base/base_i.h"
#include "noise/normal_digits.c"
#include "noise/sampler_wishart.c"
#include "support/cmocka_all.h"

enum { P = 70, MATRICES = 2, DIGITS = 2, EACH = 2 * P * (P + 1) };

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_digits_are_not_shared(void **state)
{
    (void)state;
    static const kith_i_entropy_source secure = {.seeded = 0, .seed = 0};
    static uint64_t all[MATRICES * DIGITS * EACH];
    size_t n = 0;
    for (int m = 0; m < MATRICES; m++) {
        kith_i_wishart *w;
        assert_int_equal(kith_i_wishart_open(&secure, 0, P, 3, &w, NULL),
                         KITH_OK);
        assert_int_equal(w->g.count, EACH);
        assert_true(w->g.chunks > 3);
        for (size_t chunk = 0; chunk < w->g.chunks; chunk++)
            deepen_chunk(&w->g, chunk);
        for (int d = 0; d < DIGITS; d++)
            for (size_t i = 0; i < w->g.count; i++)
                all[n++] = w->g.digit[d][i];
        kith_i_wishart_close(w);
    }
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 1; i < n; i++)
        assert_true(all[i] != all[i - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits_are_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
