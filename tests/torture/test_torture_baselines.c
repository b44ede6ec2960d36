/* Out of memory in every allocation of the baselines. */
/* link: support/mem_failing.c */
#include "support/make_data.h"
#include "torture/torture.h"

enum { N = 200, D = 3, K = 2 };

typedef struct {
    const double *rows;
    double delta;
    kith_kmeans_method method;
} scenario;

static kith_status run(const void *arg, kith_error *err)
{
    const scenario *sc = arg;
    torture_data data = {.rows = sc->rows,
                         .n = N,
                         .d = D,
                         .threads = 2,
                         .bounds = unit_box(),
                         .privacy = {1, sc->delta, KITH_ADD_REMOVE}};
    kith_session *s = NULL;
    kith_status status = torture_session(&data, &s, err);
    if (status)
        return status;
    kith_kmeans_options method;
    kith_kmeans_options_init(&method, sizeof method);
    method.clusters = K;
    method.method = sc->method;
    method.rounds = 2;
    kith_result *result = NULL;
    status = kith_kmeans(s, &method, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static void test_baselines(void **state)
{
    (void)state;
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_SULQ, KITH_KMEANS_GRID, KITH_KMEANS_KVARIATES,
        KITH_KMEANS_SAMPLE_AGGREGATE};
    double *rows = make_rows(N, D, 3, 1);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int pure = 0; pure <= 1; pure++) {
            scenario sc = {rows, pure ? 0 : 1e-6, methods[m]};
            assert_true(torture(pure ? "pure" : "gaussian", run, &sc) > 10);
        }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_baselines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
