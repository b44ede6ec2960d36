/* The model file of a local run: what users were asked, and what it costs
 * them. */
#include <math.h>

#include "json_text.h"
#include "kith/version.h"
#include "model_i.h"
#include "result_i.h"

static json_t *group_json(const kith_local_group *g)
{
    json_t *json = json_pack(
        "{s:s, s:I, s:s, s:f, s:I, s:{s:f}}", "what", g->what, "round",
        (json_int_t)g->round, "mechanism", g->mechanism, "share", g->share,
        "bytes", (json_int_t)g->bytes, "loss", "epsilon", g->epsilon);
    int bad = !json;
    if (g->delta > 0)
        kith_i_json_put(json_object_get(json, "loss"), "delta",
                        json_real(g->delta), &bad);
    return kith_i_json_done(json, bad);
}

static json_t *groups_json(const kith_local_summary *summary)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < kith_local_group_count(summary); i++) {
        kith_local_group g;
        kith_local_group_at(summary, i, &g);
        if (json_array_append_new(list, group_json(&g))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *forecast_json(const kith_local_forecast *f)
{
    static const char *const words[] = {"no", "yes", "doubtful"};
    json_t *json = json_pack("{s:f, s:f, s:f, s:s}", "radius", f->radius,
                             "center_error", f->center_error, "smallest_share",
                             f->smallest, "works", words[f->works]);
    int bad = !json;
    if (isfinite(f->lost)) {
        kith_i_json_put(json, "lost_cluster_chance", json_real(f->lost), &bad);
        kith_i_json_put(json, "trials", json_integer(f->trials), &bad);
    }
    if (f->last_share > 0)
        kith_i_json_put(
            json, "last_question",
            json_pack("{s:f, s:f}", "share", f->last_share, "sd", f->last_sd),
            &bad);
    return kith_i_json_done(json, bad);
}

static json_t *privacy_json(const kith_result *result,
                            const kith_local_summary *summary)
{
    kith_privacy p = kith_result_privacy(result);
    double epsilon = 0, delta = 0;
    kith_local_user_loss(summary, &epsilon, &delta);
    return json_pack("{s:s, s:f, s:f, s:s, s:s, s:s, s:{s:f, s:f, s:I}, s:o}",
                     "model", "local", "epsilon", p.epsilon, "delta", p.delta,
                     "adjacency", "replace-one", "unit", "user", "guarantee",
                     kith_result_guarantee(result), "per_user", "epsilon",
                     epsilon, "delta", delta, "bytes",
                     (json_int_t)kith_local_user_bytes(summary), "releases",
                     groups_json(summary));
}

/* Each round: how many groups, which share of the users, the longest report. */
static json_t *rounds_json(const kith_local_summary *summary)
{
    json_t *list = json_array();
    size_t count = kith_local_group_count(summary), i = 0;
    for (uint32_t r = 1; list && r <= kith_local_rounds(summary); r++) {
        json_int_t groups = 0, bytes = 0;
        double share = 0;
        for (; i < count; i++, groups++) {
            kith_local_group g;
            kith_local_group_at(summary, i, &g);
            if (g.round != r)
                break;
            share += g.share;
            bytes = g.bytes > bytes ? (json_int_t)g.bytes : bytes;
        }
        if (json_array_append_new(list,
                                  json_pack("{s:I, s:I, s:f, s:I}", "round",
                                            (json_int_t)r, "groups", groups,
                                            "share", share, "bytes", bytes))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *kith_i_model_local(const kith_result *result, const kith_run *run)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    json_t *how = run->collected
                      ? json_loads(run->collected, 0, NULL)
                      : json_string(run->local->law ? "law" : "reports");
    json_t *json = json_pack(
        "{s:i, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
        "kith", 1, "kind", kith_i_run_kind(run), "k", (json_int_t)k,
        "dimension", (json_int_t)d, "method", kith_i_run_method(run),
        run->collected ? "collected" : "simulated", how, "centers",
        kith_i_model_centers(centers, k, d), "weights",
        kith_i_model_numbers(kith_result_weights(result), k), "privacy",
        privacy_json(result, run->summary), "rounds", rounds_json(run->summary),
        "forecast", forecast_json(run->forecast), "parameters",
        kith_i_model_parameters(result, run), "version", kith_version());
    int bad = !json;
    if (result->weight_sds)
        kith_i_json_put(json, "quality", kith_i_model_quality_local(result),
                        &bad);
    return kith_i_json_done(json, bad);
}

json_t *kith_i_plan_local(const kith_run *run, uint64_t rows,
                          uint32_t dimension)
{
    return json_pack(
        "{s:b, s:I, s:I, s:I, s:f, s:f, s:s, s:I, s:I, s:o, s:o, s:f}", "plan",
        1, "k", (json_int_t)run->local->clusters, "rows", (json_int_t)rows,
        "dimension", (json_int_t)dimension, "epsilon", run->local->epsilon,
        "delta", run->local->delta, "method", kith_i_run_method(run), "rounds",
        (json_int_t)kith_local_rounds(run->summary), "bytes_per_user",
        (json_int_t)kith_local_user_bytes(run->summary), "groups",
        groups_json(run->summary), "forecast", forecast_json(run->forecast),
        "trial_center_error", run->trial_error);
}
