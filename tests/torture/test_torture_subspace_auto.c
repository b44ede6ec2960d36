/* Out of memory in every allocation of `auto` for planes, on each of its ways,
 * and of the release of fourth moments. */
/* link: support/mem_failing.c */
#include "release/release_tensor.h"
#include "support/make_planes.h"
#include "torture/torture.h"

enum { N = 300, D = 5, K = 2, Q = 1 };

typedef struct {
    const double *rows;
    double epsilon, delta;
    kith_neighbors neighbors;
} scenario;

static kith_status open_seeded(const scenario *sc, kith_session **out,
                               kith_error *err)
{
    torture_data data = {.rows = sc->rows,
                         .n = N,
                         .d = D,
                         .threads = 2,
                         .bounds = unit_rows(),
                         .privacy = {sc->epsilon, sc->delta, sc->neighbors}};
    return torture_session(&data, out, err);
}

static kith_status run_auto(const void *arg, kith_error *err)
{
    kith_session *s = NULL;
    kith_status status = open_seeded(arg, &s, err);
    if (status)
        return status;
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.subspace_dimension = Q;
    kith_result *result = NULL;
    status = kith_subspace(s, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static kith_status run_tensor(const void *arg, kith_error *err)
{
    kith_session *s = NULL;
    kith_status status = open_seeded(arg, &s, err);
    if (status)
        return status;
    kith_i_tensor_spec spec = {
        .what = "test", .bits = 10, .charge = kith_i_session_left(s)};
    kith_i_tensor about;
    int64_t out[70] = {0};
    status = kith_i_release_tensor(s, &spec, out, &about, err);
    for (size_t i = 0; status && i < 70; i++)
        assert_int_equal(out[i], 0); /* exact sums do not stay behind */
    kith_session_close(s);
    return status;
}

static void test_all(void **state)
{
    (void)state;
    double *rows = make_planes(N, D, K, Q, .05, 1, NULL);
    /* a cover, a fit, a step, chains */
    static const double epsilons[] = {.01, .4, 4, 500};
    static const double pure[] = {.3, 4};
    for (int e = 0; e < 6; e++) {
        scenario sc = {rows, e < 4 ? epsilons[e] : pure[e - 4],
                       e < 4 ? 1e-6 : 0,
                       e % 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        assert_true(torture("auto", run_auto, &sc) > 20);
    }
    for (int e = 0; e < 2; e++) {
        scenario sc = {rows, 1, e ? 0 : 1e-6, KITH_ADD_REMOVE};
        assert_true(torture("tensor", run_tensor, &sc) > 10);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
