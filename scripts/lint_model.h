/* For clang-tidy only (make lint): its analyzer sees one file at a time and
 * would suppose that kith_i_fail, which lives in another, may return KITH_OK.
 * Every error path would then seem to go on with a NULL. mem.c and error.c
 * are looked at without it. */
#ifndef KITH_LINT_MODEL_H
#define KITH_LINT_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"

#define kith_i_fail(err, status, ...)                                          \
    ((void)kith_i_fail(err, status, __VA_ARGS__), (status))
#define kith_i_fail_memory(err) ((void)kith_i_fail_memory(err), KITH_ERR_MEMORY)

/* Memory that it knows the rules of. */
#define kith_i_alloc(count, size)  calloc(count, size)
#define kith_i_copy_string(s)      strdup(s)
#define kith_i_free(p)             free(p)
#define kith_i_wipe_free(p, bytes) ((void)(bytes), free(p))

#endif
