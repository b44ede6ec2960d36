/* A caller may stop a run between two blocks of rows, and within whatever else
 * takes long: noise, chains, solvers, clustering what was released. Nothing of
 * it comes out, what was paid stays paid, and asking changes no bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "data/fold.h"
#include "kernel/kernel_i.h"
#include "noise/noise.h"
#include "support/make_data.h"

enum { ROWS = 2500, USERS = 20000, D = 8, NEVER = 1 << 30 };
/* Of k-means by auto, lloyd, balcan the numbers are 0 to 2. */
enum { MEDIANS = 3, SAMPLED_MEDIANS, PLANES, PURE_PLANES, WAYS = PLANES + 6 };

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
                                  caller *c, kith_ledger *ledger, int way)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy =
        (kith_privacy){1, way == PURE_PLANES ? 0 : 1e-6, KITH_ADD_REMOVE};
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
    static const kith_subspace_method of_planes[] = {
        KITH_SUBSPACE_AUTO,    KITH_SUBSPACE_AUTO,
        KITH_SUBSPACE_SULQ,    KITH_SUBSPACE_GIBBS,
        KITH_SUBSPACE_MINCOST, KITH_SUBSPACE_SAMPLE_AGGREGATE};
    planes.subspace_dimension = 2;
    planes.force = 1;
    if (way == SAMPLED_MEDIANS) {
        medians.method = KITH_KMEDIAN_BALCAN;
        medians.recovery = KITH_RECOVERY_SAMPLING;
    }
    if (way >= PLANES) {
        planes.method = of_planes[way - PLANES];
        if (planes.method >= KITH_SUBSPACE_GIBBS)
            planes.rounds = 5;
        return kith_subspace(s, &planes, out, NULL);
    }
    if (way >= MEDIANS)
        return kith_kmedian(s, &medians, out, NULL);
    means.method = methods[way];
    return kith_kmeans(s, &means, out, NULL);
}

static void check_way(const double *rows, int way, uint32_t threads)
{
    caller c = {0, NEVER};
    kith_result *plain = NULL, *watched = NULL, *none = NULL;
    kith_session *s = open_watched(rows, threads, NULL, NULL, way);
    assert_int_equal(run(s, way, &plain), KITH_OK);
    kith_session_close(s);
    s = open_watched(rows, threads, &c, NULL, way);
    assert_int_equal(run(s, way, &watched), KITH_OK);
    kith_session_close(s);
    uint32_t k = 0, d = 0, q = 1;
    const double *a = kith_result_centers(plain, &k, &d);
    const double *b = kith_result_centers(watched, &k, &d);
    if (way >= PLANES) {
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
        s = open_watched(rows, threads, &c, NULL, way);
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
    for (int way = 0; way < WAYS; way++)
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
    kith_session *s = open_watched(rows, 1, &c, ledger, 1);
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
    double *rows = make_rows(USERS, D, 3, 1);
    kith_dataset *data = load(rows, USERS, D, ball(2));
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

static void count_rows(void *arg, uint32_t worker, uint64_t first,
                       const kith_i_block *block)
{
    (void)worker;
    (void)first;
    *(size_t *)arg += block->rows;
}

/* A fold that saw some of the rows says so. */
static void test_fold(void **state)
{
    (void)state;
    double *rows = make_rows(USERS, D, 3, 1);
    kith_dataset *data = load(rows, USERS, D, ball(2));
    for (int last = 1; last < 40; last += 6) {
        caller c = {0, last};
        size_t seen = 0;
        kith_i_watch watch = {.ask = ask, .arg = &c};
        kith_i_watching before = kith_i_watch_enter(&watch);
        kith_status status =
            kith_i_fold_beside(data, NULL, 1, count_rows, &seen, NULL);
        kith_i_watch_leave(before);
        assert_int_equal(status, seen < USERS ? KITH_ERR_CANCELLED : KITH_OK);
        assert_true(last < 15 ? seen < USERS : c.calls <= last);
    }
    kith_dataset_free(data);
    free(rows);
}

/* Sums that have got some of their noise are wiped. */
static void test_noise(void **state)
{
    (void)state;
    enum { VALUES = 9000 };
    static int64_t values[VALUES];
    kith_i_scale scale = {1, 0};
    kith_i_entropy_source source = {.seeded = 1, .seed = 1};
    kith_i_noise noise = {.kind = KITH_I_LAPLACE,
                          .scales = &scale,
                          .per_scale = SIZE_MAX,
                          .source = &source,
                          .threads = 1};
    for (int last = 1; last <= 10; last++) { /* 9 chunks, and one look more */
        caller c = {0, last};
        kith_i_watch watch = {.ask = ask, .arg = &c};
        for (size_t i = 0; i < VALUES; i++)
            values[i] = 1000000;
        kith_i_watching before = kith_i_watch_enter(&watch);
        kith_status status = kith_i_noise_add(&noise, values, VALUES, NULL);
        kith_i_watch_leave(before);
        assert_int_equal(status, last < 10 ? KITH_ERR_CANCELLED : KITH_OK);
        assert_int_equal(c.calls, last < 10 ? last : 9);
        for (size_t i = 0; i < VALUES; i++)
            assert_true(status ? values[i] == 0 : values[i] > 900000);
    }
    assert_int_equal(kith_i_stop_wanted(), 0); /* out of every run */
}

/* Eigenvectors of a large matrix, which is taken apart step by step. */
static void test_eigenvectors(void **state)
{
    (void)state;
    enum { N = 530, WANT = 4, STEPS = 16 };
    double *matrix = calloc((size_t)N * N, sizeof *matrix);
    double *same = calloc((size_t)N * N, sizeof *same);
    double *work = calloc(kith_i_eigen_work(N), sizeof *work);
    int *integers = calloc(kith_i_eigen_integers(N), sizeof *integers);
    double *values = calloc(N, sizeof *values);
    double *vectors = calloc((size_t)WANT * N, sizeof *vectors);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * N + j] = matrix[j * N + i] =
                sin((double)(i * j + i + j)) + (i == j ? (double)(i % 7) : 0);
    for (int last = 1; last <= STEPS + 1; last++) {
        caller c = {0, last};
        kith_i_watch watch = {.ask = ask, .arg = &c};
        memcpy(same, matrix, (size_t)N * N * sizeof *same);
        kith_i_watching before = kith_i_watch_enter(&watch);
        int failed =
            kith_i_eigen_top(same, N, WANT, work, integers, values, vectors);
        kith_i_watch_leave(before);
        assert_int_equal(failed, last <= STEPS ? -1 : 0);
    }
    for (size_t v = 0; v < WANT; v++)
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += matrix[i * N + j] * vectors[v * N + j];
            assert_true(fabs(sum - values[v] * vectors[v * N + i]) < 1e-10);
        }
    free(matrix);
    free(same);
    free(work);
    free(integers);
    free(values);
    free(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_no_refund),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_eigenvectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
