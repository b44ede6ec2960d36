/* The only door to malloc: overflow-checked, zeroed, wiped on request. Tests
 * replace this object at link time to make every allocation fail in turn. */
#include "base_i.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static int byte_count(size_t count, size_t size, size_t *bytes)
{
    if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX / 2)
        return -1;
    *bytes = (*bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (*bytes == 0)
        *bytes = ALIGNMENT;
    return 0;
}

void *kith_i_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (byte_count(count, size, &bytes))
        return NULL;
    void *p = aligned_alloc(ALIGNMENT, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void *kith_i_resize(void *p, size_t old_count, size_t new_count, size_t size)
{
    size_t bytes;
    if (byte_count(new_count, size, &bytes))
        return NULL;
    void *grown = aligned_alloc(ALIGNMENT, bytes);
    if (!grown)
        return NULL;
    size_t keep = (old_count < new_count ? old_count : new_count) * size;
    if (p) {
        memcpy(grown, p, keep);
        kith_i_wipe_free(p, old_count * size);
    }
    return grown;
}

void kith_i_free(void *p)
{
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
    free(p);
}

char *kith_i_copy_string(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = kith_i_alloc(n, 1);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}
