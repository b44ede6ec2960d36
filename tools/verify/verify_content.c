/* What the file holds besides its receipts: the values that a run of its kind
 * releases, in the shape that they have, and nothing that no run writes. */
#include <stdlib.h>
#include <string.h>

#include "verify_i.h"

static int is_among(const char *word, const char *const *known)
{
    for (; *known; known++)
        if (!strcmp(*known, word))
            return 1;
    return 0;
}

/* ---- shapes ---- */

/* A whole number from 1 on; 0: it is none. */
static size_t read_size(const json_t *model, const char *field)
{
    double value;
    const json_t *json = json_object_get(model, field);
    return json_is_integer(json) && verify_number(json, 1, 4294967296, &value)
               ? (size_t)value
               : 0;
}

static int are_numbers(const json_t *list, size_t count)
{
    double value;
    if (!json_is_array(list) || json_array_size(list) != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!verify_number(json_array_get(list, i), -1e300, 1e300, &value))
            return 0;
    return 1;
}

static int is_table(const json_t *list, size_t rows, size_t columns)
{
    if (!json_is_array(list) || json_array_size(list) != rows)
        return 0;
    for (size_t i = 0; i < rows; i++)
        if (!are_numbers(json_array_get(list, i), columns))
            return 0;
    return 1;
}

static void check_centers(finding *f, size_t k, size_t d)
{
    const json_t *weights = json_object_get(f->json, "weights");
    if (!is_table(json_object_get(f->json, "centers"), k, d))
        verify_bad(f, "centers",
                   "they are not 'k' lists of 'dimension' numbers");
    if (!json_is_array(weights) ||
        (json_array_size(weights) && !are_numbers(weights, k)))
        verify_bad(f, "weights", "they are not 'k' numbers");
}

static void check_planes(finding *f, size_t k, size_t d)
{
    const json_t *bases = json_object_get(f->json, "bases");
    size_t q = read_size(f->json, "subspace_dimension");
    int good = q && json_is_array(bases) && json_array_size(bases) == k;
    for (size_t i = 0; good && i < k; i++)
        good = is_table(json_array_get(bases, i), d, q);
    if (!good)
        verify_bad(f, "bases",
                   "they are not 'k' tables of 'dimension' times "
                   "'subspace_dimension' numbers");
}

static int is_number_or_null(const json_t *json)
{
    double value;
    return json_is_null(json) || verify_number(json, -1e300, 1e300, &value);
}

static void check_ranges(finding *f, size_t d)
{
    static const char *const fields[] = {"lower", "upper", "state", "name",
                                         NULL};
    const json_t *ranges = json_object_get(f->json, "ranges");
    int good = json_is_array(ranges) && json_array_size(ranges) == d;
    for (size_t i = 0; good && i < d; i++) {
        json_t *range = json_array_get(ranges, i);
        const char *field;
        json_t *value;
        good = json_is_object(range) &&
               is_number_or_null(json_object_get(range, "lower")) &&
               is_number_or_null(json_object_get(range, "upper"));
        json_object_foreach(range, field, value) good =
            good && is_among(field, fields) &&
            (json_is_string(value) || is_number_or_null(value));
    }
    if (!good)
        verify_bad(f, "ranges", "they are not 'dimension' pairs of numbers");
    if (!is_number_or_null(json_object_get(f->json, "rows")))
        verify_bad(f, "rows", "it is not a number");
}

/* ---- fields that no run writes ---- */

static void find_others(finding *f, json_t *object, const char *prefix,
                        const char *const *own, const char *const *common)
{
    const char *field;
    json_t *value;
    json_object_foreach(object, field, value)
    {
        char name[61];
        if (is_among(field, own) || is_among(field, common))
            continue;
        verify_clean(field, strlen(field), name, sizeof name);
        verify_beyond(f, "'%s%s'", prefix, name);
    }
}

void verify_content(finding *f)
{
    static const char *const common[] = {
        "kith", "kind", "dimension", "method", "privacy", "version", NULL};
    static const char *const of_centers[] = {"k",
                                             "parameters",
                                             "quality",
                                             "centers",
                                             "weights",
                                             "distinct_centers",
                                             "sensible_clusters",
                                             "choice_of_k",
                                             "collected",
                                             "simulated",
                                             "rounds",
                                             "forecast",
                                             NULL};
    static const char *const of_planes[] = {
        "k", "parameters", "quality", "subspace_dimension", "bases", NULL};
    static const char *const of_bounds[] = {"ranges", "rows", NULL};
    static const char *const of_privacy[] = {
        "model",   "unit",   "adjacency", "guarantee",
        "epsilon", "delta",  "mu",        "releases",
        "note",    "ledger", "per_user",  "rows_per_user",
        "bounds",  NULL};
    static const char *const no_more[] = {NULL};
    const char *kind = json_string_value(json_object_get(f->json, "kind"));
    size_t k = read_size(f->json, "k"), d = read_size(f->json, "dimension");
    const char *const *own = of_centers;
    if (kind && (!strcmp(kind, "kmeans") || !strcmp(kind, "kmedian"))) {
        check_centers(f, k, d);
    } else if (kind && !strcmp(kind, "subspace")) {
        check_planes(f, k, d);
        own = of_planes;
    } else if (kind && !strcmp(kind, "bounds")) {
        check_ranges(f, d);
        own = of_bounds;
    } else {
        verify_strange(f, "kind",
                       "it is none of the words known: kmeans, kmedian, "
                       "subspace, bounds");
        return;
    }
    find_others(f, f->json, "", own, common);
    find_others(f, json_object_get(f->json, "privacy"), "privacy.", of_privacy,
                no_more);
}
