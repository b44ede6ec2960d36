/* base/mem.c for tests: counts blocks, fails on request, and is less kind:
 * what mem.c leaves unset is filled with rubbish here. Plain malloc, so that
 * AddressSanitizer sees the true ends of the blocks. */
#include "support/mem_failing.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"

enum { ALIGNMENT = 64, RUBBISH = 0xa5 };

static atomic_size_t fail_at, allocations, live;

void mem_fail_at(size_t n)
{
    atomic_store(&allocations, 0);
    atomic_store(&fail_at, n);
}

size_t mem_allocations(void)
{
    return atomic_load(&allocations);
}

size_t mem_live_blocks(void)
{
    return atomic_load(&live);
}

static void *obtain(size_t count, size_t size, int fill)
{
    size_t bytes;
    if (atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&fail_at))
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    void *p = NULL;
    if (posix_memalign(&p, ALIGNMENT, bytes ? bytes : 1))
        return NULL;
    memset(p, fill, bytes);
    atomic_fetch_add(&live, 1);
    return p;
}

void *kith_i_alloc(size_t count, size_t size)
{
    return obtain(count, size, 0);
}

void *kith_i_resize(void *p, size_t old_count, size_t new_count, size_t size)
{
    void *grown = obtain(new_count, size, RUBBISH);
    if (!grown)
        return NULL;
    if (p) {
        memcpy(grown, p,
               (old_count < new_count ? old_count : new_count) * size);
        kith_i_wipe_free(p, old_count * size);
    }
    return grown;
}

void kith_i_free(void *p)
{
    if (p)
        atomic_fetch_sub(&live, 1);
    free(p);
}

void kith_i_wipe(void *p, size_t bytes)
{
    if (p && bytes)
        explicit_bzero(p, bytes);
}

void kith_i_wipe_free(void *p, size_t bytes)
{
    kith_i_wipe(p, bytes);
    kith_i_free(p);
}

char *kith_i_copy_string(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = kith_i_alloc(n, 1);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}
