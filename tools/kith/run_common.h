/* run_common: what every private run of the command shares: the budget, the
 * input, the bounds, where the result goes. A command's own struct begins with
 * one of these. */
#ifndef KITH_TOOL_RUN_COMMON_H
#define KITH_TOOL_RUN_COMMON_H

#include <kith/kith.h>

#include "output.h"
#include "progress.h"
#include "run_ledger.h"
#include "source.h"

typedef struct run_common {
    uint32_t clusters, rounds, starts;
    uint32_t clusters_from; /* of a range up to clusters; 0: no range */
    kith_privacy privacy;   /* all zero: --non-private */
    uint64_t seed, insecure_seed;
    int insecure, non_private, dry_run, quiet;
    int strict;    /* a result that is not good is a failure */
    uint64_t rows; /* --dry-run: the guess */
    source source;
    bounds bounds;
    progress progress;
    payer payer;
    const char *output; /* file name or NULL */
    /* Borrowed: what is run, checked before an account pays. NULL: nothing
     * that can be planned. */
    const kith_run *description;
} run_common;

/* Groups of options that the functions below look at. */
extern const arg_option run_privacy_options[], run_output_options[];
extern const size_t run_privacy_count, run_output_count;

/* ---- run_common.c ---- */

/* The names say what an option of the command is about. */
typedef struct run_limits {
    const char *things;           /* "centres" */
    uint32_t clusters, rounds;    /* the most of each */
    uint32_t starts;              /* of a non-private run, by default */
    int range;                    /* the number may be chosen from a range */
    int find_bounds;              /* bounds may be found privately */
    const char *const *not_plain; /* the command's own options that have no */
                                  /* meaning with --non-private             */
} run_limits;

/* Options to run, and how they exclude each other. Exit code; free in any
 * case. */
int run_common_parse(run_common *run, const args *a, const run_limits *limits);
void run_common_free(run_common *run);

/* The budget alone: epsilon, delta and adjacency. Exit code. */
int run_privacy_parse(run_common *run, const args *a);

/* Options that have no meaning next to the one named first. Exit code. */
int run_refuse_with(const args *a, const char *name, const char *const *others);

/* Warn of weak or no privacy. */
void run_warn(const run_common *run);

/* Open a session on the dataset; *data becomes NULL, it is the session's. */
kith_status run_session_open(const run_common *run, kith_dataset **data,
                             kith_session **out, kith_error *err);

/* Say on standard error what is guaranteed, and what it cost. */
void run_print_guarantee(const run_common *run, const kith_result *result);

/* ---- run_bounds.c: bounds that are found ---- */

/* Is it --bounds private[:SHARE]? Then *share is set. Exit code. */
int run_bounds_share(const args *a, double *share);

typedef struct found_bounds {
    kith_range *ranges;
    uint32_t dimension;
    double rows, hidden;
} found_bounds;

/* Load sizes, open a session on them and spend a share of it on ranges, one for
 * each feature or one for all together (-1: by their number). Exit code; free
 * and close in any case. */
int run_bounds_find(run_common *run, const args *a, int together, double share,
                    kith_session **session, found_bounds *found);
/* Say on standard error which ranges noise hid. */
void run_bounds_warn(const run_common *run, const found_bounds *found);

/* The whole of --bounds private: the run's bounds are those that were found,
 * and the session goes on with the rows in them. Exit code. */
int run_bounds_apply(run_common *run, const args *a, kith_session **session);

/* ---- run_files.c ---- */

/* Open the operands and check the bounds against their dimension; the columns
 * are the names of the features if they have some. Exit code; *data is NULL
 * then. */
int run_data_open(run_common *run, const args *a, kith_dataset **data);

/* The model names its features whenever the input does; a word if the names
 * were guessed to be some. Exit code. */
int run_take_names(run_common *run, const kith_dataset *data);

/* What a model file says of every run: the caller adds the options. */
void run_describe(const run_common *run, kith_run *out);

/* Write the model of a described run, tell the ledger, and, unless centers_path
 * is NULL, the centres. Exit code. */
int run_write(const run_common *run, const kith_result *result,
              const kith_run *description, output *model_out,
              const char *centers_path, output *centers);

/* ---- run_plan.c: --dry-run ---- */

/* What a plan knows of the rows. */
kith_shape run_shape(const run_common *run);
/* Write the plan of a described run as JSON to the output and as a table to
 * standard error. prediction: the words before the predicted noise. Exit code.
 */
int run_plan_print(const run_common *run, const kith_result *plan,
                   const kith_run *description, output *o,
                   const char *prediction);

#endif
