/* budget/ledger.c and ledger_memory.c: limits hold, refusals charge nothing,
 * and eight threads get exactly as much as there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "budget/budget_i.h"
#include "support/copy_process.h"

enum { THREADS = 8, REQUESTS = 40000, ENOUGH_FOR = 100000 };

static const kith_privacy pure_one = {1, 0, KITH_ADD_REMOVE};
static const kith_privacy gaussian_one = {1, 1e-6, KITH_ADD_REMOVE};

static kith_ledger *ledger_with(const char *account, const kith_privacy *limit)
{
    kith_ledger *ledger = NULL;
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, account, limit, NULL), KITH_OK);
    return ledger;
}

static kith_status charge(kith_ledger *ledger, const char *account,
                          const kith_privacy *privacy, kith_i_loss amount,
                          kith_error *err)
{
    kith_i_charge c = {account, *privacy,
                       privacy->delta > 0 ? KITH_GAUSSIAN_DP : KITH_PURE_DP,
                       amount};
    return kith_i_ledger_charge(ledger, &c, err);
}

static double left(kith_ledger *ledger, const char *account)
{
    double out = -1;
    assert_int_equal(kith_ledger_remaining(ledger, account, &out, NULL),
                     KITH_OK);
    return out;
}

static void limit_is_exact(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("survey", &pure_one);
    kith_i_loss whole = (kith_i_loss)1 << KITH_I_LOSS_BITS;
    kith_error err;
    assert_true(left(ledger, "survey") == 1);
    assert_int_equal(charge(ledger, "survey", &pure_one, whole + 1, &err),
                     KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "survey"));
    assert_true(left(ledger, "survey") == 1);
    assert_int_equal(charge(ledger, "survey", &pure_one, whole / 4, NULL),
                     KITH_OK);
    assert_true(left(ledger, "survey") == 0.75);
    assert_int_equal(charge(ledger, "survey", &pure_one, UINT64_MAX, &err),
                     KITH_ERR_BUDGET); /* the sum must not wrap */
    assert_int_equal(
        charge(ledger, "survey", &pure_one, whole - whole / 4, NULL), KITH_OK);
    assert_true(left(ledger, "survey") == 0);
    assert_int_equal(charge(ledger, "survey", &pure_one, 1, &err),
                     KITH_ERR_BUDGET);
    kith_ledger_free(ledger);
}

