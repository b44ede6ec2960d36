/* A caller may stop a run between two blocks of rows: nothing of the stopped
 * fold comes out, what was paid stays paid, and asking changes no bit. */
#include <string.h>

#include "support/make_data.h"

enum { ROWS = 20000, D = 8, NEVER = 1 << 30 };

typedef struct {
    int calls, last; /* the call that says stop */
} caller;

static int ask(void *arg, unsigned done, unsigned total)
{
    caller *c = arg;
    assert_true(done <= total);
    return ++c->calls >= c->last;
}

static kith_session *open_watched(const double *rows, uint32_t threads,
                                  caller *c, kith_ledger *ledger)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    opt.threads = threads;
    opt.insecure = ledger == NULL;
    opt.ledger = ledger;
    opt.account = "a";
    opt.progress = c ? ask : NULL;
    opt.progress_arg = c;
    kith_session *s = NULL;
    assert_int_equal(
        kith_session_open(load(rows, ROWS, D, ball(2)), &opt, &s, NULL), 0);
    return s;
}

/* way 0 to 2: k-means by auto, lloyd, balcan; 3: k-median; 4: planes. */
static kith_status run(kith_session *s, int way, kith_result **out)
{
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_AUTO, KITH_KMEANS_LLOYD, KITH_KMEANS_BALCAN};
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_kmeans_options_init(&means, sizeof means);
    kith_kmedian_options_init(&medians, sizeof medians);
    kith_subspace_options_init(&planes, sizeof planes);
    means.clusters = medians.clusters = planes.clusters = 3;
    planes.subspace_dimension = 2;
    if (way == 3)
        return kith_kmedian(s, &medians, out, NULL);
    if (way == 4)
        return kith_subspace(s, &planes, out, NULL);
    means.method = methods[way];
    return kith_kmeans(s, &means, out, NULL);
}

static void check_way(const double *rows, int way, uint32_t threads)
{
    caller c = {0, NEVER};
    kith_result *plain = NULL, *watched = NULL, *none = NULL;
    kith_session *s = open_watched(rows, threads, NULL, NULL);
    assert_int_equal(run(s, way, &plain), KITH_OK);
    kith_session_close(s);
    s = open_watched(rows, threads, &c, NULL);
    assert_int_equal(run(s, way, &watched), KITH_OK);
    kith_session_close(s);
    uint32_t k = 0, d = 0, q = 1;
    const double *a = kith_result_centers(plain, &k, &d);
    const double *b = kith_result_centers(watched, &k, &d);
    if (way == 4) {
        a = kith_result_bases(plain, &k, &d, &q);
        b = kith_result_bases(watched, &k, &d, &q);
    }
    assert_memory_equal(a, b, sizeof *a * k * d * q);
    kith_result_free(plain);
    kith_result_free(watched);
    int all = c.calls;
    if (threads == 1) /* a call for each block, of every fold */
        assert_true(all > ROWS / 1024);
    for (int last = 1; last <= all; last += 1 + all / 9) {
        c = (caller){0, last};
        s = open_watched(rows, threads, &c, NULL);
        kith_status status = run(s, way, &none);
        if (threads > 1 && status == KITH_OK) { /* others may take the blocks */
            kith_result_free(none);
            none = NULL;
        } else {
            assert_int_equal(status, KITH_ERR_CANCELLED);
            assert_null(none);
            /* it is not asked twice, and nothing goes on afterwards */
            assert_int_equal(c.calls, last);
            assert_int_not_equal(run(s, way, &none), KITH_OK);
            assert_null(none);
        }
        kith_session_close(s);
    }
}

static void test_every_method(void **state)
{
    (void)state;
    double *rows = make_rows(ROWS, D, 3, 1);
    for (int way = 0; way < 5; way++)
        for (uint32_t threads = 1; threads <= 3; threads += 2)
            check_way(rows, way, threads);
    free(rows);
}

static void test_no_refund(void **state)
{
    (void)state;
    double *rows = make_rows(ROWS, D, 3, 1);
    kith_privacy limit = {2, 1e-6, KITH_ADD_REMOVE};
    kith_ledger *ledger = NULL;
    kith_result *none = NULL;
    double before = 0, after = 0;
    caller c = {0, 2};
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), 0);
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), 0);
    kith_session *s = open_watched(rows, 1, &c, ledger);
    assert_int_equal(kith_ledger_remaining(ledger, "a", &before, NULL), 0);
    assert_int_equal(run(s, 1, &none), KITH_ERR_CANCELLED);
    kith_session_close(s);
    assert_int_equal(kith_ledger_remaining(ledger, "a", &after, NULL), 0);
    assert_true(before < 1 && after <= before);
    kith_ledger_free(ledger);
    free(rows);
}

static void test_local(void **state)
{
    (void)state;
    double *rows = make_rows(ROWS, D, 3, 1);
    kith_dataset *data = load(rows, ROWS, D, ball(2));
    for (int last = 1; last < 60; last += 19) {
        caller c = {0, last};
        kith_local_options opt;
        kith_local_summary *summary = NULL;
        kith_result *none = NULL;
        kith_local_options_init(&opt, sizeof opt);
        opt.clusters = 3;
        opt.epsilon = 1;
        opt.threads = 1;
        opt.insecure = 1;
        opt.progress = ask;
        opt.progress_arg = &c;
        assert_int_equal(kith_local_simulate(data, &opt, &none, &summary, NULL),
                         KITH_ERR_CANCELLED);
        assert_null(none);
        assert_int_equal(c.calls, last);
        kith_local_summary_free(summary);
    }
    kith_dataset_free(data);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_no_refund),
        cmocka_unit_test(test_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
