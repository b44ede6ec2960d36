/* How far from their mean rows may lie before they are clipped, for the sums of
 * recovery.c: a choice between noise, which grows with the radius, and the
 * error of clipping, made on a released histogram of distances. */
#include "balcan_i.h"

#include <math.h>

/* 8 octaves below the public bound. */
enum { RADIUS_BINS = 64, BINS_PER_OCTAVE = 8 };

/* Standard deviation of the noise on a coordinate of a sum of rows of length
 * <= 1, for a release of this charge. */
static double unit_noise(const kith_session *session, kith_i_loss charge)
{
    kith_measure measure = kith_i_session_measure(session);
    double twice =
        kith_i_session_privacy(session).neighbors == KITH_REPLACE_ONE ? 2 : 1;
    double sums = 1 - KITH_I_COUNT_PERCENT / 100.0;
    double loss = kith_i_loss_value(kith_i_loss_share(charge, sums), measure);
    return twice * (measure == KITH_PURE_DP ? sqrt(2) : 1) / loss;
}

/* The bin whose edge costs least: squared, a record loses d (noise r k / n)^2
 * to noise and, if it is longer than r, at most (length - r)^2 to clipping. A
 * pure radius is in L1, where lengths of usual rows are about sqrt(d) / 1.5
 * times the L2 ones. The last bin, of rows up to twice the bound away, stands
 * for "no clipping". */
static uint32_t cheapest_bin(const kith_i_recovery *r,
                             const kith_i_cells *cells, const double *edges,
                             double noise)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    uint32_t d = domain->dimension, best = 0;
    int pure = kith_i_session_measure(r->session) == KITH_PURE_DP;
    double scale = pure ? fmin(1.5 / sqrt(d), 1) : 1, least = HUGE_VAL;
    for (uint32_t b = 0; b < RADIUS_BINS; b++) {
        double reach = edges[b], lost = 0;
        if (pure && b + 1 == RADIUS_BINS) /* K-norm noise, if that is less */
            reach = fmin(reach, sqrt((double)domain->l2_squared * (d + 1) / 2));
        double moved = noise * reach * r->k / r->rows;
        for (uint32_t c = b + 1; b + 1 < RADIUS_BINS && c < RADIUS_BINS; c++) {
            double size = (double)cells->counts[c];
            double length = edges[c] * (c + 1 < RADIUS_BINS ? 1 : 2);
            double excess = (length - edges[b]) * scale;
            if (size >= 3 * cells->count_sd)
                lost += size / r->rows * excess * excess;
        }
        lost += d * moved * moved;
        if (lost < least) {
            least = lost;
            best = b;
        }
    }
    return best;
}

/* A plan has no rows to look at. It takes the L1 distances from the mean of
 * usual sets (letter, gas, adult, credit), over the L2 bound. */
static void assume_lengths(const kith_i_recovery *r, const double *edges,
                           kith_i_cells *cells)
{
    static const struct {
        double length, share;
    } usual[] = {{.3, .1},  {.5, .25},  {.7, .3},    {.9, .15},
                 {1.1, .1}, {1.4, .07}, {1.8, .025}, {2.4, .005}};
    double l2 = (double)kith_i_domain_l2(kith_i_session_domain(r->session));
    for (uint32_t b = 0; b < RADIUS_BINS; b++)
        cells->counts[b] = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        uint32_t b = 0;
        while (b + 1 < RADIUS_BINS && edges[b] < usual[i].length * l2)
            b++;
        cells->counts[b] += (int64_t)(usual[i].share * r->rows);
    }
}

kith_status kith_i_recover_radius(kith_i_recovery *r, kith_i_loss charge,
                                  kith_i_loss round_charge, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(r->session);
    int pure = kith_i_session_measure(r->session) == KITH_PURE_DP;
    double bound = pure ? (double)domain->l1 : (double)kith_i_domain_l2(domain);
    double edges[RADIUS_BINS];
    for (int b = 0; b < RADIUS_BINS; b++)
        edges[b] = floor(bound *
                         exp2((double)(b - RADIUS_BINS + 1) / BINS_PER_OCTAVE));
    double limits[RADIUS_BINS - 1];
    for (int b = 0; b < RADIUS_BINS - 1; b++)
        limits[b] = edges[b] * edges[b];
    int32_t *mean = kith_i_alloc(domain->dimension, sizeof *mean);
    if (!mean)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < domain->dimension; i++)
        mean[i] = (int32_t)r->mean[i]; /* a lattice point */
    /* L1 when pure, else L2: an exact integer, against the bins' edges */
    kith_i_distance_bins bins = {.bins = RADIUS_BINS,
                                 .limits = limits,
                                 .origins = mean,
                                 .taxicab = pure};
    kith_i_ask ask = {.place = {.bins = &bins}};
    kith_i_cells_spec spec = {.what = "distances to the mean,",
                              .cells = RADIUS_BINS,
                              .count_charge = charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(r->session, &ask, &spec, &cells, err);
    kith_i_free(mean);
    if (status)
        return status;
    if (r->plan)
        assume_lengths(r, edges, &cells);
    uint32_t bin =
        cheapest_bin(r, &cells, edges, unit_noise(r->session, round_charge));
    kith_i_cells_free(&cells);
    int clip = bin + 1 < RADIUS_BINS && edges[bin] >= 1 && edges[bin] <= 0x1p31;
    r->radius = clip && !(r->plan && !pure) ? (uint64_t)edges[bin] : 0;
    return KITH_OK;
}
