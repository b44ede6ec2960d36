/* The default for sparse records: find the few features that matter, then run
 * `auto` on these alone (docs/central.md).
 *
 * A profile of all records, each scaled to the same length, is released once
 * for all features. Those that rise out of its noise are kept; everything after
 * it sees only them, so noise is added to a few hundred numbers a centre and
 * not to all. Centres are zero elsewhere. */
#include "features.h"

#include <math.h>
#include <string.h>

#include "release/release_features.h"

enum { FEW_FEATURES = 64, LEAST_FEATURES = 4, MOST_FEATURES = 512 };

/* Of the budget, for the profile. Measured: docs/central.md. */
static const double GAUSSIAN_SHARE = .06, PURE_SHARE = .2;

/* Rows of the view take at most this many numbers for each entry that a sparse
 * record may have: what is dense stays proportional to what is sparse. Without
 * --sparsity nobody may know how many that are: a usual number stands for it.
 */
enum { DENSE_PER_ENTRY = 4, UNKNOWN_ENTRIES = 32 };

uint32_t kith_i_most_features(const kith_i_domain *domain)
{
    uint64_t entries = domain->sparsity < domain->dimension ? domain->sparsity
                                                            : UNKNOWN_ENTRIES;
    uint64_t most = entries * DENSE_PER_ENTRY;
    most = most < FEW_FEATURES ? FEW_FEATURES : most;
    most = most < MOST_FEATURES ? most : MOST_FEATURES;
    return most < domain->dimension ? (uint32_t)most : domain->dimension;
}

/* |profile| that noise alone is expected to reach in half a feature. */
static double noise_level(const kith_session *session, double sd, double d)
{
    if (kith_i_session_measure(session) == KITH_PURE_DP)
        return sd / sqrt(2) * log(2 * d);
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        if (erfc(x / sqrt(2)) > .5 / d)
            low = x;
        else
            high = x;
    }
    return sd * high;
}

/* Everything here is released: keep the features above the level, the largest
 * if there are too many or too few. Increasing; returns how many. */
static uint32_t keep_features(const int64_t *profile, uint32_t d, double level,
                              uint32_t least, uint32_t most, uint32_t *out)
{
    int64_t low = 0, high = INT64_MAX >> 1; /* least profile that is kept */
    uint32_t above = 0;
    for (uint32_t i = 0; i < d; i++)
        above += fabs((double)profile[i]) > level;
    uint32_t want = above < least ? least : above > most ? most : above;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        uint32_t count = 0;
        for (uint32_t i = 0; i < d; i++)
            count += profile[i] >= middle || profile[i] <= -middle;
        if (count >= want)
            low = middle;
        else
            high = middle - 1;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < d && n < want; i++)
        if (profile[i] >= low || profile[i] <= -low)
            out[n++] = i;
    return n;
}

/* Features of a plan, or of records with few: the first. */
static uint32_t first_features(uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = i;
    return count;
}

static kith_status find_features(kith_session *session, uint64_t rows,
                                 uint32_t *out, uint32_t *count,
                                 kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t d = domain->dimension, most = kith_i_most_features(domain);
    if (d <= FEW_FEATURES) {
        *count = first_features(d, out);
        return KITH_OK;
    }
    int pure = kith_i_session_measure(session) == KITH_PURE_DP;
    kith_i_loss left = kith_i_session_left(session);
    kith_i_loss charge =
        kith_i_loss_share(left, pure ? PURE_SHARE : GAUSSIAN_SHARE);
    if (charge == 0)
        return kith_i_fail_budget(left, err);
    int64_t *profile = kith_i_alloc(d, sizeof *profile);
    if (!profile)
        return kith_i_fail_memory(err);
    double sd = 0;
    kith_status status = kith_i_release_profile(session, "profile of all rows",
                                                charge, profile, &sd, err);
    if (!status)
        *count = rows > 0
                     ? first_features(most, out)
                     : keep_features(profile, d, noise_level(session, sd, d),
                                     LEAST_FEATURES, most, out);
    kith_i_free(profile);
    return status;
}

/* Centres of the view, in its units, to the records' own. */
static void lift_centers(const kith_i_domain *domain, const uint32_t *features,
                         const kith_result *found, double *point,
                         kith_result *result)
{
    for (uint32_t j = 0; j < found->k; j++) {
        memset(point, 0, domain->dimension * sizeof *point);
        for (uint32_t i = 0; i < found->d; i++)
            point[features[i]] = ldexp(found->centers[(size_t)j * found->d + i],
                                       domain->scale_log2);
        kith_i_domain_clip(domain, point);
        kith_i_domain_restore(domain, point,
                              result->centers + (size_t)j * domain->dimension);
        result->weights[j] = found->weights[j];
    }
}

static kith_status run_focused(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               const uint32_t *features, uint32_t count,
                               kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    const kith_i_view *view;
    kith_status status =
        kith_i_view_features(session, features, count, &view, err);
    if (status)
        return status;
    kith_result *found =
        kith_i_result_new(opt->clusters, kith_i_view_domain(view));
    double *point = kith_i_alloc(domain->dimension, sizeof *point);
    status = found && point ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        kith_i_session_focus(session, view);
        status = kith_i_kmeans_auto(session, opt, rows, found, err);
        kith_i_session_focus(session, NULL);
    }
    if (!status) {
        lift_centers(domain, features, found, point, result);
        result->rounds = found->rounds;
        result->noise = found->noise;
        result->rows = found->rows;
        result->rows_sd = found->rows_sd;
        result->room = found->room;
        result->carried = found->carried;
    }
    kith_i_free(point);
    kith_result_free(found);
    return status;
}

kith_status kith_i_kmeans_features(kith_session *session,
                                   const kith_kmeans_options *opt,
                                   uint64_t rows, kith_result *result,
                                   kith_error *err)
{
    uint32_t d = kith_i_session_domain(session)->dimension, count = 0;
    uint32_t *features = kith_i_alloc(d, sizeof *features);
    if (!features)
        return kith_i_fail_memory(err);
    kith_status status = find_features(session, rows, features, &count, err);
    if (!status)
        status = run_focused(session, opt, rows, features, count, result, err);
    kith_i_free(features);
    return status;
}
