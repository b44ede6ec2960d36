/* See oplog.h. Contents belong to files, names to the folder, as on a disk: a
 * write is safe once its file was synced, a name (made or taken away) once the
 * folder was. */
#include "support/oplog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum { MAKE, REMOVE, WRITE, CUT, SYNC, SYNC_NAMES, MARK } op_kind;

typedef struct {
    op_kind kind;
    int file; /* its number */
    char name[48];
    size_t at, count;
    unsigned char *data;
} op;

enum { FDS = 1024 };

static op *ops;
static size_t used, room;
static char watched[256];
static int on, next_file, file_of[FDS], folder_fd[FDS];
static long fault_at, fault_calls;
static int fault_reason;
static struct {
    char name[48];
    int file;
} names[64]; /* what the folder holds now */
static int name_count;

/* ---- the log ---- */

static op *add(op_kind kind, int file)
{
    if (used == room) {
        room = room ? 2 * room : 256;
        ops = realloc(ops, room * sizeof *ops);
        if (!ops)
            abort();
    }
    ops[used] = (op){.kind = kind, .file = file};
    return &ops[used++];
}

static const char *inside(const char *path)
{
    size_t n = strlen(watched);
    return on && !strncmp(path, watched, n) && path[n] == '/' &&
                   !strchr(path + n + 1, '/')
               ? path + n + 1
               : NULL;
}

static int find_name(const char *name)
{
    for (int i = 0; i < name_count; i++)
        if (!strcmp(names[i].name, name))
            return i;
    return -1;
}

static void copy_name(char out[48], const char *name)
{
    size_t n = strnlen(name, 47);
    memcpy(out, name, n);
    out[n] = '\0';
}

static int make_name(const char *name)
{
    op *o = add(MAKE, next_file++);
    copy_name(o->name, name);
    copy_name(names[name_count].name, name);
    names[name_count++].file = o->file;
    return o->file;
}

static void write_op(int file, const void *data, size_t count, size_t at)
{
    op *o = add(WRITE, file);
    o->at = at;
    o->count = count;
    o->data = malloc(count ? count : 1);
    if (!o->data)
        abort();
    memcpy(o->data, data, count);
}

void oplog_start(const char *folder)
{
    for (size_t i = 0; i < used; i++)
        free(ops[i].data);
    used = 0;
    name_count = next_file = 0;
    memset(file_of, -1, sizeof file_of);
    memset(folder_fd, 0, sizeof folder_fd);
    snprintf(watched, sizeof watched, "%s", folder);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[600];
        struct stat s;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &s) || !S_ISREG(s.st_mode))
            continue;
        FILE *f = fopen(path, "rb");
        void *all = malloc((size_t)s.st_size + 1);
        size_t n = f && all ? fread(all, 1, (size_t)s.st_size, f) : 0;
        int file = make_name(e->d_name);
        write_op(file, all, n, 0);
        add(SYNC, file);
        free(all);
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    add(SYNC_NAMES, 0);
    on = 1;
}

void oplog_stop(void)
{
    on = 0;
}

void oplog_mark(void)
{
    add(MARK, 0);
}

size_t oplog_count(void)
{
    return used;
}

size_t oplog_marks(size_t n)
{
    size_t marks = 0;
    for (size_t i = 0; i < n; i++)
        marks += ops[i].kind == MARK;
    return marks;
}

/* ---- faults ---- */

void oplog_fault(long n, int reason)
{
    fault_at = n;
    fault_reason = reason;
    fault_calls = 0;
}

long oplog_calls(void)
{
    return fault_calls;
}

/* Before a call: must it fail? */
static int fails(void)
{
    if (!fault_at || ++fault_calls != fault_at || !fault_reason)
        return 0;
    errno = fault_reason;
    return 1;
}

/* After a call: was it the last? */
static void dies(void)
{
    if (fault_at && fault_calls == fault_at && !fault_reason)
        kill(getpid(), SIGKILL);
}

/* ---- in place of libc ---- */

