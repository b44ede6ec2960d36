/* The durable stores. */
#ifndef KITH_STORE_H
#define KITH_STORE_H

#include "budget/ledger_i.h"

enum { KITH_I_LEDGER_SCHEMA = 1 };

/* path: of the file. */
kith_status kith_i_ledger_sqlite(const char *path, unsigned flags,
                                 kith_ledger **out, kith_error *err);
/* uri: all of it, as libpq reads it. */
kith_status kith_i_ledger_pg(const char *uri, unsigned flags, kith_ledger **out,
                             kith_error *err);

/* Schema of a store against ours: KITH_ERR_STORE, with what to do. */
kith_status kith_i_schema_check(const char *schema, kith_error *err);

/* file_check.c: is a database at this path safe from other users, and from
 * file systems that cannot lock or sync? KITH_ERR_STORE. */
kith_status kith_i_file_check(const char *path, unsigned flags,
                              kith_error *err);
/* Its name if statfs(2) type is one of those; NULL: not. */
const char *kith_i_file_system_unsafe(unsigned long type);
/* Make it, empty and ours alone. */
kith_status kith_i_file_make(const char *path, kith_error *err);

/* For how long to wait for a lock; tests are in more of a hurry. */
extern int kith_i_ledger_patience; /* milliseconds */

#endif
