/* `auto` that fails on the way, on each of its ways: one allocation of seven
 * fails, each in turn, and whoever is told of progress stops the run after each
 * release. What fails first is what the caller hears; nothing is released after
 * it, and nothing leaks. */
/* link: support/mem_failing.c */
#include "support/make_data.h"
#include "torture/torture.h"

#include <string.h>

enum { N = 400 };

typedef struct {
    uint32_t groups, d, k, from; /* from: the number is chosen, up to k */
    double epsilon, delta;
    const char *release; /* one that this way makes, and no other */
    const double *rows;
    unsigned stop; /* after so many releases; 0: never */
} scenario;

static int stop_at(void *arg, unsigned done, unsigned steps)
{
    const scenario *sc = arg;
    (void)steps;
    return sc->stop > 0 && done >= sc->stop;
}

static int makes(const kith_result *result, const char *release)
{
    kith_receipt receipt;
    for (size_t i = 0; !kith_result_receipt(result, i, &receipt); i++)
        if (strstr(receipt.what, release))
            return 1;
    return 0;
}

static kith_status run_auto(const void *arg, kith_error *err)
{
    const scenario *sc = arg;
    scenario copy = *sc;
    kith_session *s = NULL;
    torture_data data = {.rows = sc->rows,
                         .n = N,
                         .d = sc->d,
                         .threads = 1,
                         .bounds = unit_box(),
                         .privacy = {sc->epsilon, sc->delta, KITH_ADD_REMOVE}};
    kith_status status = torture_session(&data, &s, err);
    if (status)
        return status;
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = sc->k;
    opt.clusters_from = sc->from;
    opt.rounds = sc->k > 1 && !sc->from; /* no way out to one mean */
    opt.progress = stop_at;
    opt.progress_arg = &copy;
    kith_result *result = NULL;
    status = kith_kmeans(s, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    if (result && !makes(result, sc->release))
        fail_msg("no release \"%s\"", sc->release);
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static const scenario ways[] = {
    {4, 18, 8, 0, 40, 1e-6, "second moments", NULL, 0},
    {4, 2, 9, 8, 40, 1e-6, "fine cell", NULL, 0},
    {1, 18, 8, 0, .5, 0, "centres or one mean", NULL, 0},
    {4, 18, 8, 0, 60, 0, "L1 lengths", NULL, 0},
    {4, 2, 1, 0, 1, 0, "mean", NULL, 0}};

static void test_memory(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        scenario sc = ways[w];
        double *rows = make_rows(N, sc.d, sc.groups, 1);
        sc.rows = rows;
        assert_true(torture_some(sc.release, run_auto, &sc, 7) > 80);
        free(rows);
    }
}

static void test_cancelled(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        scenario sc = ways[w];
        double *rows = make_rows(N, sc.d, sc.groups, 1);
        kith_status status = KITH_ERR_CANCELLED;
        sc.rows = rows;
        for (sc.stop = 1; status == KITH_ERR_CANCELLED; sc.stop++) {
            kith_error err = {0};
            status = run_auto(&sc, &err);
            assert_int_equal(err.status, status);
            assert_int_equal(mem_live_blocks(), 0);
        }
        assert_int_equal(status, KITH_OK);
        assert_true(sc.stop > 4);
        free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
