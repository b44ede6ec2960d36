/* Worker threads: start, run, join. A release lasts milliseconds at least, so
 * threads are not pooled; there is no global state to fork or leak. */
#include "base_i.h"

#include <pthread.h>
#include <unistd.h>

#include "watch.h"

enum { MAX_WORKERS = 256 };

typedef struct {
    void (*work)(void *arg, uint32_t worker);
    void *arg;
    uint32_t worker;
    kith_i_watch *watch; /* of the thread that waits for them */
} job;

static void *run_job(void *p)
{
    const job *j = p;
    kith_i_watch_join(j->watch);
    j->work(j->arg, j->worker);
    return NULL;
}

uint32_t kith_i_thread_count(uint32_t wanted)
{
    if (wanted == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = online > 0 ? (uint32_t)online : 1;
    }
    return wanted < MAX_WORKERS ? wanted : MAX_WORKERS;
}

void kith_i_parallel(uint32_t workers, void (*work)(void *arg, uint32_t worker),
                     void *arg)
{
    job jobs[MAX_WORKERS];
    pthread_t threads[MAX_WORKERS];
    int started[MAX_WORKERS];
    if (workers > MAX_WORKERS)
        workers = MAX_WORKERS;
    for (uint32_t i = 1; i < workers; i++) {
        jobs[i] = (job){work, arg, i, kith_i_watch_now()};
        started[i] = !pthread_create(&threads[i], NULL, run_job, &jobs[i]);
    }
    work(arg, 0);
    for (uint32_t i = 1; i < workers; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work(arg, i);
    }
}
