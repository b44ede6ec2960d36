/* A whole run by one call, made of the public functions. */
#include "kith/fit.h"

#include "base/base_i.h"
#include "kith/ledger.h"

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

/* data: taken, whatever happens. */
static kith_status run_central(kith_dataset *data, const kith_run *run,
                               const kith_session_options *opt,
                               kith_result **out, kith_error *err)
{
    kith_session *session = NULL;
    kith_status status = kith_session_open(data, opt, &session, err);
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
    else if (run.kmeans)
        status = kith_kmeans_plan(shape, run.bounds, privacy, run.kmeans, &plan,
                                  err);
    else if (run.kmedian)
        status = kith_kmedian_plan(shape, run.bounds, privacy, run.kmedian,
                                   &plan, err);
    else
        status = kith_subspace_plan(&dense, run.bounds, privacy, run.subspace,
                                    &plan, err);
    run.summary = summary;
    run.forecast = &forecast;
    if (!status)
        status =
            kith_plan_text(plan, &run, dense.rows, dense.dimension, text, err);
    kith_local_summary_free(summary);
    kith_result_free(plan);
    return status;
}
