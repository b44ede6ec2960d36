/* Out of memory in every allocation of `--method balcan`, and with it of the
 * release of a swap. */
/* link: support/mem_failing.c */
#include "support/make_data.h"
#include "torture/torture.h"

enum { N = 200, D = 4, K = 2 };

typedef struct {
    const double *rows;
    double delta;
    uint32_t rounds;
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
    method.method = KITH_KMEANS_BALCAN;
    method.rounds = sc->rounds;
    kith_result *result = NULL;
    status = kith_kmeans(s, &method, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static void test_balcan(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 1);
    for (int pure = 0; pure <= 1; pure++) {
        scenario sc = {rows, pure ? 0 : 1e-6, 1};
        /* 13 + K + 4 receipts, their text, and something of each worker's */
        assert_true(torture(pure ? "pure" : "gaussian", run, &sc) > 76);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balcan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
