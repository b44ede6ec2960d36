/* Files of SQLite: their names, and copies of a ledger. */
#include "sqlite_i.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base_i.h"

/* SQLite takes names like ":memory:" and "file:a?nolock=1" for more than names
 * of files; no name that begins with a folder is one of them. */
int kith_i_sqlite_open(const char *path, int flags, const char *vfs,
                       sqlite3 **out)
{
    size_t size = strlen(path) + sizeof "./";
    char *name = kith_i_alloc(size, 1);
    if (!name)
        return SQLITE_NOMEM;
    snprintf(name, size, "%s%s", *path == '/' ? "" : "./", path);
    int code = sqlite3_open_v2(name, out, flags, vfs);
    kith_i_free(name);
    return code;
}

static kith_status copy_pages(sqlite_ledger *l, sqlite3 *to, kith_error *err)
{
    sqlite3_backup *b = sqlite3_backup_init(to, "main", l->db, "main");
    int code = b ? sqlite3_backup_step(b, -1) : SQLITE_ERROR;
    if (b)
        sqlite3_backup_finish(b);
    return code == SQLITE_DONE
               ? KITH_OK
               : kith_i_fail(err, KITH_ERR_STORE, "the copy failed: %s",
                             sqlite3_errmsg(to));
}

/* The folder of a copy must be there. */
static kith_status check_folder(const char *path, kith_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = kith_i_alloc(length + 1, 1);
    if (!folder)
        return kith_i_fail_memory(err);
    memcpy(folder, path, length);
    folder[length] = '\0';
    int missing = slash && access(folder, F_OK) != 0;
    kith_i_free(folder);
    return missing ? kith_i_fail(err, KITH_ERR_STORE,
                                 "the copy cannot be written to '%.200s': its "
                                 "folder is not there",
                                 path)
                   : KITH_OK;
}

kith_status kith_i_sqlite_backup(kith_ledger *self, const char *path,
                                 kith_error *err)
{
    sqlite_ledger *l = (sqlite_ledger *)self;
    sqlite3 *to = NULL;
    kith_status status = check_folder(path, err);
    if (!status)
        status = kith_i_file_check(path, KITH_LEDGER_NEW, err);
    if (!status)
        status = kith_i_file_make(path, err);
    if (status)
        return status;
    pthread_mutex_lock(&l->lock);
    if (kith_i_sqlite_open(path, SQLITE_OPEN_READWRITE, NULL, &to) != SQLITE_OK)
        status =
            kith_i_fail(err, KITH_ERR_STORE, "cannot write '%.200s'", path);
    else
        status = copy_pages(l, to, err);
    sqlite3_close_v2(to);
    pthread_mutex_unlock(&l->lock);
    if (status)
        unlink(path);
    return status;
}
