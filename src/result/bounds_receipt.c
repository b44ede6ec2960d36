/* Bounds that an earlier run found: what they cost, and whether a run may use
 * them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_i.h"
#include "base/digest.h"
#include "json_text.h"
#include "kith/bounds.h"
#include "model_i.h"

static kith_status fail(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT,
                       "this is not a receipt of bounds: give the .json that "
                       "kith bounds wrote beside its file");
}

static int read_privacy(kith_bought *b, const json_t *privacy)
{
    const char *adjacency =
                   json_string_value(json_object_get(privacy, "adjacency")),
               *unit = json_string_value(json_object_get(privacy, "unit")),
               *guarantee =
                   json_string_value(json_object_get(privacy, "guarantee"));
    int neighbors = 0;
    b->privacy.epsilon = json_number_value(json_object_get(privacy, "epsilon"));
    b->privacy.delta = json_number_value(json_object_get(privacy, "delta"));
    if (!adjacency || !unit || !guarantee || !(b->privacy.epsilon > 0) ||
        !(b->privacy.delta >= 0 && b->privacy.delta < 1) ||
        !kith_word_value(KITH_WORDS_ADJACENCY, adjacency, &neighbors))
        return 0;
    b->privacy.neighbors = (kith_neighbors)neighbors;
    b->unit = strcmp(unit, "user") ? KITH_UNIT_ROW : KITH_UNIT_USER;
    b->insecure = strcmp(guarantee, "exact") != 0;
    return 1;
}

static int read_ranges(kith_bought *b, const json_t *ranges)
{
    for (uint32_t i = 0; i < b->dimension; i++) {
        const json_t *range = json_array_get(ranges, i);
        const json_t *lower = json_object_get(range, "lower"),
                     *upper = json_object_get(range, "upper");
        b->lower[i] = json_number_value(lower);
        b->upper[i] = json_number_value(upper);
        if (!json_is_number(lower) || !json_is_number(upper) ||
            !(b->lower[i] < b->upper[i]))
            return 0;
    }
    return 1;
}

kith_status kith_bought_read(const char *text, size_t size, kith_bought **out,
                             kith_error *err)
{
    if (!text || !out)
        return kith_i_fail_place(err);
    *out = NULL;
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *ranges = json_object_get(json, "ranges");
    const char *kind = json_string_value(json_object_get(json, "kind"));
    size_t n = json_array_size(ranges);
    kith_status status = KITH_OK;
    kith_bought *b = NULL;
    if (!kind || strcmp(kind, "bounds") != 0 || !n || n > UINT32_MAX)
        status = fail(err);
    else if (!(b = kith_i_alloc(1, sizeof *b)) ||
             !(b->lower = kith_i_alloc(n, sizeof *b->lower)) ||
             !(b->upper = kith_i_alloc(n, sizeof *b->upper)))
        status = kith_i_fail_memory(err);
    if (!status) {
        unsigned char digest[KITH_I_DIGEST_BYTES];
        b->dimension = (uint32_t)n;
        kith_i_digest(text, size, digest);
        for (size_t i = 0; i < sizeof digest; i++)
            snprintf(b->digest + 2 * i, 3, "%02x", digest[i]);
        if (!read_privacy(b, json_object_get(json, "privacy")) ||
            !read_ranges(b, ranges))
            status = fail(err);
    }
    json_decref(json);
    if (status)
        kith_bought_free(b);
    else
        *out = b;
    return status;
}

void kith_bought_free(kith_bought *bought)
{
    if (!bought)
        return;
    kith_i_free(bought->lower);
    kith_i_free(bought->upper);
    kith_i_free(bought);
}

/* The same number, written once with fewer digits. */
static int near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

static int same_bounds(const kith_bought *b, const kith_bounds *bounds)
{
    if (bounds->box_count != b->dimension || !bounds->lower || !bounds->upper)
        return 0;
    for (uint32_t i = 0; i < b->dimension; i++)
        if (!near(b->lower[i], bounds->lower[i]) ||
            !near(b->upper[i], bounds->upper[i]))
            return 0;
    return 1;
}

kith_status kith_bought_check(const kith_bought *bought,
                              const kith_bounds *bounds,
                              const kith_privacy *privacy, kith_unit unit,
                              kith_error *err)
{
    if (!bought || !bounds || !privacy)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a receipt, bounds and a budget are needed");
    if (!same_bounds(bought, bounds))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the receipt is one of other bounds: give the file "
                           "and the receipt of one kith bounds");
    if (bought->unit != unit || bought->privacy.neighbors != privacy->neighbors)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the bounds were found under another promise (unit "
                           "or adjacency): the two do not add up");
    if (bought->insecure)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the bounds promise nothing: they were found with "
                           "--insecure-seed");
    return KITH_OK;
}

/* a + b, never less. */
static double sum_up(double a, double b)
{
    double sum = a + b, other = sum - a;
    double rest = (a - (sum - other)) + (b - other);
    return rest > 0 ? nextafter(sum, (double)INFINITY) : sum;
}

json_t *kith_i_model_bought(const kith_run *run, const kith_privacy *own)
{
    const kith_bought *b = run->bought;
    return json_pack("{s:f, s:f, s:s, s:{s:f, s:f}}", "epsilon",
                     b->privacy.epsilon, "delta", b->privacy.delta, "receipt",
                     b->digest, "together", "epsilon",
                     sum_up(own->epsilon, b->privacy.epsilon), "delta",
                     sum_up(own->delta, b->privacy.delta));
}
