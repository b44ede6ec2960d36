/* The ledger in a file, by SQLite: connections and reading. Posting is in
 * sqlite_post.c.
 *
 * Claim: what was reported as posted is there after a crash of the process, of
 *   the system, or of the power.
 * Needs: a disk that keeps what it says it has synced; local file locks.
 * Because: the rollback journal is synced before the file is written, the file
 *   before the journal's head is blanked, and the blank head is synced before
 *   COMMIT returns (journal_mode PERSIST, synchronous EXTRA; both are read
 *   back). Pages of an older journal do not count: each journal has its own
 *   random checksum, and its number of pages is synced. Its name is synced
 *   when it is made (sqlite_journal.c). Not WAL: decision 17.
 */
#include "sqlite_i.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base_i.h"

static const unsigned char schema[] = {
#include <schema_sqlite.inc>
    , 0};

/* ---- errors ---- */

kith_status kith_i_sqlite_fail(sqlite_ledger *l, const char *doing,
                               kith_error *err)
{
    int code = sqlite3_errcode(l->db) & 0xff;
    const char *advice = code == SQLITE_BUSY || code == SQLITE_LOCKED
                             ? "another process has kept it locked"
                         : code == SQLITE_FULL     ? "the disk is full"
                         : code == SQLITE_READONLY ? "it cannot be written"
                         : code == SQLITE_CORRUPT
                             ? "the file is damaged: restore a backup, and "
                               "adopt the models since"
                         : code == SQLITE_NOTADB
                             ? "it is no SQLite file: is the path right? If it "
                               "was a ledger, its start is damaged: restore a "
                               "backup"
                             : sqlite3_errmsg(l->db);
    return kith_i_fail(err, KITH_ERR_STORE,
                       "the ledger '%.200s' cannot be used while %s: %s",
                       l->path, doing, advice);
}

/* ---- statements of SQL ---- */

sqlite3_stmt *kith_i_sqlite_prepare(sqlite_ledger *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    return sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

void kith_i_sqlite_bind(sqlite3_stmt *s, int at, const char *text)
{
    if (text)
        sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, at);
}

int kith_i_sqlite_run(sqlite_ledger *l, const char *sql)
{
    return sqlite3_exec(l->db, sql, NULL, NULL, NULL);
}

const char *kith_i_sqlite_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    return text ? (const char *)text : "";
}

kith_i_loss kith_i_sqlite_amount(sqlite3_stmt *s, int column)
{
    sqlite3_int64 value = sqlite3_column_int64(s, column);
    return value > 0 ? (kith_i_loss)value : 0;
}

/* Does this pragma answer so? */
static int pragma_is(sqlite_ledger *l, const char *sql, const char *answer)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(l, sql);
    int is = s && sqlite3_step(s) == SQLITE_ROW &&
             !strcmp(kith_i_sqlite_text(s, 0), answer);
    sqlite3_finalize(s);
    return is;
}

kith_status kith_i_sqlite_sound(sqlite_ledger *l, kith_error *err)
{
    if (pragma_is(l, "PRAGMA integrity_check(1)", "ok"))
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_STORE,
                       "the ledger '%.200s' is damaged: its pages or indexes "
                       "do not fit together; restore a backup",
                       l->path);
}

/* ---- reading ---- */

static const char ACCOUNT[] =
    "SELECT id, unit, adjacency, lim_pure, lim_gauss, spent_pure, spent_gauss, "
    "seq, head FROM account WHERE name = ?1";

int kith_i_sqlite_account(sqlite_ledger *l, const char *name,
                          sqlite_account *out)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(l, ACCOUNT);
    if (!s)
        return SQLITE_ERROR;
    kith_i_sqlite_bind(s, 1, name);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        *out = (sqlite_account){
            .id = sqlite3_column_int64(s, 0),
            .limit = {kith_i_sqlite_amount(s, 3), kith_i_sqlite_amount(s, 4)},
            .spent = {kith_i_sqlite_amount(s, 5), kith_i_sqlite_amount(s, 6)},
            .last = {.seq = kith_i_sqlite_amount(s, 7)}};
        snprintf(out->unit, sizeof out->unit, "%s", kith_i_sqlite_text(s, 1));
        snprintf(out->adjacency, sizeof out->adjacency, "%s",
                 kith_i_sqlite_text(s, 2));
        snprintf(out->last.hash, sizeof out->last.hash, "%s",
                 kith_i_sqlite_text(s, 8));
    }
    sqlite3_finalize(s);
    return code;
}

