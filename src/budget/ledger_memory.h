/* Inside the ledger in memory: ledger_memory.c posts and reads,
 * memory_check.c says whether a posting may be made. */
#ifndef KITH_LEDGER_MEMORY_H
#define KITH_LEDGER_MEMORY_H

#include <pthread.h>

#include "ledger_i.h"

typedef struct {
    char *body, *run, *once; /* owned; run, once: or NULL */
    char at[KITH_I_TIME_TEXT], hash[KITH_I_HASH_TEXT];
    kith_i_posting_kind kind;
} kith_i_memory_entry;

typedef struct {
    const char *kind; /* constant */
    char *key;
    kith_i_purses limit, spent;
} kith_i_memory_sublimit;

typedef struct {
    char *name;
    const char *unit, *adjacency; /* constant */
    kith_i_purses limit, spent;   /* spent == sum of the entries <= limit */
    kith_i_memory_entry *entries;
    size_t count, room;
    kith_i_memory_sublimit *sublimits;
    size_t sublimit_count, sublimit_room;
} kith_i_memory_account;

typedef struct {
    kith_ledger base; /* first: a kith_ledger * is a kith_i_memory_ledger * */
    pthread_mutex_t lock;
    kith_i_memory_account *accounts;
    size_t count, room;
} kith_i_memory_ledger;

kith_i_memory_account *kith_i_memory_find(const kith_i_memory_ledger *ledger,
                                          const char *name);
/* key: NULL, or nobody has such a limit: NULL. */
kith_i_memory_sublimit *
kith_i_memory_find_sublimit(const kith_i_memory_account *account,
                            const char *kind, const char *key);

/* May it be posted, to all its accounts? KITH_ERR_BUDGET: why not is in
 * *refusal. Under the ledger's lock, which is not given up before the posting
 * is made. */
kith_status kith_i_memory_check(const kith_i_memory_ledger *ledger,
                                const kith_i_posting *posting,
                                kith_i_refusal *refusal);

#endif
