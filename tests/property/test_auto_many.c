/* auto when too much is asked of the budget: more clusters than it carries,
 * more rounds than its histograms bear, a tail that looks like lumps. It must
 * not do worse than lloyd. Seeded, so there are no false alarms. */
#include "support/auto_compare.h"

static double draw_uniform(kith_i_coins *coins)
{
    return kith_i_coins_unit(coins);
}

/* Student's t with two degrees of freedom, narrow. */
static double draw_student(kith_i_coins *coins)
{
    double chi = -2 * log(1 - kith_i_coins_unit(coins));
    double v = .5 + .01 * kith_i_coins_normal(coins) / sqrt(chi / 2);
    return fmax(0, fmin(1, v));
}

/* All rows in dense places (near = 1), or half of them, near the middle of the
 * bounds, and the others broadly about it. */
static table make_places(size_t n, uint32_t d, uint32_t places, double near,
                         double dense, double broad)
{
    table t = make_table(places + n, d, draw_uniform, 0, 1);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 9, 3);
    for (size_t r = places; r < t.n; r++) {
        int alone = broad > 0 && kith_i_coins_unit(&coins) < .5;
        for (uint32_t i = 0; i < d; i++) {
            double at = .5 + near * (t.rows[r % places * d + i] - .5);
            double v = (alone ? .5 : at) +
                       (alone ? broad : dense) * kith_i_coins_normal(&coins);
            t.rows[r * d + i] = fmax(0, fmin(1, v));
        }
    }
    return t;
}

/* Noise moves the means of a hundred clusters further than the rows are apart,
 * but not those of ten (13 with one mean). */
static void test_clusters(void **state)
{
    (void)state;
    assert_true(compare(make_places(20000, 6, 5, .8, .005, 0), 100, .1, 0) < 1);
}

/* Fewer rows for each cluster than a box needs: a summary shows the places all
 * the same. */
static void test_summary(void **state)
{
    (void)state;
    assert_true(compare(make_places(5000, 3, 20, .8, .03, 0), 40, 1, 0) < .9);
}

/* The centres beside a few clusters share their rows: three in four of them are
 * in one of two places, and so is that part of the weights. */
static void test_weights(void **state)
{
    (void)state;
    table t = make_places(20000, 6, 4, .8, .005, 0);
    for (size_t r = 0; r < t.n; r++)
        for (uint32_t i = 0; i < t.d; i++)
            t.rows[r * t.d + i] =
                (r % 4 ? .2 : .8) + (t.rows[r * t.d + i] - .5) / 100;
    kith_result *r = run_once(&t, 100, KITH_KMEANS_AUTO, .1, 0, 900);
    uint32_t k, d;
    const double *centers = kith_result_centers(r, &k, &d);
    const double *weights = kith_result_weights(r);
    double all = 0, high = 0;
    for (uint32_t j = 0; j < k; j++) {
        double sum = 0;
        for (uint32_t i = 0; i < d; i++)
            sum += centers[j * d + i] / d;
        all += weights[j];
        high += sum > .5 ? weights[j] : 0;
    }
    print_message("part of the weights %g\n", high / all);
    assert_true(high > .15 * all && high < .35 * all);
    kith_result_free(r);
    free(t.rows);
}

/* Many rounds would have histograms that are noise (1.15 then). */
static void test_rounds(void **state)
{
    (void)state;
    assert_true(
        compare(make_places(10000, 3, 5, .06, .0007, .1), 10, .5, 1e-6) < 1.05);
}

/* A tail that ends in the shells. */
static void test_tail(void **state)
{
    (void)state;
    assert_true(compare(make_table(20000, 6, draw_student, 0, 1), 3, 1, 1e-6) <
                1.01);
}

/* So few rows that nothing is seen of them, close together, and clusters that
 * noise would spread all over the bounds: one mean (3.1 with lloyd). */
static void test_nothing(void **state)
{
    (void)state;
    assert_true(compare(make_places(500, 6, 3, .1, .01, 0), 5, .2, 0) < 1.05);
}

/* A mean that is a third noise is no reason to give up the clusters (.56
 * then), nor is one that is mostly noise (1 then). */
static void test_half(void **state)
{
    (void)state;
    assert_true(compare(make_places(1000, 200, 5, .8, .05, 0), 5, 1, 1e-6) <
                .45);
    assert_true(compare(make_places(3000, 200, 5, .8, .05, 0), 5, 1, 0) < .6);
}

/* Places far apart in many dimensions, of which the axes show a part: a second
 * step in full space is clipped at what the first has left (3.7 times the cost
 * about the places themselves with one step, 1.5 with several). */
static void test_zoom(void **state)
{
    (void)state;
    enum { PLACES = 20, D = 60 };
    table t = make_places(12000, D, PLACES, .8, .01, 0);
    double mine = mean_cost(&t, PLACES, KITH_KMEANS_AUTO, .5, 1e-6);
    double best = 1e-4 * D * (double)t.n;
    free(t.rows);
    print_message("auto %g, the places %g\n", mine, best);
    assert_true(mine < 2 * best);
}

/* A plan has no rows to show it a direction: it is one of rows that have some,
 * and makes about as many releases as they do (11 where it took them for rows
 * without any, and handed over to lloyd). */
static void test_plan(void **state)
{
    (void)state;
    enum { ROWS = 20000, D = 8, K = 10 };
    table t = make_places(ROWS - K, D, K, .8, .1, 0);
    kith_result *real = run_once(&t, K, KITH_KMEANS_AUTO, 1, 1e-6, 900);
    kith_bounds box = {.lower = &t.low, .upper = &t.high, .box_count = 1};
    kith_shape shape = {.rows = ROWS, .dimension = D};
    kith_privacy privacy = {1, 1e-6, KITH_ADD_REMOVE};
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    kith_result *plan = NULL;
    kith_error err = {0};
    if (kith_kmeans_plan(&shape, &box, &privacy, &opt, &plan, &err))
        fail_msg("%s", err.message);
    double made = (double)kith_result_receipt_count(real);
    double planned = (double)kith_result_receipt_count(plan);
    print_message("releases %g, planned %g\n", made, planned);
    assert_true(fabs(planned - made) <= .2 * made);
    kith_result_free(real);
    kith_result_free(plan);
    free(t.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clusters), cmocka_unit_test(test_summary),
        cmocka_unit_test(test_weights),  cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_tail),     cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_half),     cmocka_unit_test(test_zoom),
        cmocka_unit_test(test_plan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
