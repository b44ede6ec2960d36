/* One suite for every store (T1..T19): limits hold in both purses, refusals
 * charge nothing and say what would fit, chains are intact. */
#include "ledger_bed.h"

#include <pthread.h>

#include "support/copy_process.h"

static int store;

static kith_ledger *ledger_with(const char *account, kith_privacy limit)
{
    kith_ledger *ledger = bed_ledger(store);
    assert_int_equal(kith_ledger_grant(ledger, account, &limit, NULL), KITH_OK);
    return ledger;
}

static double left(kith_ledger *ledger, const char *account)
{
    double out = -1;
    assert_int_equal(kith_ledger_remaining(ledger, account, &out, NULL),
                     KITH_OK);
    return out;
}

#define SAYS(err, words)                                                       \
    do {                                                                       \
        if (!strstr((err).message, words))                                     \
            fail_msg("\"%s\" lacks \"%s\"", (err).message, words);             \
    } while (0)

static kith_privacy pure(double epsilon)
{
    return (kith_privacy){epsilon, 0, KITH_ADD_REMOVE};
}

static kith_privacy gauss(double epsilon)
{
    return (kith_privacy){epsilon, 1e-6, KITH_ADD_REMOVE};
}

static void limit_is_exact(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("survey", pure_one);
    kith_error err;
    assert_true(left(ledger, "survey") == 1);
    assert_int_equal(bed_charge(ledger, "survey", pure(1 + 0x1p-50), &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "survey");
    SAYS(err, "fits is 1;");
    SAYS(err, "nothing was charged");
    assert_int_equal(bed_charge(ledger, "survey", pure(.25), NULL), KITH_OK);
    assert_true(left(ledger, "survey") == 0.75);
    assert_int_equal(bed_charge(ledger, "survey", pure(4096), &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "limit epsilon (pure runs) 1, spent 0.25, asked for 4096");
    SAYS(err, "fits is 0.75;");
    assert_int_equal(bed_charge(ledger, "survey", pure(.75), NULL), KITH_OK);
    assert_true(left(ledger, "survey") == 0);
    assert_int_equal(bed_charge(ledger, "survey", pure(0x1p-50), &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "no such run fits");
    uint64_t runs;
    assert_int_equal(bed_spent(ledger, "survey", &runs).pure, UINT64_C(1)
                                                                  << 50);
    assert_int_equal(runs, 2);
    kith_ledger_free(ledger);
}

static void what_fits_fits(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a", gauss(2));
    kith_error err;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(bed_charge(ledger, "a", gauss(3), &err),
                         KITH_ERR_BUDGET);
        const char *words = strstr(err.message, "fits is ");
        assert_non_null(words);
        double fits = strtod(words + 8, NULL);
        assert_true(fits > 0);
        assert_int_equal(bed_charge(ledger, "a", gauss(fits * 1.01), &err),
                         KITH_ERR_BUDGET);
        assert_int_equal(bed_charge(ledger, "a", gauss(fits / 2), &err),
                         KITH_OK);
    }
    kith_ledger_free(ledger);
}

/* T16, T17: figures of the table, and no purse pays for the other unasked. */
static void two_purses(void **state)
{
    (void)state;
    kith_ledger *ledger = bed_ledger(store);
    kith_error err;
    kith_account_terms terms = {"visits", KITH_UNIT_ROW, gauss(4), 1};
    assert_int_equal(kith_ledger_account_new(ledger, "v", &terms, &err),
                     KITH_OK);
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, "v", &s, &err), KITH_OK);
    kith_amounts limit = kith_statement_account(s)->limit;
    assert_true(fabs(sqrt((double)limit.gauss * KITH_AMOUNT_UNIT) - .6563) <
                1e-4);
    assert_true(limit.pure == UINT64_C(1) << 50);
    assert_true(kith_amounts_epsilon(limit, 1e-6) <= 4);
    assert_string_equal(kith_statement_account(s)->dataset, "visits");
    kith_statement_free(s);
    int runs = 0;
    while (bed_charge(ledger, "v", gauss(1), &err) == KITH_OK)
        runs++;
    assert_int_equal(runs, 7); /* 7.7 */
    assert_int_equal(bed_charge(ledger, "v", pure(.6), &err), KITH_OK);
    assert_int_equal(bed_charge(ledger, "v", pure(.6), &err), KITH_ERR_BUDGET);
    kith_i_charge c = {.account = "v", .privacy = pure(.05)};
    assert_int_equal(bed_charge(ledger, "v", pure(.41), &err), KITH_ERR_BUDGET);
    c.privacy = pure(.41);
    SAYS(err, "from its Gaussian purse it costs mu^2 0."); /* no room there */
    SAYS(err, "the largest epsilon that fits there is 0.");
    c.convert = 1;
    c.run = NULL;
    c.privacy = pure(.1);
    kith_amounts before = bed_spent(ledger, "v", NULL), after;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_OK);
    after = bed_spent(ledger, "v", NULL);
    assert_true(after.pure == before.pure);
    /* mu = 2 PhiInverse(e^.1 / (1 + e^.1)): close to .1 sqrt(pi / 2) */
    double mu2 = (double)(after.gauss - before.gauss) * KITH_AMOUNT_UNIT;
    assert_true(mu2 > .999 * .01 * 1.5707963 && mu2 < 1.001 * .01 * 1.5707963);
    kith_ledger_free(ledger);
}

