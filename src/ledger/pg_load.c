/* libpq, loaded when it is asked for. */
#define KITH_PG_LOAD
#include "store.h"

#ifdef KITH_POSTGRESQL
#include <dlfcn.h>
#include <string.h>

#include "pg_i.h"

static pg_calls calls;
static int loaded;

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    loaded = library != NULL;
    if (!library)
        return;
#define PG_CALL(name)                                                          \
    do {                                                                       \
        void *found = dlsym(library, #name);                                   \
        memcpy(&calls.name, &found, sizeof found);                             \
        loaded = loaded && found;                                              \
    } while (0);
    PG_CALLS(PG_CALL)
#undef PG_CALL
}

const pg_calls *kith_i_pg_calls(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded ? &calls : NULL;
}
#endif
