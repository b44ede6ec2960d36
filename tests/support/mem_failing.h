/* Memory that can be made to fail: replaces base/mem.c at link time. Link
 * with: support/mem_failing.c */
#ifndef KITH_TEST_MEM_FAILING_H
#define KITH_TEST_MEM_FAILING_H

#include <stddef.h>

/* From now on the n-th allocation (1: the next) fails, once; 0: none does.
 * Starts mem_allocations() again from 0. */
void mem_fail_at(size_t n);

/* Allocations asked for since mem_fail_at, the failed one included. */
size_t mem_allocations(void);

/* Blocks that were allocated, ever, and not freed. */
size_t mem_live_blocks(void);

#endif
