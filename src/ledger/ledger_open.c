/* A ledger by its URI. */
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "store.h"

int kith_i_ledger_patience = 30000;

kith_status kith_i_schema_check(const char *schema, kith_error *err)
{
    char *end = NULL;
    long number = schema ? strtol(schema, &end, 10) : 0;
    if (!schema || !*schema || *end || number < 1)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "this is not a ledger of kith: it does not say "
                           "which schema it has");
    if (number > KITH_I_LEDGER_SCHEMA)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "the ledger was made by a newer kith (schema %ld, "
                           "this one knows %d): use that one",
                           number, KITH_I_LEDGER_SCHEMA);
    return KITH_OK;
}

kith_status kith_ledger_open(const char *uri, unsigned flags, kith_ledger **out,
                             kith_error *err)
{
    static const char sqlite[] = "sqlite:", pg[] = "postgresql://",
                      postgres[] = "postgres://";
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    if (!uri || !*uri)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a ledger needs a URI: sqlite:PATH or "
                           "postgresql://...");
    if (!strcmp(uri, "memory:"))
        return kith_ledger_memory_new(out, err);
    if (!strncmp(uri, sqlite, sizeof sqlite - 1) && uri[sizeof sqlite - 1])
        return kith_i_ledger_sqlite(uri + sizeof sqlite - 1, flags, out, err);
    if (!strncmp(uri, pg, sizeof pg - 1) ||
        !strncmp(uri, postgres, sizeof postgres - 1))
        return kith_i_ledger_pg(uri, flags, out, err);
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "'%.100s' is not a ledger: write sqlite:PATH, "
                       "postgresql://... or memory:",
                       uri);
}
