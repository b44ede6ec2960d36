/* A device in WebAssembly, without a C library: one import, the host's secure
 * random bytes; the functions of kith/device.h are exported as they are, with
 * pointers into the memory; and a bump allocator for the host's arguments. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kith/device.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* ---- from the host -------------------------------------------------------- */

__attribute__((import_module("kith"), import_name("random"))) int
host_random(void *bytes, size_t count);

static int coins(void *arg, void *bytes, size_t count)
{
    (void)arg;
    return host_random(bytes, count);
}

EXPORT("kw_host")
void kw_host(kith_device_host *host, double wallet, uint64_t spent,
             uint64_t least_group, int test_tasks)
{
    kith_device_host_init(host, coins, NULL);
    host->wallet = wallet;
    host->spent = spent;
    host->least_group = least_group;
    host->test_tasks = test_tasks;
}

/* ---- memory --------------------------------------------------------------- */

extern unsigned char __heap_base;
static uintptr_t top;

EXPORT("kw_mark") uintptr_t kw_mark(void)
{
    if (top == 0)
        top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    return top;
}

/* Everything taken since the mark is free again, and wiped. */
EXPORT("kw_release") void kw_release(uintptr_t mark)
{
    memset((void *)mark, 0, kw_mark() - mark);
    top = mark;
}

/* 0: there is no memory. */
EXPORT("kw_take") void *kw_take(size_t bytes)
{
    uintptr_t from = kw_mark();
    uint64_t end = ((uint64_t)from + bytes + 15) & ~(uint64_t)15;
    uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
    if (end > UINT32_MAX)
        return NULL;
    if (end > have && __builtin_wasm_memory_grow(
                          0, (size_t)((end - have + 0xffff) >> 16)) ==
                          (size_t)-1)
        return NULL;
    top = (uintptr_t)end;
    return (void *)from;
}

/* ---- layouts that index.js reads ------------------------------------------ */

_Static_assert(sizeof(kith_device) == 320, "engine.js");
_Static_assert(sizeof(kith_device_host) <= 48, "engine.js");
_Static_assert(offsetof(kith_task_facts, epsilon) == 16 &&
                   offsetof(kith_task_facts, features) == 24 &&
                   offsetof(kith_task_facts, id) == 36,
               "engine.js");
_Static_assert(offsetof(kith_task_feature, lower) == 8 &&
                   sizeof(kith_task_feature) == 24,
               "engine.js");
_Static_assert(offsetof(kith_device_words, numbers) == 16 &&
                   offsetof(kith_device_words, likely) == 32 &&
                   offsetof(kith_device_words, text) == 48,
               "engine.js");

/* ---- what the compiler and math.h expect ---------------------------------- */

__attribute__((no_builtin)) void *memcpy(void *to, const void *from,
                                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}

__attribute__((no_builtin)) void *memset(void *to, int byte, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}

__attribute__((no_builtin)) int memcmp(const void *a, const void *b,
                                       size_t count)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static double power_of_two(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* Rounded once: until the last step nothing becomes subnormal. */
double ldexp(double x, int n)
{
    for (int i = 0; i < 2 && n > 1023; i++, n -= 1023)
        x *= 0x1p1023;
    for (int i = 0; i < 2 && n < -1022; i++, n += 969)
        x *= 0x1p-969;
    n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
    return x * power_of_two(n);
}

/* 128-bit products and shifts, which clang calls by these names. */
typedef unsigned __int128 u128;

static u128 join(uint64_t high, uint64_t low)
{
    union {
        struct {
            uint64_t low, high;
        } parts;
        u128 all;
    } out = {.parts = {low, high}};
    return out.all;
}

static void split(u128 x, uint64_t *high, uint64_t *low)
{
    union {
        struct {
            uint64_t low, high;
        } parts;
        u128 all;
    } in = {.all = x};
    *high = in.parts.high;
    *low = in.parts.low;
}

u128 __multi3(u128 a, u128 b)
{
    uint64_t ah, al, bh, bl;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    uint64_t a0 = (uint32_t)al, a1 = al >> 32, b0 = (uint32_t)bl, b1 = bl >> 32;
    uint64_t low = a0 * b0, one = a1 * b0 + (low >> 32);
    uint64_t two = a0 * b1 + (uint32_t)one;
    uint64_t high = a1 * b1 + (one >> 32) + (two >> 32);
    return join(high + ah * bl + al * bh, two << 32 | (uint32_t)low);
}

u128 __ashlti3(u128 a, int n)
{
    uint64_t high, low;
    split(a, &high, &low);
    if (n == 0)
        return a;
    return n >= 64 ? join(low << (n - 64), 0)
                   : join(high << n | low >> (64 - n), low << n);
}

u128 __lshrti3(u128 a, int n)
{
    uint64_t high, low;
    split(a, &high, &low);
    if (n == 0)
        return a;
    return n >= 64 ? join(0, high >> (n - 64))
                   : join(high >> n, low >> n | high << (64 - n));
}
