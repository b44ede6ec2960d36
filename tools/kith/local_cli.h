/* local_cli: what the options of `kith local` come down to. */
#ifndef KITH_TOOL_LOCAL_CLI_H
#define KITH_TOOL_LOCAL_CLI_H

#include <kith/kith.h>

#include "run_common.h"

typedef struct local_cli {
    run_common common; /* clusters, privacy, seeds, input, bounds, output */
    kith_local_options options;
    const char *centers; /* file name or NULL */
    uint32_t dimension;  /* plan */
    /* lower-bound */
    double *rows, *sizes; /* lists of n and of s */
    size_t row_count, size_count;
    uint32_t trials, intervals;
} local_cli;

/* local_args.c. Exit code; free in any case. */
int local_cli_parse(local_cli *cli, const args *a);
void local_cli_free(local_cli *cli);
const char *local_method_name(const local_cli *cli);
/* What the model file says of the run. */
void local_describe(const local_cli *cli, kith_run *out);

extern const arg_command local_simulate_command, local_plan_command,
    local_bound_command;
/* Counts of tables that live in other files. */
void local_tables_prepare(void);

int local_simulate_main(const args *a);
int local_plan_main(const args *a);
int local_bound_main(const args *a);

/* local_print.c: what was or will be asked, and what the noise will do, on
 * standard error. */
void local_print_groups(const kith_local_summary *summary);
void local_print_forecast(const local_cli *cli,
                          const kith_local_forecast *forecast);

#endif
