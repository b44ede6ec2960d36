/* The public local API: what it refuses, forecasts, plans, tiny crowds, and
 * Protocol B as a statistical test. */
#include <math.h>
#include <string.h>

#include "kith/kith.h"
#include "support/cmocka_all.h"

static const kith_bounds ball = {.radius = 1};

static kith_local_options options(kith_local_method method)
{
    kith_local_options opt;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.epsilon = 2;
    opt.method = method;
    opt.insecure = 1;
    opt.threads = 2;
    return opt;
}

static kith_dataset *dataset(size_t n, uint32_t d)
{
    double *x = calloc(n * d + 1, sizeof *x);
    kith_dataset *data = NULL;
    assert_non_null(x);
    for (size_t i = 0; i < n * d; i++)
        x[i] = (double)(i * 37 % 100) / 100 - .5;
    assert_int_equal(kith_dataset_from_rows(x, n, d, &ball, &data, NULL),
                     KITH_OK);
    free(x);
    return data;
}

static kith_status try(const kith_dataset *data, const kith_local_options *opt)
{
    kith_result *result = NULL;
    kith_status status = kith_local_simulate(data, opt, &result, NULL, NULL);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    return status;
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    kith_dataset *data = dataset(50, 2);
    kith_local_options opt = options(KITH_LOCAL_AUTO);
    kith_result *result;
    assert_int_equal(try(data, &opt), KITH_OK);
    opt.epsilon = 0;
    assert_int_equal(try(data, &opt), KITH_ERR_PRIVACY);
    opt.epsilon = (double)NAN;
    assert_int_equal(try(data, &opt), KITH_ERR_PRIVACY);
    opt = options(KITH_LOCAL_AUTO);
    opt.delta = 1;
    assert_int_equal(try(data, &opt), KITH_ERR_PRIVACY);
    opt = options(KITH_LOCAL_AUTO);
    opt.clusters = 0;
    assert_int_equal(try(data, &opt), KITH_ERR_ARGUMENT);
    opt = options((kith_local_method)9);
    assert_int_equal(try(data, &opt), KITH_ERR_ARGUMENT);
    opt = options(KITH_LOCAL_AUTO);
    opt.split_epsilon = 1;
    assert_int_equal(try(data, &opt), KITH_ERR_ARGUMENT);
    opt = options(KITH_LOCAL_AUTO);
    opt.nearest_weights = 1;
    assert_int_equal(try(data, &opt), KITH_ERR_ARGUMENT);
    opt = options(KITH_LOCAL_WEIGHTED_CENTERS);
    opt.paper_constants = 1;
    assert_int_equal(try(data, &opt), KITH_ERR_ARGUMENT);
    assert_int_equal(kith_local_simulate(NULL, &opt, &result, NULL, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_local_simulate(data, NULL, &result, NULL, NULL),
                     KITH_ERR_ARGUMENT);
    kith_dataset_free(data);
    data = dataset(0, 2); /* no users at all */
    opt = options(KITH_LOCAL_AUTO);
    assert_int_equal(try(data, &opt), KITH_ERR_INPUT);
    kith_dataset_free(data);
}

static void tiny_crowds_get_an_answer(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 3; n++)
        for (int m = KITH_LOCAL_AUTO; m <= KITH_LOCAL_MEAN; m++) {
            kith_dataset *data = dataset(n, 2);
            kith_local_options opt = options((kith_local_method)m);
            opt.clusters = 7;
            assert_int_equal(try(data, &opt), KITH_OK);
            kith_dataset_free(data);
        }
}

/* A seed gives one result for any number of threads; the guarantee is none,
 * and exact with secret coins. */
static void seeds_and_guarantees(void **state)
{
    (void)state;
    kith_dataset *data = dataset(2000, 2);
    kith_local_options opt = options(KITH_LOCAL_WEIGHTED_CENTERS);
    kith_result *one = NULL, *two = NULL, *real = NULL;
    opt.threads = 1;
    assert_int_equal(kith_local_simulate(data, &opt, &one, NULL, NULL), 0);
    opt.threads = 3;
    assert_int_equal(kith_local_simulate(data, &opt, &two, NULL, NULL), 0);
    uint32_t k = 0, k2 = 0, d = 0;
    const double *a = kith_result_centers(one, &k, &d);
    const double *b = kith_result_centers(two, &k2, &d);
    assert_int_equal(k, k2);
    assert_memory_equal(a, b, (size_t)k * d * sizeof *a);
    assert_string_equal(kith_result_guarantee(one), "none");
    opt.insecure = 0;
    assert_int_equal(kith_local_simulate(data, &opt, &real, NULL, NULL), 0);
    assert_string_equal(kith_result_guarantee(real), "exact");
    kith_privacy p = kith_result_privacy(real);
    assert_int_equal(p.neighbors, KITH_REPLACE_ONE);
    kith_result_free(real);
    opt.law = 1;
    assert_int_equal(kith_local_simulate(data, &opt, &real, NULL, NULL), 0);
    assert_string_equal(kith_result_guarantee(real), "none");
    kith_result_free(real);
    kith_result_free(one);
    kith_result_free(two);
    kith_dataset_free(data);
}

/* More users, more epsilon, fewer features: less error. And the verdict agrees
 * with what local.md measured. */