static void convert_is_offered(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("g", gauss(4));
    kith_error err;
    assert_int_equal(bed_charge(ledger, "g", pure(.3), &err), KITH_ERR_BUDGET);
    SAYS(err, "--convert");
    assert_int_equal(
        bed_charge(ledger, "g", (kith_privacy){4096, 0, KITH_ADD_REMOVE}, &err),
        KITH_ERR_BUDGET);
    SAYS(err, "the largest epsilon that fits there is");
    kith_ledger_free(ledger);
    ledger = ledger_with("p", pure(1));
    assert_int_equal(bed_charge(ledger, "p", gauss(.1), &err), KITH_ERR_BUDGET);
    SAYS(err, "no such run fits");
    kith_ledger_free(ledger);
}

static void unit_and_neighbours(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("rows", pure_one);
    kith_error err;
    kith_i_charge c = {.account = "rows", .privacy = {.1, 0, KITH_REPLACE_ONE}};
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_BUDGET);
    SAYS(err, "add-remove");
    c = (kith_i_charge){
        .account = "rows", .privacy = pure(.1), .unit = KITH_UNIT_USER};
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_BUDGET);
    SAYS(err, "user");
    assert_true(left(ledger, "rows") == 1);
    kith_ledger_free(ledger);
}

/* T10: a run id is taken once; T11: so is a key. */
static void once(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a", pure_one);
    kith_error err;
    kith_i_charge c = {.account = "a", .privacy = pure(.1), .once = "2026-11"};
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_OK);
    kith_i_charge again = {
        .account = "a", .privacy = pure(.1), .once = "2026-11"};
    assert_int_equal(bed_charge_as(ledger, &again, &err), KITH_ERR_BUDGET);
    SAYS(err, "entry 2");
    again =
        (kith_i_charge){.account = "a", .privacy = pure(.1), .once = "2026-12"};
    assert_int_equal(bed_charge_as(ledger, &again, &err), KITH_OK);
    kith_i_charge twin = {
        .account = "a", .privacy = pure(.1), .run = "0123456789abcdef"};
    assert_int_equal(bed_charge_as(ledger, &twin, &err), KITH_OK);
    assert_int_equal(bed_charge_as(ledger, &twin, &err), KITH_ERR_BUDGET);
    uint64_t runs;
    bed_spent(ledger, "a", &runs);
    assert_int_equal(runs, 3);
    kith_ledger_free(ledger);
}