static void accounts_are_separate(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a0", &pure_one);
    char name[8] = "a0";
    for (char i = 1; i < 20; i++) {
        name[1] = (char)('0' + i);
        assert_int_equal(kith_ledger_grant(ledger, name, &pure_one, NULL),
                         KITH_OK);
    }
    for (char i = 0; i < 20; i++) {
        name[1] = (char)('0' + i);
        assert_true(left(ledger, name) == 1);
        assert_int_equal(
            charge(ledger, name, &pure_one, (kith_i_loss)(i + 1) << 44, NULL),
            KITH_OK);
    }
    for (char i = 0; i < 20; i++) {
        name[1] = (char)('0' + i);
        assert_true(left(ledger, name) == 1 - (i + 1) / 64.0);
    }
    kith_ledger_free(ledger);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    kith_error err;
    double out = 7;
    kith_ledger *ledger = ledger_with("a", &pure_one);
    assert_int_equal(kith_ledger_memory_new(NULL, &err), KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_grant(NULL, "b", &pure_one, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_grant(ledger, "", &pure_one, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_grant(ledger, "b", NULL, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_grant(ledger, "a", &gaussian_one, &err),
                     KITH_ERR_ARGUMENT); /* granted once */
    assert_int_equal(
        kith_ledger_grant(ledger, "b", &(kith_privacy){0, 0, 0}, &err),
        KITH_ERR_PRIVACY);
    assert_int_equal(kith_ledger_remaining(ledger, "b", &out, &err),
                     KITH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "grant"));
    assert_true(out == 7);
    assert_int_equal(kith_ledger_remaining(ledger, "a", NULL, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(charge(ledger, "b", &pure_one, 1, &err),
                     KITH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "'b'"));
    assert_int_equal(charge(ledger, "a", &pure_one, 0, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_i_ledger_charge(ledger, NULL, &err),
                     KITH_ERR_ARGUMENT);
    kith_i_charge odd = {"a", pure_one, (kith_measure)9, 1};
    assert_int_equal(kith_i_ledger_charge(ledger, &odd, &err),
                     KITH_ERR_ARGUMENT);
    assert_true(left(ledger, "a") == 1);
    kith_ledger_free(ledger);
    kith_ledger_free(NULL);
}

static void currencies_and_neighbours(void **state)
{
    (void)state;
    kith_error err;
    kith_measure measure;
    kith_i_loss limit = 0;
    kith_privacy replace = {0.1, 0, KITH_REPLACE_ONE};
    kith_ledger *ledger = ledger_with("pure", &pure_one);
    assert_int_equal(kith_ledger_grant(ledger, "gauss", &gaussian_one, NULL),
                     KITH_OK);
    assert_int_equal(charge(ledger, "pure", &replace, 1, &err),
                     KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "add-remove"));
    assert_int_equal(charge(ledger, "pure", &gaussian_one, 1, &err),
                     KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "delta"));
    assert_true(left(ledger, "pure") == 1);
    /* epsilon = 1/16 on a Gaussian account: mu^2 is close to (pi/2)/256 */
    kith_i_loss epsilon = (kith_i_loss)1 << 46;
    assert_int_equal(
        kith_i_privacy_total(&gaussian_one, &measure, &limit, NULL), KITH_OK);
    assert_int_equal(charge(ledger, "gauss", &pure_one, epsilon, &err),
                     KITH_OK);
    double expected = 1.5707963267948966 / 256 * 0x1p50 / (double)limit;
    double spent = 1 - left(ledger, "gauss");
    assert_true(spent > 0.999 * expected && spent <= expected);
    assert_int_equal(charge(ledger, "gauss", &gaussian_one, limit, &err),
                     KITH_ERR_BUDGET);
    /* epsilon = 4000 is more than any Gaussian account can hold */
    assert_int_equal(charge(ledger, "gauss", &pure_one,
                            (kith_i_loss)4000 << KITH_I_LOSS_BITS, &err),
                     KITH_ERR_BUDGET);
    assert_true(1 - left(ledger, "gauss") == spent);
    kith_ledger_free(ledger);
}

typedef struct {
    kith_ledger *ledger;
    kith_i_loss amount;
    pthread_barrier_t *barrier;
    unsigned granted, refused, odd;
} client;

static void *spend(void *arg)
{
    client *c = arg;
    pthread_barrier_wait(c->barrier);
    for (int i = 0; i < REQUESTS; i++) {
        kith_error err;
        kith_status status =
            charge(c->ledger, "shared", &gaussian_one, c->amount, &err);
        if (status == KITH_OK)
            c->granted++;
        else if (status == KITH_ERR_BUDGET)
            c->refused++;
        else
            c->odd++;
    }
    return NULL;
}

/* 8 clients ask 320,000 times for what suffices 100,000 times. */
static void threads_never_overspend(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("shared", &gaussian_one);
    kith_measure measure;
    kith_i_loss limit;
    assert_int_equal(
        kith_i_privacy_total(&gaussian_one, &measure, &limit, NULL), KITH_OK);
    kith_i_loss amount = limit / ENOUGH_FOR;
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    client clients[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        clients[i] = (client){ledger, amount, &barrier, 0, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, spend, &clients[i]),
                         0);
    }
    unsigned granted = 0, refused = 0, odd = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        granted += clients[i].granted;
        refused += clients[i].refused;
        odd += clients[i].odd;
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(odd, 0);
    assert_int_equal(granted, limit / amount);
    assert_int_equal(granted + refused, REQUESTS * THREADS);
    double rest = (double)(limit - granted * amount) / (double)limit;
    assert_true(left(ledger, "shared") <= rest);
    assert_true(left(ledger, "shared") >= rest - 0x1p-52);
    kith_ledger_free(ledger);
}

typedef struct {
    kith_ledger *ledger;
    kith_i_loss amount;
} request;

static void charge_copy(void *arg, void *out)
{
    const request *r = arg;
    *(kith_status *)out =
        charge(r->ledger, "survey", &pure_one, r->amount, NULL);
}

/* A copy of the process has a copy of the accounts: what it grants would be
 * granted twice (I22). */
static void copies_grant_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < COPY_WAYS; way++) {
        request whole = {ledger_with("survey", &pure_one),
                         (kith_i_loss)1 << KITH_I_LOSS_BITS};
        kith_status status = KITH_OK;
        run_in_copy(way, charge_copy, &whole, &status, sizeof status);
        assert_int_equal(status, KITH_ERR_BUDGET);
        charge_copy(&whole, &status);
        assert_int_equal(status, KITH_OK);
        kith_ledger_free(whole.ledger);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_is_exact),
        cmocka_unit_test(accounts_are_separate),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(currencies_and_neighbours),
        cmocka_unit_test(threads_never_overspend),
        cmocka_unit_test(copies_grant_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
