/* PostgreSQL 15: several processes on one database. Advisory locks order those
 * who add to a round and who closes it. */
#include "db.h"

#ifdef KITH_POSTGRESQL
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

enum {
    PARAMETERS = 12,
    COLUMNS = 12,
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_TEXT = 25
};

typedef struct {
    kith_i_db face;
    PGconn *connection;
    unsigned char prepared[KITH_I_STATEMENTS];
    int inside; /* a transaction */
} pg_db;

static kith_status fail(pg_db *db, const PGresult *result, kith_error *err)
{
    const char *state =
        result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    kith_i_db_trouble trouble = KITH_I_DB_BROKEN;
    if (PQstatus(db->connection) != CONNECTION_OK || !state ||
        strncmp(state, "08", 2) == 0 || strncmp(state, "57", 2) == 0)
        trouble = KITH_I_DB_DOWN;
    else if (strncmp(state, "53", 2) == 0)
        trouble = KITH_I_DB_FULL;
    else if (strncmp(state, "23", 2) == 0)
        trouble = KITH_I_DB_TAKEN;
    db->face.trouble = trouble;
    return kith_i_fail(err, KITH_ERR_STORE, "PostgreSQL: %.200s",
                       result ? PQresultErrorMessage(result)
                              : PQerrorMessage(db->connection));
}

/* Durable commits, whatever the server's default; refuse one that lies. */
static kith_status set_up(pg_db *db, kith_error *err)
{
    PGresult *result =
        PQexec(db->connection,
               "SET synchronous_commit = on; SET client_min_messages = error; "
               "SELECT current_setting('fsync') || "
               "current_setting('full_page_writes')");
    kith_status status = KITH_OK;
    memset(db->prepared, 0, sizeof db->prepared);
    db->inside = 0;
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        status = fail(db, result, err);
    else if (strcmp(PQgetvalue(result, 0, 0), "onon") != 0) {
        db->face.trouble = KITH_I_DB_BROKEN;
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "the server has fsync or full_page_writes off: "
                             "reports that were acknowledged could be lost");
    }
    PQclear(result);
    return status;
}

/* A connection that broke is made anew, outside of transactions. */
static kith_status revive(pg_db *db, kith_error *err)
{
    if (PQstatus(db->connection) == CONNECTION_OK)
        return KITH_OK;
    if (db->inside) {
        db->face.trouble = KITH_I_DB_DOWN;
        return kith_i_fail(err, KITH_ERR_STORE, "the connection broke");
    }
    PQreset(db->connection);
    if (PQstatus(db->connection) != CONNECTION_OK) {
        db->face.trouble = KITH_I_DB_DOWN;
        return kith_i_fail(err, KITH_ERR_STORE, "PostgreSQL: %.200s",
                           PQerrorMessage(db->connection));
    }
    return set_up(db, err);
}

static PGresult *simple(pg_db *db, const char *sql)
{
    return PQexec(db->connection, sql);
}

static kith_status finish(pg_db *db, PGresult *result, kith_error *err)
{
    ExecStatusType how = PQresultStatus(result);
    kith_status status = KITH_OK;
    db->face.trouble = KITH_I_DB_FINE;
    if (how != PGRES_COMMAND_OK && how != PGRES_TUPLES_OK)
        status = fail(db, result, err);
    PQclear(result);
    return status;
}

/* ---- statements ---- */

static kith_status prepare(pg_db *db, kith_i_statement statement,
                           const kith_i_cell *in, unsigned count,
                           kith_error *err)
{
    char name[16], sql[1024];
    Oid types[PARAMETERS] = {0};
    const char *text = kith_i_statement_text(statement);
    size_t n = 0;
    if (db->prepared[statement])
        return KITH_OK;
    for (; text[n] && n + 1 < sizeof sql; n++)
        sql[n] = text[n] == '?' ? '$' : text[n];
    sql[n] = 0;
    for (unsigned i = 0; i < count; i++)
        types[i] = in[i].kind == KITH_I_CELL_NUMBER  ? OID_INT8
                   : in[i].kind == KITH_I_CELL_BYTES ? OID_BYTEA
                   : in[i].kind == KITH_I_CELL_WORDS ? OID_TEXT
                                                     : 0;
    snprintf(name, sizeof name, "s%d", (int)statement);
    kith_status status = finish(
        db, PQprepare(db->connection, name, sql, (int)count, types), err);
    db->prepared[statement] = !status;
    return status;
}

