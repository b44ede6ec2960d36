/* A charge without a sync of the folder.
 *
 * SQLite syncs the folder in every transaction whose journal it may create. The
 * journal of a ledger stays (PERSIST), so that is needed once.
 *
 * Claim: the name of the journal is on the disk before a page of the ledger is
 *   written.
 * Needs: nobody but SQLite, holding the ledger's lock, makes or removes it.
 * Because: the first transaction of a connection may create the journal, so
 *   SQLite syncs the folder in it. From then on a descriptor keeps that file's
 *   inode: no other file can have its number. A later transaction may not
 *   create, and is spared the sync, only if the name still leads to that very
 *   file; names are looked at while the connection holds the lock. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_i.h"
#include "sqlite_i.h"

struct sqlite_files {
    sqlite3_vfs vfs; /* first */
    sqlite3_vfs *below;
    int pin;  /* of the journal (O_PATH: no lock to drop); -1: none */
    int safe; /* a transaction that could create it was committed */
    char name[32];
};

static int is_pinned(const sqlite_files *files, const char *path)
{
    struct stat kept, now;
    return files->pin >= 0 && !fstat(files->pin, &kept) && !stat(path, &now) &&
           kept.st_dev == now.st_dev && kept.st_ino == now.st_ino;
}

static void pin(sqlite_files *files, const char *path)
{
    if (files->pin >= 0)
        close(files->pin);
    files->pin = path ? open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW) : -1;
    files->safe = 0;
}

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file,
                     int flags, int *out)
{
    sqlite_files *files = (sqlite_files *)vfs;
    int makes =
        (flags & SQLITE_OPEN_MAIN_JOURNAL) && (flags & SQLITE_OPEN_CREATE);
    if (makes && files->safe && is_pinned(files, path)) {
        flags &= ~SQLITE_OPEN_CREATE;
        makes = 0;
    }
    int code = files->below->xOpen(files->below, path, file, flags, out);
    if (makes)
        pin(files, code == SQLITE_OK ? path : NULL);
    return code;
}

sqlite_files *kith_i_sqlite_files_new(void)
{
    sqlite3_vfs *below = sqlite3_vfs_find(NULL);
    sqlite_files *files = below ? kith_i_alloc(1, sizeof *files) : NULL;
    if (!files)
        return NULL;
    *files = (sqlite_files){.vfs = *below, .below = below, .pin = -1};
    snprintf(files->name, sizeof files->name, "kith-%p", (void *)files);
    files->vfs.pNext = NULL;
    files->vfs.zName = files->name;
    files->vfs.xOpen = open_file;
    if (sqlite3_vfs_register(&files->vfs, 0) == SQLITE_OK)
        return files;
    kith_i_free(files);
    return NULL;
}

const char *kith_i_sqlite_files_name(const sqlite_files *files)
{
    return files->name;
}

void kith_i_sqlite_files_safe(sqlite_files *files)
{
    files->safe = files->pin >= 0;
}

void kith_i_sqlite_files_free(sqlite_files *files)
{
    if (!files)
        return;
    pin(files, NULL);
    sqlite3_vfs_unregister(&files->vfs);
    kith_i_free(files);
}
