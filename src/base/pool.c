/* A stack of blocks that are freed together. */
#include "base/pool.h"

void *kith_i_pool_own(kith_i_pool *pool, void *p)
{
    if (p && pool->count == pool->room) {
        size_t room = pool->room ? 2 * pool->room : 32;
        void **more =
            kith_i_resize(pool->block, pool->room, room, sizeof *more);
        if (more) {
            pool->block = more;
            pool->room = room;
        }
    }
    if (!p || pool->count == pool->room) {
        kith_i_free(p);
        pool->failed = 1;
        return NULL;
    }
    return pool->block[pool->count++] = p;
}

void *kith_i_pool_take(kith_i_pool *pool, size_t count, size_t size)
{
    return kith_i_pool_own(pool, kith_i_alloc(count, size));
}

double *kith_i_pool_reals(kith_i_pool *pool, size_t count)
{
    return kith_i_pool_take(pool, count, sizeof(double));
}

void kith_i_pool_drop(kith_i_pool *pool, size_t mark)
{
    while (pool->count > mark)
        kith_i_free(pool->block[--pool->count]);
    if (mark > 0)
        return;
    kith_i_free(pool->block);
    *pool = (kith_i_pool){0};
}
