/* SQLite: one file, one process, one connection, which writes and checkpoints
 * (two could meet the defect of write-ahead logs that came with them). */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "db.h"

enum { COLUMNS = 12 };

typedef struct {
    kith_i_db face;
    sqlite3 *handle;
    sqlite3_stmt *prepared[KITH_I_STATEMENTS];
    char *path;
    int lock; /* file descriptor: who holds it is the one process */
} sqlite_db;

static kith_status fail(sqlite_db *db, int code, kith_error *err)
{
    kith_i_db_trouble trouble = KITH_I_DB_BROKEN;
    switch (code & 0xff) {
    case SQLITE_FULL:
        trouble = KITH_I_DB_FULL;
        break;
    case SQLITE_IOERR:
        trouble =
            errno == ENOSPC || errno == EFBIG ? KITH_I_DB_FULL : KITH_I_DB_DOWN;
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        trouble = KITH_I_DB_DOWN;
        break;
    case SQLITE_CONSTRAINT:
        trouble = KITH_I_DB_TAKEN;
        break;
    default:
        break;
    }
    db->face.trouble = trouble;
    return kith_i_fail(err, KITH_ERR_STORE, "SQLite: %s", sqlite3_errstr(code));
}

static int bind(sqlite3_stmt *s, const kith_i_cell *in, unsigned count)
{
    int code = SQLITE_OK;
    for (unsigned i = 0; code == SQLITE_OK && i < count; i++) {
        const kith_i_cell *c = &in[i];
        int at = (int)i + 1;
        if (c->kind == KITH_I_CELL_NUMBER)
            code = sqlite3_bind_int64(s, at, c->number);
        else if (c->kind == KITH_I_CELL_BYTES)
            code = sqlite3_bind_blob64(s, at, c->count ? c->bytes : "",
                                       c->count, SQLITE_STATIC);
        else if (c->kind == KITH_I_CELL_WORDS)
            code = sqlite3_bind_text64(s, at, c->bytes, c->count, SQLITE_STATIC,
                                       SQLITE_UTF8);
        else
            code = sqlite3_bind_null(s, at);
    }
    return code;
}

static void read_row(sqlite3_stmt *s, kith_i_cell out[COLUMNS])
{
    for (int i = 0; i < sqlite3_column_count(s) && i < COLUMNS; i++) {
        int type = sqlite3_column_type(s, i);
        out[i] = (kith_i_cell){0};
        if (type == SQLITE_INTEGER) {
            out[i] = kith_i_number_cell(sqlite3_column_int64(s, i));
        } else if (type != SQLITE_NULL) {
            out[i].kind =
                type == SQLITE_TEXT ? KITH_I_CELL_WORDS : KITH_I_CELL_BYTES;
            out[i].bytes = sqlite3_column_blob(s, i);
            out[i].count = (size_t)sqlite3_column_bytes(s, i);
        }
    }
}

static kith_status run(kith_i_db *face, kith_i_statement statement,
                       const kith_i_cell *in, unsigned count,
                       kith_i_row_fn *row, void *arg, kith_error *err)
{
    sqlite_db *db = (sqlite_db *)face;
    kith_i_cell columns[COLUMNS];
    kith_status status = KITH_OK;
    int code = SQLITE_OK;
    errno = 0;
    if (!db->prepared[statement])
        code = sqlite3_prepare_v3(db->handle, kith_i_statement_text(statement),
                                  -1, SQLITE_PREPARE_PERSISTENT,
                                  &db->prepared[statement], NULL);
    sqlite3_stmt *s = db->prepared[statement];
    if (code == SQLITE_OK)
        code = bind(s, in, count);
    while (code == SQLITE_OK && !status) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) {
            code = SQLITE_OK;
            read_row(s, columns);
            if (row)
                status = row(arg, columns, err);
        }
    }
    face->changed = (uint64_t)sqlite3_changes64(db->handle);
    if (s) {
        sqlite3_reset(s);
        sqlite3_clear_bindings(s);
    }
    face->trouble = KITH_I_DB_FINE;
    return status                ? status
           : code == SQLITE_DONE ? KITH_OK
                                 : fail(db, code, err);
}

static kith_status script(kith_i_db *face, const char *sql, kith_error *err)
{
    sqlite_db *db = (sqlite_db *)face;
    errno = 0;
    int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    face->trouble = KITH_I_DB_FINE;
    return code == SQLITE_OK ? KITH_OK : fail(db, code, err);
}

static kith_status begin(kith_i_db *db, kith_error *err)
{
    return script(db, "BEGIN IMMEDIATE", err);
}

static void rollback(kith_i_db *db)
{
    kith_i_db_trouble trouble = db->trouble;
    if (!sqlite3_get_autocommit(((sqlite_db *)db)->handle))
        (void)script(db, "ROLLBACK", NULL);
    db->trouble = trouble;
}

static kith_status commit(kith_i_db *db, kith_error *err)
{
    kith_status status = script(db, "COMMIT", err);
    if (status)
        rollback(db);
    return status;
}