static void store_number(int64_t number, char out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = (char)((uint64_t)number >> (56 - 8 * i));
}

static int64_t load_number(const char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | (unsigned char)from[i];
    return bytes == 8   ? (int64_t)value
           : bytes == 4 ? (int32_t)(uint32_t)value
                        : (int16_t)(uint16_t)value;
}

static PGresult *execute(pg_db *db, kith_i_statement statement,
                         const kith_i_cell *in, unsigned count)
{
    const char *values[PARAMETERS];
    char numbers[PARAMETERS][8], name[16];
    int lengths[PARAMETERS], formats[PARAMETERS];
    for (unsigned i = 0; i < count; i++) {
        formats[i] = 1;
        lengths[i] = (int)in[i].count;
        values[i] = in[i].kind == KITH_I_CELL_NULL ? NULL
                    : in[i].count                  ? in[i].bytes
                                                   : "";
        if (in[i].kind == KITH_I_CELL_NUMBER) {
            store_number(in[i].number, numbers[i]);
            values[i] = numbers[i];
            lengths[i] = 8;
        }
    }
    snprintf(name, sizeof name, "s%d", (int)statement);
    return PQexecPrepared(db->connection, name, (int)count, values, lengths,
                          formats, 1);
}

static void read_row(const PGresult *result, int row, kith_i_cell *out)
{
    for (int i = 0; i < PQnfields(result) && i < COLUMNS; i++) {
        Oid type = PQftype(result, i);
        const char *value = PQgetvalue(result, row, i);
        int length = PQgetlength(result, row, i);
        out[i] = (kith_i_cell){0};
        if (PQgetisnull(result, row, i))
            continue;
        if (type == OID_BYTEA)
            out[i] = kith_i_bytes_cell(value, (size_t)length);
        else if (type == OID_TEXT)
            out[i] = (kith_i_cell){.kind = KITH_I_CELL_WORDS,
                                   .bytes = value,
                                   .count = (size_t)length};
        else
            out[i] = kith_i_number_cell(load_number(value, length));
    }
}

static kith_status run(kith_i_db *face, kith_i_statement statement,
                       const kith_i_cell *in, unsigned count,
                       kith_i_row_fn *row, void *arg, kith_error *err)
{
    pg_db *db = (pg_db *)face;
    kith_i_cell columns[COLUMNS];
    kith_status status = revive(db, err);
    if (!status)
        status = prepare(db, statement, in, count, err);
    if (status)
        return status;
    PGresult *result = execute(db, statement, in, count);
    ExecStatusType how = PQresultStatus(result);
    face->trouble = KITH_I_DB_FINE;
    face->changed = 0;
    if (how == PGRES_COMMAND_OK) {
        for (const char *p = PQcmdTuples(result); *p; p++)
            face->changed = 10 * face->changed + (uint64_t)(*p - '0');
    } else if (how == PGRES_TUPLES_OK) {
        for (int i = 0; row && !status && i < PQntuples(result); i++) {
            read_row(result, i, columns);
            status = row(arg, columns, err);
        }
    } else {
        status = fail(db, result, err);
    }
    PQclear(result);
    return status;
}

static kith_status script(kith_i_db *face, const char *sql, kith_error *err)
{
    pg_db *db = (pg_db *)face;
    kith_status status = revive(db, err);
    return status ? status : finish(db, simple(db, sql), err);
}

/* ---- transactions ---- */

static kith_status begin(kith_i_db *face, kith_error *err)
{
    pg_db *db = (pg_db *)face;
    kith_status status = revive(db, err);
    if (!status)
        status = finish(db, simple(db, "BEGIN"), err);
    db->inside = !status;
    return status;
}

