/* model: the versioned JSON file (product.md), written and read back. */
#ifndef KITH_TOOL_MODEL_H
#define KITH_TOOL_MODEL_H

#include <stdio.h>

#include <jansson.h>
#include <kith/kith.h>

#include "kmeans_run.h"

/* ---- model_write.c ------------------------------------------------------- */

/* The model of a finished run; NULL when memory is short. */
json_t *model_build(const kith_result *result, const kmeans_run *run);

/* "privacy" of a run or of a plan; NULL when memory is short. */
json_t *model_privacy(const kith_result *result, const kmeans_run *run);

/* Sum of the receipts' losses: epsilon, or mu. */
double model_total_loss(const kith_result *result);

/* ---- json_out.c ---------------------------------------------------------- */

/* Print with 17 significant digits: one field a line, one row of a matrix a
 * line. Errors stay in the stream; nonzero when memory is short. */
int json_out(FILE *file, const json_t *value);

/* ---- model_json.c -------------------------------------------------------- */

typedef struct model {
    kith_model_view view; /* centres and, of a --normalize run, the box    */
    kith_objective objective;
    const char **columns; /* names of the columns it was made from; or NULL */
    size_t column_count;
    json_t *json; /* owns the names */
    double *centers, *lower, *upper;
} model;

/* Read and check a model file that anybody may have made. Exit code; free in
 * any case. */
int model_read(model *out, const char *path);
void model_free(model *m);

#endif
