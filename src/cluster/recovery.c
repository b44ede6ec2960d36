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
 * release is post-processing: means are drawn to the mean of all records,
 * feature by feature, by as much as noise explains their spread (empirical
 * Bayes), steps of a round are shortened to what is not noise, and lost centres
 * get half of the largest cluster. */
#include "balcan_i.h"

#include <math.h>
#include <string.h>

/* Share of a release that goes to the counts (B3 of the specification). */
static const double COUNT_SHARE = 0.15;

typedef struct {
    kith_i_centers points;
    int beside; /* look at the view next to the records */
} nearest_arg;

static void nearest(const void *arg, const kith_i_block *block, double *scratch,
                    uint32_t *cell, int32_t *value)
{
    (void)value;
    const nearest_arg *a = arg;
    kith_i_block low = {.rows = block->rows,
                        .dimension = block->beside_dimension,
                        .dense = block->beside};
    kith_i_assign_block(&a->points, a->beside ? &low : block, scratch, cell,
                        NULL);
}

/* Release sizes and sums of the records nearest to k points, in the view or,
 * without one, in the original space. */
static kith_status release_means(kith_i_recovery *r, const char *what,
                                 const kith_i_view *view, const double *points,
                                 kith_i_loss charge, kith_i_cells *cells,
                                 kith_error *err)
{
    const kith_i_domain *full = kith_i_session_domain(r->session);
    const kith_i_domain *domain = view ? kith_i_view_domain(view) : full;
    uint32_t k = r->k, d = domain->dimension;
    nearest_arg arg = {
        .points = {.k = k, .d = d, .sparse = domain->sparse},
        .beside = view != NULL,
    };
    arg.points.coords = kith_i_alloc((size_t)k * d, sizeof(double));
    arg.points.squares = kith_i_alloc(k, sizeof(double));
    kith_status status = arg.points.coords && arg.points.squares
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status) {
        kith_i_centers_set(&arg.points, points);
        kith_i_map map = {.run = nearest,
                          .arg = &arg,
                          .beside = view,
                          .scratch = kith_i_assign_scratch(
                              KITH_I_BLOCK_ROWS, k, d, domain->sparse)};
        kith_i_loss counts = kith_i_loss_share(charge, COUNT_SHARE);
        kith_i_cells_spec spec = {.what = what,
                                  .cells = k,
                                  .width = full->dimension,
                                  .count_charge = counts,
                                  .sum_charge = charge - counts};
        status = kith_i_release_cells(r->session, &map, &spec, cells, err);
    }
    kith_i_free(arg.points.coords);
    kith_i_free(arg.points.squares);
    return status;
}

/* Expected squared noise on one coordinate of the mean of cluster j. */
static double mean_noise(const kith_i_cells *cells, uint32_t j)
{
    double sd = cells->sum_sd[j] / (double)cells->counts[j];
    return sd * sd;
}

/* Within two standard deviations of nothing. */
static int is_lost(const kith_i_cells *cells, uint32_t j)
{
    double size = (double)cells->counts[j];
    return size < 1 || size < 2 * cells->count_sd;
}

static void note_sizes(kith_i_recovery *r, const kith_i_cells *cells,
                       double rows)
{
    uint32_t d = kith_i_session_domain(r->session)->dimension;
    for (uint32_t j = 0; j < r->k; j++)
        r->weights[j] = fmax((double)cells->counts[j], 0);
    r->noise = cells->sum_sd[0] * sqrt(d) / fmax(rows / r->k, 1);
}

/* Each lost centre goes next to the centre of the cluster that is largest
 * now, in a random (public) direction, to cut it in two. */
static void revive_lost(kith_i_recovery *r, const kith_i_cells *cells,
                        double *sizes)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = domain->dimension, k = r->k;
    double offset = 0.01 * sqrt((double)domain->l2_squared / d);
    for (uint32_t j = 0; j < k; j++)
        sizes[j] = is_lost(cells, j) ? 0 : (double)cells->counts[j];
    for (uint32_t j = 0; j < k; j++) {
        if (sizes[j] > 0)
            continue;
        uint32_t largest = 0;
        for (uint32_t i = 1; i < k; i++)
            largest = sizes[i] > sizes[largest] ? i : largest;
        if (sizes[largest] <= 0)
            return; /* nothing but noise */
        sizes[largest] /= 2;
        sizes[j] = sizes[largest];
        for (uint32_t i = 0; i < d; i++)
            r->centers[(size_t)j * d + i] =
                r->centers[(size_t)largest * d + i] +
                offset * kith_i_coins_normal(r->coins);
        kith_i_domain_clip(domain, r->centers + (size_t)j * d);
    }
}

