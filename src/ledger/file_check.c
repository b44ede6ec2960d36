/* Where the file of a ledger is: who else can write there, and can that place
 * lock and sync at all (T2, T21)? The file itself is opened by SQLite only:
 * closing any other descriptor of it would drop SQLite's locks. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base_i.h"

/* statfs(2): file systems over a network, or of a program. */
static const struct {
    unsigned long type;
    const char *name;
} UNSAFE[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},     {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},   {0x01021997, "9p"},  {0x65735546, "FUSE"},
    {0x00c36400, "Ceph"},   {0x5346414f, "AFS"}, {0x47504653, "GPFS"},
    {0x0bd00bd0, "Lustre"},
};

const char *kith_i_file_system_unsafe(unsigned long type)
{
    for (size_t i = 0; i < sizeof UNSAFE / sizeof *UNSAFE; i++)
        if ((type & 0xffffffffu) == UNSAFE[i].type)
            return UNSAFE[i].name;
    return NULL;
}

/* The folder of a path; "." for a bare name. NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return kith_i_copy_string(".");
    char *folder = kith_i_copy_string(path);
    if (folder)
        folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

kith_status kith_i_file_check(const char *path, unsigned flags, kith_error *err)
{
    struct stat file, folder;
    struct statfs system;
    char *name = folder_of(path);
    if (!name)
        return kith_i_fail_memory(err);
    int bad = stat(name, &folder) || statfs(name, &system);
    int reason = errno;
    kith_i_free(name);
    if (!bad && !(flags & KITH_LEDGER_NEW)) {
        bad = stat(path, &file);
        reason = errno;
    }
    if (bad)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "there is no ledger at '%.200s': %s. A new one is "
                           "made by kith budget create --new-ledger only",
                           path, strerror(reason));
    const char *unsafe =
        kith_i_file_system_unsafe((unsigned long)system.f_type);
    if (unsafe && !(flags & KITH_LEDGER_UNSAFE_FS))
        return kith_i_fail(err, KITH_ERR_STORE,
                           "'%.200s' is on %s, which may lose locks and "
                           "charges: move the ledger to a local disk",
                           path, unsafe);
    if ((folder.st_mode & S_IWOTH) ||
        (!(flags & KITH_LEDGER_NEW) && (file.st_mode & S_IWOTH)))
        return kith_i_fail(err, KITH_ERR_STORE,
                           "everybody on this machine can write '%.200s' or "
                           "its folder, and so forge it: take that permission "
                           "away (chmod o-w)",
                           path);
    return KITH_OK;
}

kith_status kith_i_file_make(const char *path, kith_error *err)
{
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "cannot make a ledger at '%.200s': %s", path,
                           strerror(errno));
    close(fd); /* nobody can have it open through SQLite yet */
    return KITH_OK;
}
