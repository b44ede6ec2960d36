/* Inside the SQLite store only. */
#ifndef KITH_SQLITE_I_H
#define KITH_SQLITE_I_H

#include <pthread.h>
#include <sqlite3.h>

#include "replay.h"
#include "store.h"

typedef struct sqlite_files sqlite_files; /* sqlite_journal.c */

typedef struct sqlite_ledger {
    kith_ledger base; /* first */
    pthread_mutex_t lock;
    sqlite3 *db;
    sqlite_files *files;
    char *path;
    int lost;               /* a commit failed: never used again */
    int sound;              /* pages and indexes were looked at  */
    kith_i_replay *replays; /* accounts that were followed so far */
    size_t replay_count;
} sqlite_ledger;

typedef struct sqlite_account {
    sqlite3_int64 id;
    char unit[16], adjacency[16];
    kith_i_purses limit, spent;
    kith_i_ticket last;
} sqlite_account;

kith_status kith_i_sqlite_fail(sqlite_ledger *l, const char *doing,
                               kith_error *err);
sqlite3_stmt *kith_i_sqlite_prepare(sqlite_ledger *l, const char *sql);
void kith_i_sqlite_bind(sqlite3_stmt *s, int at, const char *text);
int kith_i_sqlite_run(sqlite_ledger *l, const char *sql);
const char *kith_i_sqlite_text(sqlite3_stmt *s, int column); /* never NULL */
kith_i_loss kith_i_sqlite_amount(sqlite3_stmt *s, int column);

/* Do pages and indexes fit together? An index that lacks a key would let it be
 * taken twice. */
kith_status kith_i_sqlite_sound(sqlite_ledger *l, kith_error *err);
/* SQLITE_ROW: found; SQLITE_DONE: there is none. */
int kith_i_sqlite_account(sqlite_ledger *l, const char *name,
                          sqlite_account *out);
/* The entries after one, in order. */
kith_status kith_i_sqlite_entries(sqlite_ledger *l, sqlite3_int64 id,
                                  uint64_t after, const kith_i_reader *reader,
                                  kith_error *err);

/* sqlite_file.c: open a file by its name, whatever that looks like (a code of
 * SQLite; vfs: NULL, its own); copy the ledger to a new file. */
int kith_i_sqlite_open(const char *path, int flags, const char *vfs,
                       sqlite3 **out);
kith_status kith_i_sqlite_backup(kith_ledger *self, const char *path,
                                 kith_error *err);

/* sqlite_journal.c: how a connection opens its files. To be freed after it; a
 * copy of the process must leave them alone. NULL: no memory. */
sqlite_files *kith_i_sqlite_files_new(void);
const char *kith_i_sqlite_files_name(const sqlite_files *files);
/* A transaction was committed. */
void kith_i_sqlite_files_safe(sqlite_files *files);
void kith_i_sqlite_files_free(sqlite_files *files);

/* sqlite_post.c */
kith_status kith_i_sqlite_post(kith_ledger *self, const kith_i_posting *posting,
                               kith_i_ticket *tickets, kith_i_refusal *refusal,
                               kith_error *err);

#endif