kith_status kith_i_sqlite_entries(sqlite_ledger *l, sqlite3_int64 id,
                                  uint64_t after, const kith_i_reader *reader,
                                  kith_error *err)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, "SELECT seq, kind, at, run, body, hash, once FROM entry "
           "WHERE account = ?1 AND seq > ?2 ORDER BY seq");
    kith_status status = KITH_OK;
    int code = SQLITE_ERROR;
    if (s) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)after);
    }
    while (s && !status && (code = sqlite3_step(s)) == SQLITE_ROW) {
        kith_entry_view view = {.number = kith_i_sqlite_amount(s, 0),
                                .kind = kith_i_sqlite_text(s, 1),
                                .at = kith_i_sqlite_text(s, 2),
                                .run = kith_i_sqlite_text(s, 3),
                                .body = kith_i_sqlite_text(s, 4),
                                .hash = kith_i_sqlite_text(s, 5),
                                .once = kith_i_sqlite_text(s, 6)};
        status = reader->entry(reader->arg, &view, err);
    }
    sqlite3_finalize(s);
    if (!status && code != SQLITE_DONE)
        status = kith_i_sqlite_fail(l, "reading its entries", err);
    return status;
}

static kith_status read_sublimits(sqlite_ledger *l, sqlite3_int64 id,
                                  const kith_i_reader *reader, kith_error *err)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, "SELECT kind, key, lim_pure, lim_gauss, spent_pure, spent_gauss "
           "FROM sublimit WHERE account = ?1 ORDER BY kind, key");
    kith_status status = KITH_OK;
    int code = SQLITE_ERROR;
    if (s)
        sqlite3_bind_int64(s, 1, id);
    while (s && !status && (code = sqlite3_step(s)) == SQLITE_ROW) {
        kith_sublimit_view view = {
            kith_i_sqlite_text(s, 0),
            kith_i_sqlite_text(s, 1),
            {kith_i_sqlite_amount(s, 2), kith_i_sqlite_amount(s, 3)},
            {kith_i_sqlite_amount(s, 4), kith_i_sqlite_amount(s, 5)}};
        status = reader->sublimit(reader->arg, &view, err);
    }
    sqlite3_finalize(s);
    if (!status && code != SQLITE_DONE)
        status = kith_i_sqlite_fail(l, "reading its limits", err);
    return status;
}

static kith_status read_account(sqlite_ledger *l, const char *name,
                                const kith_i_reader *reader, kith_error *err)
{
    sqlite_account a;
    int code = kith_i_sqlite_account(l, name, &a);
    if (code == SQLITE_DONE) {
        kith_i_posting asked = {.accounts = &name, .count = 1};
        kith_i_refusal unknown = {.kind = KITH_I_REFUSED_UNKNOWN};
        return kith_i_refusal_words(&asked, &unknown, NULL, err);
    }
    if (code != SQLITE_ROW)
        return kith_i_sqlite_fail(l, "reading an account", err);
    kith_status status = reader->account(reader->arg, a.unit, a.adjacency,
                                         a.limit, a.spent, &a.last, err);
    if (!status && reader->sublimit)
        status = read_sublimits(l, a.id, reader, err);
    if (!status && reader->entry)
        status = kith_i_sqlite_entries(l, a.id, 0, reader, err);
    return status;
}

static kith_status sqlite_read(kith_ledger *self, const char *name,
                               const kith_i_reader *reader, kith_error *err)
{
    sqlite_ledger *l = (sqlite_ledger *)self;
    pthread_mutex_lock(&l->lock);
    kith_status status = kith_i_sqlite_run(l, "BEGIN")
                             ? kith_i_sqlite_fail(l, "reading", err)
                         : reader->entry ? kith_i_sqlite_sound(l, err)
                                         : KITH_OK;
    if (!status)
        status = read_account(l, name, reader, err);
    kith_i_sqlite_run(l, "ROLLBACK");
    pthread_mutex_unlock(&l->lock);
    return status;
}

