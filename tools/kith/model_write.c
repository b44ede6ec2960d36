/* The model file of a run: released values, their receipts, and what is
 * needed to run it again. Nothing here comes from the rows except through the
 * result: no number of rows, no name of an input (R8). */
#include <math.h>
#include <string.h>

#include "model.h"

json_t *model_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, json_real(values[i]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

json_t *model_centers(const double *centers, uint32_t k, uint32_t d)
{
    json_t *rows = json_array();
    for (size_t j = 0; rows && j < k; j++)
        if (json_array_append_new(rows, model_numbers(centers + j * d, d))) {
            json_decref(rows);
            rows = NULL;
        }
    return rows;
}

int model_adds_up(const kith_result *result)
{
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        if (!strcmp(receipt.mechanism, "smooth-sensitivity"))
            return 0;
    }
    return 1;
}

/* The scale of smooth sensitivity depends on the rows: it stays secret. */
static json_t *receipt_json(const kith_receipt *receipt, const kith_privacy *p)
{
    if (!strcmp(receipt->mechanism, "smooth-sensitivity"))
        return json_pack("{s:s, s:s, s:{s:s, s:f}, s:n, s:{s:f, s:f}}", "what",
                         receipt->what, "mechanism", receipt->mechanism,
                         "sensitivity", "norm", receipt->norm, "value",
                         receipt->sensitivity, "scale", "loss", "epsilon",
                         p->epsilon, "delta", p->delta);
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
    kith_privacy p = kith_result_privacy(result);
    for (size_t i = 0; list && i < count; i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        if (json_array_append_new(list, receipt_json(&receipt, &p))) {
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

static const char ASYMPTOTIC[] =
    "Drawn by a sampler that reaches its law in the limit only (a Markov "
    "chain, "
    "in floating point): epsilon holds in that limit, and no test can tell how "
    "close this run came to it.";

static const char SMOOTH[] =
    "The loss of smooth-sensitivity is an (epsilon, delta) that covers the "
    "other releases of this run too; it is not a mu and does not add up as "
    "one.";

json_t *model_privacy(const kith_result *result, const run_common *run)
{
    if (run->non_private)
        return json_pack("{s:s, s:s, s:[]}", "model", "none", "guarantee",
                         "none", "releases");
    kith_privacy p = kith_result_privacy(result);
    json_t *privacy = json_pack("{s:s, s:f, s:f}", "model", "central",
                                "epsilon", p.epsilon, "delta", p.delta);
    double mu;
    int bad = !privacy;
    if (!bad && p.delta > 0 && model_adds_up(result) &&
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
    if (!bad && !strcmp(guarantee, "asymptotic"))
        bad = json_object_set_new(privacy, "note", json_string(ASYMPTOTIC));
    else if (!bad && !model_adds_up(result))
        bad = json_object_set_new(privacy, "note", json_string(SMOOTH));
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
                     model_numbers(b->lower, b->box_count), "upper",
                     model_numbers(b->upper, b->box_count));
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

/* As on the command line; null: not given. */
static json_t *header_json(const kith_source_options *opt)
{
    return opt->header == KITH_HEADER_AUTO
               ? json_null()
               : json_boolean(opt->header == KITH_HEADER_YES);
}

json_t *model_parameters(const kith_result *result, const run_common *run)
{
    const kith_bounds *b = &run->bounds.view;
    const kith_source_options *opt = &run->source.options;
    json_t *parameters = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:b, s:o, s:s, s:I, s:f}", "k",
        (json_int_t)run->clusters, "rounds",
        (json_int_t)kith_result_rounds(result), "bounds", bounds_json(b),
        "radius", b->radius > 0 ? json_real(b->radius) : json_null(), "center",
        b->center ? model_numbers(b->center, b->center_count) : json_null(),
        "normalize", b->normalize, "columns", columns_json(opt), "missing",
        opt->missing == KITH_MISSING_DROP ? "drop" : "error", "public_seed",
        (json_int_t)kith_result_public_seed(result), "step",
        kith_result_step(result));
    const char *format = source_format_name(opt->format);
    json_t *more = json_pack(
        "{s:o, s:o, s:o}", "rounds_asked",
        run->rounds ? json_integer((json_int_t)run->rounds) : json_null(),
        "format", format ? json_string(format) : json_null(), "header",
        header_json(opt));
    int bad = !parameters || !more || json_object_update(parameters, more);
    json_decref(more);
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

/* What is special to centres, next to the parameters that all runs have. */
static json_t *center_parameters(const kith_result *result,
                                 const kmeans_run *run)
{
    json_t *json = model_parameters(result, &run->common);
    uint32_t s = run->common.bounds.view.sparsity;
    int bad =
        !json || (s && json_object_set_new(json, "sparsity", json_integer(s)));
    if (!bad && !run->common.non_private)
        bad = json_object_set_new(json, "method",
                                  json_string(kmeans_method_name(run)));
    if (!bad && run->paper_constants)
        bad = json_object_set_new(json, "paper_constants", json_true());
    if (!bad && run->median && !run->common.non_private)
        bad = json_object_set_new(
            json, "recovery",
            json_string(run->recovery == KITH_RECOVERY_SAMPLING ? "sampling"
                                                                : "steps"));
    if (bad) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

/* Advice, from released values: absent from a non-private model. */
static int add_advice(json_t *json, const kith_result *result,
                      const kmeans_run *run)
{
    if (!json || run->common.non_private)
        return !json;
    return json_object_set_new(
               json, "distinct_centers",
               json_integer(kith_result_distinct_centers(result))) ||
           json_object_set_new(
               json, "sensible_clusters",
               json_integer(kith_result_sensible_clusters(result)));
}

json_t *model_build(const kith_result *result, const kmeans_run *run)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    const double *weights = kith_result_weights(result);
    json_t *json = json_pack(
        "{s:i, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:s}", "kith", 1, "kind",
        run->median ? "kmedian" : "kmeans", "k", (json_int_t)k, "dimension",
        (json_int_t)d, "method",
        run->common.non_private ? "non-private" : kmeans_method_name(run),
        "centers", model_centers(centers, k, d), "weights",
        model_numbers(weights, weights ? k : 0), "privacy",
        model_privacy(result, &run->common), "parameters",
        center_parameters(result, run), "version", kith_version());
    if (add_advice(json, result, run)) {
        json_decref(json);
        json = NULL;
    }
    return json;
}
