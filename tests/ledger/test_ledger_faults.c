/* Processes that die or race (T24, T27, T30), on SQLite, and on PostgreSQL
 * where there is one (test_ledger_postgresql.py).
 *
 * T24: workers charge, then write down that they draw, and are killed at
 * random times. A run that drew has its entry; what is spent is the sum of the
 * entries; at most one charge is wasted for each kill. KITH_LEDGER_KILLS says
 * how many (default 60; `make ledger-faults`: 1,000, PostgreSQL 300).
 * T30: eight processes race to a limit of 100; a check-then-write must fail. */
#include "ledger_bed.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { WORKERS = 4, RACERS = 8, LIMIT = 100 };

static int store;

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
    kith_error err = {0};
    if (kith_ledger_open(uri, 0, &ledger, NULL))
        _exit(3);
    for (unsigned i = 0;; i++) {
        kith_charge *paid = NULL;
        snprintf(line, sizeof line, "%016x%016x", (unsigned)getpid(), i);
        kith_i_charge c = {.account = "a",
                           .privacy = tiny,
                           .unit = KITH_UNIT_ROW,
                           .run = line};
        if (kith_i_ledger_charge(ledger, &c, &paid, &err)) {
            fprintf(stderr, "%s\n", err.message);
            _exit(4);
        }
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

/* ---- a crowd of workers, and what the ledger must say after it ---- */

typedef struct {
    char uri[128];
    kith_ledger *ledger;
    FILE *drawn; /* appended to by all: no pipe to fill up */
    pid_t workers[WORKERS];
    double began;
} crowd;

static void crowd_start(crowd *c)
{
    kith_privacy limit = {1000, 0, KITH_ADD_REMOVE};
    c->ledger = bed_ledger(store);
    snprintf(c->uri, sizeof c->uri, "%s", bed_path);
    assert_int_equal(kith_ledger_grant(c->ledger, "a", &limit, NULL), KITH_OK);
    c->drawn = tmpfile();
    assert_non_null(c->drawn);
    assert_int_equal(fcntl(fileno(c->drawn), F_SETFL, O_APPEND), 0);
    c->began = now();
    for (int i = 0; i < WORKERS; i++)
        c->workers[i] = start(c->uri, fileno(c->drawn));
}

/* No worker may have ended by itself. */
static void crowd_kill(crowd *c, int which)
{
    int status;
    kill(c->workers[which], SIGKILL);
    assert_int_equal(waitpid(c->workers[which], &status, 0), c->workers[which]);
    if (!WIFSIGNALED(status))
        fail_msg("a worker ended with %d", WEXITSTATUS(status));
}

/* Until one more run drew, so that a busy machine tests something too. Returns
 * how long that took. */
static double crowd_wait(const crowd *c)
{
    off_t before = lseek(fileno(c->drawn), 0, SEEK_END);
    double from = now();
    while (lseek(fileno(c->drawn), 0, SEEK_END) == before)
        if (now() - from > 60)
            fail_msg("no run drew for a minute");
        else
            usleep(1000);
    return now() - from;
}

/* wasted: the most charges without a draw. */
static void crowd_judge(crowd *c, const char *what, int faults, int wasted)
{
    for (int i = 0; i < WORKERS; i++)
        crowd_kill(c, i);
    double seconds = now() - c->began;
    kith_statement *s;
    kith_error err = {0};
    if (kith_ledger_statement(c->ledger, "a", &s, &err))
        fail_msg("%s", err.message);
    const kith_account_view *a = kith_statement_account(s);
    if (a->problem)
        fail_msg("entry %d: %s", (int)a->problem_entry, a->problem);
    char line[KITH_I_RUN_TEXT + 1];
    uint64_t draws = 0;
    rewind(c->drawn);
    while (fread(line, KITH_I_RUN_TEXT, 1, c->drawn) == 1) {
        draws++;
        if (!has_run(s, line))
            fail_msg("a run drew without an entry");
    }
    print_message("%d %s, %d drew, %d charged, %.0f charges/s\n", faults, what,
                  (int)draws, (int)a->runs, (double)a->runs / seconds);
    assert_true(draws > 0 && draws <= a->runs);
    assert_true(a->runs - draws <= (uint64_t)(wasted + WORKERS));
    assert_true(a->spent.pure == a->runs << 10);
    kith_statement_free(s);
    fclose(c->drawn);
    kith_ledger_free(c->ledger);
}

static int times(const char *variable, int otherwise)
{
    const char *wanted = getenv(variable);
    return wanted ? atoi(wanted) : otherwise;
}

static void killed_at_random(void **state)
{
    (void)state;
    int kills = times("KITH_LEDGER_KILLS", 60);
    crowd c;
    if (store == MEMORY)
        return;
    crowd_start(&c);
    srand48(5);
    long longest = (long)(1e6 * fmin(fmax(crowd_wait(&c), .08), 1));
    for (int i = 0; i < kills; i++) {
        usleep((useconds_t)(lrand48() % longest));
        crowd_kill(&c, i % WORKERS);
        c.workers[i % WORKERS] = start(c.uri, fileno(c.drawn));
    }
    crowd_judge(&c, "kills", kills, kills);
}

/* T27: the server ends without a word, in the middle of charges; workers wait
 * for it, and none is charged twice. */
static void server_stops(void **state)
{
    (void)state;
    const char *restart = getenv("KITH_TEST_PG_RESTART");
    int stops = times("KITH_LEDGER_STOPS", 1);
    crowd c;
    if (store != POSTGRES || !restart)
        return;
    crowd_start(&c);
    for (int i = 0; i < stops; i++) {
        crowd_wait(&c);
        usleep((useconds_t)(100000 + lrand48() % 200000));
        assert_int_equal(system(restart), 0);
    }
    crowd_wait(&c);
    crowd_judge(&c, "stops of the server", stops, 0);
}

/* ---- races ---- */

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
    if (store == MEMORY)
        return;
    kith_ledger *ledger = bed_ledger(store);
    snprintf(uri, sizeof uri, "%s", bed_path);
    kith_privacy limit = {LIMIT * .01, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    uint64_t runs;
    /* .01 is rounded down to whole units, as the limit of 1 is not */
    assert_int_equal(race(uri, honest), LIMIT);
    bed_spent(ledger, "a", &runs);
    assert_int_equal(runs, LIMIT);
    kith_ledger_free(ledger);
    if (store != SQLITE)
        return;
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
        cmocka_unit_test(server_stops),
        cmocka_unit_test(racing),
    };
    return bed_each_store(&store, tests, sizeof tests / sizeof *tests);
}
