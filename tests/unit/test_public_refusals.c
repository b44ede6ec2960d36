/* What public numbers rule out is refused before the first release: the
 * session's budget is untouched. And what auto cannot do with many centres,
 * another method does. */
#include "cluster/cluster_i.h"
#include "support/sparse_data.h"

enum { N = 20, D = 6 };

static kith_session *open_rows(int sparse, double epsilon)
{
    static double rows[N * D];
    for (int i = 0; i < N * D; i++)
        rows[i] = i % 5 == 0 ? .5 : 0;
    kith_bounds box = unit_box();
    kith_dataset *data = NULL;
    if (sparse)
        data = load_sparse(rows, N, D, box);
    else
        assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL),
                         KITH_OK);
    return open_session(data, epsilon, 0, KITH_ADD_REMOVE, 1, 1);
}

static void expect_refusal(kith_session *session, kith_kmedian_options *opt)
{
    kith_i_loss before = kith_i_session_left(session);
    kith_result *result = NULL;
    kith_error err = {0};
    assert_true(kith_kmedian(session, opt, &result, &err) != KITH_OK);
    assert_null(result);
    assert_true(before > 0 && kith_i_session_left(session) == before);
    kith_session_close(session);
}

static void test_median(void **state)
{
    (void)state;
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.recovery = KITH_RECOVERY_SAMPLING;
    expect_refusal(open_rows(1, 1), &opt); /* sparse */
    expect_refusal(open_rows(0, 1e-12), &opt);
    opt.recovery = KITH_RECOVERY_STEPS;
    opt.rounds = 10000;
    expect_refusal(open_rows(0, 1e-9), &opt); /* too many rounds for it */
}

/* More centres than labels: auto hands over, at once. */
static void test_many_centers(void **state)
{
    (void)state;
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 17000;
    opt.rounds = 1;
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_session *session = open_rows(sparse, 1);
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_kmeans(session, &opt, &result, &err))
            fail_msg("%s", err.message);
        uint32_t k = 0;
        kith_result_centers(result, &k, NULL);
        assert_int_equal(k, 17000);
        kith_receipt first;
        kith_result_receipt(result, 0, &first);
        assert_string_equal(first.what, "round 1 of 1, cluster counts");
        kith_result_free(result);
        kith_session_close(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_many_centers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
