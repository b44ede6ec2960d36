/* The ledger in PostgreSQL: connections and reading. Posting is in pg_post.c,
 * what the server does with it in schema_pg.sql.
 *
 * Claim: what was reported as posted is there after a crash of this process, of
 *   the server, or of its power; limits hold however many clients there are.
 * Needs: a server that keeps what it has synced.
 * Because: a posting is one statement, hence one transaction; commits wait for
 *   the disk (synchronous_commit, set here), and a server that does not sync
 *   (fsync, full_page_writes) is refused; rows are changed under a condition
 *   that a waiting update evaluates again on the new row. */
#include "store.h"

#include <stdio.h>
#include <string.h>

#include "base/base_i.h"

#ifdef KITH_POSTGRESQL
#include "pg_i.h"

static const unsigned char schema[] = {
#include <schema_pg.inc>
    , 0};

/* ---- errors ---- */

static int state_is(const PGresult *result, const char *prefix)
{
    const char *state =
        result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    return state && strncmp(state, prefix, strlen(prefix)) == 0;
}

int kith_i_pg_lost(const pg_ledger *l, const PGresult *result)
{
    return PQstatus(l->connection) != CONNECTION_OK || !result ||
           state_is(result, "08") || state_is(result, "57P");
}

kith_status kith_i_pg_fail(const pg_ledger *l, const PGresult *result,
                           const char *doing, kith_error *err)
{
    const char *advice =
        state_is(result, "55P03") ? "another process has kept it locked"
        : state_is(result, "53")  ? "the server has no room (disk or "
                                    "connections)"
        : state_is(result, "25006") || state_is(result, "42501")
            ? "your login may not do that: its owner can grant kith_runner "
              "(to charge), kith_reader (to look) or kith_owner"
        : state_is(result, "42P01") || state_is(result, "3F000")
            ? "there is no ledger in this database: kith budget create "
              "--new-ledger makes one"
        : result && *PQresultErrorMessage(result)
            ? PQresultErrorMessage(result)
            : PQerrorMessage(l->connection);
    char line[KITH_I_PG_LINE];
    return kith_i_fail(err, KITH_ERR_STORE,
                       "the ledger in PostgreSQL cannot be used while %s: %s",
                       doing, kith_i_pg_line(advice, line));
}

uint64_t kith_i_pg_number(const PGresult *result, int row, int column)
{
    uint64_t value = 0;
    for (const char *p = PQgetvalue(result, row, column);
         p && *p >= '0' && *p <= '9'; p++)
        value = 10 * value + (uint64_t)(*p - '0');
    return value;
}

/* ---- connections ---- */

/* Durable commits, whatever the server's default; refuse one that lies. */
static const char PROMISES[] =
    "SELECT current_setting('fsync') = 'on' AND "
    "current_setting('full_page_writes') = 'on' AND "
    "current_setting('synchronous_commit') = 'on' AND "
    "current_setting('server_encoding') = 'UTF8', session_user, "
    "current_setting('server_version_num')::integer >= 130000";

static kith_status set_up(pg_ledger *l, kith_error *err)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SET synchronous_commit = on; SET client_min_messages = error; "
             "SET default_transaction_isolation = 'read committed'; "
             "SET lock_timeout = %d",
             kith_i_ledger_patience);
    PGresult *result = PQexec(l->connection, sql);
    kith_status status = PQresultStatus(result) == PGRES_COMMAND_OK
                             ? KITH_OK
                             : kith_i_pg_fail(l, result, "opening it", err);
    PQclear(result);
    if (status)
        return status;
    result = PQexec(l->connection, PROMISES);
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        status = kith_i_pg_fail(l, result, "opening it", err);
    else if (PQgetvalue(result, 0, 0)[0] != 't' ||
             PQgetvalue(result, 0, 2)[0] != 't')
        status = kith_i_fail(
            err, KITH_ERR_STORE,
            "this server is not fit for a ledger: it must be PostgreSQL 13 or "
            "newer with UTF8, and with fsync and full_page_writes on, or "
            "charges could be lost");
    else if (!l->login &&
             !(l->login = kith_i_copy_string(PQgetvalue(result, 0, 1))))
        status = kith_i_fail_memory(err);
    l->base.login = l->login;
    PQclear(result);
    return status;
}

static kith_status read_meta(pg_ledger *l, kith_error *err)
{
    PGresult *result =
        PQexec(l->connection,
               "SELECT value FROM kith_ledger.meta WHERE key IN ('ledger', "
               "'schema') ORDER BY key");
    kith_status status = KITH_OK;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        status = kith_i_pg_fail(l, result, "opening it", err);
    else if (PQntuples(result) != 2)
        status = kith_i_schema_check(NULL, err);
    else
        status = kith_i_schema_check(PQgetvalue(result, 1, 0), err);
    if (!status && l->base.id[0] &&
        strcmp(l->base.id, PQgetvalue(result, 0, 0)) != 0)
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "after the connection was lost another ledger "
                             "was found in its place");
    if (!status)
        snprintf(l->base.id, sizeof l->base.id, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    return status;
}

