/* For clang-tidy only (make lint): its analyzer sees one file at a time and
 * would suppose that kith_i_fail, which lives in another, may return KITH_OK.
 * Every error path would then seem to go on with a NULL. */
#ifndef KITH_LINT_MODEL_H
#define KITH_LINT_MODEL_H

#include "base/base_i.h"

#define kith_i_fail(err, status, ...) ((void)(err), (status))
#define kith_i_fail_memory(err)       ((void)(err), KITH_ERR_MEMORY)

#endif
