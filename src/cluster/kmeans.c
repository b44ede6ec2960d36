/* kith_kmeans: checks the options, runs the method, makes the result. */
#include "balcan/balcan_i.h"
#include "baseline/baseline_i.h"
#include "cluster_i.h"
#include "features.h"
#include "kith/model.h"

#include <string.h>

/* auto: second moments take d^2 memory; with more clusters than there are
 * labels it can only work in the space of the rows themselves, which it is sure
 * to do in few dimensions (all axes are kept). */
enum { AUTO_MOST_DIMENSIONS = 4096, AUTO_FEW_DIMENSIONS = 4 };
enum { MOST_CHOSEN = 256 }; /* clusters, of a range */

void kith_kmeans_options_init(kith_kmeans_options *opt, size_t size)
{
    kith_kmeans_options fresh = {.method = KITH_KMEANS_AUTO};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
}

static kith_status check_range(const kith_kmeans_options *opt, kith_error *err)
{
    uint32_t from = opt->clusters_from, to = opt->clusters;
    if (from == 0)
        return KITH_OK;
    if (opt->method != KITH_KMEANS_AUTO)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters is for the method "
                           "auto");
    if (from >= to || to > MOST_CHOSEN)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters goes up, and to %d "
                           "at most",
                           MOST_CHOSEN);
    return KITH_OK;
}

static kith_status read_options(const kith_kmeans_options *given,
                                kith_kmeans_options *opt, kith_error *err)
{
    kith_kmeans_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(given, "kith_kmeans_options_init",
                                             sizeof *opt, opt, err);
    if (!status)
        status = kith_i_options_check(opt->clusters, opt->rounds, err);
    if (status)
        return status;
    if (!kith_word_of(KITH_WORDS_KMEANS_METHOD, (int)opt->method))
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "unknown k-means method");
    return check_range(opt, err);
}

kith_status kith_i_kmeans_run(kith_session *session,
                              const kith_kmeans_options *opt, uint64_t rows,
                              kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t d = domain->dimension;
    /* Decided by public numbers alone, before anything is spent. */
    int by_auto =
        opt->method == KITH_KMEANS_AUTO &&
        (opt->clusters <= KITH_I_MOST_LABELS || d <= AUTO_FEW_DIMENSIONS);
    if (by_auto && domain->sparse)
        return kith_i_kmeans_features(session, opt, rows, result, err);
    if (by_auto && d <= AUTO_MOST_DIMENSIONS)
        return kith_i_kmeans_auto(session, opt, rows, result, err);
    switch (opt->method) {
    case KITH_KMEANS_BALCAN:
        return kith_i_kmeans_balcan(session, opt, rows, result, err);
    case KITH_KMEANS_SULQ:
        return kith_i_kmeans_sulq(session, opt, rows, result, err);
    case KITH_KMEANS_GRID:
        return kith_i_kmeans_grid(session, opt, rows, result, err);
    case KITH_KMEANS_KVARIATES:
    case KITH_KMEANS_SAMPLE_AGGREGATE:
        return kith_i_kmeans_sampled(session, opt, rows, result, err);
    default: /* lloyd, and where auto gives way to it */
        return kith_i_kmeans_lloyd(session, opt, rows, result, err);
    }
}

static kith_status run_method(kith_session *session, const void *opt,
                              uint64_t rows, kith_result *result,
                              kith_error *err)
{
    const kith_kmeans_options *options = opt;
    const kith_i_domain *domain = kith_i_session_domain(session);
    if (options->clusters_from && domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters needs dense rows");
    if (options->clusters_from && domain->dimension > AUTO_MOST_DIMENSIONS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters is for %d features "
                           "at most: give one number",
                           AUTO_MOST_DIMENSIONS);
    return kith_i_kmeans_run(session, opt, rows, result, err);
}

/* plan: NULL for a run of the session. */
static kith_status run_or_plan(kith_session *session, const kith_i_plan *plan,
                               const kith_kmeans_options *given,
                               kith_result **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    kith_kmeans_options opt;
    kith_status status = read_options(given, &opt, err);
    if (status)
        return status;
    kith_i_method method = {.run = run_method,
                            .opt = &opt,
                            .clusters = opt.clusters,
                            .public_seed = opt.public_seed};
    if (!plan)
        return kith_i_run(session, &method, 0, out, err);
    opt.progress = NULL;
    return kith_i_run_plan(plan, &method, out, err);
}

kith_status kith_kmeans(kith_session *session, const kith_kmeans_options *opt,
                        kith_result **out, kith_error *err)
{
    return run_or_plan(session, NULL, opt, out, err);
}

kith_status kith_kmeans_plan(const kith_shape *shape, const kith_bounds *bounds,
                             const kith_privacy *privacy,
                             const kith_kmeans_options *opt, kith_result **out,
                             kith_error *err)
{
    kith_i_plan plan = {shape, bounds, privacy};
    return run_or_plan(NULL, &plan, opt, out, err);
}
