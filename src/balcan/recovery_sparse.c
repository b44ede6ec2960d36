/* Algorithm 5 of Balcan et al. 2017, recovery of sparse centres, repaired.
 *
 *   for each cluster j: n_j <- size + noise
 *       I_j <- m features, one after the other, with weight
 *              exp(e |S_j[r]| / (t m C)), S_j the sum of the records' entries
 *       v_j <- S_j on I_j + noise, 0 elsewhere
 *       z_j <- v_j / n_j
 *
 * Repairs (docs/balcan.md, items 20 to 22): it works on sums and a noisy size,
 * not on a mean and the exact size; choice, values and size each have a share
 * of the charge (the printed one spends up to 1.5 of it); C bounds an entry,
 * the ball's radius a record; records have at most s entries because dataset.c
 * leaves no more; nothing is recentred, so zeros stay zeros. m comes from the
 * noise: at the printed ceil(2s/eta) features, which --as-published takes, the
 * choice is nearly blind. */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "release/release_features.h"

/* Shares of a release's charge; the values get the rest. */
static const double SIZE_SHARE = .05, CHOICE_SHARE = .55;

/* A typical sum of a cluster's telling features, in units of C n_j (measured:
 * docs/central.md). */
static const double TELLING = .25;

uint32_t kith_i_sparse_bound(const kith_i_domain *domain)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < domain->dimension; i++) {
        uint32_t a = (uint32_t)-domain->low_q[i];
        uint32_t b = (uint32_t)domain->high_q[i];
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    /* a record of s equal entries has them at l2 / sqrt(s) */
    double usual =
        2 * sqrt((double)domain->l2_squared / (double)domain->sparsity);
    return usual < most ? (uint32_t)fmax(usual, 1) : most;
}

uint32_t kith_i_sparse_picks(const kith_session *session, kith_i_loss charge,
                             uint32_t k, double rows)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    kith_measure measure = kith_i_session_measure(session);
    int pure = measure == KITH_PURE_DP;
    double twice =
        kith_i_session_privacy(session).neighbors == KITH_REPLACE_ONE ? 2 : 1;
    double loss = kith_i_loss_value(charge, measure);
    double size = rows / k;
    /* scale of the choice in units of C: m / e, or sqrt(m) / (mu / .6267);
     * its logarithm of d multiples must stay below a telling sum */
    double signal = TELLING * size / (twice * log(domain->dimension + 1.0));
    double m = pure ? signal * loss : pow(signal * loss / .6267, 2);
    double most = fmin(4.0 * domain->sparsity, domain->dimension);
    return (uint32_t)fmax(1, fmin(floor(m), most));
}

/* L1 and L2 bound of what a record adds on m of its features. */
static void value_bounds(const kith_i_domain *domain, uint32_t m, double *l1,
                         double *l2)
{
    double s = m < domain->sparsity ? m : domain->sparsity;
    *l2 = (double)kith_i_domain_l2(domain);
    *l1 = fmin((double)domain->l1, ceil(*l2 * sqrt(s)));
}

/* spec: all but the bounds. */
static kith_status release_values(kith_i_recovery *r, const kith_i_ask *ask,
                                  kith_i_cells_spec spec, kith_i_cells *cells,
                                  kith_error *err)
{
    uint32_t m = spec.width;
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint64_t *radius = kith_i_alloc(r->k, sizeof *radius);
    if (!radius)
        return kith_i_fail_memory(err);
    double l1, l2;
    value_bounds(domain, m, &l1, &l2);
    int pure = kith_i_session_measure(r->session) == KITH_PURE_DP;
    int ball = pure && (m + 1) * l2 * l2 < 2 * l1 * l1;
    for (uint32_t j = 0; j < r->k; j++)
        radius[j] = (uint64_t)(pure && !ball ? l1 : l2);
    spec.radius = radius;
    spec.ball = ball;
    kith_status status =
        kith_i_release_cells(r->session, ask, &spec, cells, err);
    kith_i_free(radius);
    return status;
}

