/* auto on rows wider than it is ever asked to take (kmeans.c hands those to
 * lloyd): the square of an L1 length passes 64 bits. Whether it wraps is for
 * UBSan to see; here the run has to end, within the bounds. */
#include "cluster/cluster_i.h"
#include "support/make_data.h"

static kith_status run_auto(kith_session *session, const void *opt,
                            uint64_t rows, kith_result *result, kith_error *err)
{
    return kith_i_kmeans_auto(session, opt, rows, result, err);
}

/* Every row is at the corner of the box that is farthest from zero. */
static void test_far_corner(void **state)
{
    (void)state;
    enum { N = 20, D = 47000 };
    static const double low = 0, high = 1.9999; /* 2^16 steps */
    double *rows = malloc((size_t)N * D * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < (size_t)N * D; i++)
        rows[i] = high;
    kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
    kith_session *s =
        open_session(load(rows, N, D, box), 4000, 0, KITH_ADD_REMOVE, 2, 1);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 1;
    kith_i_method method = {.run = run_auto, .opt = &opt, .clusters = 1};
    kith_result *result = NULL;
    kith_error err = {0};
    if (kith_i_run(s, &method, 0, &result, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < D; i++)
        assert_true(result->centers[i] >= low && result->centers[i] <= high);
    kith_result_free(result);
    kith_session_close(s);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_corner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
