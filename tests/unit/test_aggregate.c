/* Clipping and counting in integers, against the definitions. */
#include "base/wide.h"
#include "kernel/aggregate.h"
#include "support/make_data.h"

/* After clipping the norm is within the radius; before it was, nothing
 * changed; else nearly all of the radius is used and the direction kept. */
static void test_clip(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 1);
    for (int trial = 0; trial < 200000; trial++) {
        enum { MOST = 9 };
        int32_t v[MOST], w[MOST];
        uint32_t n = 1 + (uint32_t)kith_i_coins_below(&coins, MOST);
        int bits = (int)kith_i_coins_below(&coins, 32);
        for (uint32_t i = 0; i < n; i++) {
            int32_t x = (int32_t)(kith_i_coins_u64(&coins) >> (32 + bits));
            v[i] = kith_i_coins_u64(&coins) & 1 ? x : -x;
        }
        uint64_t radius = 1 + (kith_i_coins_u64(&coins) >> (33 + bits / 2));
        int l1 = trial & 1;
        kith_i_i128 before = 0, after = 0, limit = radius;
        for (uint32_t i = 0; i < n; i++)
            before += l1 ? llabs(v[i]) : (kith_i_i128)v[i] * v[i];
        memcpy(w, v, sizeof w);
        if (l1)
            kith_i_clip_l1(w, n, radius);
        else
            kith_i_clip_l2(w, n, radius);
        if (!l1)
            limit *= radius;
        for (uint32_t i = 0; i < n; i++) {
            after += l1 ? llabs(w[i]) : (kith_i_i128)w[i] * w[i];
            assert_true(llabs(w[i]) <= llabs(v[i]));
            assert_true((int64_t)w[i] * v[i] >= 0);
        }
        assert_true(after <= limit);
        if (before <= limit)
            assert_memory_equal(v, w, n * sizeof *v);
        else if (radius > 100000) /* truncation loses < 1 in a coordinate */
            assert_true(after >= limit - limit / 1000);
    }
}

static void test_extreme_values(void **state)
{
    (void)state;
    int32_t v[4] = {INT32_MAX, -INT32_MAX, INT32_MIN, 5};
    kith_i_clip_l2(v, 4, 1000);
    assert_int_equal(v[3], 0);
    assert_true((int64_t)v[0] * v[0] + (int64_t)v[1] * v[1] +
                    (int64_t)v[2] * v[2] <=
                1000000);
    int32_t w[2] = {INT32_MIN, INT32_MIN};
    kith_i_clip_l1(w, 2, 7);
    assert_true(llabs(w[0]) + llabs(w[1]) <= 7);
}

/* Whatever a loss is computed as, it counts as 0..bound. */
static void test_losses(void **state)
{
    (void)state;
    enum { WILD = 7, BOUND = 100 };
    static const int32_t wild[WILD] = {INT32_MIN, -1,  0,        50,
                                       100,       101, INT32_MAX};
    static const int64_t want[WILD] = {0, 0, 0, 50, 100, 100, 100};
    int32_t twice[2 * WILD];
    int64_t totals[WILD] = {0};
    memcpy(twice, wild, sizeof wild);
    memcpy(twice + WILD, wild, sizeof wild);
    kith_i_aggregate_losses(twice, 2, WILD, BOUND, totals);
    for (int c = 0; c < WILD; c++)
        assert_int_equal(totals[c], 2 * want[c]);
}

/* A row of a profile is as long as it is charged for, and no longer: L1 when
 * pure, else L2. Sparse and dense rows add the same. */
