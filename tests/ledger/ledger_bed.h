/* Ledgers for tests: one of each store, in a folder of their own. */
#ifndef KITH_LEDGER_BED_H
#define KITH_LEDGER_BED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base_i.h"
#include "budget/ledger_i.h"
#include "ledger/store.h"

enum { MEMORY, SQLITE, POSTGRES, STORES };

static const kith_privacy pure_one = {1, 0, KITH_ADD_REMOVE};
static const kith_privacy gaussian_one = {1, 1e-6, KITH_ADD_REMOVE};

static char bed_folder[64], bed_path[128];
static int bed_next;

static inline void bed_open(void)
{
    memcpy(bed_folder, "/tmp/kith-ledger-XXXXXX",
           sizeof "/tmp/kith-ledger-XXXXXX");
    assert_non_null(mkdtemp(bed_folder));
}

static inline void bed_close(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", bed_folder);
    assert_int_equal(system(command), 0);
}

/* PostgreSQL: its URI, with a place for the name of the database, is in
 * KITH_TEST_PG (test_ledger_postgresql.py). */
static inline int bed_has(int store)
{
    return store != POSTGRES || getenv("KITH_TEST_PG") != NULL;
}

static inline const char *bed_uri(int store)
{
    if (store == MEMORY)
        return "memory:";
    if (store == POSTGRES) {
        char command[512];
        snprintf(bed_path, sizeof bed_path, "%s/t%d", getenv("KITH_TEST_PG"),
                 (int)getpid());
        if (bed_next++ == 0) /* a new database is slow, a new schema is not */
            snprintf(command, sizeof command,
                     "psql -q '%s/postgres' -c 'CREATE DATABASE t%d'",
                     getenv("KITH_TEST_PG"), (int)getpid());
        else
            snprintf(command, sizeof command,
                     /* The server may still work for a child that was killed:
                      * it would wait for our locks, and we for its. */
                     "psql -q '%s' -o /dev/null -c 'SELECT "
                     "pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                     "WHERE datname = current_database() AND pid <> "
                     "pg_backend_pid()' -c 'SET client_min_messages = error' "
                     "-c 'DROP SCHEMA IF EXISTS kith_ledger CASCADE'",
                     bed_path);
        assert_int_equal(system(command), 0);
        return bed_path;
    }
    snprintf(bed_path, sizeof bed_path, "sqlite:%s/%d.db", bed_folder,
             bed_next++);
    return bed_path;
}

static inline kith_ledger *bed_ledger(int store)
{
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    if (kith_ledger_open(bed_uri(store), KITH_LEDGER_NEW, &ledger, &err))
        fail_msg("%s", err.message);
    assert_non_null(ledger);
    return ledger;
}

/* A run id that was not used before in this process. */
static inline const char *bed_run(char out[KITH_I_RUN_TEXT])
{
    static uint64_t last;
    snprintf(
        out, KITH_I_RUN_TEXT, "%016llx%016llx", (unsigned long long)getpid(),
        (unsigned long long)__atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
    return out;
}

static inline kith_status bed_charge_as(kith_ledger *ledger,
                                        kith_i_charge *charge, kith_error *err)
{
    char run[KITH_I_RUN_TEXT];
    kith_charge *paid = NULL;
    if (!charge->run)
        charge->run = bed_run(run);
    if (!charge->unit)
        charge->unit = KITH_UNIT_ROW;
    kith_status status = kith_i_ledger_charge(ledger, charge, &paid, err);
    assert_true((status == KITH_OK) == (paid != NULL));
    kith_i_free(paid);
    return status;
}

static inline kith_status bed_charge(kith_ledger *ledger, const char *account,
                                     kith_privacy privacy, kith_error *err)
{
    kith_i_charge c = {.account = account, .privacy = privacy};
    return bed_charge_as(ledger, &c, err);
}

static inline kith_amounts bed_spent(kith_ledger *ledger, const char *account,
                                     uint64_t *runs)
{
    kith_statement *s = NULL;
    kith_error err = {0};
    if (kith_ledger_statement(ledger, account, &s, &err))
        fail_msg("%s", err.message);
    const kith_account_view *a = kith_statement_account(s);
    if (a->problem)
        fail_msg("%s: entry %d: %s", account, (int)a->problem_entry,
                 a->problem);
    kith_amounts spent = a->spent;
    if (runs)
        *runs = a->runs;
    kith_statement_free(s);
    return spent;
}

/* The tests on every store that is there, or on KITH_TEST_STORE alone. */
static inline int bed_each_store(int *store, const struct CMUnitTest *tests,
                                 size_t count)
{
    static const char *const names[] = {"memory", "sqlite", "postgresql"};
    const char *only = getenv("KITH_TEST_STORE");
    int failed = 0;
    bed_open();
    for (*store = 0; *store < STORES; ++*store)
        if (bed_has(*store) && (!only || !strcmp(only, names[*store])))
            failed += _cmocka_run_group_tests(names[*store], tests, count, NULL,
                                              NULL);
    bed_close();
    return failed;
}

#endif
