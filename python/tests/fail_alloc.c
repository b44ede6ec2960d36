/* Preloaded into Python: the n-th allocation from now on fails. With
 * PYTHONMALLOC=malloc that is every allocation of Python, of the extension and
 * of libkith, but for those of libraries that abort: GMP, MPFR, jansson and
 * the loader. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(default)

void fail_at(long n);
long fail_seen(void);

static _Thread_local long left; /* 0: none fails */
static _Thread_local long seen;

/* n > 0: let the n-th fail; 0: none, from now on. */
void fail_at(long n)
{
    left = n;
    seen = 0;
}

/* Has one failed since? */
long fail_seen(void)
{
    return seen;
}

static int fails(const void *caller)
{
    Dl_info who;
    if (left == 0)
        return 0;
    if (dladdr(caller, &who) && who.dli_fname &&
        (strstr(who.dli_fname, "libgmp") || strstr(who.dli_fname, "libmpfr") ||
         strstr(who.dli_fname, "libjansson") ||
         strstr(who.dli_fname, "ld-linux")))
        return 0;
    if (--left > 0)
        return 0;
    seen = 1;
    return 1;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL
                                              : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL
                                              : __libc_realloc(old, size);
}

#pragma GCC visibility pop
