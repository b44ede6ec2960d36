/* Replaces src/service/points.c in a kithd for tests: the process dies at the
 * point that KITH_KILL_AT names, the KITH_KILL_AFTER-th time it comes by. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/service_i.h"

void kith_i_point(const char *name)
{
    static atomic_int passed;
    const char *at = getenv("KITH_KILL_AT");
    const char *after = getenv("KITH_KILL_AFTER");
    if (at && strcmp(at, name) == 0 &&
        atomic_fetch_add(&passed, 1) >= (after ? atoi(after) : 0))
        kill(getpid(), SIGKILL);
}
