/* Inside the PostgreSQL store only. */
#ifndef KITH_PG_I_H
#define KITH_PG_I_H

#include <libpq-fe.h>
#include <pthread.h>

#include "store.h"

/* libpq's functions, found when the first such ledger is opened: whoever has
 * none needs no libpq, and static programs cannot have one. */
#define PG_CALLS(X)                                                            \
    X(PQclear)                                                                 \
    X(PQconnectdbParams)                                                       \
    X(PQerrorMessage)                                                          \
    X(PQexec)                                                                  \
    X(PQexecParams)                                                            \
    X(PQfinish)                                                                \
    X(PQgetisnull)                                                             \
    X(PQgetvalue)                                                              \
    X(PQntuples)                                                               \
    X(PQresultErrorField)                                                      \
    X(PQresultErrorMessage)                                                    \
    X(PQresultStatus)                                                          \
    X(PQstatus)

typedef struct pg_calls {
#define PG_CALL(name) __typeof__(name) *(name);
    PG_CALLS(PG_CALL)
#undef PG_CALL
} pg_calls;

/* NULL: there is no libpq on this machine. */
const pg_calls *kith_i_pg_calls(void);

#ifndef KITH_PG_LOAD
#define PQclear              kith_i_pg_calls()->PQclear
#define PQconnectdbParams    kith_i_pg_calls()->PQconnectdbParams
#define PQerrorMessage       kith_i_pg_calls()->PQerrorMessage
#define PQexec               kith_i_pg_calls()->PQexec
#define PQexecParams         kith_i_pg_calls()->PQexecParams
#define PQfinish             kith_i_pg_calls()->PQfinish
#define PQgetisnull          kith_i_pg_calls()->PQgetisnull
#define PQgetvalue           kith_i_pg_calls()->PQgetvalue
#define PQntuples            kith_i_pg_calls()->PQntuples
#define PQresultErrorField   kith_i_pg_calls()->PQresultErrorField
#define PQresultErrorMessage kith_i_pg_calls()->PQresultErrorMessage
#define PQresultStatus       kith_i_pg_calls()->PQresultStatus
#define PQstatus             kith_i_pg_calls()->PQstatus
#endif

/* An account as this connection's last posting left it: what the server need
 * not follow again. */
typedef struct pg_seen {
    char *account;
    kith_i_ticket last;
    kith_i_purses limit, spent;
} pg_seen;

typedef struct pg_ledger {
    kith_ledger base; /* first */
    pthread_mutex_t lock;
    PGconn *connection;
    char *uri, *login;
    pg_seen *seen;
    size_t seen_count;
} pg_ledger;

/* Connect, check what the server promises, find the ledger. The connection
 * there was is dropped. */
kith_status kith_i_pg_connect(pg_ledger *l, kith_error *err);
/* Was the connection, or the server, lost? The result may have happened. */
int kith_i_pg_lost(const pg_ledger *l, const PGresult *result);
/* Words for a failure that is not a refusal. */
kith_status kith_i_pg_fail(const pg_ledger *l, const PGresult *result,
                           const char *doing, kith_error *err);
/* A number of a result that is a whole number; 0 for others. */
uint64_t kith_i_pg_number(const PGresult *result, int row, int column);

/* pg_post.c */
kith_status kith_i_pg_post(kith_ledger *self, const kith_i_posting *posting,
                           kith_i_ticket *tickets, kith_i_refusal *refusal,
                           kith_error *err);

enum { KITH_I_PG_LINE = 251 };
/* What a server says in several lines, as one; out. */
const char *kith_i_pg_line(const char *text, char out[KITH_I_PG_LINE]);

#endif