/* T12: all accounts or none. */
static void several_accounts(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("may", pure_one);
    kith_error err;
    kith_privacy half = pure(.5);
    assert_int_equal(kith_ledger_grant(ledger, "april", &half, &err), KITH_OK);
    const char *both[] = {"may", "april"};
    kith_i_charge c = {
        .accounts = both, .account_count = 2, .privacy = pure(.4)};
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_OK);
    assert_true(fabs(left(ledger, "may") - .6) < 1e-9);
    assert_true(fabs(left(ledger, "april") - .2) < 1e-9);
    c.run = NULL;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_BUDGET);
    SAYS(err, "april");
    assert_true(fabs(left(ledger, "may") - .6) < 1e-9);
    both[1] = "june";
    c.run = NULL;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_ARGUMENT);
    SAYS(err, "june");
    both[1] = "may";
    c.run = NULL;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_ARGUMENT);
    SAYS(err, "twice");
    assert_true(fabs(left(ledger, "may") - .6) < 1e-9);
    kith_ledger_free(ledger);
}

/* T13 */
static void sublimits(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a", pure_one);
    kith_error err;
    kith_limit_change ana = {.analyst = "ana", .epsilon = .3};
    kith_limit_change demo = {.purpose = "demo", .epsilon = .2};
    if (store == POSTGRES)
        ana.analyst = ledger->login;
    assert_int_equal(kith_ledger_limit(ledger, "a", &ana, &err), KITH_OK);
    assert_int_equal(kith_ledger_limit(ledger, "a", &demo, &err), KITH_OK);
    kith_i_charge c = {
        .account = "a", .privacy = pure(.15), .analyst = ana.analyst};
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_OK);
    kith_i_charge d = {.account = "a",
                       .privacy = pure(.15),
                       .analyst = ana.analyst,
                       .purpose = "demo"};
    assert_int_equal(bed_charge_as(ledger, &d, &err), KITH_OK);
    c.run = NULL;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_ERR_BUDGET);
    SAYS(err, "this analyst");
    kith_i_charge e = {.account = "a", .privacy = pure(.1), .purpose = "demo"};
    assert_int_equal(bed_charge_as(ledger, &e, &err), KITH_ERR_BUDGET);
    SAYS(err, store == POSTGRES ? "this analyst" : "this purpose");
    assert_true(fabs(left(ledger, "a") - .7) < 1e-9);
    ana.epsilon = .5; /* policy may change */
    assert_int_equal(kith_ledger_limit(ledger, "a", &ana, &err), KITH_OK);
    c.run = NULL;
    assert_int_equal(bed_charge_as(ledger, &c, &err), KITH_OK);
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, "a", &s, &err), KITH_OK);
    assert_null(kith_statement_account(s)->problem);
    assert_string_equal(kith_statement_sublimit(s, 0)->kind, "analyst");
    assert_string_equal(kith_statement_sublimit(s, 1)->key, "demo");
    assert_null(kith_statement_sublimit(s, 2));
    kith_statement_free(s);
    kith_ledger_free(ledger);
}

/* T18: lowering is a guard; raising needs a reason and stays visible. */
static void limits_change(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a", pure_one);
    kith_error err;
    kith_limit_change change = {.epsilon = .5};
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err), KITH_OK);
    assert_int_equal(bed_charge(ledger, "a", pure(.6), &err), KITH_ERR_BUDGET);
    assert_int_equal(bed_charge(ledger, "a", pure(.4), &err), KITH_OK);
    change.epsilon = .3;
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err),
                     KITH_ERR_BUDGET); /* spent */
    change.epsilon = 2;
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "raise");
    change.raise = 1;
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err),
                     KITH_ERR_ARGUMENT); /* no reason */
    change.reason = "a new survey";
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err), KITH_OK);
    assert_int_equal(bed_charge(ledger, "a", pure(1), &err), KITH_OK);
    change = (kith_limit_change){.close = 1, .reason = "done"};
    assert_int_equal(kith_ledger_limit(ledger, "a", &change, &err), KITH_OK);
    assert_int_equal(bed_charge(ledger, "a", pure(.01), &err), KITH_ERR_BUDGET);
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, "a", &s, &err), KITH_OK);
    const kith_account_view *a = kith_statement_account(s);
    assert_null(a->problem);
    assert_non_null(a->raised);
    assert_true(a->granted.pure == UINT64_C(2) << 50);
    kith_statement_free(s);
    kith_ledger_free(ledger);
}