static kith_status reach(pg_ledger *l, kith_error *err)
{
    /* what the URI says comes last, and wins */
    static const char *const keys[] = {"connect_timeout", "tcp_user_timeout",
                                       "fallback_application_name", "dbname",
                                       NULL};
    const char *values[] = {"10", "30000", "kith", l->uri, NULL};
    PQfinish(l->connection);
    l->connection = PQconnectdbParams(keys, values, 1);
    return PQstatus(l->connection) == CONNECTION_OK
               ? set_up(l, err)
               : kith_i_pg_fail(l, NULL, "connecting", err);
}

kith_status kith_i_pg_connect(pg_ledger *l, kith_error *err)
{
    kith_status status = reach(l, err);
    return status ? status : read_meta(l, err);
}

/* All of the schema, or nothing of it. */
static kith_status install(pg_ledger *l, kith_error *err)
{
    PGresult *result = PQexec(l->connection, "BEGIN");
    PQclear(result);
    result = PQexec(l->connection, (const char *)schema);
    kith_status status = KITH_OK;
    if (state_is(result, "42P06"))
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "there is a ledger in this database already: "
                             "leave --new-ledger out");
    else if (PQresultStatus(result) != PGRES_COMMAND_OK)
        status = kith_i_pg_fail(l, result, "making it", err);
    PQclear(result);
    result = PQexec(l->connection, status ? "ROLLBACK" : "COMMIT");
    if (!status && PQresultStatus(result) != PGRES_COMMAND_OK)
        status = kith_i_pg_fail(l, result, "making it", err);
    PQclear(result);
    return status;
}

/* ---- reading ---- */

static kith_i_purses purses_at(const PGresult *result, int row, int column)
{
    return (kith_i_purses){kith_i_pg_number(result, row, column),
                           kith_i_pg_number(result, row, column + 1)};
}

/* NULL after an error, which is in err. */
static PGresult *query(pg_ledger *l, const char *sql, const char *name,
                       kith_error *err)
{
    PGresult *result = PQexecParams(l->connection, sql, name != NULL, NULL,
                                    &name, NULL, NULL, 0);
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        return result;
    kith_i_pg_fail(l, result, "reading", err);
    PQclear(result);
    return NULL;
}

static kith_status read_sublimits(pg_ledger *l, const char *id,
                                  const kith_i_reader *reader, kith_error *err)
{
    kith_status status = KITH_OK;
    PGresult *r = query(l,
                        "SELECT kind, key, lim_pure, lim_gauss, spent_pure, "
                        "spent_gauss FROM kith_ledger.sublimit WHERE account = "
                        "$1::bigint ORDER BY kind, key",
                        id, err);
    if (!r)
        return KITH_ERR_STORE;
    for (int i = 0; !status && i < PQntuples(r); i++) {
        kith_i_purses limit = purses_at(r, i, 2), spent = purses_at(r, i, 4);
        kith_sublimit_view view = {PQgetvalue(r, i, 0),
                                   PQgetvalue(r, i, 1),
                                   {limit.pure, limit.gauss},
                                   {spent.pure, spent.gauss}};
        status = reader->sublimit(reader->arg, &view, err);
    }
    PQclear(r);
    return status;
}

static kith_status read_entries(pg_ledger *l, const char *id,
                                const kith_i_reader *reader, kith_error *err)
{
    kith_status status = KITH_OK;
    PGresult *r = query(l,
                        "SELECT seq, kind, at, run, body, hash, once FROM "
                        "kith_ledger.entry WHERE account = $1::bigint ORDER BY "
                        "seq",
                        id, err);
    if (!r)
        return KITH_ERR_STORE;
    for (int i = 0; !status && i < PQntuples(r); i++) {
        kith_entry_view view = {.number = kith_i_pg_number(r, i, 0),
                                .kind = PQgetvalue(r, i, 1),
                                .at = PQgetvalue(r, i, 2),
                                .run = PQgetvalue(r, i, 3),
                                .body = PQgetvalue(r, i, 4),
                                .hash = PQgetvalue(r, i, 5),
                                .once = PQgetvalue(r, i, 6)};
        status = reader->entry(reader->arg, &view, err);
    }
    PQclear(r);
    return status;
}

