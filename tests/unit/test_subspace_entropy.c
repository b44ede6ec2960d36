/* No secure randomness, no planes (R11): the generator breaks at every refill
 * of a run in turn, in each method. */
/* link: support/entropy_failing.c */
#include "support/entropy_failing.h"
#include "support/make_data.h"

static const kith_subspace_method methods[] = {
    KITH_SUBSPACE_SULQ, KITH_SUBSPACE_BINGHAM, KITH_SUBSPACE_GIBBS,
    KITH_SUBSPACE_MINCOST, KITH_SUBSPACE_SAMPLE_AGGREGATE};

static kith_status run(kith_subspace_method method, const double *rows,
                       kith_error *err)
{
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = (kith_privacy){4, 1e-6, KITH_REPLACE_ONE};
    so.threads = 1;
    kith_session *s = NULL;
    assert_int_equal(
        kith_session_open(load(rows, 100, 4, ball(1)), &so, &s, NULL), KITH_OK);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.subspace_dimension = 2;
    opt.method = method;
    opt.rounds = 2;
    opt.force = 1;
    kith_result *result = (kith_result *)s;
    kith_status status = kith_subspace(s, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    kith_session_close(s);
    return status;
}

static void test_every_refill(void **state)
{
    (void)state;
    double *rows = make_rows(100, 4, 2, 1);
    for (int m = 0; m < 5; m++) {
        size_t failures = 0;
        for (size_t n = 1;; n++) {
            kith_error err = {0};
            entropy_fail_at(n);
            kith_status status = run(methods[m], rows, &err);
            size_t refills = entropy_refills();
            entropy_fail_at(0);
            if (refills < n) {
                assert_int_equal(status, KITH_OK);
                break;
            }
            if (status != KITH_ERR_ENTROPY)
                fail_msg("method %d: refill %zu failed, status %s", m, n,
                         kith_status_name(status));
            failures++;
        }
        print_message("method %d: %zu refills\n", m, failures);
        assert_true(failures >= 1);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_refill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
