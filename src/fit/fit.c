/* A whole run by one call, made of the public functions. */
#include "kith/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_i.h"
#include "base/options.h"
#include "kith/ledger.h"

/* A check before a charge asks what is refused whatever the rows are. Their
 * number is private, and many features would make it slow: it plans for these,
 * which are enough for every rule of every method. */
enum { CHECK_ROWS = 1000, CHECK_DIMENSION = 512 };

static kith_status check(const kith_run *run, char **text, kith_error *err)
{
    if (!text)
        return kith_i_fail_place(err);
    *text = NULL;
    if (!run || !run->bounds || !run->source ||
        !!run->kmeans + !!run->kmedian + !!run->subspace + !!run->local != 1)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a run needs bounds, source options, and the "
                           "options of one kind");
    return KITH_OK;
}

static kith_status price(const kith_shape *shape, const kith_run *run,
                         const kith_privacy *privacy, kith_result **plan,
                         kith_error *err)
{
    if (run->kmeans)
        return kith_kmeans_plan(shape, run->bounds, privacy, run->kmeans, plan,
                                err);
    if (run->kmedian)
        return kith_kmedian_plan(shape, run->bounds, privacy, run->kmedian,
                                 plan, err);
    return kith_subspace_plan(shape, run->bounds, privacy, run->subspace, plan,
                              err);
}

/* The shape of the data, smaller; bounds: for it. */
static kith_shape check_shape(const kith_dataset *data, const kith_run *run,
                              kith_bounds *bounds)
{
    kith_shape shape = kith_dataset_shape(data);
    uint32_t d = shape.dimension, most = CHECK_DIMENSION;
    if (run->subspace && run->subspace->subspace_dimension > most)
        most = run->subspace->subspace_dimension;
    if (d > most && !(run->kmeans && run->kmeans->clusters_from))
        d = most;
    if (bounds->box_count > d)
        bounds->box_count = d;
    if (bounds->center_count > d)
        bounds->center_count = d;
    if (bounds->sparsity > d)
        bounds->sparsity = d;
    shape.rows = CHECK_ROWS;
    shape.dimension = d;
    return shape;
}

/* T19: what an account can hold. */
static kith_status check_plan(const kith_result *plan, kith_error *err)
{
    if (isnan(kith_result_total_loss(plan)))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "sample-aggregate is (epsilon, delta)-private only, "
                           "which no account can hold: use another method, or "
                           "run it without a ledger");
    if (!strcmp(kith_result_guarantee(plan), "none"))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a start at the records, diagnostics or ignored "
                           "conditions leave no guarantee, and the ledger "
                           "refuses such a run: leave that option out, or run "
                           "it without a ledger");
    return KITH_OK;
}

kith_status kith_fit_check(const kith_dataset *data, const kith_run *given,
                           const kith_privacy *privacy, const char **guarantee,
                           kith_error *err)
{
    static const double low = -1, high = 1;
    kith_result *plan = NULL;
    if (!data || !given || !privacy ||
        !!given->kmeans + !!given->kmedian + !!given->subspace != 1)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a check needs rows, a budget, and the options of "
                           "one kind");
    kith_run run = *given;
    kith_privacy paid = *privacy;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    if (run.bounds_share > 0) /* they are still to be found */
        paid.epsilon *= 1 - run.bounds_share;
    else if (run.bounds)
        bounds = *run.bounds;
    bounds.normalize = run.bounds && run.bounds->normalize;
    run.bounds = &bounds;
    kith_subspace_options planes;
    kith_shape shape = check_shape(data, &run, &bounds);
    if (run.subspace) {
        kith_subspace_options_init(&planes, sizeof planes);
        kith_status status =
            kith_i_options_read(run.subspace, "kith_subspace_options_init",
                                sizeof planes, &planes, err);
        if (status)
            return status;
        /* Whether its conditions hold may depend on the number of rows. */
        planes.force |= planes.method == KITH_SUBSPACE_SAMPLE_AGGREGATE;
        run.subspace = &planes;
    }
    kith_status status = price(&shape, &run, &paid, &plan, err);
    if (!status)
        status = check_plan(plan, err);
    if (!status && guarantee)
        *guarantee = kith_result_guarantee(plan);
    kith_result_free(plan);
    return status;
}

/* With a ledger: refuse what can be refused, and let the entry say how strong
 * the promise is. *text: the caller's. */
static kith_status check_charge(const kith_dataset *data, const kith_run *run,
                                kith_session_options *opt, char **text,
                                kith_error *err)
{
    const char *guarantee = "", *before = opt->parameters;
    kith_status status =
        kith_fit_check(data, run, &opt->privacy, &guarantee, err);
    if (status)
        return status;
    size_t room = (before ? strlen(before) : 0) + strlen(guarantee) + 16;
    *text = kith_i_alloc(room, 1);
    if (!*text)
        return kith_i_fail_memory(err);
    snprintf(*text, room, "%s\nguarantee=%s\n", before ? before : "",
             guarantee);
    opt->parameters = *text;
    return KITH_OK;
}

