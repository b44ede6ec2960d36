/* kmeans_run: what the options of `kith kmeans` and `kith kmedian` come down
 * to. */
#ifndef KITH_TOOL_KMEANS_RUN_H
#define KITH_TOOL_KMEANS_RUN_H

#include <kith/kith.h>

#include "run_common.h"

typedef struct kmeans_run {
    run_common common;
    int median;                   /* kith kmedian                        */
    kith_kmeans_options means;    /* the library's options: one of these */
    kith_kmedian_options medians; /* three is used                       */
    kith_plain_options plain;
    const char *centers; /* file name or NULL */
} kmeans_run;

/* kmeans_args.c: options to run. Exit code; run_common_free in any case. */
int kmeans_run_parse(kmeans_run *run, const args *a);

/* kmeans_plan.c: what the model file says of the run. */
void kmeans_run_describe(const kmeans_run *run, kith_run *out);

/* kmeans_plan.c: --dry-run. Exit code. */
int kmeans_run_plan(const kmeans_run *run);
/* Say what the printed constants come to. rows: 0 if private. */
void kmeans_warn_paper(const kmeans_run *run, double rows);

#endif
