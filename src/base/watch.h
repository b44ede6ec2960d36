/* A caller who may want a long computation stopped. It is asked by its own
 * thread, worker 0, between pieces of work; the other workers see what it was
 * told. Whoever waits for the work must look at `stopped` afterwards: what was
 * computed may be half of it. */
#ifndef KITH_WATCH_H
#define KITH_WATCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "base_i.h"
#include "kith/status.h"

typedef struct kith_i_watch {
    kith_progress_fn *ask; /* NULL: never stopped */
    void *arg;
    atomic_int stopped;
} kith_i_watch;

static inline int kith_i_watch_ask(kith_i_watch *watch, uint32_t worker)
{
    if (!watch->ask)
        return 0;
    if (worker == 0 && !atomic_load(&watch->stopped) &&
        watch->ask(watch->arg, 0, 1))
        atomic_store(&watch->stopped, 1);
    return atomic_load(&watch->stopped);
}

/* KITH_ERR_CANCELLED when it was stopped: what was computed is of some of the
 * rows, and must not be released (I10). */
static inline kith_status kith_i_watch_check(const kith_i_watch *watch,
                                             kith_error *err)
{
    if (!atomic_load(&watch->stopped))
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_CANCELLED,
                       "stopped: nothing more was released, and what was "
                       "spent stays spent");
}

#endif
