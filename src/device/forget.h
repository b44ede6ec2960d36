/* Secrets are wiped for good: the compiler is told that the zeros are read. */
#ifndef KITH_FORGET_H
#define KITH_FORGET_H

#include <stddef.h>
#include <string.h>

static inline void kith_i_forget(void *p, size_t bytes)
{
    memset(p, 0, bytes);
    __asm__ __volatile__("" : : "r"(p) : "memory");
}

#endif
