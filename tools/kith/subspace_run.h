/* subspace_run: what the options of `kith subspace` come down to. */
#ifndef KITH_TOOL_SUBSPACE_RUN_H
#define KITH_TOOL_SUBSPACE_RUN_H

#include <kith/kith.h>

#include "run_common.h"

typedef struct subspace_run {
    run_common common;
    uint32_t subspace_dimension;
    kith_subspace_method method;
    kith_subspace_solver solver;
    uint32_t block_rows;
    int basic, overlap, force, non_private_start, diagnostics;
} subspace_run;

/* subspace_args.c: options to run. Exit code; run_common_free in any case. */
int subspace_run_parse(subspace_run *run, const args *a);

const char *subspace_method_name(const subspace_run *run);
const char *subspace_solver_name(const subspace_run *run);

/* The library's options. */
void subspace_run_options(const subspace_run *run, kith_subspace_options *out);

#endif
