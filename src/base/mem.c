/* The only door to malloc: overflow-checked, zeroed, wiped on request. Tests
 * replace this object at link time to make every allocation fail in turn. */
#include "base_i.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Whole lines, and one more for the pointer to free and the alignment. */
static int byte_count(size_t count, size_t size, size_t *bytes)
{
    if (__builtin_mul_overflow(count, size, bytes) || *bytes > SIZE_MAX / 2)
        return -1;
    *bytes = (*bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
    return 0;
}

/* malloc aligns to 16, so there is room for a pointer in front. */
static void *align(char *block)
{
    if (!block)
        return NULL;
    char *p = block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT);
    memcpy(p - sizeof block, &block, sizeof block);
    return p;
}

/* calloc: what the system hands out is zero, and a large block that nobody has
 * touched yet takes neither time nor memory. */
void *kith_i_alloc(size_t count, size_t size)
{
    size_t bytes;
    return byte_count(count, size, &bytes) ? NULL : align(calloc(bytes, 1));
}

void *kith_i_resize(void *p, size_t old_count, size_t new_count, size_t size)
{
    size_t bytes;
    void *grown =
        byte_count(new_count, size, &bytes) ? NULL : align(malloc(bytes));
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
    char *block;
    if (!p)
        return;
    memcpy(&block, (char *)p - sizeof block, sizeof block);
    free(block);
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
