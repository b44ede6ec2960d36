/* Out of memory everywhere in the subspace methods: each allocation of a run
 * fails once. Seeded, so that every run asks for memory alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

enum { N = 24, D = 4 };

static double rows[N * D];

typedef struct {
    kith_subspace_method method;
    int diagnostics, overlap;
} scenario;

static kith_status run(const void *arg, kith_error *err)
{
    const scenario *c = arg;
    kith_bounds bounds = {.radius = 1};
    kith_dataset *data = NULL;
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = (kith_privacy){4, 1e-6, KITH_REPLACE_ONE};
    so.threads = 1;
    so.insecure = 1;
    so.insecure_seed = 5;
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.subspace_dimension = 2;
    opt.method = c->method;
    opt.rounds = 3;
    opt.force = 1;
    opt.block_rows = c->overlap ? 6 : 12;
    opt.overlap = c->overlap;
    opt.diagnostics = c->diagnostics;
    kith_status status =
        kith_dataset_from_rows(rows, N, D, &bounds, &data, err);
    if (!status) {
        status = kith_session_open(data, &so, &session, err);
        if (status)
            kith_dataset_free(data);
    }
    if (!status) {
        result = (kith_result *)session;
        status = kith_subspace(session, &opt, &result, err);
        assert_true((status == KITH_OK) == (result != NULL));
    }
    kith_result_free(result);
    kith_session_close(session);
    return status;
}

static void test_all(void **state)
{
    (void)state;
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7 % 19 - 9) / 20.0;
    static const scenario all[] = {{KITH_SUBSPACE_SULQ, 0, 0},
                                   {KITH_SUBSPACE_BINGHAM, 0, 0},
                                   {KITH_SUBSPACE_GIBBS, 0, 0},
                                   {KITH_SUBSPACE_GIBBS, 1, 0},
                                   {KITH_SUBSPACE_MINCOST, 1, 0},
                                   {KITH_SUBSPACE_SAMPLE_AGGREGATE, 0, 0},
                                   {KITH_SUBSPACE_SAMPLE_AGGREGATE, 0, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(torture("subspace", run, &all[i]) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