/* data: taken, whatever happens. */
static kith_status run_central(kith_dataset *data, const kith_run *run,
                               const kith_session_options *given,
                               kith_result **out, kith_error *err)
{
    kith_session *session = NULL;
    kith_session_options opt;
    char *parameters = NULL;
    kith_session_options_init(&opt, sizeof opt);
    kith_status status = kith_i_options_read(given, "kith_session_options_init",
                                             sizeof opt, &opt, err);
    if (!status && opt.ledger && !opt.insecure)
        status = check_charge(data, run, &opt, &parameters, err);
    if (!status)
        status = kith_session_open(data, &opt, &session, err);
    kith_i_free(parameters);
    if (status) {
        kith_dataset_free(data);
        return status;
    }
    if (run->kmeans)
        status = kith_kmeans(session, run->kmeans, out, err);
    else if (run->kmedian)
        status = kith_kmedian(session, run->kmedian, out, err);
    else
        status = kith_subspace(session, run->subspace, out, err);
    kith_session_close(session);
    return status;
}

static kith_status run_local(const kith_dataset *data, kith_run *run,
                             kith_local_forecast *forecast,
                             kith_local_summary **summary, kith_result **out,
                             kith_error *err)
{
    kith_status status =
        kith_local_predict_data(data, run->local, forecast, err);
    if (!status)
        status = kith_local_simulate(data, run->local, out, summary, err);
    run->forecast = forecast;
    run->summary = *summary;
    return status;
}

/* Tell the ledger what became of its charge. If it cannot be told, the charge
 * stands without a result, which is not wrong: the model was paid for, and is
 * not taken away. */
static void settle(kith_ledger *ledger, const kith_result *result,
                   const char *text)
{
    kith_error err = {0};
    kith_status status = kith_ledger_settle(
        ledger, kith_result_charge(result), kith_result_guarantee(result),
        kith_result_receipt_count(result), text, &err);
    (void)status;
}

kith_status kith_fit(const kith_source *source, const kith_run *given,
                     const kith_session_options *session, char **text,
                     kith_error *err)
{
    kith_status status = check(given, text, err);
    if (status)
        return status;
    const kith_local_options *local = given->local; /* else a session */
    if (!source || (!session && !local))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a run needs rows and the options of a session");
    kith_run run = *given;
    kith_source_options reading = *run.source;
    reading.user_seed = run.kmeans     ? run.kmeans->public_seed
                        : run.kmedian  ? run.kmedian->public_seed
                        : run.subspace ? run.subspace->public_seed
                        : run.local    ? run.local->public_seed
                                       : 0;
    if (!source->paths) /* the names are for the model only */
        reading.column_count = 0;
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    kith_local_summary *summary = NULL;
    kith_local_forecast forecast = {0};
    status = kith_dataset_load(source, &reading, run.bounds, &data, err);
    if (status)
        return status;
    if (local) {
        status = run_local(data, &run, &forecast, &summary, &result, err);
        kith_dataset_free(data);
        run.insecure = local->insecure;
        run.insecure_seed = local->insecure_seed;
    } else {
        status = run_central(data, &run, session, &result, err);
        run.insecure = session->insecure;
        run.insecure_seed = session->insecure_seed;
    }
    if (!status)
        status = kith_model_text(result, &run, text, err);
    if (!status && session && kith_result_charge(result))
        settle(session->ledger, result, *text);
    kith_local_summary_free(summary);
    kith_result_free(result);
    return status;
}

kith_status kith_fit_plan(const kith_shape *shape, const kith_run *given,
                          const kith_privacy *privacy, char **text,
                          kith_error *err)
{
    kith_status status = check(given, text, err);
    if (status)
        return status;
    if (!shape)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a plan needs a shape");
    kith_run run = *given;
    kith_shape dense = *shape;
    dense.sparse = 0;
    kith_result *plan = NULL;
    kith_local_summary *summary = NULL;
    kith_local_forecast forecast = {0};
    if (run.local) /* has no result: summary and forecast say everything */
        status = kith_local_plan(&dense, run.bounds, run.local, &forecast,
                                 &run.trial_error, &summary, err);
    else
        status =
            price(run.subspace ? &dense : shape, &run, privacy, &plan, err);
    run.summary = summary;
    run.forecast = &forecast;
    if (!status)
        status =
            kith_plan_text(plan, &run, dense.rows, dense.dimension, text, err);
    kith_local_summary_free(summary);
    kith_result_free(plan);
    return status;
}
