/* Short of address space a program says so and ends. OpenBLAS takes a buffer
 * when it is loaded, before main; when the system has none to give it asks
 * again, for ever. So each program looks whether there is room before any
 * library is initialised. Compiled into programs, not into a library: only a
 * program has a .preinit_array. */
#ifndef KITH_SANITIZED /* sanitizers come first, and need all of the space */

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* OpenBLAS's own; other makes of BLAS need no such buffer. */
void *blas_memory_alloc(int where) __attribute__((weak));

/* Its first buffer, and what else its start takes: stacks, tables. */
static const size_t START_BYTES = (size_t)(128 + 24) << 20;

static void need_room(void)
{
    struct rlimit limit;
    if (!blas_memory_alloc || getrlimit(RLIMIT_AS, &limit) ||
        limit.rlim_cur == RLIM_INFINITY)
        return;
    void *room = mmap(NULL, START_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room != MAP_FAILED) {
        munmap(room, START_BYTES);
        return;
    }
    static const char words[] =
        "kith: out of memory: linear algebra needs 152 MB of address space to "
        "start; raise the limit (ulimit -v)\n";
    ssize_t written = write(STDERR_FILENO, words, strlen(words));
    (void)written;
    _exit(1); /* as for any other lack of memory (man kith) */
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = need_room;

#else
typedef int nothing_here; /* a file may not be empty */
#endif
