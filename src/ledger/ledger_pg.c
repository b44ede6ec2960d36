/* The ledger in PostgreSQL. */
#include "base/base_i.h"
#include "store.h"

kith_status kith_i_ledger_pg(const char *uri, unsigned flags, kith_ledger **out,
                             kith_error *err)
{
    (void)uri;
    (void)flags;
    (void)out;
    return kith_i_fail(err, KITH_ERR_STORE,
                       "this kith was built without PostgreSQL: use "
                       "sqlite:PATH, or build it with libpq");
}
