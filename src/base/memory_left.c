/* How much memory this process can still get: the least of what the machine,
 * its control group (version 2) and its own limit have to spare. */
#include "memory_left.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number after `key` in a small file, or UINT64_MAX. */
static uint64_t number_in(const char *path, const char *key)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return UINT64_MAX;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    text[got > 0 ? got : 0] = 0;
    const char *at = strstr(text, key);
    if (!at)
        return UINT64_MAX;
    char *end;
    uint64_t number = strtoull(at + strlen(key), &end, 10);
    return end == at + strlen(key) ? UINT64_MAX : number; /* "max" */
}

static uint64_t least(uint64_t left, uint64_t limit, uint64_t used)
{
    uint64_t rest = limit > used ? limit - used : 0;
    return limit == UINT64_MAX || rest > left ? left : rest;
}

uint64_t kith_i_memory_left(void)
{
    uint64_t left = number_in("/proc/meminfo", "MemAvailable:");
    left = left == UINT64_MAX ? left : left * 1024;
    left = least(left, number_in("/sys/fs/cgroup/memory.max", ""),
                 number_in("/sys/fs/cgroup/memory.current", ""));
    struct rlimit own;
    long page = sysconf(_SC_PAGESIZE);
    uint64_t pages = number_in("/proc/self/statm", "");
    if (getrlimit(RLIMIT_AS, &own) || own.rlim_cur == RLIM_INFINITY ||
        page <= 0 || pages == UINT64_MAX)
        return left;
    return least(left, own.rlim_cur, pages * (uint64_t)page);
}

kith_status kith_i_fail_room(uint64_t bytes, kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_MEMORY,
                       "a view of the rows takes %.1f GB, and %.1f GB of "
                       "memory are left: divide the rows among more ranks "
                       "(kith-mpi), or use a larger machine",
                       1e-9 * (double)bytes,
                       1e-9 * (double)kith_i_memory_left());
}
