/* Out of memory everywhere in the local system: each allocation of a simulated
 * run, of a run by the law, and of a plan fails once. Seeded and on one thread,
 * so that every run asks for memory alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

enum { N = 60, D = 2, K = 2 };

static double rows[N * D];

typedef struct {
    kith_local_method method;
    int law, split, boxes;
    double delta;
} scenario;

static kith_local_options options(const scenario *s)
{
    kith_local_options opt;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.epsilon = 8;
    opt.delta = s->delta;
    opt.method = s->method;
    opt.law = s->law;
    opt.split_epsilon = s->split;
    opt.boxes = s->boxes;
    opt.radii = s->method == KITH_LOCAL_WEIGHTED_CENTERS ? 2 : 0;
    opt.insecure = 1;
    opt.threads = 1;
    return opt;
}

static kith_status run_simulate(const void *arg, kith_error *err)
{
    kith_local_options opt = options(arg);
    kith_bounds bounds = {.radius = 1};
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    kith_local_summary *summary = NULL;
    kith_status status =
        kith_dataset_from_rows(rows, N, D, &bounds, &data, err);
    if (!status) {
        status = kith_local_simulate(data, &opt, &result, &summary, err);
        assert_true((status == KITH_OK) == (result != NULL));
        assert_true((status == KITH_OK) == (summary != NULL));
    }
    kith_local_summary_free(summary);
    kith_result_free(result);
    kith_dataset_free(data);
    return status;
}

static kith_status run_plan(const void *arg, kith_error *err)
{
    kith_local_options opt = options(arg);
    kith_bounds bounds = {.radius = 1};
    kith_local_forecast forecast;
    kith_local_summary *summary = NULL;
    double trial;
    kith_status status =
        kith_local_plan(&(kith_shape){100, D, 0, 0}, &bounds, &opt, &forecast,
                        &trial, &summary, err);
    assert_true((status == KITH_OK) == (summary != NULL));
    kith_local_summary_free(summary);
    return status;
}

static kith_status run_bound(const void *arg, kith_error *err)
{
    kith_local_options opt = options(arg);
    uint32_t right;
    return kith_local_lower_bound(50, 10, 4, 2, &opt, &right, err);
}

static void local(void **state)
{
    (void)state;
    static const scenario paper = {.method = KITH_LOCAL_WEIGHTED_CENTERS},
                          law = {.method = KITH_LOCAL_WEIGHTED_CENTERS,
                                 .law = 1,
                                 .boxes = 1},
                          split = {.method = KITH_LOCAL_WEIGHTED_CENTERS,
                                   .split = 1,
                                   .delta = 1e-6},
                          automatic = {.method = KITH_LOCAL_AUTO};
    for (int i = 0; i < N * D; i++)
        rows[i] = i / D % 2 ? .6 : -.5;
    assert_true(torture("weighted-centers", run_simulate, &paper) > 20);
    assert_true(torture("weighted-centers by law", run_simulate, &law) > 20);
    assert_true(torture("split epsilon", run_simulate, &split) > 20);
    assert_true(torture("auto", run_simulate, &automatic) > 10);
    assert_true(torture("plan", run_plan, &paper) > 20);
    assert_true(torture("lower bound", run_bound, &law) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(local)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
