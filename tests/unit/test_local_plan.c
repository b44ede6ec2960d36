/* Forecasts know how a run pays: epsilon that is split, users that are split
 * between repetitions, Gaussian reports; a plan whose own trial fails says so.
 * And dimensions in which second moments cannot be reported. No data, seeded.
 */
#include <math.h>
#include <string.h>

#include "collect/collect_i.h"
#include "kith/kith.h"
#include "methods/weighted.h"
#include "support/cmocka_all.h"

static const kith_bounds ball = {.radius = 1};

static kith_local_options weighted(double epsilon)
{
    kith_local_options opt;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = 5;
    opt.epsilon = epsilon;
    opt.method = KITH_LOCAL_WEIGHTED_CENTERS;
    opt.radii = 3;
    opt.threads = 1;
    return opt;
}

static kith_local_forecast forecast(uint64_t n, const kith_local_options *opt)
{
    kith_local_forecast f;
    assert_int_equal(kith_local_predict(n, 2, &ball, opt, &f, NULL), KITH_OK);
    return f;
}

static void forecasts_know_how_it_is_paid(void **state)
{
    (void)state;
    const uint64_t n = 1000000;
    kith_local_options opt = weighted(2);
    kith_local_forecast plain = forecast(n, &opt);
    /* 16 repetitions share the users: noise is four times as large. */
    opt.repetitions = 16;
    kith_local_forecast often = forecast(n, &opt);
    assert_true(fabs(often.center_error / plain.center_error - 4) < 1e-9);
    /* Gaussian reports: as much more noise as their sigma says. */
    opt = weighted(2);
    opt.delta = 1e-6;
    kith_local_forecast gaussian = forecast(n, &opt);
    static const double one = 1;
    kith_i_question q = {.share = .1,
                         .epsilon = 2,
                         .delta = 1e-6,
                         .randomizer = KITH_I_RANDOMIZER_GAUSSIAN,
                         .report = KITH_I_REPORT_VECTOR,
                         .place = {.kind = KITH_I_PLACE_ONE, .places = 1},
                         .radii = &one};
    kith_i_mechanism m;
    assert_int_equal(kith_i_mechanism_make(&q, 2, &m, NULL), KITH_OK);
    double ratio = kith_i_mechanism_sd(&m) / kith_i_vector_sd(2, 3);
    assert_true(ratio > 2);
    assert_true(fabs(gaussian.center_error / plain.center_error / ratio - 1) <
                1e-9);
    /* Split epsilon: a radius has 2/9, of which LDP-AVG's sums a quarter; but
     * everybody is asked, not one user in 3 / (.5 * .4). */
    opt = weighted(2);
    opt.split_epsilon = 1;
    kith_local_forecast split = forecast(n, &opt);
    double noise = kith_i_vector_sd(2 / 9. / 4, 3) / kith_i_vector_sd(2, 3);
    double users = 3 / (.5 * .4);
    assert_true(
        fabs(split.center_error / plain.center_error / (noise / sqrt(users)) -
             1) < 1e-6);
    assert_true(split.smallest > plain.smallest);
}

static void failing_trials_are_heeded(void **state)
{
    (void)state;
    static const uint64_t users[] = {1000, 10000, 100000};
    for (int split = 0; split < 2; split++)
        for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
            kith_local_options opt = weighted(1);
            kith_local_forecast f;
            double off = 0;
            opt.split_epsilon = split;
            assert_int_equal(kith_local_plan(&(kith_shape){users[i], 2, 0, 0},
                                             &ball, &opt, &f, &off, NULL, NULL),
                             KITH_OK);
            print_message("split %d n %u: forecast %.3g trial %.3g works %d\n",
                          split, (unsigned)users[i], f.center_error, off,
                          f.works);
            assert_true(off <= f.radius / 8 || f.works != 1);
        }
    /* The formula knows of noise only; the grid of a projection fails here. */
    kith_local_options opt = weighted(4);
    kith_local_forecast f;
    double off = 0;
    opt.radii = 0;
    assert_int_equal(kith_local_predict(100000, 20, &ball, &opt, &f, NULL),
                     KITH_OK);
    assert_int_equal(f.works, 1);
    assert_int_equal(kith_local_plan(&(kith_shape){100000, 20, 0, 0}, &ball,
                                     &opt, &f, &off, NULL, NULL),
                     KITH_OK);
    assert_true(off > 3 * f.center_error && off > f.radius / 8);
    assert_int_equal(f.works, 0);
    /* auto with too few users is one mean, which is not five centres. */
    opt = weighted(1);
    opt.method = KITH_LOCAL_AUTO;
    opt.radii = 0;
    assert_int_equal(kith_local_plan(&(kith_shape){300, 3, 0, 0}, &ball, &opt,
                                     &f, &off, NULL, NULL),
                     KITH_OK);
    assert_true(off > f.radius / 8);
    assert_int_equal(f.works, 0);
}