/* Draw feature i of all means towards their common mean: of the spread of the
 * live means about it, the part that noise explains goes. */
static void settle_feature(kith_i_recovery *r, const kith_i_cells *cells,
                           uint32_t i, uint32_t d)
{
    double total = 0, size = 0, spread = 0, weight = 0;
    for (uint32_t j = 0; j < r->k; j++) {
        total += (double)cells->sums[(size_t)j * d + i];
        size += (double)cells->counts[j];
    }
    double middle = size >= 1 ? total / size : 0;
    for (uint32_t j = 0; j < r->k; j++) {
        if (is_lost(cells, j))
            continue;
        double g = (double)cells->sums[(size_t)j * d + i] /
                       (double)cells->counts[j] -
                   middle;
        double w = (double)cells->counts[j];
        spread += w * (g * g - mean_noise(cells, j));
        weight += w;
    }
    spread = weight > 0 && spread > 0 ? spread / weight : 0;
    for (uint32_t j = 0; j < r->k; j++) {
        double *c = r->centers + (size_t)j * d + i;
        *c = middle;
        if (is_lost(cells, j) || spread == 0)
            continue;
        double g = (double)cells->sums[(size_t)j * d + i] /
                       (double)cells->counts[j] -
                   middle;
        *c += g * spread / (spread + mean_noise(cells, j));
    }
}

kith_status kith_i_recover(kith_i_recovery *r, const kith_i_view *view,
                           const double *points, double rows,
                           kith_i_loss charge, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = domain->dimension;
    double *sizes = kith_i_alloc(r->k, sizeof *sizes);
    if (!sizes)
        return kith_i_fail_memory(err);
    kith_i_cells cells;
    kith_status status = release_means(r, "recovery, cluster", view, points,
                                       charge, &cells, err);
    if (!status) {
        for (uint32_t i = 0; i < d; i++)
            settle_feature(r, &cells, i, d);
        for (uint32_t j = 0; j < r->k; j++)
            kith_i_domain_clip(domain, r->centers + (size_t)j * d);
        note_sizes(r, &cells, rows);
        revive_lost(r, &cells, sizes);
        kith_i_cells_free(&cells);
    }
    kith_i_free(sizes);
    return status;
}

/* Move the centres to the noisy means, each step shortened to the part that is
 * not noise (positive-part James-Stein). Lost clusters stay. */
static void move_centers(kith_i_recovery *r, const kith_i_cells *cells)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = domain->dimension;
    for (uint32_t j = 0; j < r->k; j++) {
        if (is_lost(cells, j))
            continue;
        double size = (double)cells->counts[j], square = 0;
        double *c = r->centers + (size_t)j * d;
        const int64_t *sum = cells->sums + (size_t)j * d;
        for (uint32_t i = 0; i < d; i++) {
            double step = (double)sum[i] / size - c[i];
            square += step * step;
        }
        double noise = d * mean_noise(cells, j);
        double keep = square > noise ? 1 - noise / square : 0;
        for (uint32_t i = 0; i < d; i++)
            c[i] += keep * ((double)sum[i] / size - c[i]);
        kith_i_domain_clip(domain, c);
    }
}

kith_status kith_i_recover_round(kith_i_recovery *r, const char *what,
                                 double rows, int last, kith_i_loss charge,
                                 kith_error *err)
{
    double *sizes = kith_i_alloc(r->k, sizeof *sizes);
    if (!sizes)
        return kith_i_fail_memory(err);
    kith_i_cells cells;
    kith_status status =
        release_means(r, what, NULL, r->centers, charge, &cells, err);
    if (!status) {
        move_centers(r, &cells);
        note_sizes(r, &cells, rows);
        if (!last)
            revive_lost(r, &cells, sizes);
        kith_i_cells_free(&cells);
    }
    kith_i_free(sizes);
    return status;
}
