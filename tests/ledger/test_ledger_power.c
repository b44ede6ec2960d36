/* Faults of the system below a ledger in SQLite.
 *
 * T25: the process ends after each call of a charge that changes a file.
 * T26: power cuts. The log of all changes is replayed up to every point; what
 *   was not synced is lost, or a random part of it. No acknowledged charge may
 *   be missing, and the ledger is never corrupt. The same with journals and
 *   syncs that SQLite offers and kith does not use must lose charges, or the
 *   test tests nothing. KITH_LEDGER_CUTS: random parts for each point.
 * T28: each such call fails in turn (disk full, a sync that fails); locks, no
 *   permission, a clock that is set back. */
/* link: support/oplog.c */
#include "ledger_bed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "support/oplog.h"

static const kith_privacy small = {0x1p-10, 0, KITH_ADD_REMOVE};
static char folder[64], after[64]; /* of the ledger; of what is left of it */
static time_t clock_now;

/* In place of libc's: the clock of people (T15). */
time_t time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    time_t now = clock_now ? clock_now : t.tv_sec;
    if (out)
        *out = now;
    return now;
}

static void empty(const char *path)
{
    DIR *d = opendir(path);
    char name[400];
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, e->d_name);
            remove(name);
        }
    if (d)
        closedir(d);
}

/* Memory, where there is some: these tests see every sync, and need no disk. */
static void folders(void)
{
    const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(folder, sizeof folder, "%s/kith-power-XXXXXX", base);
    snprintf(after, sizeof after, "%s/kith-after-XXXXXX", base);
    assert_non_null(mkdtemp(folder));
    assert_non_null(mkdtemp(after));
}

static void folders_away(void)
{
    empty(folder);
    empty(after);
    rmdir(folder);
    rmdir(after);
}

static kith_ledger *new_ledger(char uri[128])
{
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    empty(folder);
    snprintf(uri, 128, "sqlite:%s/a.db", folder);
    if (kith_ledger_open(uri, KITH_LEDGER_NEW, &ledger, &err) ||
        kith_ledger_grant(ledger, "a", &pure_one, &err))
        fail_msg("%s", err.message);
    return ledger;
}

/* Runs in the ledger at a URI, opened afresh; -1: it cannot be, or is not
 * intact. */
static long runs_in(const char *uri)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    long runs = -1;
    if (!kith_ledger_open(uri, 0, &ledger, NULL) &&
        !kith_ledger_statement(ledger, "a", &s, NULL)) {
        const kith_account_view *a = kith_statement_account(s);
        if (!a->problem && a->spent.pure == a->runs << 40)
            runs = (long)a->runs;
    }
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return runs;
}

/* ---- T25 ---- */

