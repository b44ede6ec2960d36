/* The part of string.h that a device uses; see wasm.c. */
#ifndef KITH_WASM_STRING_H
#define KITH_WASM_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);
#endif
