/* Out of memory everywhere in the non-private solvers and in the distance of
 * planes: each allocation fails once. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

enum { N = 90, D = 4, K = 2, Q = 2 };

static double rows[N * D];

static kith_status run_solver(const void *arg, kith_error *err)
{
    kith_bounds bounds = {.radius = 1, .unit_rows = 1};
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    kith_plain_subspace_options opt;
    kith_plain_subspace_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.subspace_dimension = Q;
    opt.solver = *(const kith_subspace_solver *)arg;
    opt.starts = 2;
    opt.threads = 1;
    kith_status status =
        kith_dataset_from_rows(rows, N, D, &bounds, &data, err);
    if (!status)
        status = kith_plain_subspace(data, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_dataset_free(data);
    return status;
}

static kith_status run_distance(const void *arg, kith_error *err)
{
    (void)arg;
    static const double bases[K * D * Q] = {1, 0, 0, 1, 0, 0, 0, 0,
                                            0, 0, 0, 0, 1, 0, 0, 1};
    double apart = -1;
    kith_model_view view = {
        .clusters = K, .dimension = D, .bases = bases, .subspace_dimension = Q};
    kith_status status = kith_plane_distance(&view, &view, &apart, err);
    assert_true(status ? apart == -1 : apart == 0);
    return status;
}

static void test_all(void **state)
{
    (void)state;
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7919 % 101 - 50) / 101.0;
    for (int s = KITH_SOLVER_KPLANE; s <= KITH_SOLVER_LRR; s++) {
        kith_subspace_solver solver = (kith_subspace_solver)s;
        assert_true(torture("solver", run_solver, &solver) > 10);
    }
    assert_true(torture("distance", run_distance, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
