/* link: support/entropy_failing.c */
/* A device without secure coins sends nothing: the round is lost, and no
 * answer comes out of it (R11). */
#include "support/entropy_failing.h"
#include "support/local_rows.h"

static void test_no_entropy_no_report(void **state)
{
    (void)state;
    kith_dataset *data = crowd_rows(500);
    kith_i_crowd_options opt = {.epsilon = 2, .threads = 1, .minimum = 1};
    kith_i_collector *c = NULL;
    kith_i_question q = crowd_question(KITH_I_REPORT_SYMBOL, 1);
    kith_i_answer a;
    entropy_fail_check(1);
    assert_int_equal(kith_i_collector_simulate(data, &opt, &c, NULL),
                     KITH_ERR_ENTROPY);
    assert_null(c);
    entropy_fail_check(0);
    assert_int_equal(kith_i_collector_simulate(data, &opt, &c, NULL), KITH_OK);
    entropy_fail_at(3);
    assert_int_equal(c->ask(c, &q, 1, &a, NULL), KITH_ERR_ENTROPY);
    assert_null(a.fractions);
    entropy_fail_at(0);
    kith_i_collector_close(c);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_entropy_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
