/* Fuzz target: addresses of ledgers, and files that claim to be one. The first
 * line is the address; what follows is the content of the file, and none: a new
 * ledger is made there. Nothing may crash or reach out of its folder; a failure
 * says why; a new ledger can be opened again and remembers its account. */
#define KITH_PG_LOAD
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kith/kith.h>

#include "ledger/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#ifdef KITH_POSTGRESQL
#include <dlfcn.h>

#include "ledger/pg_i.h"

/* libpq itself reads the address, and nobody is called. */
static PGconn *nobody(const char *const *keys, const char *const *values,
                      int expand)
{
    (void)expand;
    char *words = NULL;
    PQconninfoOption *(*parse)(const char *, char **) = NULL;
    void (*drop)(PQconninfoOption *) = NULL, (*drop_words)(void *) = NULL;
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    *(void **)&parse = dlsym(library, "PQconninfoParse");
    *(void **)&drop = dlsym(library, "PQconninfoFree");
    *(void **)&drop_words = dlsym(library, "PQfreemem");
    for (size_t i = 0; keys[i]; i++)
        if (!strcmp(keys[i], "dbname"))
            drop(parse(values[i], &words));
    drop_words(words);
    return NULL;
}

/* In place of pg_load.c. */
const pg_calls *kith_i_pg_calls(void)
{
    static pg_calls calls;
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
#define PG_CALL(name) *(void **)&calls.name = dlsym(library, #name);
    PG_CALLS(PG_CALL)
#undef PG_CALL
    calls.PQconnectdbParams = nobody;
    return &calls;
}
#endif

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_uri: %s\n", what);
    abort();
}

static char folder[] = "/tmp/kith-uri-XXXXXX";

static void empty_folder(void)
{
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2)
            unlink(e->d_name);
    if (d)
        closedir(d);
}

static void leave_folder(void)
{
    empty_folder();
    rmdir(folder);
}

/* A folder of its own, which is empty. */
static void enter_folder(void)
{
    static int entered;
    if (entered++)
        empty_folder();
    else
        must(mkdtemp(folder) && !chdir(folder) && !atexit(leave_folder),
             "no folder");
}

static int look(void *arg, const char *account)
{
    kith_statement *s = NULL;
    if (!kith_ledger_statement(arg, account, &s, NULL))
        kith_statement_free(s);
    return 0;
}

static kith_ledger *open_one(const char *uri, unsigned flags)
{
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    kith_status status = kith_ledger_open(uri, flags, &ledger, &err);
    must(!status == (ledger != NULL), "a status that is not so");
    must(!status || err.message[0], "a failure without words");
    return ledger;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char sqlite[] = "sqlite:";
    const kith_privacy limit = {1, 0, KITH_ADD_REMOVE};
    char uri[1000] = "";
    size_t n = 0;
    while (n < count && bytes[n] != '\n' && n + 1 < sizeof uri) {
        uri[n] = (char)bytes[n];
        n++;
    }
    int file = !strncmp(uri, sqlite, sizeof sqlite - 1);
    const char *path = uri + (file ? sizeof sqlite - 1 : 0);
    if (file && strchr(path, '/'))
        return 0; /* other folders are not ours to open */
    enter_folder();
    FILE *f = file && n < count ? fopen(path, "wb") : NULL;
    if (f) {
        fwrite(bytes + n + 1, 1, count - n - 1, f);
        fclose(f);
    }
    kith_ledger *ledger = open_one(uri, KITH_LEDGER_READ);
    kith_error err = {0};
    if (ledger && kith_ledger_accounts(ledger, look, ledger, &err))
        must(err.message[0] != 0, "a failure without words");
    kith_ledger_free(ledger);
    must(!ledger || f || !file, "a ledger that nobody made");
    if (f || !file)
        return 0;
    ledger = open_one(uri, KITH_LEDGER_NEW);
    if (!ledger) { /* every name of a file is one */
        must(!*path || *path == '.' || strlen(path) > 200, "a name is refused");
        return 0;
    }
    must(!kith_ledger_grant(ledger, "a", &limit, NULL), "no account");
    kith_ledger_free(ledger);
    must(!access(path, F_OK), "the file has another name");
    ledger = open_one(uri, 0);
    must(ledger && kith_ledger_grant(ledger, "a", &limit, NULL),
         "a new ledger forgets its account");
    kith_ledger_free(ledger);
    return 0;
}
