/* kmeans_run: what the options of `kith kmeans` and `kith kmedian` come down
 * to. */
#ifndef KITH_TOOL_KMEANS_RUN_H
#define KITH_TOOL_KMEANS_RUN_H

#include <kith/kith.h>

#include "run_common.h"

typedef struct kmeans_run {
    run_common common;
    int median; /* kith kmedian: no method */
    kith_kmeans_method method;
    kith_kmedian_method median_method;
    kith_kmedian_recovery recovery;
    int paper_constants;
    const char *centers; /* file name or NULL */
} kmeans_run;

/* kmeans_args.c: options to run. Exit code; run_common_free in any case. */
int kmeans_run_parse(kmeans_run *run, const args *a);

const char *kmeans_method_name(const kmeans_run *run);

/* kmeans_plan.c: --dry-run. Exit code. */
int kmeans_run_plan(const kmeans_run *run);
/* Warn when noise makes so many centres pointless. */
void kmeans_warn_clusters(const kmeans_run *run, const kith_result *result);
/* Say what the printed constants come to. rows: 0 if private. */
void kmeans_warn_paper(const kmeans_run *run, double rows);

#endif