/* BEGIN IMMEDIATE has excluded everybody. */
static kith_status lock(kith_i_db *db, uint64_t thing, int exclusive,
                        kith_error *err)
{
    (void)db;
    (void)thing;
    (void)exclusive;
    (void)err;
    return KITH_OK;
}

static int lease(kith_i_db *db, uint64_t thing, int take)
{
    (void)db;
    (void)thing;
    (void)take;
    return 1;
}

static kith_status now(kith_i_db *db, int64_t *ms, kith_error *err)
{
    struct timespec t;
    (void)db;
    (void)err;
    clock_gettime(CLOCK_REALTIME, &t);
    *ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    return KITH_OK;
}

static int64_t room(kith_i_db *face)
{
    struct statvfs fs;
    if (statvfs(((sqlite_db *)face)->path, &fs))
        return -1;
    return (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
}

static int64_t log_bytes(kith_i_db *face)
{
    const char *path = ((sqlite_db *)face)->path;
    char name[4096];
    struct stat file;
    int n = snprintf(name, sizeof name, "%s-wal", path);
    return n < (int)sizeof name && !stat(name, &file) ? (int64_t)file.st_size
                                                      : 0;
}

static void close_db(kith_i_db *face)
{
    sqlite_db *db = (sqlite_db *)face;
    for (int i = 0; i < KITH_I_STATEMENTS; i++)
        sqlite3_finalize(db->prepared[i]);
    sqlite3_close(db->handle);
    if (db->lock >= 0)
        close(db->lock);
    kith_i_free(db->path);
    kith_i_free(db);
}

static const kith_i_driver driver = {.name = "sqlite",
                                     .run = run,
                                     .begin = begin,
                                     .commit = commit,
                                     .rollback = rollback,
                                     .lock = lock,
                                     .lease = lease,
                                     .now = now,
                                     .script = script,
                                     .identity = "INTEGER PRIMARY KEY",
                                     .room = room,
                                     .log_bytes = log_bytes,
                                     .close = close_db};

/* The file FILE.lock, held as long as the process lives. */
static kith_status take_lock(sqlite_db *db, kith_error *err)
{
    size_t length = strlen(db->path);
    char *name = kith_i_alloc(length + 6, 1);
    if (!name)
        return kith_i_fail_memory(err);
    memcpy(name, db->path, length);
    memcpy(name + length, ".lock", 6);
    db->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    kith_i_free(name);
    if (db->lock < 0)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "cannot write beside the database: %s",
                           strerror(errno));
    if (flock(db->lock, LOCK_EX | LOCK_NB))
        return kith_i_fail(err, KITH_ERR_STORE,
                           "another kithd serves this database: stop it, or "
                           "use PostgreSQL for several processes");
    return KITH_OK;
}

kith_status kith_i_db_open_sqlite(const char *path, kith_i_db **out,
                                  kith_error *err)
{
    sqlite_db *db = kith_i_alloc(1, sizeof *db);
    *out = NULL;
    if (!db)
        return kith_i_fail_memory(err);
    db->face.driver = &driver;
    db->lock = -1;
    db->path = kith_i_copy_string(path);
    kith_status status =
        db->path ? take_lock(db, err) : kith_i_fail_memory(err);
    if (!status) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0)
            close(file);
        int code = sqlite3_open_v2(
            path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX,
            NULL);
        if (code != SQLITE_OK)
            status = kith_i_fail(err, KITH_ERR_STORE,
                                 "the database cannot be opened: %s",
                                 sqlite3_errstr(code));
    }
    if (!status) {
        sqlite3_busy_timeout(db->handle, 5000);
        status = script(&db->face,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                        "PRAGMA journal_size_limit=67108864; "
                        "PRAGMA wal_autocheckpoint=4000",
                        err);
    }
    if (status)
        close_db(&db->face);
    else
        *out = &db->face;
    return status;
}

/* This connection reads and never checkpoints: the service's stays the only one
 * that does. */
kith_status kith_i_db_copy_sqlite(const char *from, const char *to,
                                  kith_error *err)
{
    sqlite3 *source = NULL, *copy = NULL;
    int file = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return kith_i_fail(err, KITH_ERR_STORE, "%s: %s", to, strerror(errno));
    close(file);
    int code = sqlite3_open_v2(from, &source, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE, NULL);
    sqlite3_backup *job =
        code == SQLITE_OK ? sqlite3_backup_init(copy, "main", source, "main")
                          : NULL;
    if (job) {
        sqlite3_busy_timeout(source, 5000);
        code = sqlite3_backup_step(job, -1);
        int done = sqlite3_backup_finish(job);
        code = code == SQLITE_DONE ? done : code;
    } else if (code == SQLITE_OK) {
        code = sqlite3_errcode(copy);
    }
    sqlite3_close(copy);
    sqlite3_close(source);
    if (code == SQLITE_OK)
        return KITH_OK;
    unlink(to);
    return kith_i_fail(err, KITH_ERR_STORE, "%s cannot be copied: %s", from,
                       sqlite3_errstr(code));
}
