/* Out of memory everywhere in k-median: each allocation of a private run, of a
 * plan and of a non-private run fails once. Seeded, so that every run asks for
 * memory alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

enum { N = 200, D = 3, K = 3 };

static double rows[N * D];
static const double low = -1, high = 1;

static kith_bounds box(void)
{
    return (kith_bounds){.lower = &low, .upper = &high, .box_count = 1};
}

static kith_status open_data(kith_dataset **out, kith_error *err)
{
    kith_bounds bounds = box();
    kith_status status = kith_dataset_from_rows(rows, N, D, &bounds, out, err);
    assert_true((status == KITH_OK) == (*out != NULL));
    return status;
}

static kith_status run_private(const void *arg, kith_error *err)
{
    torture_data data = {.rows = rows,
                         .n = N,
                         .d = D,
                         .threads = 2,
                         .bounds = box(),
                         .privacy = {1, *(const double *)arg, KITH_ADD_REMOVE}};
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.rounds = 3;
    kith_status status = torture_session(&data, &session, err);
    if (!status) {
        result = (kith_result *)session;
        status = kith_kmedian(session, &opt, &result, err);
        assert_true((status == KITH_OK) == (result != NULL));
    }
    kith_result_free(result);
    kith_session_close(session);
    return status;
}

static kith_status run_plan(const void *arg, kith_error *err)
{
    kith_bounds bounds = box();
    kith_privacy privacy = {1, *(const double *)arg, KITH_REPLACE_ONE};
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = K;
    kith_result *result = (kith_result *)&opt;
    kith_status status = kith_kmedian_plan(&(kith_shape){N, D, 0, 0}, &bounds,
                                           &privacy, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    return status;
}

static kith_status run_plain(const void *arg, kith_error *err)
{
    (void)arg;
    kith_dataset *data = NULL;
    kith_status status = open_data(&data, err);
    if (status)
        return status;
    kith_plain_options opt;
    kith_plain_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.starts = 2;
    opt.threads = 2;
    kith_result *result = (kith_result *)data;
    status = kith_plain_kmedian(data, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_dataset_free(data);
    return status;
}

static void test_all(void **state)
{
    (void)state;
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7 % 19 - 9) / 10.0;
    static const double deltas[] = {0, 1e-6};
    for (int i = 0; i < 2; i++) {
        assert_true(torture("kmedian", run_private, &deltas[i]) > 60);
        assert_true(torture("plan", run_plan, &deltas[i]) > 20);
    }
    assert_true(torture("plain kmedian", run_plain, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
