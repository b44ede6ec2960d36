/* Before much memory is taken: a machine that has none left kills. */
#ifndef KITH_MEMORY_LEFT_H
#define KITH_MEMORY_LEFT_H

#include "base_i.h"

/* In bytes; UINT64_MAX: nobody knows. */
uint64_t kith_i_memory_left(void);

/* KITH_ERR_MEMORY, with the numbers and the way out. */
kith_status kith_i_fail_room(uint64_t bytes, kith_error *err);

#endif