#pragma GCC visibility push(default)

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
        if (fails())
            return -1;
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    const char *name = fd >= 0 ? inside(path) : NULL;
    if (fd >= 0 && fd < FDS) {
        file_of[fd] = -1;
        folder_fd[fd] = on && !strcmp(path, watched);
    }
    if (name && fd < FDS) {
        int known = find_name(name);
        file_of[fd] = known >= 0 ? names[known].file : make_name(name);
    }
    if (flags & O_CREAT)
        dies();
    return fd;
}

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t at)
{
    if (fails())
        return -1;
    ssize_t n = syscall(SYS_pwrite64, fd, data, count, at);
    if (on && n > 0 && fd < FDS && file_of[fd] >= 0)
        write_op(file_of[fd], data, (size_t)n, (size_t)at);
    dies();
    return n;
}

int ftruncate64(int fd, off64_t size)
{
    if (fails())
        return -1;
    int bad = (int)syscall(SYS_ftruncate, fd, size);
    if (on && !bad && fd < FDS && file_of[fd] >= 0)
        add(CUT, file_of[fd])->count = (size_t)size;
    dies();
    return bad;
}

static int sync_with(long call, int fd)
{
    if (fails())
        return -1;
    int bad = (int)syscall(call, fd);
    if (on && !bad && fd < FDS && file_of[fd] >= 0)
        add(SYNC, file_of[fd]);
    if (on && !bad && fd < FDS && folder_fd[fd])
        add(SYNC_NAMES, 0);
    dies();
    return bad;
}

int fdatasync(int fd)
{
    return sync_with(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    return sync_with(SYS_fsync, fd);
}

int unlink(const char *path)
{
    if (fails())
        return -1;
    int bad = (int)syscall(SYS_unlink, path);
    const char *name = bad ? NULL : inside(path);
    int known = name ? find_name(name) : -1;
    if (known >= 0) {
        op *o = add(REMOVE, names[known].file);
        copy_name(o->name, name);
        names[known] = names[--name_count];
    }
    dies();
    return bad;
}

#pragma GCC visibility pop

/* ---- after a power cut ---- */

/* Is change i safe after the first n? */
static int is_synced(size_t i, size_t n)
{
    int of_names = ops[i].kind == MAKE || ops[i].kind == REMOVE;
    for (size_t j = i + 1; j < n; j++)
        if (of_names ? ops[j].kind == SYNC_NAMES
                     : ops[j].kind == SYNC && ops[j].file == ops[i].file)
            return 1;
    return 0;
}

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

typedef struct {
    unsigned char *data;
    size_t size;
} content;

static void set_size(content *c, size_t size)
{
    unsigned char *grown = realloc(c->data, size + 1);
    if (!grown)
        abort();
    if (size > c->size)
        memset(grown + c->size, 0, size - c->size);
    c->data = grown;
    c->size = size;
}

static void write_out(const char *to, const char *name, const content *c)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", to, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(c->data ? c->data : (unsigned char *)"", 1, c->size, f) !=
                  c->size)
        abort();
    fclose(f);
    chmod(path, 0600);
}

void oplog_replay(size_t n, uint64_t coins, const char *to)
{
    content *files = calloc((size_t)next_file + 1, sizeof *files);
    char(*name_of)[48] = calloc((size_t)next_file + 1, sizeof *name_of);
    if (!files || !name_of)
        abort();
    for (size_t i = 0; i < n; i++) {
        const op *o = &ops[i];
        if (!is_synced(i, n) && (!coins || mix(coins + i) & 1))
            continue;
        content *c = &files[o->file];
        if (o->kind == MAKE)
            copy_name(name_of[o->file], o->name);
        else if (o->kind == REMOVE)
            name_of[o->file][0] = '\0';
        else if (o->kind == CUT)
            set_size(c, o->count);
        else if (o->kind == WRITE && o->count) {
            if (o->at + o->count > c->size)
                set_size(c, o->at + o->count);
            memcpy(c->data + o->at, o->data, o->count);
        }
    }
    for (int i = 0; i < next_file; i++) { /* a later file takes the name */
        if (name_of[i][0])
            write_out(to, name_of[i], &files[i]);
        free(files[i].data);
    }
    free(files);
    free(name_of);
}