static kith_status sqlite_names(kith_ledger *self,
                                int (*visit)(void *arg, const char *account),
                                void *arg, kith_error *err)
{
    sqlite_ledger *l = (sqlite_ledger *)self;
    pthread_mutex_lock(&l->lock);
    sqlite3_stmt *s =
        kith_i_sqlite_prepare(l, "SELECT name FROM account ORDER BY name");
    int code = SQLITE_ERROR, stop = 0;
    while (s && !stop && (code = sqlite3_step(s)) == SQLITE_ROW)
        stop = visit(arg, kith_i_sqlite_text(s, 0));
    sqlite3_finalize(s);
    kith_status status = stop || code == SQLITE_DONE
                             ? KITH_OK
                             : kith_i_sqlite_fail(l, "reading", err);
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* ---- close, open ---- */

static void sqlite_close(kith_ledger *self)
{
    sqlite_ledger *l = (sqlite_ledger *)self;
    /* In a copy of the process the connection is not ours to close: that would
     * drop the locks of the one it was made from. */
    if (kith_i_process_same(l->base.maker)) {
        sqlite3_close_v2(l->db);
        kith_i_sqlite_files_free(l->files);
    }
    for (size_t i = 0; i < l->replay_count; i++)
        kith_i_replay_close(&l->replays[i]);
    kith_i_free(l->replays);
    kith_i_free(l->path);
    pthread_mutex_destroy(&l->lock);
    kith_i_free(l);
}

static kith_status configure(sqlite_ledger *l, kith_error *err)
{
    sqlite3_busy_timeout(l->db, kith_i_ledger_patience);
    if (kith_i_sqlite_run(l, "PRAGMA mmap_size = 0; PRAGMA trusted_schema = "
                             "OFF; PRAGMA cell_size_check = ON; PRAGMA "
                             "foreign_keys = ON; PRAGMA synchronous = EXTRA"))
        return kith_i_sqlite_fail(l, "opening it", err);
    if (!l->base.read_only &&
        (!pragma_is(l, "PRAGMA journal_mode = PERSIST", "persist") ||
         !pragma_is(l, "PRAGMA journal_mode", "persist") ||
         !pragma_is(l, "PRAGMA synchronous", "3")))
        return sqlite3_errcode(l->db) != SQLITE_OK
                   ? kith_i_sqlite_fail(l, "opening it", err)
                   : kith_i_fail(err, KITH_ERR_STORE,
                                 "the ledger '%.200s' will not promise to keep "
                                 "what it is told (journal and syncs)",
                                 l->path);
    return KITH_OK;
}

static kith_status install(sqlite_ledger *l, kith_error *err)
{
    if (kith_i_sqlite_run(l, "BEGIN IMMEDIATE") ||
        kith_i_sqlite_run(l, (const char *)schema) ||
        kith_i_sqlite_run(l, "COMMIT"))
        return kith_i_sqlite_fail(l, "making it", err);
    return KITH_OK;
}

static kith_status read_meta(sqlite_ledger *l, kith_error *err)
{
    char version[16] = "";
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, "SELECT key, value FROM meta WHERE key IN ('ledger', 'schema')");
    int code = s ? SQLITE_ROW : sqlite3_errcode(l->db) & 0xff;
    if (code == SQLITE_ERROR) /* no such table */
        return kith_i_schema_check(NULL, err);
    while (s && (code = sqlite3_step(s)) == SQLITE_ROW)
        if (!strcmp(kith_i_sqlite_text(s, 0), "schema"))
            snprintf(version, sizeof version, "%s", kith_i_sqlite_text(s, 1));
        else
            snprintf(l->base.id, sizeof l->base.id, "%s",
                     kith_i_sqlite_text(s, 1));
    sqlite3_finalize(s);
    if (code != SQLITE_DONE)
        return kith_i_sqlite_fail(l, "opening it", err);
    return kith_i_schema_check(version, err);
}

static kith_status connect(sqlite_ledger *l, unsigned flags, kith_error *err)
{
    l->files = kith_i_sqlite_files_new();
    if (!l->files)
        return kith_i_fail_memory(err);
    int code = kith_i_sqlite_open(l->path,
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX,
                                  kith_i_sqlite_files_name(l->files), &l->db);
    if (code != SQLITE_OK)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "cannot open the ledger '%.200s': %s", l->path,
                           sqlite3_errstr(code));
    if (sqlite3_db_readonly(l->db, "main") && !l->base.read_only)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "the ledger '%.200s' cannot be written by you: "
                           "nothing can be charged",
                           l->path);
    kith_status status = configure(l, err);
    if (!status && (flags & KITH_LEDGER_NEW))
        status = install(l, err);
    return status ? status : read_meta(l, err);
}

kith_status kith_i_ledger_sqlite(const char *path, unsigned flags,
                                 kith_ledger **out, kith_error *err)
{
    static const kith_i_store store = {.post = kith_i_sqlite_post,
                                       .read = sqlite_read,
                                       .names = sqlite_names,
                                       .backup = kith_i_sqlite_backup,
                                       .close = sqlite_close};
    kith_status status = kith_i_file_check(path, flags, err);
    if (!status && (flags & KITH_LEDGER_NEW))
        status = kith_i_file_make(path, err);
    if (status)
        return status;
    sqlite_ledger *l = kith_i_alloc(1, sizeof *l);
    if (!l || !kith_i_lock_init(&l->lock)) {
        kith_i_free(l);
        return kith_i_fail_memory(err);
    }
    l->base.store = &store;
    l->base.maker = kith_i_process_now();
    l->base.read_only = (flags & KITH_LEDGER_READ) != 0;
    l->base.unsafe_fs = (flags & KITH_LEDGER_UNSAFE_FS) != 0;
    l->path = kith_i_copy_string(path);
    status = l->path ? connect(l, flags, err) : kith_i_fail_memory(err);
    if (status) {
        if (flags & KITH_LEDGER_NEW)
            unlink(path);
        sqlite_close(&l->base);
        return status;
    }
    *out = &l->base;
    return KITH_OK;
}
