/* link: support/entropy_failing.c */
/* A device without secure coins sends nothing: the round is lost, and no
 * answer comes out of it (R11). */
#include "plain/local_crowd.h"
#include "support/cmocka_all.h"
#include "support/entropy_failing.h"

enum { D = 2, N = 500, K = 2 };
static const double POINTS[] = {-.5, -.5, .5, .5};
static const double RADII[] = {.5, .25};

static kith_dataset *make_rows(size_t rows)
{
    static double x[N * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < D; t++)
            x[i * D + t] =
                (i % 3 ? -.5 : .5) + .1 + .05 * kith_i_coins_normal(&coins);
    double low = -1, high = 1;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_dataset *data = NULL;
    assert_int_equal(kith_dataset_from_rows(x, rows, D, &bounds, &data, NULL),
                     KITH_OK);
    return data;
}

static kith_i_question question_of(kith_i_report_kind report, double share)
{
    return (kith_i_question){.what = "test",
                             .share = share,
                             .epsilon = 2,
                             .report = report,
                             .place = {.kind = KITH_I_PLACE_NEAREST,
                                       .places = K,
                                       .lens = {.q = D, .d = D},
                                       .points = POINTS},
                             .bands = 5,
                             .top = 1,
                             .centers = POINTS,
                             .radii = RADII};
}

static void test_no_entropy_no_report(void **state)
{
    (void)state;
    kith_dataset *data = make_rows(500);
    kith_i_crowd_options opt = {.epsilon = 2, .threads = 1, .minimum = 1};
    kith_i_collector *c = NULL;
    kith_i_question q = question_of(KITH_I_REPORT_SYMBOL, 1);
    kith_i_answer a;
    entropy_fail_check(1);
    assert_int_equal(kith_i_collector_simulate(data, &opt, &c, NULL),
                     KITH_ERR_ENTROPY);
    assert_null(c);
    entropy_fail_check(0);
    assert_int_equal(kith_i_collector_simulate(data, &opt, &c, NULL), KITH_OK);
    entropy_fail_at(3);
    assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_ERR_ENTROPY);
    assert_null(a.fractions);
    entropy_fail_at(0);
    kith_i_collector_close(c);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_entropy_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
