/* A caller who may want a long computation stopped.
 *
 * A run enters its watch. From then on all that it computes, on this thread or
 * on workers (parallel.c), may ask in its loops whether to stop, and leave them
 * at once with anything in its hands: the answer stays yes, every release after
 * it fails, and the status of the run is KITH_ERR_CANCELLED (I10). The caller
 * is asked by the thread that entered only; workers see what it was told. */
#ifndef KITH_WATCH_H
#define KITH_WATCH_H

#include <stdatomic.h>

#include "base_i.h"
#include "kith/status.h"

typedef struct kith_i_watch {
    kith_progress_fn *ask; /* NULL: never stopped */
    void *arg;
    atomic_int stopped;
} kith_i_watch;

/* What a thread works for. */
typedef struct kith_i_watching {
    kith_i_watch *watch; /* NULL: nobody who could stop it */
    int asks;
} kith_i_watching;

/* Work for a watch; returns what the thread worked for before, for _leave. */
kith_i_watching kith_i_watch_enter(kith_i_watch *watch);
void kith_i_watch_leave(kith_i_watching before);
/* What this thread works for, and a worker's part in it. */
kith_i_watch *kith_i_watch_now(void);
void kith_i_watch_join(kith_i_watch *watch);

/* Shall this computation stop? Some ten nanoseconds. */
int kith_i_stop_wanted(void);

/* KITH_ERR_CANCELLED when it was stopped: what was computed is of some of the
 * rows, and must not be released. */
kith_status kith_i_watch_check(const kith_i_watch *watch, kith_error *err);
/* The same of the watch that this thread works for. */
kith_status kith_i_stop_check(kith_error *err);

#endif
