/* Parts of the model file. All are NULL when memory is short. */
#ifndef KITH_MODEL_I_H
#define KITH_MODEL_I_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "kith/model.h"

/* ---- model_values.c ------------------------------------------------------ */

json_t *kith_i_model_numbers(const double *values, size_t count);
json_t *kith_i_model_centers(const double *centers, uint32_t k, uint32_t d);
/* k planes, d x q each. */
json_t *kith_i_model_bases(const double *bases, uint32_t k, uint32_t d,
                           uint32_t q);

/* ---- model_privacy.c ----------------------------------------------------- */

/* "privacy" of a central run or of its plan. */
json_t *kith_i_model_privacy(const kith_result *result, const kith_run *run);

/* ---- model_parameters.c -------------------------------------------------- */

/* "parameters": everything needed to run it again. */
json_t *kith_i_model_parameters(const kith_result *result, const kith_run *run);

int kith_i_run_is_plain(const kith_run *run);
uint32_t kith_i_run_clusters(const kith_run *run);
/* "kmeans", "kmedian" or "subspace"; its method, or "non-private". */
const char *kith_i_run_kind(const kith_run *run);
const char *kith_i_run_method(const kith_run *run);

/* ---- model_quality.c ----------------------------------------------------- */

/* "quality" of a private result. */
json_t *kith_i_model_quality(const kith_result *result, const kith_run *run);
/* The same of a local result with a verdict (weight_sds). */
json_t *kith_i_model_quality_local(const kith_result *result);

/* ---- bounds_receipt.c ---------------------------------------------------- */

/* What the bounds of run->bought cost, alone and together with the run. */
json_t *kith_i_model_bought(const kith_run *run, const kith_privacy *own);

/* ---- model_local.c ------------------------------------------------------- */

json_t *kith_i_model_local(const kith_result *result, const kith_run *run);
json_t *kith_i_plan_local(const kith_run *run, uint64_t rows,
                          uint32_t dimension);

/* A model that was read. */
struct kith_model {
    kith_model_view view; /* points into the arrays below */
    kith_objective objective;
    const char **columns; /* names, owned by json */
    size_t column_count;
    const char **missing_values; /* the same */
    size_t missing_count;
    const char *guarantee; /* owned by json, or constant */
    double *centers, *weights, *lower, *upper, *bases;
    json_t *json;
};

#endif
