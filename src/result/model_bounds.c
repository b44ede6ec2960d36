/* The receipt of ranges that were found: a file of kind "bounds". */
#include <math.h>

#include "base/base_i.h"
#include "json_text.h"
#include "kith/bounds.h"
#include "kith/version.h"
#include "model_i.h"

static json_t *number_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *range_json(const kith_range *range, const char *name)
{
    static const char *const states[] = {"found", "uncertain", "not found"};
    json_t *json = json_pack(
        "{s:o, s:o, s:s}", "lower", number_or_null(range->lower), "upper",
        number_or_null(range->upper), "state", states[range->state]);
    int bad = !json;
    if (name)
        kith_i_json_put(json, "name", json_string(name), &bad);
    return kith_i_json_done(json, bad);
}

kith_status kith_bounds_text(const kith_result *spent, const kith_found *found,
                             int insecure, char **out, kith_error *err)
{
    if (!spent || !found || !found->ranges || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a result, ranges and an out are needed");
    uint32_t dimension = found->dimension;
    const char *const *names = found->names;
    kith_run run;
    kith_kmeans_options none;
    kith_run_init(&run, sizeof run);
    kith_kmeans_options_init(&none, sizeof none);
    run.kmeans = &none; /* a private run: nothing else is looked at */
    run.insecure = insecure;
    run.uncounted = found->uncounted;
    json_t *list = json_array();
    int bad = !list;
    for (uint32_t i = 0; !bad && i < dimension; i++)
        bad = json_array_append_new(
            list, range_json(&found->ranges[i], names ? names[i] : NULL));
    json_t *json =
        json_pack("{s:i, s:s, s:I, s:s, s:o, s:f, s:o, s:s}", "kith", 1, "kind",
                  "bounds", "dimension", (json_int_t)dimension, "method",
                  "histograms", "ranges", list, "rows", found->rows, "privacy",
                  kith_i_model_privacy(spent, &run), "version", kith_version());
    return kith_i_json_text(kith_i_json_done(json, bad || !json), out, err);
}