static kith_status read_account(pg_ledger *l, const char *name,
                                const kith_i_reader *reader, kith_error *err)
{
    PGresult *r = query(l,
                        "SELECT id, unit, adjacency, lim_pure, lim_gauss, "
                        "spent_pure, spent_gauss, seq, head FROM "
                        "kith_ledger.account WHERE name = $1",
                        name, err);
    if (!r)
        return KITH_ERR_STORE;
    if (PQntuples(r) == 0) {
        kith_i_posting asked = {.accounts = &name, .count = 1};
        kith_i_refusal unknown = {.kind = KITH_I_REFUSED_UNKNOWN};
        PQclear(r);
        return kith_i_refusal_words(&asked, &unknown, NULL, err);
    }
    kith_i_ticket last = {.seq = kith_i_pg_number(r, 0, 7)};
    snprintf(last.hash, sizeof last.hash, "%s", PQgetvalue(r, 0, 8));
    kith_status status =
        reader->account(reader->arg, PQgetvalue(r, 0, 1), PQgetvalue(r, 0, 2),
                        purses_at(r, 0, 3), purses_at(r, 0, 5), &last, err);
    if (!status && reader->sublimit)
        status = read_sublimits(l, PQgetvalue(r, 0, 0), reader, err);
    if (!status && reader->entry)
        status = read_entries(l, PQgetvalue(r, 0, 0), reader, err);
    PQclear(r);
    return status;
}

/* A connection that broke is made anew: reading changes nothing. */
static kith_status begin(pg_ledger *l, kith_error *err)
{
    static const char sql[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    PGresult *result = PQexec(l->connection, sql);
    kith_status status = KITH_OK;
    if (kith_i_pg_lost(l, result)) {
        PQclear(result);
        status = kith_i_pg_connect(l, err);
        if (status)
            return status;
        result = PQexec(l->connection, sql);
    }
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        status = kith_i_pg_fail(l, result, "reading", err);
    PQclear(result);
    return status;
}

static kith_status pg_read(kith_ledger *self, const char *name,
                           const kith_i_reader *reader, kith_error *err)
{
    pg_ledger *l = (pg_ledger *)self;
    pthread_mutex_lock(&l->lock);
    kith_status status = begin(l, err);
    if (!status) {
        status = read_account(l, name, reader, err);
        PQclear(PQexec(l->connection, "ROLLBACK"));
    }
    pthread_mutex_unlock(&l->lock);
    return status;
}

static kith_status pg_names(kith_ledger *self,
                            int (*visit)(void *arg, const char *account),
                            void *arg, kith_error *err)
{
    pg_ledger *l = (pg_ledger *)self;
    pthread_mutex_lock(&l->lock);
    kith_status status = begin(l, err);
    PGresult *r = NULL;
    if (!status) {
        r = query(l, "SELECT name FROM kith_ledger.account ORDER BY name", NULL,
                  err);
        PQclear(PQexec(l->connection, "ROLLBACK"));
        status = r ? KITH_OK : KITH_ERR_STORE;
    }
    for (int i = 0; r && i < PQntuples(r); i++)
        if (visit(arg, PQgetvalue(r, i, 0)))
            break;
    PQclear(r);
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* ---- close, open ---- */

static void pg_close(kith_ledger *self)
{
    pg_ledger *l = (pg_ledger *)self;
    /* A copy of the process shares the socket: to say goodbye there would end
     * the connection of the one it was made from. */
    if (kith_i_process_same(l->base.maker))
        PQfinish(l->connection);
    for (size_t i = 0; i < l->seen_count; i++)
        kith_i_free(l->seen[i].account);
    kith_i_free(l->seen);
    kith_i_free(l->login);
    kith_i_free(l->uri);
    pthread_mutex_destroy(&l->lock);
    kith_i_free(l);
}

kith_status kith_i_ledger_pg(const char *uri, unsigned flags, kith_ledger **out,
                             kith_error *err)
{
    static const kith_i_store store = {.post = kith_i_pg_post,
                                       .read = pg_read,
                                       .names = pg_names,
                                       .close = pg_close};
    if (!kith_i_pg_calls())
        return kith_i_fail(err, KITH_ERR_STORE,
                           "libpq.so.5 is not on this machine (Debian: "
                           "libpq5): install it, or use sqlite:PATH");
    pg_ledger *l = kith_i_alloc(1, sizeof *l);
    if (!l || !kith_i_lock_init(&l->lock)) {
        kith_i_free(l);
        return kith_i_fail_memory(err);
    }
    l->base.store = &store;
    l->base.maker = kith_i_process_now();
    l->base.read_only = (flags & KITH_LEDGER_READ) != 0;
    l->uri = kith_i_copy_string(uri);
    kith_status status = l->uri ? reach(l, err) : kith_i_fail_memory(err);
    if (!status && (flags & KITH_LEDGER_NEW))
        status = install(l, err);
    if (!status)
        status = read_meta(l, err);
    if (status) {
        pg_close(&l->base);
        return status;
    }
    *out = &l->base;
    return KITH_OK;
}

#else

kith_status kith_i_ledger_pg(const char *uri, unsigned flags, kith_ledger **out,
                             kith_error *err)
{
    (void)uri;
    (void)flags;
    (void)out;
    return kith_i_fail(err, KITH_ERR_STORE,
                       "this kith was built without PostgreSQL: use "
                       "sqlite:PATH, or build it with libpq");
}

#endif
