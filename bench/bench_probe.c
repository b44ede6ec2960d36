/* The least that a collection service could be: bodies over HTTP, the hashes of
 * a check, group commit into one table. What kithd is measured against.
 *
 * usage: bench_probe sqlite:FILE|postgresql://... PORT; ended by a signal. */
#include <libpq-fe.h>
#include <microhttpd.h>
#include <pthread.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENVELOPE = 80, STORED = 17, BODY = 1 << 20, QUEUE = 64 << 20 };

typedef struct waiting {
    struct waiting *next;
    struct MHD_Connection *connection;
    size_t bytes;
    int done;
    unsigned char body[];
} waiting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static waiting *queue;
static sqlite3 *lite;
static sqlite3_stmt *insert;
static PGconn *pg;

static void need(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_probe: %s\n", what);
    exit(1);
}

/* ---- the store ----------------------------------------------------------- */

static void run(const char *sql)
{
    if (lite) {
        need(sqlite3_exec(lite, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
        return;
    }
    PGresult *result = PQexec(pg, sql);
    need(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(pg));
    PQclear(result);
}

static void open_store(const char *where)
{
    if (strncmp(where, "sqlite:", 7) == 0) {
        need(sqlite3_open(where + 7, &lite) == SQLITE_OK, "SQLite");
        run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
            "PRAGMA wal_autocheckpoint=4000; "
            "CREATE TABLE segments (id INTEGER PRIMARY KEY, reports BLOB)");
        need(sqlite3_prepare_v2(lite,
                                "INSERT INTO segments (reports) VALUES (?)", -1,
                                &insert, NULL) == SQLITE_OK,
             "INSERT");
        return;
    }
    pg = PQconnectdb(where);
    need(PQstatus(pg) == CONNECTION_OK, PQerrorMessage(pg));
    run("SET synchronous_commit = on");
    run("CREATE TABLE segments (id BIGSERIAL PRIMARY KEY, reports BYTEA)");
    PQclear(PQprepare(pg, "add", "INSERT INTO segments (reports) VALUES ($1)",
                      1, NULL));
}

static void store(const unsigned char *packed, size_t bytes)
{
    run("BEGIN");
    if (lite) {
        sqlite3_bind_blob64(insert, 1, packed, bytes, SQLITE_STATIC);
        need(sqlite3_step(insert) == SQLITE_DONE, "INSERT");
        sqlite3_reset(insert);
    } else {
        const char *value = (const char *)packed;
        int length = (int)bytes, binary = 1;
        PGresult *result =
            PQexecPrepared(pg, "add", 1, &value, &length, &binary, 1);
        need(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(pg));
        PQclear(result);
    }
    run("COMMIT");
}

/* ---- group commit -------------------------------------------------------- */

_Noreturn static void *commit_loop(void *arg)
{
    unsigned char *packed = malloc(QUEUE);
    (void)arg;
    need(packed != NULL, "memory");
    for (;;) {
        size_t bytes = 0;
        pthread_mutex_lock(&lock);
        while (!queue)
            pthread_cond_wait(&filled, &lock);
        waiting *all = queue;
        queue = NULL;
        pthread_mutex_unlock(&lock);
        for (waiting *w = all; w; w = w->next)
            for (size_t at = 0; at < w->bytes; at += ENVELOPE, bytes += STORED)
                memcpy(packed + bytes, w->body + at + ENVELOPE - STORED,
                       STORED);
        store(packed, bytes);
        while (all) {
            waiting *next = all->next;
            all->done = 1;
            MHD_resume_connection(all->connection);
            all = next;
        }
    }
}

/* ---- HTTP ---------------------------------------------------------------- */

/* As many hashes as it takes to check where a report comes from. */
static void check(const unsigned char *envelope)
{
    unsigned char out[32];
    crypto_hash_sha256(out, envelope, 38);
    crypto_generichash(out, 16, envelope, 32, out, 32);
    crypto_hash_sha256(out, envelope, 38);
    crypto_hash_sha256(out, envelope, 70);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (char *)"", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result done = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return done;
}

static enum MHD_Result handle_report(void *arg,
                                     struct MHD_Connection *connection,
                                     const char *path, const char *method,
                                     const char *version, const char *data,
                                     size_t *count, void **mine)
{
    waiting *w = *mine;
    (void)arg;
    (void)path;
    (void)method;
    (void)version;
    if (!w) {
        const char *length = MHD_lookup_connection_value(
            connection, MHD_HEADER_KIND, "Content-Length");
        size_t room = length ? strtoul(length, NULL, 10) : 0;
        if (room > BODY || !(w = calloc(1, sizeof *w + room)))
            return MHD_NO;
        w->connection = connection;
        *mine = w;
        return MHD_YES;
    }
    if (*count) {
        memcpy(w->body + w->bytes, data, *count);
        w->bytes += *count;
        *count = 0;
        return MHD_YES;
    }
    if (w->done || w->bytes % ENVELOPE != 0 || w->bytes == 0)
        return answer(connection, w->done ? 204 : 200);
    for (size_t at = 0; at < w->bytes; at += ENVELOPE)
        check(w->body + at);
    MHD_suspend_connection(connection);
    pthread_mutex_lock(&lock);
    w->next = queue;
    queue = w;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return MHD_YES;
}

static void completed(void *arg, struct MHD_Connection *connection, void **mine,
                      enum MHD_RequestTerminationCode how)
{
    (void)arg;
    (void)connection;
    (void)how;
    free(*mine);
    *mine = NULL;
}

int main(int argc, char **argv)
{
    pthread_t committer;
    need(argc == 3 && sodium_init() >= 0, "DATABASE PORT");
    open_store(argv[1]);
    need(pthread_create(&committer, NULL, commit_loop, NULL) == 0, "thread");
    need(MHD_start_daemon(
             MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME,
             (uint16_t)strtoul(argv[2], NULL, 10), NULL, NULL, handle_report,
             NULL, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
             MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END) != NULL,
         "the port is taken");
    for (;;)
        pause();
}
