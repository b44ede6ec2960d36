/* kmeans_run: what the options of `kith kmeans` and `kith kmedian` come down
 * to. */
#ifndef KITH_TOOL_KMEANS_RUN_H
#define KITH_TOOL_KMEANS_RUN_H

#include <kith/kith.h>

#include "progress.h"
#include "source.h"

typedef struct kmeans_run {
    uint32_t clusters, rounds, starts;
    int median; /* kith kmedian: no method */
    kith_kmeans_method method;
    kith_privacy privacy; /* all zero: --non-private */
    uint64_t seed, insecure_seed;
    int insecure, non_private, dry_run, quiet, paper_constants;
    uint64_t rows; /* --dry-run: the guess */
    source source;
    bounds bounds;
    progress progress;
    const char *output, *centers; /* file names or NULL */
} kmeans_run;

/* kmeans_args.c: options to run. Exit code; free in any case. */
int kmeans_run_parse(kmeans_run *run, const args *a);
void kmeans_run_free(kmeans_run *run);

const char *kmeans_method_name(const kmeans_run *run);

/* kmeans_plan.c: --dry-run. Exit code. */
int kmeans_run_plan(kmeans_run *run);

#endif