static kith_status commit(kith_i_db *face, kith_error *err)
{
    pg_db *db = (pg_db *)face;
    PGresult *result = simple(db, "COMMIT");
    ExecStatusType how = PQresultStatus(result);
    kith_status status = KITH_OK;
    db->inside = 0;
    face->trouble = KITH_I_DB_FINE;
    if (how != PGRES_COMMAND_OK) {
        status = fail(db, result, err);
        /* Nobody knows whether the server had finished. */
        if (PQstatus(db->connection) != CONNECTION_OK)
            face->trouble = KITH_I_DB_UNKNOWN;
    } else if (strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        face->trouble = KITH_I_DB_BROKEN; /* it rolled back instead */
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "PostgreSQL: the transaction was rolled back");
    }
    PQclear(result);
    return status;
}

static void rollback(kith_i_db *face)
{
    pg_db *db = (pg_db *)face;
    db->inside = 0;
    if (PQstatus(db->connection) == CONNECTION_OK &&
        PQtransactionStatus(db->connection) != PQTRANS_IDLE)
        PQclear(simple(db, "ROLLBACK"));
}

static kith_status lock(kith_i_db *face, uint64_t thing, int exclusive,
                        kith_error *err)
{
    pg_db *db = (pg_db *)face;
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT pg_advisory_xact_lock%s(%lld)",
             exclusive ? "" : "_shared", (long long)thing);
    return finish(db, simple(db, sql), err);
}

static int lease(kith_i_db *face, uint64_t thing, int take)
{
    pg_db *db = (pg_db *)face;
    char sql[96];
    snprintf(sql, sizeof sql,
             take ? "SELECT pg_try_advisory_lock(%lld)"
                  : "SELECT pg_advisory_unlock(%lld)",
             (long long)thing);
    PGresult *result = simple(db, sql);
    int mine = PQresultStatus(result) == PGRES_TUPLES_OK &&
               PQgetvalue(result, 0, 0)[0] == 't';
    PQclear(result);
    return mine;
}

static kith_status now(kith_i_db *face, int64_t *ms, kith_error *err)
{
    pg_db *db = (pg_db *)face;
    kith_status status = revive(db, err);
    if (status)
        return status;
    PGresult *result = simple(
        db, "SELECT floor(extract(epoch from clock_timestamp()) * 1000)");
    *ms = 0;
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        for (const char *p = PQgetvalue(result, 0, 0); *p >= '0' && *p <= '9';
             p++)
            *ms = 10 * *ms + (*p - '0');
    return finish(db, result, err);
}

static int64_t room(kith_i_db *db)
{
    (void)db;
    return -1;
}

static void close_db(kith_i_db *face)
{
    pg_db *db = (pg_db *)face;
    PQfinish(db->connection);
    kith_i_free(db);
}

static const kith_i_driver driver = {.name = "postgresql",
                                     .run = run,
                                     .begin = begin,
                                     .commit = commit,
                                     .rollback = rollback,
                                     .lock = lock,
                                     .lease = lease,
                                     .now = now,
                                     .script = script,
                                     .identity = "BIGINT GENERATED ALWAYS "
                                                 "AS IDENTITY PRIMARY KEY",
                                     .room = room,
                                     .log_bytes = room,
                                     .close = close_db};

kith_status kith_i_db_open_postgresql(const char *url, kith_i_db **out,
                                      kith_error *err)
{
    pg_db *db = kith_i_alloc(1, sizeof *db);
    *out = NULL;
    if (!db)
        return kith_i_fail_memory(err);
    db->face.driver = &driver;
    db->connection = PQconnectdb(url);
    kith_status status = KITH_OK;
    if (PQstatus(db->connection) != CONNECTION_OK)
        status = kith_i_fail(err, KITH_ERR_STORE, "PostgreSQL: %.200s",
                             PQerrorMessage(db->connection));
    if (!status)
        status = set_up(db, err);
    if (status)
        close_db(&db->face);
    else
        *out = &db->face;
    return status;
}

#else

kith_status kith_i_db_open_postgresql(const char *url, kith_i_db **out,
                                      kith_error *err)
{
    (void)url;
    *out = NULL;
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "this kithd was built without PostgreSQL: use "
                       "sqlite:FILE, or build it with libpq");
}

#endif
