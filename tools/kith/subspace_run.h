/* subspace_run: what the options of `kith subspace` come down to. */
#ifndef KITH_TOOL_SUBSPACE_RUN_H
#define KITH_TOOL_SUBSPACE_RUN_H

#include <kith/kith.h>

#include "run_common.h"

typedef struct subspace_run {
    run_common common;
    kith_subspace_options options; /* the library's: one of both is used */
    kith_plain_subspace_options plain;
} subspace_run;

/* subspace_args.c: options to run. Exit code; run_common_free in any case. */
int subspace_run_parse(subspace_run *run, const args *a);

#endif
