/* auto on a cluster and a small part of the rows far away, which carries the
 * cost. Too few for any count: no worse than one mean. Some more: the counts of
 * all levels together must show them. More still: the centre must find the way
 * to them. Seeded, so there are no false alarms. */
#include "support/auto_compare.h"

static table make_lump(size_t n, uint32_t d, size_t far, double width,
                       kith_neighbors neighbors)
{
    table t = {n, d, 0, 1, malloc(n * d * sizeof *t.rows), neighbors};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 4);
    assert_non_null(t.rows);
    for (size_t i = 0; i < n * d; i++)
        t.rows[i] =
            (i / d < far ? .85 : .2) + width * kith_i_coins_normal(&coins);
    return t;
}

static void test_never_seen(void **state)
{
    (void)state;
    assert_true(against_mean(make_lump(5000, 3, 50, .03, KITH_REPLACE_ONE), 8,
                             1, 0) < .9);
    assert_true(against_mean(make_lump(2000, 2, 20, .03, KITH_ADD_REMOVE), 4, 1,
                             1e-6) < 1.01);
}

/* 4.1 by the counts of one level alone. */
static void test_hardly_seen(void **state)
{
    (void)state;
    assert_true(
        compare(make_lump(5000, 3, 200, .003, KITH_REPLACE_ONE), 8, 1, 0) < 1);
}

/* .1 to .45 by small changes of the radii; 45 if nobody goes there. */
static void test_on_the_way(void **state)
{
    (void)state;
    assert_true(
        compare(make_lump(5000, 3, 400, .003, KITH_REPLACE_ONE), 5, 1, 0) < .6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_seen),
                                       cmocka_unit_test(test_hardly_seen),
                                       cmocka_unit_test(test_on_the_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
