/* The model file of a local run, and its questions and forecast as people read
 * them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "local_cli.h"
#include "model.h"

static json_t *group_json(const kith_local_group *g)
{
    json_t *json = json_pack(
        "{s:s, s:I, s:s, s:f, s:I, s:{s:f}}", "what", g->what, "round",
        (json_int_t)g->round, "mechanism", g->mechanism, "share", g->share,
        "bytes", (json_int_t)g->bytes, "loss", "epsilon", g->epsilon);
    if (json && g->delta > 0 &&
        json_object_set_new(json_object_get(json, "loss"), "delta",
                            json_real(g->delta))) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

json_t *local_groups_json(const kith_local_summary *summary)
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

json_t *local_forecast_json(const kith_local_forecast *f)
{
    static const char *const words[] = {"no", "yes", "doubtful"};
    return json_pack("{s:f, s:f, s:f, s:s}", "radius", f->radius,
                     "center_error", f->center_error, "smallest_share",
                     f->smallest, "works", words[f->works]);
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
                     local_groups_json(summary));
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

static json_t *parameters_json(const kith_result *result, const local_cli *cli)
{
    const kith_local_options *o = &cli->options;
    json_t *parameters = model_parameters(result, &cli->common);
    json_t *own = json_object();
    if (own && o->method == KITH_LOCAL_WEIGHTED_CENTERS) {
        json_decref(own);
        own = json_pack("{s:I, s:I, s:s, s:b, s:b}", "radii",
                        (json_int_t)o->radii, "repetitions",
                        (json_int_t)o->repetitions, "hash",
                        o->e2lsh ? "e2lsh" : "grid", "boxes", o->boxes,
                        "split_epsilon", o->split_epsilon);
    }
    if (!parameters || !own || json_object_update(parameters, own)) {
        json_decref(parameters);
        parameters = NULL;
    }
    json_decref(own);
    return parameters;
}

json_t *local_model_build(const kith_result *result,
                          const kith_local_summary *summary,
                          const kith_local_forecast *forecast,
                          const local_cli *cli)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    int median = cli->options.objective == KITH_OBJECTIVE_KMEDIAN;
    return json_pack(
        "{s:i, s:s, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
        "kith", 1, "kind", median ? "kmedian" : "kmeans", "k", (json_int_t)k,
        "dimension", (json_int_t)d, "method", local_method_name(cli),
        "simulated", cli->options.law ? "law" : "reports", "centers",
        model_centers(centers, k, d), "weights",
        model_numbers(kith_result_weights(result), k), "privacy",
        privacy_json(result, summary), "rounds", rounds_json(summary),
        "forecast", local_forecast_json(forecast), "parameters",
        parameters_json(result, cli), "version", kith_version());
}

/* ---- for people -----------------------------------------------------------
 */

void local_print_groups(const kith_local_summary *summary)
{
    double epsilon = 0, delta = 0;
    fprintf(stderr, "%5s  %-38s %-10s %9s %9s %7s\n", "round", "question",
            "mechanism", "users", "epsilon", "bytes");
    for (size_t i = 0; i < kith_local_group_count(summary); i++) {
        kith_local_group g;
        kith_local_group_at(summary, i, &g);
        fprintf(stderr, "%5u  %-38s %-10s %8.3g%% %9.4g %7u\n", g.round, g.what,
                g.mechanism, 100 * g.share, g.epsilon, g.bytes);
    }
    kith_local_user_loss(summary, &epsilon, &delta);
    fprintf(stderr,
            "%u rounds; no user spends more than epsilon %.6g%s or sends more "
            "than %u bytes\n",
            kith_local_rounds(summary), epsilon,
            delta > 0 ? " (and the delta declared)" : "",
            kith_local_user_bytes(summary));
}

void local_print_forecast(const local_cli *cli,
                          const kith_local_forecast *forecast)
{
    uint32_t k = cli->options.clusters;
    cli_note("forecast: noise will move the centre of a cluster of 1/%u of the "
             "users by about %.3g\n(the bounds have radius %.3g), and will "
             "hide clusters of less than %.2g%% of them",
             cli->options.method == KITH_LOCAL_MEAN ? 1 : k,
             forecast->center_error, forecast->radius,
             100 * forecast->smallest);
    if (forecast->works == 0)
        cli_note("warning: this cannot work: %u clusters would be lost in the "
                 "noise. Invite more users,\nraise epsilon, ask for fewer "
                 "centres or features, or use --method mean",
                 k);
    else if (forecast->works == 2)
        cli_note("warning: doubtful: small or close clusters will be missed");
}
