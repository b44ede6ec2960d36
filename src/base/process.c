/* Telling a process from its copies. */
#include "process.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* The mark is never 0. It stands in a page that the kernel empties in every
 * child (MADV_WIPEONFORK), also in one made by a raw system call that no
 * handler sees; where the kernel cannot, the handler counts. */
static atomic_uint plain_mark = 1;
atomic_uint *kith_i_fork_mark = &plain_mark;
static atomic_uint generations = 1;

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static int watch_failed;

static void in_child(void)
{
    atomic_store(kith_i_fork_mark, atomic_fetch_add(&generations, 1) + 1);
}

static void watch_for_copies(void)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        atomic_init((atomic_uint *)page, atomic_load(&plain_mark));
        kith_i_fork_mark = page;
    } else if (page != MAP_FAILED) {
        munmap(page, bytes);
    }
    watch_failed = pthread_atfork(NULL, NULL, in_child) != 0;
}

int kith_i_process_watch(void)
{
    pthread_once(&watch_once, watch_for_copies);
    return !watch_failed;
}

kith_i_process kith_i_process_now(void)
{
    (void)kith_i_process_watch();
    if (atomic_load(kith_i_fork_mark) == 0)
        in_child();
    return (kith_i_process){atomic_load(kith_i_fork_mark), (int)getpid()};
}

int kith_i_process_same(kith_i_process before)
{
    kith_i_process now = kith_i_process_now();
    return now.mark == before.mark && now.pid == before.pid;
}
