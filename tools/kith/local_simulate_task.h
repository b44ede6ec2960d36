/* local_simulate_task: a task file on this machine. */
#ifndef KITH_TOOL_LOCAL_SIMULATE_TASK_H
#define KITH_TOOL_LOCAL_SIMULATE_TASK_H

#include <stddef.h>

#include "args.h"

/* A whole file, with a zero after it: free(). Exit code. */
int local_read_file(const char *path, char **bytes, size_t *count);
/* Written whole or not at all; path NULL: standard output. Exit code. */
int local_write_file(const char *path, const void *bytes, size_t count);

/* `kith local simulate --task FILE`. Exit code. */
int local_simulate_task(const args *a);

#endif
