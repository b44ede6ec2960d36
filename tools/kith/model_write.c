/* The model file of a run: released values, their receipts, and what is
 * needed to run it again. Nothing here comes from the rows except through the
 * result: no number of rows, no name of an input (R8). */
#include <math.h>
#include <string.h>

#include "model.h"

static json_t *number_array(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, json_real(values[i]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *center_rows(const double *centers, uint32_t k, uint32_t d)
{
    json_t *rows = json_array();
    for (size_t j = 0; rows && j < k; j++)
        if (json_array_append_new(rows, number_array(centers + j * d, d))) {
            json_decref(rows);
            rows = NULL;
        }
    return rows;
}

static json_t *receipt_json(const kith_receipt *receipt)
{
    return json_pack(
        "{s:s, s:s, s:{s:s, s:f}, s:f, s:{s:f}}", "what", receipt->what,
        "mechanism", receipt->mechanism, "sensitivity", "norm", receipt->norm,
        "value", receipt->sensitivity, "scale", receipt->scale, "loss",
        receipt->measure == KITH_PURE_DP ? "epsilon" : "mu", receipt->loss);
}

static json_t *receipts_json(const kith_result *result)
{
    json_t *list = json_array();
    size_t count = kith_result_receipt_count(result);
    for (size_t i = 0; list && i < count; i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        if (json_array_append_new(list, receipt_json(&receipt))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

double model_total_loss(const kith_result *result)
{
    double sum = 0;
    int gaussian = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        gaussian = receipt.measure == KITH_GAUSSIAN_DP;
        sum += gaussian ? receipt.loss * receipt.loss : receipt.loss;
    }
    return gaussian ? sqrt(sum) : sum;
}

json_t *model_privacy(const kith_result *result, const kmeans_run *run)
{
    if (run->non_private)
        return json_pack("{s:s, s:s, s:[]}", "model", "none", "guarantee",
                         "none", "releases");
    kith_privacy p = kith_result_privacy(result);
    json_t *privacy = json_pack("{s:s, s:f, s:f}", "model", "central",
                                "epsilon", p.epsilon, "delta", p.delta);
    double mu;
    int bad = !privacy;
    if (!bad && p.delta > 0 &&
        kith_privacy_mu(p.epsilon, p.delta, &mu, NULL) == KITH_OK)
        bad = json_object_set_new(privacy, "mu", json_real(mu));
    /* A seeded run guarantees nothing, whatever the library should say. */
    const char *guarantee =
        run->insecure ? "none" : kith_result_guarantee(result);
    json_t *rest = json_pack(
        "{s:s, s:s, s:s, s:o}", "adjacency",
        p.neighbors == KITH_REPLACE_ONE ? "replace-one" : "add-remove", "unit",
        "row", "guarantee", guarantee, "releases", receipts_json(result));
    bad = bad || !rest || json_object_update(privacy, rest);
    json_decref(rest);
    if (bad) {
        json_decref(privacy);
        privacy = NULL;
    }
    return privacy;
}

static json_t *bounds_json(const kith_bounds *b)
{
    if (!b->lower)
        return json_null();
    return json_pack("{s:o, s:o}", "lower",
                     number_array(b->lower, b->box_count), "upper",
                     number_array(b->upper, b->box_count));
}

static json_t *columns_json(const kith_source_options *opt)
{
    json_t *names = opt->column_count ? json_array() : json_null();
    for (size_t i = 0; names && i < opt->column_count; i++)
        if (json_array_append_new(names, json_string(opt->columns[i]))) {
            json_decref(names);
            names = NULL;
        }
    return names;
}

static json_t *parameters_json(const kith_result *result, const kmeans_run *run)
{
    const kith_bounds *b = &run->bounds.view;
    const kith_source_options *opt = &run->source.options;
    json_t *parameters = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:b, s:o, s:s, s:I, s:f}", "k",
        (json_int_t)run->clusters, "rounds",
        (json_int_t)kith_result_rounds(result), "bounds", bounds_json(b),
        "radius", b->radius > 0 ? json_real(b->radius) : json_null(), "center",
        b->center ? number_array(b->center, b->center_count) : json_null(),
        "normalize", b->normalize, "columns", columns_json(opt), "missing",
        opt->missing == KITH_MISSING_DROP ? "drop" : "error", "public_seed",
        (json_int_t)kith_result_public_seed(result), "step",
        kith_result_step(result));
    int bad = !parameters;
    if (!bad && run->non_private)
        bad = json_object_set_new(parameters, "starts",
                                  json_integer((json_int_t)run->starts));
    if (!bad && run->insecure)
        bad = json_object_set_new(parameters, "insecure_seed",
                                  json_integer((json_int_t)run->insecure_seed));
    if (bad) {
        json_decref(parameters);
        parameters = NULL;
    }
    return parameters;
}

json_t *model_build(const kith_result *result, const kmeans_run *run)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    const double *weights = kith_result_weights(result);
    return json_pack("{s:i, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:s}",
                     "kith", 1, "kind", run->median ? "kmedian" : "kmeans", "k",
                     (json_int_t)k, "dimension", (json_int_t)d, "method",
                     run->non_private ? "non-private" : kmeans_method_name(run),
                     "centers", center_rows(centers, k, d), "weights",
                     number_array(weights, weights ? k : 0), "privacy",
                     model_privacy(result, run), "parameters",
                     parameters_json(result, run), "version", kith_version());
}
