/* base: what every layer may use and nothing else depends on. Errors, checked
 * memory, worker threads, public coins. */
#ifndef KITH_BASE_I_H
#define KITH_BASE_I_H

#include <stddef.h>
#include <stdint.h>

#include "kith/status.h"

/* Fill *err (nullable) and return status, so that a caller can write
 * `return kith_i_fail(err, KITH_ERR_INPUT, "%s: line %zu: ...", ...)`. */
kith_status kith_i_fail(kith_error *err, kith_status status, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
kith_status kith_i_fail_memory(kith_error *err);
/* The generator failed after payment. */
kith_status kith_i_fail_entropy(kith_error *err);
/* An output or a receiver that is NULL. */
kith_status kith_i_fail_place(kith_error *err);

/* ---- memory: the only door to malloc; tests replace mem.c at link time --- */

/* count * size zeroed bytes, aligned to 64; NULL when memory is short or the
 * product overflows. A count of zero gives a valid pointer. */
void *kith_i_alloc(size_t count, size_t size);
/* Grow or shrink; new bytes are not set. NULL leaves the old block alone. */
void *kith_i_resize(void *p, size_t old_count, size_t new_count, size_t size);
void kith_i_free(void *p); /* NULL is fine */
/* Overwrite with zeros in a way that the compiler cannot drop. */
void kith_i_wipe(void *p, size_t bytes);
void kith_i_wipe_free(void *p, size_t bytes);
char *kith_i_copy_string(const char *s); /* NULL when memory is short */

/* ---- workers ------------------------------------------------------------- */

/* 0 means "all processors"; never returns 0. */
uint32_t kith_i_thread_count(uint32_t wanted);

/* Run work(arg, 0..workers-1), each on its own thread, and wait for all. If a
 * thread cannot be started its share runs on the caller's: work must only
 * assume that each worker number is run exactly once. */
void kith_i_parallel(uint32_t workers, void (*work)(void *arg, uint32_t worker),
                     void *arg);

/* ---- public coins -------------------------------------------------------- */

/* A seeded generator (xoshiro256++) for what may be published: projections,
 * starts, example data. Never for noise: privacy must hold for every value of
 * these coins. */
typedef struct kith_i_coins {
    uint64_t s[4];
} kith_i_coins;

void kith_i_coins_seed(kith_i_coins *coins, uint64_t seed, uint64_t stream);
uint64_t kith_i_coins_u64(kith_i_coins *coins);
uint64_t kith_i_coins_below(kith_i_coins *coins, uint64_t limit); /* limit>0 */
double kith_i_coins_unit(kith_i_coins *coins);   /* uniform in [0,1)        */
double kith_i_coins_normal(kith_i_coins *coins); /* standard normal, double */
/* n of them; returns the sum of their squares. */
double kith_i_coins_normals(kith_i_coins *coins, double *x, size_t n);

#endif
