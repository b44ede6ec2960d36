/* Second half of Algorithm 4 of Balcan et al. 2017: centres in the original
 * space for clusters that were found in the projection, then paid Lloyd
 * rounds (the "8 SuLQ iterations" that the paper makes without charging).
 *
 *   S_j <- records whose projection is nearest to u_j       (a public rule)
 *   z_j <- (sum of S_j + noise) / (|S_j| + noise)
 *   rounds of the same with S_j <- records nearest to z_j
 *
 * Repairs (docs/balcan.md): the noise of a sum is made for the norm of the
 * measure (the printed one lacks sqrt(d)); a cluster whose noisy size is
 * within noise of nothing does not become a random vector. What follows a
 * release is post-processing: a mean is weighed with its estimate from the
 * rounds before, all are drawn to the mean of all records, feature by feature,
 * by as much as noise explains their spread (empirical Bayes), and lost centres
 * get half of the largest cluster. */
#include "balcan_i.h"

#include <math.h>
#include <string.h>

/* Release sizes and sums of the records nearest to k points, in the view or,
 * without one, in the original space. The sums are about r->mean if there is a
 * radius. */
static kith_status release_means(kith_i_recovery *r, const char *what,
                                 const kith_i_view *view, const double *points,
                                 kith_i_loss charge, kith_i_cells *cells,
                                 kith_error *err)
{
    const kith_i_domain *full = kith_i_session_domain(r->session);
    const kith_i_domain *domain = view ? kith_i_view_domain(view) : full;
    uint32_t k = r->k, d = domain->dimension;
    kith_i_centers near = {.k = k, .d = d, .sparse = domain->sparse};
    kith_i_pool pool = {0};
    near.coords = kith_i_pool_reals(&pool, (size_t)k * d);
    near.squares = kith_i_pool_reals(&pool, k);
    uint64_t *radius = kith_i_pool_take(&pool, k, sizeof *radius);
    int32_t *mean = kith_i_pool_take(&pool, full->dimension, sizeof *mean);
    kith_status status = pool.failed ? kith_i_fail_memory(err) : KITH_OK;
    if (!status) {
        for (uint32_t j = 0; j < k; j++)
            radius[j] = r->radius;
        for (uint32_t i = 0; i < full->dimension; i++)
            mean[i] = (int32_t)r->mean[i];
        kith_i_centers_set(&near, points);
        kith_i_ask ask = {.place = {.kind = KITH_I_PLACE_NEAREST,
                                    .centers = &near,
                                    .by = view}};
        if (r->radius)
            ask.value =
                (kith_i_value){.kind = KITH_I_VALUE_RESIDUAL, .origins = mean};
        kith_i_loss counts =
            kith_i_loss_share(charge, KITH_I_COUNT_PERCENT / 100.0);
        kith_i_cells_spec spec = {.what = what,
                                  .cells = k,
                                  .width = full->dimension,
                                  .radius = r->radius ? radius : NULL,
                                  .count_charge = counts,
                                  .sum_charge = charge - counts};
        status = kith_i_release_cells(r->session, &ask, &spec, cells, err);
    }
    kith_i_pool_drop(&pool, 0);
    return status;
}

kith_status kith_i_recovery_open(kith_i_recovery *r, kith_session *session,
                                 uint32_t k, kith_i_coins *coins,
                                 double *weights, kith_error *err)
{
    uint32_t d = kith_i_session_domain(session)->dimension;
    *r = (kith_i_recovery){
        .session = session, .k = k, .coins = coins, .weights = weights};
    r->centers = kith_i_alloc((size_t)k * d, sizeof *r->centers);
    r->raw = kith_i_alloc((size_t)k * d, sizeof *r->raw);
    r->variance = kith_i_alloc(k, sizeof *r->variance);
    r->mean = kith_i_alloc(d, sizeof *r->mean);
    for (uint32_t j = 0; r->variance && j < k; j++)
        r->variance[j] = HUGE_VAL; /* nothing is known */
    return r->centers && r->raw && r->variance && r->mean
               ? KITH_OK
               : kith_i_fail_memory(err);
}

void kith_i_recovery_close(kith_i_recovery *r)
{
    kith_i_free(r->centers);
    kith_i_free(r->raw);
    kith_i_free(r->variance);
    kith_i_free(r->mean);
    memset(r, 0, sizeof *r);
}

