/* The model file of planes: "bases" is k x d x q, orthonormal columns. */
#include "model.h"

json_t *model_bases(const double *bases, uint32_t k, uint32_t d, uint32_t q)
{
    json_t *planes = json_array();
    for (size_t l = 0; planes && l < k; l++) {
        json_t *plane = json_array();
        int bad = !plane;
        for (size_t i = 0; !bad && i < d; i++)
            bad = json_array_append_new(
                plane, model_numbers(bases + (l * d + i) * q, q));
        if (bad || json_array_append(planes, plane)) {
            json_decref(planes);
            planes = NULL;
        }
        json_decref(plane);
    }
    return planes;
}

/* The options of one method, and nothing that would not matter. */
static int add_method(json_t *parameters, const subspace_run *run)
{
    int bad = 0, aggregate = run->method == KITH_SUBSPACE_SAMPLE_AGGREGATE;
    if (run->common.non_private || aggregate || run->non_private_start)
        bad = json_object_set_new(parameters, "solver",
                                  json_string(subspace_solver_name(run)));
    if (run->common.non_private)
        return bad;
    bad |= json_object_set_new(parameters, "method",
                               json_string(subspace_method_name(run)));
    if (run->method == KITH_SUBSPACE_SULQ)
        bad |= json_object_set_new(parameters, "composition",
                                   json_string(run->basic ? "basic" : "gdp"));
    if (aggregate) {
        bad |= json_object_set_new(parameters, "block_rows",
                                   json_integer((json_int_t)run->block_rows));
        bad |= json_object_set_new(parameters, "overlap",
                                   json_boolean(run->overlap));
        bad |=
            json_object_set_new(parameters, "force", json_boolean(run->force));
    }
    if (run->non_private_start)
        bad |=
            json_object_set_new(parameters, "non_private_start", json_true());
    if (run->diagnostics)
        bad |=
            json_object_set_new(parameters, "debug_diagnostics", json_true());
    return bad;
}

static json_t *plane_parameters(const kith_result *result,
                                const subspace_run *run)
{
    json_t *parameters = model_parameters(result, &run->common);
    int bad = !parameters;
    bad = bad || json_object_set_new(
                     parameters, "subspace_dimension",
                     json_integer((json_int_t)run->subspace_dimension));
    bad = bad ||
          json_object_set_new(
              parameters, "scale",
              json_string(run->common.bounds.view.unit_rows ? "unit" : "clip"));
    if (bad || add_method(parameters, run)) {
        json_decref(parameters);
        parameters = NULL;
    }
    return parameters;
}

json_t *model_build_planes(const kith_result *result, const subspace_run *run)
{
    uint32_t k = 0, d = 0, q = 0;
    const double *bases = kith_result_bases(result, &k, &d, &q);
    return json_pack(
        "{s:i, s:s, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:s}", "kith", 1, "kind",
        "subspace", "k", (json_int_t)k, "dimension", (json_int_t)d,
        "subspace_dimension", (json_int_t)q, "method",
        run->common.non_private ? "non-private" : subspace_method_name(run),
        "bases", model_bases(bases, k, d, q), "privacy",
        model_privacy(result, &run->common), "parameters",
        plane_parameters(result, run), "version", kith_version());
}

json_t *model_true_planes(const double *bases, uint32_t k, uint32_t d,
                          uint32_t q)
{
    return json_pack("{s:i, s:s, s:I, s:I, s:I, s:s, s:o, s:{s:s, s:s, s:[]}, "
                     "s:{s:s}, s:s}",
                     "kith", 1, "kind", "subspace", "k", (json_int_t)k,
                     "dimension", (json_int_t)d, "subspace_dimension",
                     (json_int_t)q, "method", "generated", "bases",
                     model_bases(bases, k, d, q), "privacy", "model", "none",
                     "guarantee", "none", "releases", "parameters", "scale",
                     "unit", "version", kith_version());
}
