/* Out of memory everywhere in the subspace methods: each allocation of a run
 * fails once. Seeded, so that every run asks for memory alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

enum { N = 24, D = 4 };

static double rows[N * D];

typedef struct {
    kith_subspace_method method;
    int diagnostics, overlap, start; /* start: at a solver's planes */
} scenario;

static kith_status run(const void *arg, kith_error *err)
{
    const scenario *c = arg;
    torture_data data = {.rows = rows,
                         .n = N,
                         .d = D,
                         .threads = 1,
                         .bounds = {.radius = 1},
                         .privacy = {4, 1e-6, KITH_REPLACE_ONE}};
    kith_session *session = NULL;
    kith_result *result = NULL;
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
    opt.non_private_start = c->start;
    kith_status status = torture_session(&data, &session, err);
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
    static const scenario all[] = {
        {.method = KITH_SUBSPACE_SULQ},
        {.method = KITH_SUBSPACE_BINGHAM},
        {.method = KITH_SUBSPACE_GIBBS},
        {.method = KITH_SUBSPACE_GIBBS, .diagnostics = 1},
        {.method = KITH_SUBSPACE_GIBBS, .start = 1},
        {.method = KITH_SUBSPACE_MINCOST, .diagnostics = 1},
        {.method = KITH_SUBSPACE_MINCOST, .diagnostics = 1, .start = 1},
        {.method = KITH_SUBSPACE_SAMPLE_AGGREGATE},
        {.method = KITH_SUBSPACE_SAMPLE_AGGREGATE, .overlap = 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(torture("subspace", run, &all[i]) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
