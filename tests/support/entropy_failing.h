/* A secure generator that can be made to fail: replaces noise/entropy.c at link
 * time. Link with: support/entropy_failing.c */
#ifndef KITH_TEST_ENTROPY_FAILING_H
#define KITH_TEST_ENTROPY_FAILING_H

#include <stddef.h>

/* Nonzero: kith_i_entropy_check says that there is no generator. */
void entropy_fail_check(int fails);

/* From now on the n-th refill (1: the next) of a session that is not seeded
 * fails, once; 0: none does. A failure that passes is the harder case: what
 * follows looks healthy. Starts entropy_refills() again from 0. */
void entropy_fail_at(size_t n);

/* From now on the calling thread must not open a generator; how often one of
 * those did. */
void entropy_forbid(void);
size_t entropy_trespasses(void);

/* Refills since entropy_fail_at, the failed one included. */
size_t entropy_refills(void);

#endif
