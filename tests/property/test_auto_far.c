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

/* Lost in one run of eight, which costs as much as one mean then: many runs,
 * since with six the mean says which ones they are. */
static void test_hardly_seen(void **state)
{
    (void)state;
    table t = make_lump(5000, 3, 200, .003, KITH_REPLACE_ONE);
    double now = 0, one = 0;
    for (uint64_t seed = 500; seed < 560; seed++) {
        now += run_cost(&t, 8, KITH_KMEANS_AUTO, 1, 0, seed);
        one += run_cost(&t, 1, KITH_KMEANS_AUTO, 1, 0, seed);
    }
    free(t.rows);
    print_message("auto %.3f of one mean\n", now / one);
    assert_true(now < .25 * one);
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
