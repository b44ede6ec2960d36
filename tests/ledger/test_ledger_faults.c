/* Processes that die or race (T24, T30), on SQLite.
 *
 * T24: workers charge, then write down that they draw, and are killed at
 * random times. A run that drew has its entry; what is spent is the sum of the
 * entries; at most one charge is wasted for each kill. KITH_LEDGER_KILLS says
 * how many (default 60; `make ledger-faults`: 1,000).
 * T30: eight processes race to a limit of 100; a check-then-write must fail. */
#include "ledger_bed.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { WORKERS = 4, RACERS = 8, LIMIT = 100 };

static const kith_privacy tiny = {0x1p-40, 0, KITH_ADD_REMOVE};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Charge for ever; a line of 32 digits and a line end for each draw. */
static void work(const char *uri, int out)
{
    kith_ledger *ledger = NULL;
    char line[KITH_I_RUN_TEXT];
    if (kith_ledger_open(uri, 0, &ledger, NULL))
        _exit(3);
    for (unsigned i = 0;; i++) {
        kith_charge *paid = NULL;
        snprintf(line, sizeof line, "%016x%016x", (unsigned)getpid(), i);
        kith_i_charge c = {.account = "a",
                           .privacy = tiny,
                           .unit = KITH_UNIT_ROW,
                           .run = line};
        if (kith_i_ledger_charge(ledger, &c, &paid, NULL))
            _exit(4);
        kith_i_free(paid);
        line[KITH_I_RUN_TEXT - 1] = '\n';
        if (write(out, line, KITH_I_RUN_TEXT) != KITH_I_RUN_TEXT)
            _exit(5);
        line[KITH_I_RUN_TEXT - 1] = '\0';
    }
}

static pid_t start(const char *uri, int out)
{
    pid_t pid = fork();
    if (pid == 0)
        work(uri, out);
    return pid;
}

static int has_run(const kith_statement *s, const char *run)
{
    const kith_entry_view *e;
    for (size_t i = 0; (e = kith_statement_entry(s, i)); i++)
        if (!strncmp(e->run, run, KITH_I_RUN_TEXT - 1))
            return 1;
    return 0;
}

static void killed_at_random(void **state)
{
    (void)state;
    const char *wanted = getenv("KITH_LEDGER_KILLS");
    int kills = wanted ? atoi(wanted) : 60;
    char uri[128];
    kith_ledger *ledger = bed_ledger(SQLITE);
    snprintf(uri, sizeof uri, "%s", bed_path);
    kith_privacy limit = {1000, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    FILE *drawn = tmpfile(); /* appended to by all: no pipe to fill up */
    assert_non_null(drawn);
    int end = fileno(drawn);
    assert_int_equal(fcntl(end, F_SETFL, O_APPEND), 0);
    pid_t workers[WORKERS];
    double began = now();
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start(uri, end);
    srand48(5);
    for (int i = 0; i < kills; i++) {
        int which = i % WORKERS, status;
        usleep((useconds_t)(lrand48() % 80000));
        kill(workers[which], SIGKILL);
        assert_int_equal(waitpid(workers[which], &status, 0), workers[which]);
        assert_true(WIFSIGNALED(status)); /* no worker failed by itself */
        workers[which] = start(uri, end);
    }
    for (int i = 0; i < WORKERS; i++) {
        kill(workers[i], SIGKILL);
        waitpid(workers[i], NULL, 0);
    }
    double seconds = now() - began;
    kith_statement *s;
    kith_error err = {0};
    if (kith_ledger_statement(ledger, "a", &s, &err))
        fail_msg("%s", err.message);
    const kith_account_view *a = kith_statement_account(s);
    if (a->problem)
        fail_msg("entry %d: %s", (int)a->problem_entry, a->problem);
    char line[KITH_I_RUN_TEXT + 1];
    uint64_t draws = 0;
    rewind(drawn);
    while (fread(line, KITH_I_RUN_TEXT, 1, drawn) == 1) {
        draws++;
        if (!has_run(s, line))
            fail_msg("a run drew without an entry");
    }
    print_message("%d kills, %d drew, %d charged, %.0f charges/s\n", kills,
                  (int)draws, (int)a->runs, (double)a->runs / seconds);
    assert_true(draws > 0 && draws <= a->runs);
    assert_true(a->runs - draws <= (uint64_t)(kills + WORKERS));
    assert_true(a->spent.pure == a->runs << 10);
    kith_statement_free(s);
    fclose(drawn);
    kith_ledger_free(ledger);
}

/* ---- races ----------------------------------------------------------------
 */

static unsigned race(const char *uri, unsigned (*racer)(const char *uri))
{
    unsigned *granted = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(granted != MAP_FAILED);
    for (int i = 0; i < RACERS; i++)
        if (fork() == 0) {
            __atomic_add_fetch(granted, racer(uri), __ATOMIC_SEQ_CST);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    unsigned sum = *granted;
    munmap(granted, 4096);
    return sum;
}

static unsigned honest(const char *uri)
{
    kith_ledger *ledger = NULL;
    unsigned granted = 0;
    if (kith_ledger_open(uri, 0, &ledger, NULL))
        return 1000;
    for (int i = 0; i < 20; i++)
        granted +=
            bed_charge(ledger, "a", (kith_privacy){.01, 0, KITH_ADD_REMOVE},
                       NULL) == KITH_OK;
    kith_ledger_free(ledger);
    return granted;
}

static int spent_by_hand;

static int take_spent(void *arg, int n, char **values, char **names)
{
    (void)arg;
    (void)n;
    (void)names;
    spent_by_hand = atoi(values[0]);
    return 0;
}

/* What a ledger must not be: look, then write. */
static unsigned check_then_write(const char *uri)
{
    sqlite3 *db;
    unsigned granted = 0;
    sqlite3_open(uri + strlen("sqlite:"), &db);
    sqlite3_busy_timeout(db, 30000);
    for (int i = 0; i < 20; i++) {
        sqlite3_exec(db, "SELECT spent FROM planted", take_spent, NULL, NULL);
        if (spent_by_hand < LIMIT) {
            usleep(10000);
            granted += sqlite3_exec(db, "UPDATE planted SET spent = spent + 1",
                                    NULL, NULL, NULL) == SQLITE_OK;
        }
    }
    sqlite3_close(db);
    return granted;
}

static void racing(void **state)
{
    (void)state;
    char uri[128];
    kith_ledger *ledger = bed_ledger(SQLITE);
    snprintf(uri, sizeof uri, "%s", bed_path);
    kith_privacy limit = {LIMIT * .01, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    uint64_t runs;
    /* .01 is rounded down to whole units, as the limit of 1 is not */
    assert_int_equal(race(uri, honest), LIMIT);
    bed_spent(ledger, "a", &runs);
    assert_int_equal(runs, LIMIT);
    kith_ledger_free(ledger);
    sqlite3 *db;
    snprintf(uri, sizeof uri, "sqlite:%s/planted", bed_folder);
    assert_int_equal(sqlite3_open(uri + 7, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA synchronous = OFF; CREATE TABLE "
                                  "planted (spent INTEGER); INSERT INTO "
                                  "planted VALUES (0)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    unsigned granted = race(uri, check_then_write);
    print_message("check-then-write granted %u of %d\n", granted, LIMIT);
    assert_true(granted > LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_random),
        cmocka_unit_test(racing),
    };
    bed_open();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    bed_close();
    return failed;
}
