/* Memory that is given back all at once: a stack of blocks. A stage takes what
 * it needs, remembers where it began, and drops the rest at its end, however it
 * ends. */
#ifndef KITH_POOL_H
#define KITH_POOL_H

#include "base/base_i.h"

typedef struct kith_i_pool {
    void **block;
    size_t count, room;
    int failed; /* memory was short: at least one block is NULL */
} kith_i_pool;

/* count * size zeroed bytes, aligned to 64; NULL (and failed) when memory is
 * short. */
void *kith_i_pool_take(kith_i_pool *pool, size_t count, size_t size);
/* A block that was taken elsewhere: the pool frees it, now (and has failed) if
 * memory is short. NULL: memory was short there. */
void *kith_i_pool_own(kith_i_pool *pool, void *block);
/* So many doubles. */
double *kith_i_pool_reals(kith_i_pool *pool, size_t count);
/* Free all blocks but the first `mark` (pool->count of before). 0: all. */
void kith_i_pool_drop(kith_i_pool *pool, size_t mark);

#endif
