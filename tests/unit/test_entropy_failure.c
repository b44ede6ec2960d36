/* No secure randomness, no release (R11): the generator is missing from the
 * start, or breaks at every single refill of a run in turn. */
/* link: support/entropy_failing.c */
/* link: support/mem_failing.c */
#include "support/each_release.h"
#include "support/entropy_failing.h"
#include "support/make_data.h"
#include "support/mem_failing.h"

/* k * D values make two chunks of noise, so two threads draw. */
enum { N = 60, K = 4, D = 300, ROUNDS = 2, SMALL = 6 };

static kith_session *open_secure(const double *rows, uint32_t d, double delta)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, delta, KITH_ADD_REMOVE};
    opt.threads = 2;
    kith_session *s = NULL;
    kith_error err = {0};
    if (kith_session_open(load(rows, N, d, unit_box()), &opt, &s, &err))
        fail_msg("%s", err.message);
    return s;
}

static void test_no_generator(void **state)
{
    (void)state;
    double *rows = make_rows(N, SMALL, 3, 1);
    kith_dataset *data = load(rows, N, SMALL, unit_box());
    kith_ledger *ledger = NULL;
    kith_privacy limit = {1, 1e-6, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = limit;
    opt.ledger = ledger;
    opt.account = "a";
    kith_session *s = (kith_session *)rows;
    kith_error err = {0};
    entropy_fail_check(1);
    kith_status status = kith_session_open(data, &opt, &s, &err);
    entropy_fail_check(0);
    assert_int_equal(status, KITH_ERR_ENTROPY);
    assert_int_equal(err.status, KITH_ERR_ENTROPY);
    assert_null(s);
    double left = 0; /* refused before anything was charged */
    assert_int_equal(kith_ledger_remaining(ledger, "a", &left, NULL), KITH_OK);
    assert_true(left == 1);
    /* The dataset is still ours, and good. */
    if (kith_session_open(data, &opt, &s, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    kith_ledger_free(ledger);
    free(rows);
    assert_int_equal(mem_live_blocks(), 0);
}

/* ---- a failure in the middle of each kind of release --------------------- */

static kith_status run_kmeans(kith_session *s, kith_error *err)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = KITH_KMEANS_LLOYD;
    opt.rounds = ROUNDS;
    kith_result *result = (kith_result *)s;
    kith_status status = kith_kmeans(s, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    return status;
}

/* The n-th refill fails. Returns how many there were. */
static size_t fail_once(release_fn *run, const double *rows, uint32_t d,
                        double delta, size_t n)
{
    kith_session *s = open_secure(rows, d, delta);
    kith_i_loss before = kith_i_session_left(s);
    kith_error err = {0};
    entropy_fail_at(n);
    kith_status status = run(s, &err);
    size_t refills = entropy_refills();
    entropy_fail_at(0);
    assert_int_equal(status, n ? KITH_ERR_ENTROPY : KITH_OK);
    assert_int_equal(err.status, status);
    assert_true(kith_i_session_left(s) < before); /* what is paid is paid */
    kith_session_close(s);
    assert_int_equal(mem_live_blocks(), 0);
    return refills;
}

static void fail_everywhere(release_fn *run, uint32_t d, size_t least)
{
    double *rows = make_rows(N, d, 3, 1);
    for (int pure = 0; pure <= 1; pure++) {
        double delta = pure ? 0 : 1e-6;
        size_t refills = fail_once(run, rows, d, delta, 0);
        assert_true(refills >= least);
        for (size_t n = 1; n <= refills; n++)
            assert_true(fail_once(run, rows, d, delta, n) >= n);
    }
    free(rows);
}

static void test_kmeans(void **state)
{
    (void)state; /* a round: counts, and two chunks of more than a refill */
    fail_everywhere(run_kmeans, D, ROUNDS * 4);
}

static void test_releases(void **state)
{
    (void)state;
    for (size_t i = 0; i < EACH_RELEASE; i++)
        fail_everywhere(each_release[i].release, each_release[i].d,
                        each_release[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_generator),
        cmocka_unit_test(test_kmeans),
        cmocka_unit_test(test_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