static void results_and_names(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("b\"\\ \xc3\xa9", pure_one);
    kith_error err;
    kith_charge *paid;
    kith_i_charge c = {.account = "b\"\\ \xc3\xa9",
                       .privacy = pure(.5),
                       .unit = KITH_UNIT_ROW,
                       .parameters = "k=3",
                       .run = "feed"};
    assert_int_equal(kith_i_ledger_charge(ledger, &c, &paid, &err), KITH_OK);
    assert_string_equal(paid->ledger, kith_ledger_id(ledger));
    assert_int_equal(paid->entries[0].entry, 2);
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, c.account, &s, &err),
                     KITH_OK);
    assert_int_equal(kith_statement_account(s)->without_result, 1);
    assert_string_equal(kith_statement_entry(s, 1)->hash,
                        paid->entries[0].hash);
    kith_statement_free(s);
    assert_int_equal(
        kith_ledger_settle(ledger, paid, "exact", 3, "model", &err), KITH_OK);
    assert_int_equal(
        kith_ledger_settle(ledger, paid, "exact", 3, "another", &err),
        KITH_ERR_BUDGET); /* one result */
    kith_i_free(paid);
    assert_int_equal(kith_ledger_statement(ledger, c.account, &s, &err),
                     KITH_OK);
    assert_int_equal(kith_statement_account(s)->without_result, 0);
    assert_non_null(strstr(
        kith_statement_entry(s, 2)->body,
        "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4"));
    kith_statement_free(s);
    const char *bad[] = {"", "a\nb", "\xff", "\xc3", "\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(kith_ledger_grant(ledger, bad[i], &pure_one, &err),
                         KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_grant(ledger, c.account, &pure_one, &err),
                     KITH_ERR_ARGUMENT);
    SAYS(err, "exists");
    assert_int_equal(bed_charge(ledger, "nobody", pure_one, &err),
                     KITH_ERR_ARGUMENT);
    kith_ledger_free(ledger);
}

/* T7: a model that was published is booked later, once, at its price, and never
 * beyond the limit. */
static void adopted(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("a", pure_one);
    kith_error err;
    kith_adoption model = {.privacy = pure(.75),
                           .unit = KITH_UNIT_ROW,
                           .guarantee = "exact",
                           .text = "model"};
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err), KITH_OK);
    assert_true(left(ledger, "a") == .25);
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "already");
    model.text = "another";
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err),
                     KITH_ERR_BUDGET);
    SAYS(err, "fits is 0.25;");
    model.privacy = pure(.25);
    model.unit = KITH_UNIT_USER;
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err),
                     KITH_ERR_BUDGET);
    model.unit = KITH_UNIT_ROW;
    model.guarantee = "none";
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err),
                     KITH_ERR_BUDGET);
    model.guarantee = "asymptotic";
    assert_int_equal(kith_ledger_adopt(ledger, "nobody", &model, &err),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_ledger_adopt(ledger, "a", &model, &err), KITH_OK);
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, "a", &s, &err), KITH_OK);
    assert_null(kith_statement_account(s)->problem);
    assert_int_equal(kith_statement_account(s)->runs, 2);
    assert_int_equal(kith_statement_account(s)->without_result, 0);
    assert_int_equal(kith_statement_result(s, "model"), 2);
    assert_int_equal(kith_statement_result(s, "another"), 3);
    assert_int_equal(kith_statement_result(s, "none"), 0);
    kith_statement_free(s);
    kith_ledger_free(ledger);
}

/* ---- races ---- */

enum { THREADS = 8, ENOUGH_FOR = 100 };

typedef struct {
    kith_ledger *ledger;
    pthread_barrier_t *barrier;
    unsigned granted, refused, odd;
} client;

static void *spend(void *arg)
{
    client *c = arg;
    pthread_barrier_wait(c->barrier);
    for (int i = 0; i < 20; i++) {
        kith_status status =
            bed_charge(c->ledger, "shared", pure(.01 - 0x1p-49), NULL);
        c->granted += status == KITH_OK;
        c->refused += status == KITH_ERR_BUDGET;
        c->odd += status != KITH_OK && status != KITH_ERR_BUDGET;
    }
    return NULL;
}

