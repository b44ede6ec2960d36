/* For clang-tidy only (make lint): its analyzer sees one file at a time and
 * would suppose that what prints an error, or tells other ranks of it, may
 * return 0, and that the caller then goes on. cli.c and ranks.c, where these
 * live, are looked at without it. */
#ifndef KITH_LINT_MODEL_TOOLS_H
#define KITH_LINT_MODEL_TOOLS_H

#include "cli.h"
#include "ranks.h"

static inline int lint_status(kith_status status, const kith_error *err)
{
    (void)cli_status(status, err);
    return status ? CLI_FAILED : CLI_OK;
}

static inline int lint_agree(int code)
{
    int all = ranks_agree(code);
    return code ? code : all;
}

#define cli_fail(code, ...)     ((void)cli_fail(code, __VA_ARGS__), (code))
#define cli_usage(...)          ((void)cli_usage(__VA_ARGS__), CLI_USAGE)
#define cli_no_memory()         ((void)cli_no_memory(), CLI_FAILED)
#define cli_status(status, err) lint_status(status, err)
#define ranks_agree(code)       lint_agree(code)

#endif
