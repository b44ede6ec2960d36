/* The session: who may spend, and how much. */

#include <string.h>
#include <sys/mman.h>

#include "dp/dp_i.h"
#include "support/copy_process.h"
#include "support/make_data.h"

static kith_status cluster(kith_session *s, kith_error *err)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.method = KITH_KMEANS_LLOYD;
    kith_result *result = NULL;
    kith_status status = kith_kmeans(s, &opt, &result, err);
    if (status)
        assert_null(result);
    kith_result_free(result);
    return status;
}

/* A copy of a session, however it was made, must not spend the same budget
 * again (I22); the session itself goes on. */
static void test_fork_is_refused(void **state)
{
    (void)state;
    double *rows = make_rows(50, 2, 2, 1);
    for (int way = 0; way < COPY_WAYS; way++) {
        kith_session *s = open_session(load(rows, 50, 2, unit_box()), 1, 0,
                                       KITH_ADD_REMOVE, 1, 1);
        pid_t child = copy_process(way);
        if (child == 0)
            _exit(cluster(s, NULL) == KITH_ERR_BUDGET ? 0 : 1);
        int code;
        waitpid(child, &code, 0);
        assert_int_equal(code, 0);
        assert_int_equal(cluster(s, NULL), KITH_OK);
        kith_session_close(s);
    }
    free(rows);
}

/* ---- a copy made in the middle of a run ---- */

static struct {
    int calls, at, way;
    pid_t child;
} copying;

static int copy_at(void *arg, uint32_t done, uint32_t total)
{
    (void)arg, (void)done, (void)total;
    if (++copying.calls == copying.at)
        copying.child = copy_process(copying.way);
    return 0;
}

/* One round, and its bill, of a run in which the progress call `at` makes a
 * copy; the centre goes to out. Returns the status. */
static kith_status run_copied(int at, int way, double out[2])
{
    double *rows = make_rows(50, 2, 2, 1);
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, 0, KITH_ADD_REMOVE};
    opt.threads = 1;
    opt.progress = copy_at;
    kith_session *s = NULL;
    assert_int_equal(
        kith_session_open(load(rows, 50, 2, unit_box()), &opt, &s, NULL),
        KITH_OK);
    free(rows);
    kith_kmeans_options how;
    kith_kmeans_options_init(&how, sizeof how);
    how.clusters = 2;
    how.rounds = 1;
    how.method = KITH_KMEANS_LLOYD;
    copying.calls = 0, copying.at = at, copying.way = way, copying.child = -1;
    kith_result *result = NULL;
    kith_status status = kith_kmeans(s, &how, &result, NULL);
    uint32_t k, d;
    if (!status)
        memcpy(out, kith_result_centers(result, &k, &d), 2 * sizeof *out);
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

/* Whenever a copy is made, it and its parent never draw two noises over the
 * same sums: the copy fails, or was made after the last draw and has the same
 * (I22). */
static void test_a_copy_does_not_draw(void **state)
{
    (void)state;
    double *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    assert_int_equal(run_copied(0, 0, shared), KITH_OK);
    int calls = copying.calls, refused = 0;
    assert_true(calls > 3);
    for (int at = 1; at <= calls; at++) {
        double mine[2];
        kith_status status = run_copied(at, at % COPY_WAYS, mine);
        if (copying.child == 0) {
            memcpy(shared, mine, sizeof mine);
            _exit(status ? 1 : 0);
        }
        assert_int_equal(status, KITH_OK);
        int code;
        assert_int_equal(waitpid(copying.child, &code, 0), copying.child);
        assert_true(WIFEXITED(code));
        refused += WEXITSTATUS(code) != 0;
        if (WEXITSTATUS(code) == 0)
            assert_memory_equal(shared, mine, sizeof mine);
    }
    assert_true(refused > 1); /* in the middle, not only before paying */
    munmap(shared, 4096);
}

static void test_a_spent_session_refuses(void **state)
{
    (void)state;
    double *rows = make_rows(50, 2, 2, 1);
    for (int pure = 0; pure < 2; pure++) {
        kith_session *s = open_session(load(rows, 50, 2, unit_box()), 1,
                                       pure ? 0 : 1e-6, KITH_ADD_REMOVE, 1, 1);
        kith_error err = {0};
        assert_int_equal(cluster(s, &err), KITH_OK);
        assert_int_equal(cluster(s, &err), KITH_ERR_BUDGET);
        kith_session_close(s);
    }
    free(rows);
}