/* z_j from the released sums: each entry shortened to what is not noise. */
static void set_center(kith_i_recovery *r, const kith_i_cells *cells,
                       uint32_t j, uint32_t m, const uint32_t *features)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    size_t d = domain->dimension;
    double size = (double)cells->counts[j], sd = cells->sum_sd[j];
    double *center = r->centers + j * d;
    r->weights[j] = fmax(size, 0);
    int lost = size < 1 || size < 2 * cells->count_sd;
    r->variance[j] = lost ? HUGE_VAL : sd / size * (sd / size);
    if (lost)
        return;
    memset(center, 0, d * sizeof *center);
    for (uint32_t t = 0; t < m; t++) {
        double v = (double)cells->sums[(size_t)j * m + t];
        double keep = kith_i_shrink(v * v, sd * sd);
        center[features[(size_t)j * m + t]] = keep * v / size;
    }
    kith_i_domain_clip(domain, center);
}

/* place: nearest to the points. features: room for k x m. */
static kith_status choose_and_sum(kith_i_recovery *r, const char *what,
                                  const kith_i_place *place, uint32_t m,
                                  uint32_t *features, kith_i_loss charge,
                                  kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    kith_i_loss choice = kith_i_loss_share(charge, CHOICE_SHARE);
    kith_i_loss sizes = kith_i_loss_share(charge, SIZE_SHARE);
    kith_i_ask ask = {.place = *place};
    char chosen[96]; /* the receipt's sensitivity is that of all picks */
    snprintf(chosen, sizeof chosen, "%s features, %u picks", what, m);
    kith_i_features_spec spec = {.what = chosen,
                                 .cells = r->k,
                                 .picks = m,
                                 .bound = kith_i_sparse_bound(domain),
                                 .charge = choice};
    kith_status status =
        kith_i_release_features(r->session, &ask, &spec, features, err);
    if (status)
        return status;
    kith_i_cells cells;
    ask.value =
        (kith_i_value){.kind = KITH_I_VALUE_ENTRIES, .features = features};
    kith_i_cells_spec sums = {.what = what,
                              .cells = r->k,
                              .width = m,
                              .count_charge = sizes,
                              .sum_charge = charge - choice - sizes};
    status = release_values(r, &ask, sums, &cells, err);
    if (status)
        return status;
    for (uint32_t j = 0; j < r->k; j++)
        set_center(r, &cells, j, m, features);
    r->noise = cells.sum_sd[0] * sqrt(m) * r->k / r->rows;
    kith_i_cells_free(&cells);
    return KITH_OK;
}

static kith_status revive(kith_i_recovery *r, kith_error *err)
{
    double *alive = kith_i_alloc(r->k, sizeof *alive);
    if (!alive)
        return kith_i_fail_memory(err);
    for (uint32_t j = 0; j < r->k; j++)
        alive[j] = isfinite(r->variance[j]) ? r->weights[j] : 0;
    kith_i_revive_lost(kith_i_session_domain(r->session), r->coins, r->k, alive,
                       r->centers);
    kith_i_free(alive);
    return KITH_OK;
}

kith_status kith_i_recover_sparse(kith_i_recovery *r, const char *what,
                                  const kith_i_view *view, const double *points,
                                  int last, kith_i_loss charge, kith_error *err)
{
    const kith_i_domain *domain =
        view ? kith_i_view_domain(view) : kith_i_session_domain(r->session);
    kith_i_centers near = {
        .k = r->k, .d = domain->dimension, .sparse = domain->sparse};
    uint32_t m = r->picks;
    if (m == 0)
        m = kith_i_sparse_picks(
            r->session, kith_i_loss_share(charge, CHOICE_SHARE), r->k, r->rows);
    size_t size = (size_t)r->k * domain->dimension;
    uint32_t *features = kith_i_alloc((size_t)r->k * m, sizeof *features);
    near.coords = kith_i_alloc(size, sizeof(double));
    near.squares = kith_i_alloc(r->k, sizeof(double));
    kith_status status = features && near.coords && near.squares
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status) {
        kith_i_centers_set(&near, points ? points : r->centers);
        kith_i_place place = {
            .kind = KITH_I_PLACE_NEAREST, .centers = &near, .by = view};
        status = choose_and_sum(r, what, &place, m, features, charge, err);
    }
    if (!status && !last)
        status = revive(r, err);
    kith_i_free(features);
    kith_i_free(near.coords);
    kith_i_free(near.squares);
    return status;
}
