/* What all methods share: options, progress, the result around a run, and
 * plans. */
#include "run.h"

#include "kith/bounds.h"

#include <string.h>

enum { MAX_CLUSTERS = 1 << 20, MAX_ROUNDS = 10000 };

kith_status kith_i_options_check(uint32_t clusters, uint32_t rounds,
                                 kith_error *err)
{
    if (clusters == 0 || clusters > MAX_CLUSTERS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the number of clusters must be between 1 and %d",
                           MAX_CLUSTERS);
    if (rounds > MAX_ROUNDS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "at most %d rounds: each divides the budget",
                           MAX_ROUNDS);
    return KITH_OK;
}

kith_status kith_i_progress(kith_progress_fn *progress, void *arg,
                            unsigned done, unsigned steps, kith_error *err)
{
    if (progress && progress(arg, done, steps))
        return kith_i_fail(err, KITH_ERR_CANCELLED,
                           "stopped: what was spent stays spent");
    return KITH_OK;
}

kith_status kith_i_run_count(kith_session *session, kith_i_loss charge,
                             double *rows, double *sd, kith_error *err)
{
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {
        .what = "row", .cells = 1, .count_charge = charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(session, &ask, &spec, &cells, err);
    if (status)
        return status;
    *rows = (double)cells.counts[0];
    *sd = cells.count_sd;
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* An empty result that says who pays and what is promised; NULL: memory. */
static kith_result *result_of(kith_session *session, uint32_t clusters,
                              kith_error *err)
{
    kith_result *result =
        kith_i_result_new(clusters, kith_i_session_domain(session));
    const kith_charge *charge = kith_i_session_charge(session);
    if (!result || (charge && !(result->charge = kith_i_charge_copy(charge)))) {
        kith_result_free(result);
        (void)kith_i_fail_memory(err);
        return NULL;
    }
    result->privacy = kith_i_session_privacy(session);
    result->unit = kith_i_session_unit(session, &result->group);
    return result;
}

kith_status kith_i_run(kith_session *session, const kith_i_method *method,
                       uint64_t rows, kith_result **out, kith_error *err)
{
    if (!session)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a session is required");
    if (kith_i_session_is_spent(session))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "this session has spent its budget on an earlier "
                           "run: load the rows again and open another");
    kith_result *result = result_of(session, method->clusters, err);
    if (!result)
        return kith_i_session_settle(session, KITH_ERR_MEMORY, err);
    result->public_seed = method->public_seed;
    result->first_receipt = kith_i_session_receipt_count(session);
    kith_i_watch *watch = kith_i_session_watch(session);
    kith_i_watching before = kith_i_watch_enter(watch);
    kith_status status = method->run(session, method->opt, rows, result, err);
    kith_i_watch_leave(before);
    kith_status stopped = kith_i_watch_check(watch, err);
    if (stopped) /* whatever its loops left behind */
        status = stopped;
    result->guarantee = kith_i_session_guarantee(session);
    if (!status)
        status =
            kith_i_result_advise(result, kith_i_session_domain(session), err);
    if (!status)
        kith_i_result_count_people(result);
    if (!status)
        status = kith_i_session_receipts(session, &result->receipts,
                                         &result->receipt_count, err);
    if (!status)
        status = kith_i_result_number(result, err);
    status = kith_i_session_settle(session, status, err);
    if (status)
        kith_result_free(result);
    else
        *out = result;
    return status;
}

kith_status kith_session_result(kith_session *session, kith_result **out,
                                kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    if (!session)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a session is required");
    kith_result *result = result_of(session, 0, err);
    if (!result)
        return KITH_ERR_MEMORY;
    result->guarantee = kith_i_session_guarantee(session);
    kith_status status = kith_i_session_receipts(session, &result->receipts,
                                                 &result->receipt_count, err);
    if (status)
        kith_result_free(result);
    else
        *out = result;
    return status;
}

kith_status kith_i_run_plan(const kith_i_plan *plan,
                            const kith_i_method *method, kith_result **out,
                            kith_error *err)
{
    const kith_shape *shape = plan->shape;
    if (!shape || shape->rows == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a plan needs a guess of the number of rows");
    uint32_t group = shape->rows_per_user;
    if (group > KITH_MOST_ROWS_PER_USER ||
        shape->rows > INT64_MAX / KITH_MOST_ROWS_PER_USER)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a plan for so many rows of a person, or of all, "
                           "cannot be made");
    if (!plan->privacy)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a plan needs epsilon and delta");
    kith_i_domain *domain;
    kith_status status = kith_i_domain_new(plan->bounds, shape->dimension,
                                           shape->sparse != 0, &domain, err);
    if (status)
        return status;
    kith_session *session;
    status =
        kith_i_session_open_plan(domain, group, plan->privacy, &session, err);
    if (status) {
        kith_i_domain_free(domain);
        return status;
    }
    status = kith_i_run(session, method, shape->rows * (group > 1 ? group : 1),
                        out, err);
    kith_session_close(session);
    if (!status) { /* a plan has prices, no values */
        kith_i_free((*out)->centers);
        (*out)->centers = NULL;
        kith_i_free((*out)->bases);
        (*out)->bases = NULL;
    }
    return status;
}
