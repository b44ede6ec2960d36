/* Pay, then visit, then draw (I20): a release that cannot be paid for looks at
 * no row and takes no random word, whatever kind it is. Payment is refused here
 * because the session is a copy, made by a fork (I22): everything else is as
 * for a release that succeeds. */
/* link: support/entropy_failing.c */
/* link: support/fold_cut.c */
#include "support/copy_process.h"
#include "support/each_release.h"
#include "support/entropy_failing.h"
#include "support/fold_cut.h"
#include "support/make_data.h"

enum { N = 60 };

static kith_session *open_secure(uint32_t d, double delta)
{
    double *rows = make_rows(N, d, 3, 1);
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, delta, KITH_ADD_REMOVE};
    opt.threads = 2;
    kith_session *s = NULL;
    kith_error err = {0};
    if (kith_session_open(load(rows, N, d, unit_box()), &opt, &s, &err))
        fail_msg("%s", err.message);
    free(rows);
    return s;
}

typedef struct {
    kith_session *session;
    release_fn *release;
} attempt;

typedef struct {
    kith_status status;
    uint64_t words, rows; /* refills, visits */
} outcome;

static void try_release(void *arg, void *out)
{
    const attempt *a = arg;
    outcome *o = out;
    entropy_fail_at(0); /* counts from here */
    cut_folds(CUT_NOT);
    o->status = a->release(a->session, NULL);
    cut_counts c = cut_pieces();
    o->words = entropy_refills();
    o->rows = c.dense + c.sparse + c.derived;
}

static void test_nothing_without_payment(void **state)
{
    (void)state;
    for (int i = 0; i < EACH_RELEASE; i++)
        for (int pure = 0; pure < 2; pure++) {
            const char *name = each_release[i].name;
            attempt a = {open_secure(each_release[i].d, pure ? 0 : 1e-6),
                         each_release[i].release};
            outcome copy = {0}, paid = {0};
            run_in_copy(0, try_release, &a, &copy, sizeof copy);
            assert_int_equal(copy.status, KITH_ERR_BUDGET);
            if (copy.words > 0)
                fail_msg("%s: drawn before it was paid for", name);
            if (copy.rows > 0)
                fail_msg("%s: rows visited before it was paid for", name);
            try_release(&a, &paid); /* what is watched does happen */
            assert_int_equal(paid.status, KITH_OK);
            assert_true(paid.words > 0 && paid.rows > 0);
            assert_true(kith_i_session_left(a.session) <= 1);
            kith_session_close(a.session);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_without_payment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
