/* model: the versioned JSON file (product.md), written and read back. */
#ifndef KITH_TOOL_MODEL_H
#define KITH_TOOL_MODEL_H

#include <stdio.h>

#include <jansson.h>
#include <kith/kith.h>

#include "kmeans_run.h"
#include "subspace_run.h"

/* ---- model_write.c ------------------------------------------------------- */

/* The model of a finished run; NULL when memory is short. */
json_t *model_build(const kith_result *result, const kmeans_run *run);

/* Parts of a model, NULL when memory is short: "privacy" of a run or of a
 * plan, "parameters" that all runs have, an array of numbers, "centers". */
json_t *model_privacy(const kith_result *result, const run_common *run);
json_t *model_parameters(const kith_result *result, const run_common *run);
json_t *model_numbers(const double *values, size_t count);
json_t *model_centers(const double *centers, uint32_t k, uint32_t d);

/* Do the receipts' losses add up to one number? Not with smooth sensitivity,
 * whose loss is an (epsilon, delta). */
int model_adds_up(const kith_result *result);

/* Sum of the receipts' losses, if they add up: epsilon, or mu. */
double model_total_loss(const kith_result *result);

/* ---- model_planes.c -------------------------------------------------------
 */

/* Like model_build, of a subspace run. */
json_t *model_build_planes(const kith_result *result, const subspace_run *run);

/* "bases" of k planes, d x q each; NULL when memory is short. */
json_t *model_bases(const double *bases, uint32_t k, uint32_t d, uint32_t q);

/* A model of planes that nobody made from data: the truth behind a synthetic
 * set. NULL when memory is short. */
json_t *model_true_planes(const double *bases, uint32_t k, uint32_t d,
                          uint32_t q);

/* ---- json_out.c ---------------------------------------------------------- */

/* Print with 17 significant digits: one field a line, one row of a matrix a
 * line. Errors stay in the stream; nonzero when memory is short. */
int json_out(FILE *file, const json_t *value);

/* ---- model_json.c -------------------------------------------------------- */

typedef struct model {
    kith_model_view view; /* centres and, of a --normalize run, the box;     */
                          /* or planes                                       */
    kith_objective objective;
    const char **columns; /* names of the columns it was made from; or NULL */
    size_t column_count;
    json_t *json; /* owns the names */
    double *centers, *lower, *upper, *bases;
} model;

/* Read and check a model file that anybody may have made. Exit code; free in
 * any case. */
int model_read(model *out, const char *path);
void model_free(model *m);

#endif