/* Trials count lost clusters: clear ones are found, and where noise hides all
 * directions they are not. A forecast alone tries nothing. Seeded. */
static void lost_clusters_are_counted(void **state)
{
    (void)state;
    kith_local_forecast f;
    kith_local_options opt;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = 3;
    opt.epsilon = 8;
    assert_int_equal(kith_local_predict(1000000, 5, &ball, &opt, &f, NULL),
                     KITH_OK);
    assert_true(isnan(f.lost));
    assert_int_equal(kith_local_plan(&(kith_shape){30000, 5, 0, 0}, &ball, &opt,
                                     &f, NULL, NULL, NULL),
                     KITH_OK);
    assert_true(f.trials == 60 && f.lost > 0 && f.lost < .1);
    opt.epsilon = .5;
    assert_int_equal(kith_local_plan(&(kith_shape){20000, 5, 0, 0}, &ball, &opt,
                                     &f, NULL, NULL, NULL),
                     KITH_OK);
    assert_true(f.lost > .3); /* .6 with other seeds */
}

/* Trials run side by side; whoever asked may stop them. */
static int stop_at_two(void *arg, unsigned done, unsigned total)
{
    unsigned *most = arg;
    *most = total == 60 && done > *most ? done : *most;
    return total == 60 && done >= 2;
}

static void trials_can_be_stopped(void **state)
{
    (void)state;
    kith_local_forecast f;
    kith_local_options opt;
    kith_error err = {0};
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        unsigned most = 0;
        kith_local_options_init(&opt, sizeof opt);
        opt.clusters = 2;
        opt.epsilon = 4;
        opt.threads = threads;
        opt.progress = stop_at_two;
        opt.progress_arg = &most;
        assert_int_equal(kith_local_plan(&(kith_shape){5000, 4, 0, 0}, &ball,
                                         &opt, &f, NULL, NULL, &err),
                         KITH_ERR_CANCELLED);
        assert_true(most >= 2 && most < 2 + threads);
    }
}

/* (d + 1)(d + 2) / 2 coordinates do not fit a report from d = 1447 on. */
static void many_dimensions_do_without_moments(void **state)
{
    (void)state;
    kith_local_options opt = weighted(8);
    kith_local_forecast f;
    kith_local_summary *summary = NULL;
    double off = HUGE_VAL;
    kith_error err = {0};
    opt.method = KITH_LOCAL_AUTO;
    opt.radii = 0;
    if (kith_local_plan(&(kith_shape){10000000, 1447, 0, 0}, &ball, &opt, &f,
                        &off, &summary, &err))
        fail_msg("%s", err.message);
    assert_true(kith_local_rounds(summary) == 10);
    assert_true(off < .1); /* measured: .02; clusters are .5 apart */
    kith_local_summary_free(summary);
}

/* Without a seed the law is drawn afresh; with one it is not. And there is one
 * largest epsilon, whoever is asked. */
static void seeds_and_limits(void **state)
{
    (void)state;
    static const double x[] = {.1, .2, .3, -.4, -.5, .6, .7, 0};
    kith_dataset *data = NULL;
    kith_local_options opt;
    double first = 0;
    int same = 1;
    kith_error err = {0};
    assert_int_equal(kith_dataset_from_rows(x, 8, 1, &ball, &data, NULL),
                     KITH_OK);
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = 1;
    opt.epsilon = 1;
    opt.law = 1;
    /* Two draws may both be clipped to the same bound; sixteen are not (the
     * chance that one is inside is above 1/2). */
    for (int i = 0; i < 16; i++) {
        kith_result *result = NULL;
        uint32_t k, d;
        assert_int_equal(kith_local_simulate(data, &opt, &result, NULL, NULL),
                         KITH_OK);
        double at = kith_result_centers(result, &k, &d)[0];
        first = i ? first : at;
        same = same && at == first;
        kith_result_free(result);
    }
    assert_false(same);
    kith_result *result = NULL;
    opt.epsilon = 20.5;
    assert_int_equal(kith_local_simulate(data, &opt, &result, NULL, &err),
                     KITH_ERR_PRIVACY);
    assert_non_null(strstr(err.message, "at most 20"));
    opt.epsilon = 20;
    assert_int_equal(kith_local_simulate(data, &opt, &result, NULL, NULL),
                     KITH_OK);
    kith_result_free(result);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forecasts_know_how_it_is_paid),
        cmocka_unit_test(failing_trials_are_heeded),
        cmocka_unit_test(lost_clusters_are_counted),
        cmocka_unit_test(trials_can_be_stopped),
        cmocka_unit_test(many_dimensions_do_without_moments),
        cmocka_unit_test(seeds_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