/* Budgets of a few accounting units: an explanation, never a crash. */
static void test_tiny_budgets(void **state)
{
    (void)state;
    static const double budgets[][2] = {
        {1e-7, 1e-7}, {1e-8, 3e-8}, {1e-15, 0}, {1e-9, 1e-9}, {2e-15, 0}};
    double *rows = make_rows(50, 100, 2, 1);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        kith_dataset *data = load(rows, 50, 100, ball(1));
        kith_session_options opt;
        kith_session_options_init(&opt, sizeof opt);
        opt.privacy =
            (kith_privacy){budgets[i][0], budgets[i][1], KITH_ADD_REMOVE};
        kith_session *s = NULL;
        kith_error err = {0};
        kith_status status = kith_session_open(data, &opt, &s, &err);
        if (status) {
            assert_int_equal(status, KITH_ERR_BUDGET);
            kith_dataset_free(data);
        } else {
            status = cluster(s, &err);
            assert_int_equal(status, KITH_ERR_BUDGET);
        }
        assert_true(strlen(err.message) > 10);
        kith_session_close(s);
    }
    free(rows);
}

/* K-norm noise has a standard deviation of sqrt(d + 1) scales: budgets at which
 * it would not fit 64 bits are refused, and a draw that does not fit fails. */
static void test_knorm_noise_fits(void **state)
{
    (void)state;
    enum { D = 20000 };
    double *rows = malloc(20 * D * sizeof *rows);
    for (int i = 0; i < 20 * D; i++)
        rows[i] = 1;
    for (double epsilon = 1e-11; epsilon < 1e-7; epsilon *= 1.3) {
        kith_session *s = open_session(load(rows, 20, D, unit_box()), epsilon,
                                       0, KITH_ADD_REMOVE, 2, 1);
        kith_i_ask ask = {0};
        kith_i_cells_spec spec = {.what = "all",
                                  .cells = 1,
                                  .width = D,
                                  .sum_charge = kith_i_session_left(s)};
        kith_i_cells cells;
        kith_status status = kith_i_release_cells(s, &ask, &spec, &cells, NULL);
        assert_true(status == KITH_OK || status == KITH_ERR_BUDGET);
        if (!status) {
            assert_true(cells.sum_sd[0] < 0x1p54);
            for (int i = 0; i < D; i++)
                assert_true(llabs(cells.sums[i]) < INT64_C(1) << 62);
            kith_i_cells_free(&cells);
        }
        kith_session_close(s);
    }
    free(rows);
}

/* Ledger: charged once, in full, before anything is drawn; a seeded run and
 * an empty account are refused and the data stays the caller's. */
static void test_ledger(void **state)
{
    (void)state;
    double *rows = make_rows(50, 2, 2, 1);
    kith_ledger *ledger;
    kith_error err = {0};
    kith_privacy limit = {1.5, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_memory_new(&ledger, &err), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "team", &limit, &err), KITH_OK);
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, 0, KITH_ADD_REMOVE};
    opt.ledger = ledger;
    opt.account = "team";
    kith_dataset *data = load(rows, 50, 2, unit_box());
    kith_session *s = NULL;
    opt.insecure = 1;
    assert_int_equal(kith_session_open(data, &opt, &s, &err), KITH_ERR_BUDGET);
    opt.insecure = 0;
    assert_int_equal(kith_session_open(data, &opt, &s, &err), KITH_OK);
    double left = -1;
    assert_int_equal(kith_ledger_remaining(ledger, "team", &left, &err),
                     KITH_OK);
    assert_true(left > 0.333 && left < 0.334);
    assert_int_equal(cluster(s, &err), KITH_OK);
    kith_session_close(s);
    data = load(rows, 50, 2, unit_box());
    s = NULL;
    assert_int_equal(kith_session_open(data, &opt, &s, &err), KITH_ERR_BUDGET);
    assert_null(s);
    kith_dataset_free(data); /* still ours */
    kith_ledger_free(ledger);
    free(rows);
}

/* Receipts of a run add up to no more than declared even where doubles round:
 * large epsilons. */
static void test_large_epsilons_add_up(void **state)
{
    (void)state;
    double *rows = make_rows(50, 3, 2, 1);
    for (double epsilon = 7; epsilon <= 4096; epsilon *= 1.7) {
        kith_session *s = open_session(load(rows, 50, 3, unit_box()), epsilon,
                                       0, KITH_ADD_REMOVE, 1, 1);
        assert_int_equal(cluster(s, NULL), KITH_OK);
        kith_receipt *receipts;
        size_t n;
        assert_int_equal(kith_i_session_receipts(s, &receipts, &n, NULL),
                         KITH_OK);
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += receipts[i].loss;
            kith_i_free((void *)(uintptr_t)receipts[i].what);
        }
        kith_i_free(receipts);
        assert_true(sum <= epsilon);
        assert_true(sum >= epsilon * (1 - 1e-9));
        kith_session_close(s);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork_is_refused),
        cmocka_unit_test(test_a_copy_does_not_draw),
        cmocka_unit_test(test_a_spent_session_refuses),
        cmocka_unit_test(test_tiny_budgets),
        cmocka_unit_test(test_knorm_noise_fits),
        cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_large_epsilons_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
