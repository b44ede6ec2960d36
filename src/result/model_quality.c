/* "quality" of a model: how far the result can be believed. */
#include <math.h>
#include <stdlib.h>

#include "json_text.h"
#include "kith/quality.h"
#include "model_i.h"
#include "result_i.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Numbers of the features, from 1. */
static json_t *features_on_bound(const kith_result *result, uint32_t count)
{
    json_t *list = json_array();
    int bad = !list;
    for (uint32_t i = 0, found = 0; !bad && found < count; i++)
        if (kith_result_on_bound(result, i)) {
            found++;
            bad = json_array_append_new(list, json_integer(i + 1));
        }
    return kith_i_json_done(list, bad);
}

static json_t *words(const kith_quality *quality)
{
    char text[KITH_QUALITY_LINE];
    json_t *list = json_array();
    int bad = !list;
    for (size_t i = 0;
         !bad && kith_quality_words(quality, i, text, sizeof text); i++)
        bad = json_array_append_new(list, json_string(text));
    return kith_i_json_done(list, bad);
}

/* The name of a feature; NULL: it has a number only. */
static const char *name_of(const kith_run *run, uint32_t d, uint32_t i)
{
    const kith_source_options *from = run->source;
    if (!from || from->column_count != d)
        return NULL;
    char *end;
    strtod(from->columns[i], &end);
    return *end ? from->columns[i] : NULL;
}

json_t *kith_i_model_quality(const kith_result *result, const kith_run *run)
{
    static const char *const limits[] = {NULL, "noise", "rows", "groups"};
    kith_quality q = {.size = sizeof q};
    kith_result_quality(result, &q);
    if (q.features_on_bound)
        q.name_on_bound = name_of(run, result->d, q.first_on_bound);
    json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "verdict",
                             kith_verdict_name(q.verdict), "rows",
                             number(q.rows), "rows_sd", number(q.rows_sd),
                             q.planes ? "noise_angle" : "noise",
                             number(q.planes ? q.angle : q.noise), "distinct",
                             (json_int_t)q.distinct, "words", words(&q));
    int unsaid = !json;
    if (q.planes)
        kith_i_json_put(json, "lost_directions",
                        q.directions ? json_integer((json_int_t)q.lost)
                                     : json_null(),
                        &unsaid);
    if (!json || q.planes)
        return kith_i_json_done(json, unsaid);
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:I, s:s?, s:I, s:o}", "weight_sd",
        number(q.weight_sd), "cost", number(q.cost), "cost_sd",
        number(q.cost_sd), "resolution", number(q.resolution),
        "sensible_clusters", (json_int_t)q.sensible, "limited_by",
        limits[q.limit], "unsure_centers", (json_int_t)q.unsure,
        "features_on_bound", features_on_bound(result, q.features_on_bound));
    int bad = !more || json_object_update(json, more);
    json_decref(more);
    return kith_i_json_done(json, bad);
}

/* What users were asked at last; null: nobody was. */
static json_t *last_question(const kith_result *result, const kith_quality *q)
{
    const kith_i_last_question *last = &result->last;
    json_t *others = json_array();
    int bad = !others;
    if (last->count == 0) {
        json_decref(others);
        return json_null();
    }
    for (uint32_t i = 0; !bad && i < last->count; i++)
        bad = json_array_append_new(
            others, json_pack("{s:s, s:o, s:o}", "answer", last->other[i].name,
                              "gain", number(last->other[i].gain), "sd",
                              number(last->other[i].sd)));
    return json_pack("{s:s, s:s, s:o, s:o}", "first", last->first, "won",
                     last->won, "margin", number(q->margin), "others",
                     kith_i_json_done(others, bad));
}

json_t *kith_i_model_quality_local(const kith_result *result)
{
    kith_quality q = {.size = sizeof q};
    kith_result_quality(result, &q);
    return json_pack(
        "{s:s, s:I, s:o, s:o, s:I, s:o, s:{s:o, s:o}, "
        "s:{s:o, s:o, s:b}, s:o, s:o}",
        "verdict", kith_verdict_name(q.verdict), "asked", (json_int_t)q.asked,
        "mean_error", number(q.mean_error), "weight_sds",
        kith_i_model_numbers(result->weight_sds, result->k), "unseen",
        (json_int_t)q.unseen, "misfit", number(q.misfit), "unexplained",
        "share", number(q.unexplained), "sd", number(q.unexplained_sd),
        "against_one_mean", "gain", number(q.mean_gain), "sd",
        number(q.mean_gain_sd), "lost", q.one_mean, "last_question",
        last_question(result, &q), "words", words(&q));
}