static void forecasts(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        uint32_t d;
        double epsilon;
        int works;
    } table[] = {{100000, 2, 1, 1},    {10000, 2, .5, 0},  {1000000, 2, .5, 1},
                 {10000, 20, 1, 0},    {100000, 20, 4, 1}, {100000, 100, .5, 0},
                 {1000000, 100, 4, 1}, {100000, 20, .5, 0}};
    kith_local_options opt = options(KITH_LOCAL_AUTO);
    kith_local_forecast f, g;
    opt.clusters = 5;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        opt.epsilon = table[i].epsilon;
        assert_int_equal(
            kith_local_predict(table[i].n, table[i].d, &ball, &opt, &f, NULL),
            KITH_OK);
        assert_int_equal(f.works, table[i].works);
        assert_int_equal(kith_local_predict(4 * table[i].n, table[i].d, &ball,
                                            &opt, &g, NULL),
                         KITH_OK);
        assert_true(fabs(f.center_error / g.center_error - 2) < 1e-6);
        opt.epsilon *= 2;
        assert_int_equal(
            kith_local_predict(table[i].n, table[i].d, &ball, &opt, &g, NULL),
            KITH_OK);
        assert_true(g.center_error < f.center_error);
        assert_true(g.smallest <= f.smallest);
    }
    assert_int_equal(kith_local_predict(0, 2, &ball, &opt, &f, NULL),
                     KITH_ERR_ARGUMENT);
    /* Twice the bounds, twice the error. */
    kith_bounds wide = {.radius = 2};
    assert_int_equal(kith_local_predict(1000, 2, &ball, &opt, &f, NULL), 0);
    assert_int_equal(kith_local_predict(1000, 2, &wide, &opt, &g, NULL), 0);
    assert_true(fabs(g.center_error / f.center_error - 2) < 1e-9);
}

static void plans(void **state)
{
    (void)state;
    for (int m = KITH_LOCAL_AUTO; m <= KITH_LOCAL_MEAN; m++) {
        kith_local_options opt = options((kith_local_method)m);
        kith_local_forecast f;
        kith_local_summary *summary = NULL;
        double trial = -1, epsilon = 0, delta = 0;
        opt.clusters = 3;
        opt.epsilon = 4;
        assert_int_equal(kith_local_plan(&(kith_shape){50000, 2, 0, 0}, &ball,
                                         &opt, &f, &trial, &summary, NULL),
                         KITH_OK);
        kith_local_user_loss(summary, &epsilon, &delta);
        assert_true(epsilon <= 4 * (1 + 1e-9));
        assert_true(kith_local_group_count(summary) > 0);
        /* Clear clusters, easy noise: all but the single mean find them. */
        if (m != KITH_LOCAL_MEAN)
            assert_true(trial < .2);
        else
            assert_true(trial > .2);
        kith_local_summary_free(summary);
    }
}

/* Protocol B, epsilon 4, n = 3000, 16 intervals, 40 trials. No ones: the
 * centre at 0 is in the interval once in 16, so at least 25 of 40 are right but
 * with probability below 1e-9. 1750 ones are seen: at least 28 of 40. 14 ones
 * are not: a yes is an accident, at most 24 of 40 (below 1e-9 at 0.2). */
static void protocol_b(void **state)
{
    (void)state;
    enum { TRIALS = 40 };
    static const kith_local_method methods[] = {KITH_LOCAL_AUTO,
                                                KITH_LOCAL_WEIGHTED_CENTERS};
    for (int m = 0; m < 2; m++) {
        kith_local_options opt = options(methods[m]);
        uint32_t zero = 0, few = 0, many = 0;
        opt.epsilon = 4;
        opt.law = 1;
        assert_int_equal(
            kith_local_lower_bound(3000, 0, 16, TRIALS, &opt, &zero, NULL), 0);
        assert_int_equal(
            kith_local_lower_bound(3000, 14, 16, TRIALS, &opt, &few, NULL), 0);
        assert_int_equal(
            kith_local_lower_bound(3000, 1750, 16, TRIALS, &opt, &many, NULL),
            0);
        assert_true(zero >= 25);
        assert_true(few <= 24);
        assert_true(many >= 28);
    }
    kith_local_options opt = options(KITH_LOCAL_AUTO);
    uint32_t right;
    assert_int_equal(kith_local_lower_bound(10, 11, 16, 1, &opt, &right, NULL),
                     KITH_ERR_ARGUMENT);
    opt.clusters = 3;
    assert_int_equal(kith_local_lower_bound(10, 1, 16, 1, &opt, &right, NULL),
                     KITH_ERR_ARGUMENT);
}

static int stop(void *arg, unsigned done, unsigned total)
{
    (void)arg;
    return done >= 2 && total >= done;
}

static void runs_can_be_stopped(void **state)
{
    (void)state;
    kith_dataset *data = dataset(500, 2);
    kith_local_options opt = options(KITH_LOCAL_AUTO);
    opt.progress = stop;
    assert_int_equal(try(data, &opt), KITH_ERR_CANCELLED);
    opt.method = KITH_LOCAL_WEIGHTED_CENTERS;
    assert_int_equal(try(data, &opt), KITH_ERR_CANCELLED);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(tiny_crowds_get_an_answer),
        cmocka_unit_test(seeds_and_guarantees),
        cmocka_unit_test(forecasts),
        cmocka_unit_test(plans),
        cmocka_unit_test(protocol_b),
        cmocka_unit_test(runs_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
