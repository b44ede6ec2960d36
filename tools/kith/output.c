/* I38: output files appear whole or not at all; see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "ranks.h"

/* ---- signals: remove what is not finished, then die of the signal -------- */

enum { MAX_PENDING = 4 };
static char *volatile pending[MAX_PENDING];

void output_abandon(void)
{
    for (int i = 0; i < MAX_PENDING; i++)
        if (pending[i])
            unlink(pending[i]);
}

static void remove_pending(int sig)
{
    output_abandon();
    signal(sig, SIG_DFL);
    raise(sig);
}

static void pending_add(char *path)
{
    for (int i = 0; i < MAX_PENDING; i++)
        if (!pending[i]) {
            pending[i] = path;
            return;
        }
}

static void pending_drop(const char *path)
{
    for (int i = 0; i < MAX_PENDING; i++)
        if (pending[i] == path)
            pending[i] = NULL;
}

void output_prepare(void)
{
    /* A closed standard stream must not become some other file's number.
     * The wrong direction makes its use an error, as it should be. */
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
            _exit(CLI_FAILED);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write */
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        struct sigaction action = {.sa_handler = remove_pending};
        sigemptyset(&action.sa_mask);
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

/* ---- files --------------------------------------------------------------- */

static int fail_file(const char *path, const char *what)
{
    return cli_fail(CLI_FAILED, "cannot write %s: %s (%s)", path,
                    strerror(errno), what);
}

/* "dir/name" -> "dir/.kith-XXXXXX"; NULL when memory is short. */
static char *temp_name(const char *target)
{
    static const char name[] = ".kith-XXXXXX";
    const char *slash = strrchr(target, '/');
    size_t directory = slash ? (size_t)(slash - target) + 1 : 0;
    char *temp = malloc(directory + sizeof name);
    if (temp) {
        memcpy(temp, target, directory);
        memcpy(temp + directory, name, sizeof name);
    }
    return temp;
}

/* A file that leaves nothing behind, whatever happens to this process; -1: the
 * file system has none, or it could not be named in the end. */
static int open_nameless(output *o)
{
    if (access("/proc/self/fd", X_OK))
        return -1;
    char *slash = strrchr(o->temp, '/');
    char after = 0;
    if (slash) {
        after = slash[1];
        slash[1] = 0;
    }
    int fd = open(slash ? o->temp : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (slash)
        slash[1] = after;
    int kept = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (fd >= 0 && kept < 0) {
        close(fd);
        return -1;
    }
    o->nameless = kept + 1;
    return fd;
}

/* Its temporary name, just before the final one. */
static int name_it(output *o)
{
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", o->nameless - 1);
    char *end = o->temp + strlen(o->temp) - 6;
    for (unsigned i = 0; i < 1000; i++) {
        char digits[8];
        snprintf(digits, sizeof digits, "%06u",
                 ((unsigned)getpid() * 1000 + i) % 1000000);
        memcpy(end, digits, 6);
        if (!linkat(AT_FDCWD, from, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW)) {
            close(o->nameless - 1);
            o->nameless = 0;
            pending_add(o->temp);
            return 0;
        }
        if (errno != EEXIST)
            break;
    }
    return -1;
}

static int open_temp(output *o, const struct stat *old)
{
    o->temp = temp_name(o->target);
    if (!o->temp)
        return cli_no_memory();
    int fd = open_nameless(o);
    if (fd < 0 && (fd = mkstemp(o->temp)) >= 0)
        pending_add(o->temp);
    if (fd < 0) {
        int code = fail_file(o->target, "opening a file beside it");
        free(o->temp);
        o->temp = NULL;
        return code;
    }
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = old ? old->st_mode & 0777 : 0666 & ~mask;
    if (fchmod(fd, mode) || !(o->file = fdopen(fd, "w"))) {
        int code = fail_file(o->target, "opening");
        close(fd);
        return code;
    }
    return CLI_OK;
}

static int replace(output *o, const char *path)
{
    *o = (output){0};
    struct stat st;
    int exists = !stat(path, &st);
    if (exists && S_ISDIR(st.st_mode))
        return cli_fail(CLI_FAILED, "cannot write %s: it is a directory", path);
    /* Through a link, the file it points to is replaced, not the link. */
    o->target = exists ? realpath(path, NULL) : strdup(path);
    if (!o->target)
        return exists ? fail_file(path, "finding it") : cli_no_memory();
    int code = CLI_OK;
    if (exists && !S_ISREG(st.st_mode)) {
        o->file = fopen(o->target, "w");
        if (!o->file)
            code = fail_file(path, "opening");
    } else if (exists && access(o->target, W_OK)) {
        code = fail_file(path, "replacing it");
    } else {
        code = open_temp(o, exists ? &st : NULL);
    }
    if (code)
        output_discard(o);
    return code;
}

/* Standard output; of ranks that do not lead: nowhere. */
static int open_stream(output *o)
{
    *o = (output){.file = stdout};
    return CLI_OK;
}

static int is_own_file(const char *path)
{
    return path && strcmp(path, "-") != 0 && ranks_lead();
}

int output_open(output *o, const char *path)
{
    return is_own_file(path) ? output_open_own(o, path) : open_stream(o);
}

int output_open_own(output *o, const char *path)
{
    *o = (output){0};
    int code = output_check_kept(path);
    return code ? code : replace(o, path);
}

int output_replace(output *o, const char *path)
{
    return is_own_file(path) ? replace(o, path) : open_stream(o);
}

int output_finish(output *o)
{
    int bad = ferror(o->file);
    bad |= fflush(o->file);
    if (!o->target)
        return bad ? cli_fail(CLI_FAILED, "cannot write to standard output: %s",
                              strerror(errno))
                   : CLI_OK;
    if (o->temp && !bad)
        bad = fsync(fileno(o->file));
    int saved = errno;
    if (fclose(o->file) && !bad) {
        bad = 1;
        saved = errno;
    }
    o->file = NULL;
    errno = saved;
    return bad ? fail_file(o->target, "nothing was kept") : CLI_OK;
}

int output_commit(output *o)
{
    int code = CLI_OK;
    if (o->temp) {
        if ((o->nameless && name_it(o)) || rename(o->temp, o->target)) {
            code = fail_file(o->target, "renaming");
        } else {
            pending_drop(o->temp);
            free(o->temp);
            o->temp = NULL;
        }
    }
    output_discard(o);
    return code;
}

int output_save(output *o, int code)
{
    if (!code)
        code = output_finish(o);
    if (!code)
        return output_commit(o);
    output_discard(o);
    return code;
}

void output_discard(output *o)
{
    if (o->file && o->target)
        fclose(o->file);
    if (o->nameless) {
        close(o->nameless - 1);
    } else if (o->temp) {
        unlink(o->temp);
        pending_drop(o->temp);
    }
    free(o->temp);
    free(o->target);
    *o = (output){0};
}

int output_check_inputs(const char *path, const char *const *inputs,
                        size_t count)
{
    struct stat out, in;
    if (!path || stat(path, &out) || !S_ISREG(out.st_mode))
        return CLI_OK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(inputs[i], "-") != 0 && !stat(inputs[i], &in) &&
            in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return cli_usage("%s is an input: writing there would destroy it",
                             path);
    return CLI_OK;
}

/* The file that output_open would replace, by its full name; the name itself
 * when it has none. NULL: no memory. */
static char *resolve(const char *path)
{
    char *full = realpath(path, NULL);
    if (full)
        return full;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(base - path)) : strdup(".");
    full = folder ? realpath(folder, NULL) : NULL;
    char *name = NULL;
    if (full && asprintf(&name, "%s/%s", full, base) < 0)
        name = NULL;
    free(folder);
    free(full);
    return name ? name : strdup(path);
}

int output_is_same(const char *a, const char *b)
{
    char *x = resolve(a), *y = resolve(b);
    int same = x && y && !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

int output_has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), s = strlen(suffix);
    return n > s && !strcmp(name + n - s, suffix);
}