static void test_scaled(void **state)
{
    (void)state;
    enum { D = 7, NORM = 1 << 14 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    for (int trial = 0; trial < 100000; trial++) {
        int16_t row[D], value[D];
        uint32_t index[D], start[2] = {0};
        uint64_t reach = 1 + kith_i_coins_below(&coins, 1u << trial % 16);
        for (uint32_t i = 0; i < D; i++) {
            row[i] = (int16_t)kith_i_coins_below(&coins, reach);
            row[i] = kith_i_coins_below(&coins, 2) ? row[i] : (int16_t)-row[i];
            if (row[i]) {
                index[start[1]] = i;
                value[start[1]++] = row[i];
            }
        }
        kith_i_block dense = {.rows = 1, .dimension = D, .dense = row},
                     sparse = {.rows = 1,
                               .dimension = D,
                               .start = start,
                               .index = index,
                               .value = value};
        for (int pure = 0; pure < 2; pure++) {
            int64_t a[D] = {0}, b[D] = {0}, length = 0;
            kith_i_aggregate_scaled(&dense, NORM, pure, a);
            kith_i_aggregate_scaled(&sparse, NORM, pure, b);
            assert_memory_equal(a, b, sizeof a);
            for (int i = 0; i < D; i++)
                length += pure ? llabs(a[i]) : a[i] * a[i];
            assert_true(length <= (pure ? NORM : (int64_t)NORM * NORM));
            if (start[1] > 0 && reach > 1000)
                assert_true(length > (pure ? .9 : .8 * NORM) * NORM);
        }
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_keys(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint64_t keys[N], other[N], sorted[N];
    static int64_t counts[N];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 1);
    for (int trial = 0; trial < 20; trial++) {
        uint64_t limit = (uint64_t)1 << (3 * trial + 1);
        for (int i = 0; i < N; i++) { /* some beyond the limit */
            keys[i] = kith_i_coins_below(&coins, 2 * limit);
            if (kith_i_coins_below(&coins, 50) == 0)
                keys[i] = UINT64_MAX;
            sorted[i] = keys[i];
        }
        qsort(sorted, N, sizeof *sorted, by_key);
        size_t m = kith_i_aggregate_keys(keys, other, N, limit, counts);
        size_t at = 0;
        for (size_t c = 0; c < m; c++) {
            int64_t run = 0;
            assert_int_equal(keys[c], sorted[at]);
            for (; at < N && sorted[at] == keys[c]; at++)
                run++;
            assert_int_equal(counts[c], run);
        }
        assert_true(at == N || sorted[at] >= limit);
    }
}

static int64_t clamp(int64_t v, int64_t bound)
{
    return v < 0 ? 0 : v > bound ? bound : v;
}

/* Losses of all swaps, however wrong what they are made of: each is that of a
 * naive loop, so no row adds less than 0 or more than the bound to any. */
static void test_swaps_are_clamped(void **state)
{
    (void)state;
    enum { ROWS = 40, SLOTS = 3, CANDIDATES = 5, BOUND = 1000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 91, 0);
    for (int pass = 0; pass < 50; pass++) {
        int32_t kept[ROWS * CANDIDATES], extra[ROWS * CANDIDATES];
        uint32_t owner[ROWS];
        int32_t reach = pass % 2 ? 1500 : INT32_MAX;
        for (int i = 0; i < ROWS * CANDIDATES; i++) {
            uint64_t wide = 2 * (uint64_t)reach + 1;
            kept[i] =
                (int32_t)((int64_t)kith_i_coins_below(&coins, wide) - reach);
            extra[i] =
                (int32_t)((int64_t)kith_i_coins_below(&coins, wide) - reach);
        }
        for (int r = 0; r < ROWS; r++) /* some have no owner */
            owner[r] = (uint32_t)kith_i_coins_below(&coins, SLOTS + 1);
        int64_t stay[CANDIDATES] = {0}, more[SLOTS * CANDIDATES] = {0};
        kith_i_swaps swaps = {.rows = ROWS,
                              .slots = SLOTS,
                              .candidates = CANDIDATES,
                              .bound = BOUND,
                              .owner = owner,
                              .kept = kept,
                              .extra = extra};
        kith_i_aggregate_swaps(&swaps, stay, more);
        for (uint32_t j = 0; j < SLOTS; j++)
            for (uint32_t c = 0; c < CANDIDATES; c++) {
                int64_t want = 0;
                for (uint32_t r = 0; r < ROWS; r++) {
                    int64_t k = clamp(kept[r * CANDIDATES + c], BOUND);
                    int64_t e = owner[r] == j ? extra[r * CANDIDATES + c] : 0;
                    want += clamp(k + e, BOUND);
                }
                assert_int_equal(stay[c] + more[j * CANDIDATES + c], want);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swaps_are_clamped),
        cmocka_unit_test(test_clip),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