static void threads_never_overspend(void **state)
{
    (void)state;
    kith_ledger *ledger = ledger_with("shared", pure_one);
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    client clients[THREADS];
    unsigned granted = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        clients[i] = (client){ledger, &barrier, 0, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, spend, &clients[i]),
                         0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        granted += clients[i].granted;
        assert_int_equal(clients[i].odd, 0);
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(granted, ENOUGH_FOR);
    uint64_t runs;
    bed_spent(ledger, "shared", &runs);
    assert_int_equal(runs, ENOUGH_FOR);
    kith_ledger_free(ledger);
}

static void charge_copy(void *arg, void *out)
{
    *(kith_status *)out = bed_charge(arg, "survey", pure_one, NULL);
}

/* A copy of the process has a copy of the accounts, or of the connection: what
 * it grants would be granted twice (I22). */
static void copies_grant_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < COPY_WAYS; way++) {
        kith_ledger *ledger = ledger_with("survey", pure_one);
        kith_status status = KITH_OK;
        run_in_copy(way, charge_copy, ledger, &status, sizeof status);
        assert_int_equal(status, KITH_ERR_BUDGET);
        charge_copy(ledger, &status);
        assert_int_equal(status, KITH_OK);
        kith_ledger_free(ledger);
    }
}

static void uris(void **state)
{
    (void)state;
    kith_ledger *ledger = NULL;
    kith_error err;
    static const char *const bad[] = {"", "sqlite:", "team.db", "mysql://x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(kith_ledger_open(bad[i], 0, &ledger, &err),
                         KITH_ERR_ARGUMENT);
    assert_int_equal(
        kith_ledger_open("sqlite:/nowhere/team.db", 0, &ledger, &err),
        KITH_ERR_STORE);
    SAYS(err, "--new-ledger");
    assert_int_equal(kith_ledger_open(NULL, 0, &ledger, &err),
                     KITH_ERR_ARGUMENT);
    assert_null(ledger);
}

/* The store is there for others, and only once. */
static void opens_again(void **state)
{
    (void)state;
    if (store == MEMORY)
        return;
    const char *uri = bed_uri(store);
    kith_ledger *ledger = NULL, *other = NULL;
    kith_error err;
    assert_int_equal(kith_ledger_open(uri, 0, &ledger, &err), KITH_ERR_STORE);
    assert_int_equal(kith_ledger_open(uri, KITH_LEDGER_NEW, &ledger, &err),
                     KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &pure_one, &err), KITH_OK);
    assert_int_equal(kith_ledger_open(uri, KITH_LEDGER_NEW, &other, &err),
                     KITH_ERR_STORE);
    assert_int_equal(kith_ledger_open(uri, KITH_LEDGER_READ, &other, &err),
                     KITH_OK);
    assert_int_equal(bed_charge(other, "a", pure(.1), &err), KITH_ERR_STORE);
    kith_ledger_free(other);
    assert_int_equal(kith_ledger_open(uri, 0, &other, &err), KITH_OK);
    assert_string_equal(kith_ledger_id(ledger), kith_ledger_id(other));
    assert_int_equal(bed_charge(other, "a", pure(.25), &err), KITH_OK);
    assert_true(left(ledger, "a") == .75);
    assert_int_equal(bed_charge(ledger, "a", pure(.25), &err), KITH_OK);
    assert_int_equal(bed_charge(other, "a", pure(.75), &err), KITH_ERR_BUDGET);
    kith_ledger_free(other);
    kith_ledger_free(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_is_exact),
        cmocka_unit_test(what_fits_fits),
        cmocka_unit_test(two_purses),
        cmocka_unit_test(convert_is_offered),
        cmocka_unit_test(unit_and_neighbours),
        cmocka_unit_test(once),
        cmocka_unit_test(several_accounts),
        cmocka_unit_test(sublimits),
        cmocka_unit_test(limits_change),
        cmocka_unit_test(results_and_names),
        cmocka_unit_test(adopted),
        cmocka_unit_test(threads_never_overspend),
        cmocka_unit_test(copies_grant_nothing),
        cmocka_unit_test(uris),
        cmocka_unit_test(opens_again),
    };
    return bed_each_store(&store, tests, sizeof tests / sizeof *tests);
}