static void stopped_after_every_call(void **state)
{
    (void)state;
    char uri[128];
    kith_ledger_free(new_ledger(uri));
    long before = 0, calls = 0;
    for (int done = 0; !done;) {
        int drew[2], status;
        char byte;
        assert_int_equal(pipe(drew), 0);
        pid_t pid = fork();
        if (pid == 0) {
            kith_ledger *ledger = NULL;
            if (kith_ledger_open(uri, 0, &ledger, NULL))
                _exit(3);
            oplog_fault(++calls, 0);
            if (bed_charge(ledger, "a", small, NULL))
                _exit(4);
            oplog_fault(0, 0);
            _exit(write(drew[1], "d", 1) != 1);
        }
        calls++;
        close(drew[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        long has = runs_in(uri);
        int draws = read(drew[0], &byte, 1) == 1;
        close(drew[0]);
        if (has < before + draws || has > before + 1)
            fail_msg("stopped after call %ld: %ld runs after %ld, %d drawn",
                     calls, has, before, draws);
        done = draws;
        assert_true(done ? WIFEXITED(status) : WIFSIGNALED(status));
        before = has;
    }
    print_message("stopped after each of %ld calls\n", calls - 1);
    assert_true(calls > 5);
}

/* ---- T26 ---- */

enum { CHARGES = 5 };

typedef struct {
    size_t cuts, lost, corrupt;
} toll;

/* Every point of the log, with several fates of what was not synced. has: what
 * is counted in the folder after, -1: it is corrupt. */
static toll cut_everywhere(long (*has)(void))
{
    const char *wanted = getenv("KITH_LEDGER_CUTS");
    uint64_t parts = wanted ? (uint64_t)atoi(wanted) : 2;
    toll t = {0, 0, 0};
    size_t first = 0;
    while (oplog_marks(first) == 0)
        first++;
    for (size_t n = first; n <= oplog_count(); n++)
        for (uint64_t coins = 0; coins <= parts; coins++) {
            empty(after);
            oplog_replay(n, coins ? 1000 * n + coins : 0, after);
            long found = has(), promised = (long)oplog_marks(n) - 1;
            t.cuts++;
            t.corrupt += found < 0;
            t.lost += found >= 0 && found < promised;
        }
    return t;
}

static long ledger_has(void)
{
    char uri[128];
    snprintf(uri, sizeof uri, "sqlite:%s/a.db", after);
    return runs_in(uri);
}

static void power_cuts(void **state)
{
    (void)state;
    char uri[128];
    kith_ledger *ledger = new_ledger(uri);
    kith_ledger_free(ledger);
    oplog_start(folder);
    assert_int_equal(kith_ledger_open(uri, 0, &ledger, NULL), KITH_OK);
    oplog_mark();
    for (int i = 0; i < CHARGES; i++) {
        assert_int_equal(bed_charge(ledger, "a", small, NULL), KITH_OK);
        oplog_mark();
    }
    oplog_stop();
    kith_ledger_free(ledger);
    toll t = cut_everywhere(ledger_has);
    print_message("%zu power cuts: %zu lost a charge, %zu corrupt\n", t.cuts,
                  t.lost, t.corrupt);
    assert_true(t.cuts > 100);
    assert_int_equal(t.lost + t.corrupt, 0);
}

/* The journal is made while the log is kept: in a charge that is refused,
 * then again after somebody took it away. (Its folder is
 * synced in the first charge of a connection only.) */
static void power_cuts_new_journal(void **state)
{
    (void)state;
    char uri[128], journal[128];
    kith_ledger *ledger = new_ledger(uri);
    kith_error err = {0};
    kith_limit_change poor = {.analyst = "poor", .epsilon = 0x1p-20};
    assert_int_equal(kith_ledger_limit(ledger, "a", &poor, &err), KITH_OK);
    kith_ledger_free(ledger);
    snprintf(journal, sizeof journal, "%s/a.db-journal", folder);
    assert_int_equal(unlink(journal), 0);
    oplog_start(folder);
    assert_int_equal(kith_ledger_open(uri, 0, &ledger, NULL), KITH_OK);
    oplog_mark();
    kith_i_charge refused = {
        .account = "a", .privacy = small, .analyst = "poor"};
    assert_int_equal(bed_charge_as(ledger, &refused, &err), KITH_ERR_BUDGET);
    for (int i = 0; i < CHARGES; i++) {
        if (i >= 2)
            assert_int_equal(unlink(journal), 0);
        if (i == 3) /* and a process that made a new one was killed */
            close(open64(journal, O_RDWR | O_CREAT, 0600));
        assert_int_equal(bed_charge(ledger, "a", small, NULL), KITH_OK);
        oplog_mark();
    }
    oplog_stop();
    kith_ledger_free(ledger);
    toll t = cut_everywhere(ledger_has);
    print_message("%zu power cuts, new journals: %zu lost a charge, %zu "
                  "corrupt\n",
                  t.cuts, t.lost, t.corrupt);
    assert_true(t.cuts > 100);
    assert_int_equal(t.lost + t.corrupt, 0);
}

/* The same by SQL alone, with other journals and syncs. */
static void plain_sql(sqlite3 *db, const char *sql)
{
    char *words = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK)
        fail_msg("%s: %s", sql, words);
}

static long table_has(void)
{
    char path[128];
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    long found = -1;
    snprintf(path, sizeof path, "%s/a.db", after);
    if (sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_prepare_v2(db,
                           "SELECT CASE WHEN (SELECT integrity_check FROM "
                           "pragma_integrity_check) = 'ok' AND (SELECT spent "
                           "FROM a) = (SELECT count(*) FROM e) THEN (SELECT "
                           "spent FROM a) ELSE -1 END",
                           -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        found = (long)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return found;
}

static toll cut_table(const char *pragmas)
{
    char path[128];
    sqlite3 *db;
    empty(folder);
    snprintf(path, sizeof path, "%s/a.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    plain_sql(db, pragmas);
    plain_sql(db, "CREATE TABLE a (spent INTEGER); CREATE TABLE e (at TEXT); "
                  "INSERT INTO a VALUES (0)");
    sqlite3_close(db);
    oplog_start(folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    plain_sql(db, pragmas);
    oplog_mark();
    for (int i = 0; i < CHARGES; i++) {
        plain_sql(db, "BEGIN IMMEDIATE; UPDATE a SET spent = spent + 1; INSERT "
                      "INTO e VALUES ('now'); COMMIT");
        oplog_mark();
    }
    oplog_stop();
    sqlite3_close(db);
    return cut_everywhere(table_has);
}

static void power_cuts_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *name, *pragmas;
        int safe;
    } ways[] = {
        {"PERSIST, EXTRA",
         "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = EXTRA", 1},
        {"PERSIST, NORMAL",
         "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = NORMAL", 0},
        {"PERSIST, OFF",
         "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF", 0},
        {"TRUNCATE, EXTRA",
         "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = EXTRA", 1},
        {"DELETE, FULL",
         "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", 0},
        {"WAL, NORMAL",
         "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", 0},
        {"TRUNCATE, NORMAL",
         "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL", 0},
        {"TRUNCATE, OFF",
         "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF", 0},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        toll t = cut_table(ways[i].pragmas);
        print_message("%s: %zu power cuts, %zu lost, %zu corrupt\n",
                      ways[i].name, t.cuts, t.lost, t.corrupt);
        assert_true(ways[i].safe ? t.lost + t.corrupt == 0
                                 : t.lost + t.corrupt > 0);
    }
}

/* ---- T28 ---- */

/* Each changing call of a charge fails. The charge may then be there, or not:
 * but it is not acknowledged, and all that were before are there. */
static void calls_that_fail(void **state)
{
    (void)state;
    static const int reasons[] = {ENOSPC, EIO};
    for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
        char uri[128];
        kith_ledger_free(new_ledger(uri));
        long acknowledged = 0, failures = 0;
        for (long n = 1;; n++) {
            kith_ledger *ledger = NULL;
            kith_error err = {0};
            assert_int_equal(kith_ledger_open(uri, 0, &ledger, NULL), KITH_OK);
            oplog_fault(n, reasons[r]);
            kith_status status = bed_charge(ledger, "a", small, &err);
            int reached = oplog_calls() >= n;
            oplog_fault(0, 0);
            kith_ledger_free(ledger);
            long has = runs_in(uri);
            if (status != KITH_OK && status != KITH_ERR_STORE)
                fail_msg("status %d", (int)status);
            acknowledged += status == KITH_OK;
            failures += status != KITH_OK;
            if (has < acknowledged || has > acknowledged + failures)
                fail_msg("call %ld: %ld runs, %ld acknowledged", n, has,
                         acknowledged);
            if (!reached)
                break;
        }
        print_message("%s: %ld charges failed, %ld went on\n",
                      strerror(reasons[r]), failures, acknowledged);
        assert_true(failures > 3);
    }
}

/* T2: after a commit that failed the connection is never asked again. */
static void failed_sync_is_final(void **state)
{
    (void)state;
    char uri[128];
    kith_error err = {0};
    int found = 0;
    for (long n = 1; n < 40 && !found; n++) {
        kith_ledger *ledger = new_ledger(uri);
        oplog_fault(n, EIO);
        kith_status first = bed_charge(ledger, "a", small, &err);
        oplog_fault(0, 0);
        if (first && bed_charge(ledger, "a", small, &err) &&
            strstr(err.message, "open it again"))
            found = 1;
        kith_ledger_free(ledger);
    }
    assert_true(found);
}

static void locked(void **state)
{
    (void)state;
    char uri[128];
    kith_ledger *ledger = new_ledger(uri);
    kith_error err = {0};
    sqlite3 *other;
    int patience = kith_i_ledger_patience;
    kith_ledger_free(ledger);
    kith_i_ledger_patience = 100;
    assert_int_equal(kith_ledger_open(uri, 0, &ledger, NULL), KITH_OK);
    assert_int_equal(sqlite3_open(uri + strlen("sqlite:"), &other), SQLITE_OK);
    plain_sql(other, "BEGIN IMMEDIATE");
    assert_int_equal(bed_charge(ledger, "a", small, &err), KITH_ERR_STORE);
    assert_non_null(strstr(err.message, "locked"));
    plain_sql(other, "ROLLBACK");
    assert_int_equal(bed_charge(ledger, "a", small, &err), KITH_OK);
    sqlite3_close(other);
    kith_ledger_free(ledger);
    kith_i_ledger_patience = patience;
}

/* As somebody who may read the file, or not even that. */
static void no_permission(void **state)
{
    (void)state;
    static const mode_t modes[] = {0444, 0000};
    for (size_t i = 0; i < 2; i++) {
        char uri[128];
        int status;
        kith_ledger_free(new_ledger(uri));
        chmod(folder, 0755);
        chmod(uri + strlen("sqlite:"), modes[i]);
        pid_t pid = fork();
        if (pid == 0) {
            kith_ledger *ledger = NULL;
            kith_error err = {0};
            if (getuid() == 0 && setuid(65534))
                _exit(9);
            kith_status s = kith_ledger_open(uri, 0, &ledger, &err);
            if (!s)
                s = bed_charge(ledger, "a", small, &err);
            _exit((int)s);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), KITH_ERR_STORE);
        chmod(uri + strlen("sqlite:"), 0600);
        assert_int_equal(runs_in(uri), 0);
    }
}

/* T15: no rule looks at the time. */
static void clock_set_back(void **state)
{
    (void)state;
    char uri[128];
    kith_ledger *ledger = new_ledger(uri);
    static const time_t times[] = {2000000000, 1000000000, 1};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        clock_now = times[i];
        assert_int_equal(bed_charge(ledger, "a", small, NULL), KITH_OK);
    }
    clock_now = 0;
    kith_statement *s;
    assert_int_equal(kith_ledger_statement(ledger, "a", &s, NULL), KITH_OK);
    assert_null(kith_statement_account(s)->problem);
    assert_string_equal(kith_statement_entry(s, 3)->at, "1970-01-01T00:00:01Z");
    kith_statement_free(s);
    kith_ledger_free(ledger);
    assert_int_equal(runs_in(uri), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_after_every_call),
        cmocka_unit_test(power_cuts),
        cmocka_unit_test(power_cuts_new_journal),
        cmocka_unit_test(power_cuts_elsewhere),
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(failed_sync_is_final),
        cmocka_unit_test(locked),
        cmocka_unit_test(no_permission),
        cmocka_unit_test(clock_set_back),
    };
    folders();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folders_away();
    return failed;
}
