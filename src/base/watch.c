/* Which watch a thread works for. */
#include "watch.h"

static _Thread_local kith_i_watching here;

kith_i_watching kith_i_watch_enter(kith_i_watch *watch)
{
    kith_i_watching before = here;
    here = (kith_i_watching){watch, 1};
    return before;
}

void kith_i_watch_leave(kith_i_watching before)
{
    here = before;
}

kith_i_watch *kith_i_watch_now(void)
{
    return here.watch;
}

void kith_i_watch_join(kith_i_watch *watch)
{
    here = (kith_i_watching){watch, 0};
}

int kith_i_stop_wanted(void)
{
    kith_i_watch *watch = here.watch;
    if (!watch || !watch->ask)
        return 0;
    if (here.asks && !atomic_load(&watch->stopped) &&
        watch->ask(watch->arg, 0, 1))
        atomic_store(&watch->stopped, 1);
    return atomic_load(&watch->stopped);
}

kith_status kith_i_watch_check(const kith_i_watch *watch, kith_error *err)
{
    if (!watch || !atomic_load(&watch->stopped))
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_CANCELLED,
                       "stopped: nothing more was released, and what was "
                       "spent stays spent");
}

kith_status kith_i_stop_check(kith_error *err)
{
    return kith_i_watch_check(here.watch, err);
}