kith_status kith_i_recover_mean(kith_i_recovery *r, uint64_t rows,
                                kith_i_loss count_charge,
                                kith_i_loss mean_charge, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = mean_charge > 0 ? domain->dimension : 0;
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {.what = "all rows,",
                              .cells = 1,
                              .width = d,
                              .count_charge = count_charge,
                              .sum_charge = mean_charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(r->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    r->plan = rows > 0;
    r->rows = fmax(rows ? (double)rows : (double)cells.counts[0], 1);
    if (d > 0) {
        double sd = cells.sum_sd[0] / r->rows;
        r->mean_variance = sd * sd;
        for (uint32_t i = 0; i < d; i++)
            r->mean[i] = (double)cells.sums[i] / r->rows;
        kith_i_domain_clip(domain, r->mean);
        for (uint32_t i = 0; i < d; i++)
            r->mean[i] = trunc(r->mean[i]);
    }
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Within two standard deviations of nothing. */
static int is_lost(const kith_i_cells *cells, uint32_t j)
{
    double size = (double)cells->counts[j];
    return size < 1 || size < 2 * cells->count_sd;
}

/* What is known about mean j after this release: the older estimate may have
 * moved since (by what its distance to the new one shows beyond noise), and
 * the two are weighed by their precision. fresh: scratch, d. */
static void update_mean(kith_i_recovery *r, const kith_i_cells *cells,
                        uint32_t j, uint32_t d, double *fresh)
{
    double size = (double)cells->counts[j], square = 0;
    double *raw = r->raw + (size_t)j * d, old = r->variance[j];
    double noise = cells->sum_sd[j] / size * (cells->sum_sd[j] / size);
    for (uint32_t i = 0; i < d; i++) {
        fresh[i] = (double)cells->sums[(size_t)j * d + i] / size +
                   (r->radius ? r->mean[i] : 0);
        square += (fresh[i] - raw[i]) * (fresh[i] - raw[i]);
    }
    double keep = 0; /* weight of the older one */
    if (isfinite(old)) {
        old += fmax(square / d - old - noise, 0);
        keep = noise / (noise + old);
    }
    for (uint32_t i = 0; i < d; i++)
        raw[i] = keep * raw[i] + (1 - keep) * fresh[i];
    r->variance[j] = (1 - keep) * noise;
}

/* Feature i of the mean of all records, from the two estimates there are; *out
 * = the spread of the cluster means about it that noise does not explain. */
static double middle_of(const kith_i_recovery *r, uint32_t i, uint32_t d,
                        double *out)
{
    double middle = 0, noise = 0, size = 0, spread = 0;
    for (uint32_t j = 0; j < r->k; j++) {
        if (!isfinite(r->variance[j]))
            continue;
        double w = r->weights[j];
        middle += w * r->raw[(size_t)j * d + i];
        noise += w * w * r->variance[j];
        size += w;
    }
    *out = 0;
    if (size <= 0)
        return r->mean[i];
    noise /= size * size;
    double w = noise / (noise + r->mean_variance);
    middle = w * r->mean[i] + (1 - w) * middle / size;
    for (uint32_t j = 0; j < r->k; j++) {
        double g = r->raw[(size_t)j * d + i] - middle;
        if (isfinite(r->variance[j]))
            spread += r->weights[j] * (g * g - r->variance[j]);
    }
    *out = spread / size;
    return middle;
}

/* Spreads of single features are noisy themselves: draw them to their mean, by
 * as much as noise explains their differences. */
static void settle_spreads(const kith_i_recovery *r, double *spread, uint32_t d)
{
    double mean = 0, square = 0, noise = 0, size = 0;
    for (uint32_t j = 0; j < r->k; j++)
        if (isfinite(r->variance[j])) {
            double w = r->weights[j];
            noise += w * w * 2 * r->variance[j] * r->variance[j];
            size += w;
        }
    for (uint32_t i = 0; i < d; i++)
        mean += spread[i] / d;
    for (uint32_t i = 0; i < d; i++)
        square += (spread[i] - mean) * (spread[i] - mean) / d;
    noise = size > 0 ? noise / (size * size) : 0;
    double keep = kith_i_shrink(square, noise);
    for (uint32_t i = 0; i < d; i++)
        spread[i] = fmax(mean + keep * (spread[i] - mean), 0);
}

/* Centres: the means, drawn to the mean of all records by the part of their
 * spread about it that is noise, feature by feature. spread: scratch, d. */
static void settle_centers(kith_i_recovery *r, double *spread, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++)
        (void)middle_of(r, i, d, &spread[i]);
    settle_spreads(r, spread, d);
    for (uint32_t i = 0; i < d; i++) {
        double unused, middle = middle_of(r, i, d, &unused), s = spread[i];
        for (uint32_t j = 0; j < r->k; j++) {
            double v = r->variance[j];
            double keep = isfinite(v) && s > 0 ? s / (s + v) : 0;
            r->centers[(size_t)j * d + i] =
                middle + keep * (r->raw[(size_t)j * d + i] - middle);
        }
    }
}

kith_status kith_i_recover(kith_i_recovery *r, const char *what,
                           const kith_i_view *view, const double *points,
                           int last, kith_i_loss charge, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = domain->dimension;
    double *sizes = kith_i_alloc(r->k, sizeof *sizes);
    double *spread = kith_i_alloc(d, sizeof *spread);
    kith_i_cells cells;
    kith_status status =
        sizes && spread
            ? release_means(r, what, view, points ? points : r->centers, charge,
                            &cells, err)
            : kith_i_fail_memory(err);
    if (!status) {
        for (uint32_t j = 0; j < r->k; j++) {
            r->weights[j] = fmax((double)cells.counts[j], 0);
            if (is_lost(&cells, j))
                r->variance[j] = HUGE_VAL;
            else
                update_mean(r, &cells, j, d, spread);
        }
        settle_centers(r, spread, d);
        for (uint32_t j = 0; j < r->k; j++)
            kith_i_domain_clip(domain, r->centers + (size_t)j * d);
        r->noise = cells.sum_sd[0] * sqrt(d) * r->k / r->rows;
        for (uint32_t j = 0; j < r->k; j++)
            sizes[j] = isfinite(r->variance[j]) ? r->weights[j] : 0;
        if (!last)
            kith_i_revive_lost(domain, r->coins, r->k, sizes, r->centers);
        kith_i_cells_free(&cells);
    }
    kith_i_free(sizes);
    kith_i_free(spread);
    return status;
}
