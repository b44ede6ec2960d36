/* A1 to A3: how many rows, how long they are, and their mean. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { NORM_BINS = 60, TAXICAB_FROM = 17 };
static const double share_count[2] = {.004, .01}; /* Gaussian, pure */
static const double clear = 20, again = 3, closer = 4;
static const double share_far[2] = {.02, .08}, beyond = 1.2, far_sure = 2.5;
static const double share_norm[2] = {.006, .02};
static const double share_taxicab = .012; /* pure only */
static const double share_mean[2] = {.012, .03};
/* Part of the rows' variance that clipping by varying factors may turn into
 * bias: if length and direction were one, all of it. */
static const double coherent = .5;

static kith_status count_once(auto_run *run, double share, double *count,
                              kith_error *err)
{
    kith_i_map map = {0};
    kith_i_cells_spec spec = {.what = "row", .cells = 1};
    kith_i_cells cells;
    kith_status status = auto_charge(run, share, &spec.count_charge, err);
    if (!status)
        status = kith_i_release_cells(run->session, &map, &spec, &cells, err);
    if (status)
        return status;
    *count = run->plan > 0 ? run->plan : (double)cells.counts[0];
    kith_i_cells_free(&cells);
    return auto_tick(run, err);
}

/* A1: the number of rows. Means and thresholds are made of it: if noise is a
 * large part of it, it is counted again with more, and never taken for less
 * than its noise. */
kith_status auto_count_rows(auto_run *run, kith_error *err)
{
    double share = share_count[run->pure], sd = auto_count_sd(run, share);
    double count, more = 0, part = 0;
    kith_status status = count_once(run, share, &count, err);
    if (!status && count < clear * sd) {
        status = count_once(run, again * share, &more, err);
        sd = auto_count_sd(run, again * share);
        part = run->pure ? again * again : again;
    }
    if (status)
        return status;
    count = (count + part * more) / (1 + part);
    run->n_hat = fmax(count, fmax(sd, 1));
    run->n_sd = sd;
    return KITH_OK;
}

/* One cell that all rows fall into, with this origin. */
typedef struct {
    kith_i_centers center;
    double square;
    auto_locator locator;
} whole;

static kith_status whole_set(whole *w, uint32_t d, const double *point,
                             int taxicab, kith_error *err)
{
    memset(w, 0, sizeof *w);
    w->center = (kith_i_centers){.k = 1, .d = d, .squares = &w->square};
    w->center.coords = kith_i_alloc(d, sizeof *w->center.coords);
    w->locator = (auto_locator){
        .centers = &w->center, .cells = 1, .width = d, .taxicab = taxicab};
    if (!w->center.coords)
        return kith_i_fail_memory(err);
    kith_i_centers_set(&w->center, point);
    return auto_locator_set(&w->locator, point, err);
}

static void whole_free(auto_run *run, whole *w)
{
    auto_locator_free(run, &w->locator);
    kith_i_free(w->center.coords);
}

/* Histogram of distances from one point (A2, A4). */
static kith_status norm_histogram(auto_run *run, const double *point,
                                  int taxicab, const char *what, double reach,
                                  double share, auto_hist *out, kith_error *err)
{
    double one = 1;
    whole w;
    kith_status status = whole_set(&w, run->d, point, taxicab, err);
    if (!status)
        status = auto_histogram(run, &w.locator, &one, what, .01 * reach, reach,
                                NORM_BINS, share, out, err);
    whole_free(run, &w);
    return status;
}

/* The caller's zero in steps of the lattice; where it is out of bounds, the
 * nearest point. Returns the largest L1 distance of a row from it. */
static double find_zero(const kith_i_domain *domain, double *zero)
{
    double sum = 0;
    for (uint32_t i = 0; i < domain->dimension; i++) {
        double u = domain->shift ? -domain->shift[i] * domain->stretch[i] : 0;
        double q = ldexp(u - domain->origin[i], domain->scale_log2);
        double low = domain->low_q[i], high = domain->high_q[i];
        zero[i] = nearbyint(fmax(low, fmin(high, q)));
        sum += fmax(high - zero[i], zero[i] - low);
    }
    double l2 = (double)kith_i_domain_l2(domain), square = 0;
    for (uint32_t i = 0; i < domain->dimension; i++)
        square += zero[i] * zero[i];
    return fmin(sum, sqrt(domain->dimension) * (l2 + sqrt(square)));
}

auto_plain auto_plan_plain(const auto_run *run, const auto_space *space,
                           const auto_hist *about, double trace, double k,
                           double share)
{
    double d = run->d, n = run->n_hat;
    auto_plain best = {.cost = HUGE_VAL};
    for (int taxicab = 0; taxicab <= space->taxicab; taxicab++) {
        const auto_hist *hist = taxicab ? &space->taxicabs : about;
        double unit =
            taxicab ? auto_count_sd(run, share) : auto_sum_sd(run, share, d);
        for (uint32_t b = 0; b < hist->bins; b++) {
            auto_plain p = {.taxicab = taxicab, .radius = hist->up[b]};
            double varied = auto_clipping(hist, p.radius, &p.kept);
            p.noise = unit * p.radius / p.kept;
            p.cost = coherent * varied * trace + d * pow(p.noise * k / n, 2);
            if (p.cost < best.cost)
                best = p;
        }
    }
    return best;
}

/* A3, Gaussian: the radius that balances what clipping loses against what noise
 * adds. */
static auto_plain plan_mean(const auto_run *run, const auto_hist *hist,
                            double share)
{
    double d = run->d, unit = auto_sum_sd(run, share, d);
    auto_plain best = {.cost = HUGE_VAL, .kept = 1};
    for (uint32_t b = 0; b < hist->bins; b++) {
        double r = hist->up[b], bias = auto_excess(hist, r);
        double cost = bias * bias + d * r * r * unit * unit;
        if (cost < best.cost) {
            best.cost = cost;
            best.radius = r;
            best.noise = unit * r;
        }
    }
    return best;
}

/* A3: the mean of the rows. Pure: only if its noise is small against the
 * lengths (else the origin, or zero, has to do), and shrunk. */
static kith_status release_mean(auto_run *run, auto_space *space,
                                const auto_hist *hist, kith_error *err)
{
    uint32_t d = run->d;
    double share = share_mean[run->pure], trace = auto_mean_square(hist);
    auto_plain plan = plan_mean(run, hist, share);
    if (space->taxicab) {
        auto_plain other = auto_plan_plain(run, space, hist, trace, 1, share);
        if (other.taxicab)
            plan = other;
    }
    double noise = d * pow(plan.noise / run->n_hat, 2);
    double *mean = space->mean;
    if (plan.taxicab)
        memcpy(mean, space->zero, d * sizeof *mean);
    space->astray = -1;
    if (run->pure && noise > .25 * trace)
        return KITH_OK;
    whole w;
    kith_i_cells cells = {0};
    kith_status status = whole_set(&w, d, mean, plan.taxicab, err);
    if (!status)
        status = auto_residuals(run, &w.locator, "mean", &plan.radius, share,
                                &cells, err);
    whole_free(run, &w);
    if (status)
        return status;
    double norm = 0;
    for (uint32_t i = 0; i < d; i++)
        norm += pow((double)cells.sums[i] / run->n_hat / plan.kept, 2);
    double most = plan.taxicab ? HUGE_VAL : plan.radius;
    double shrink = norm > most * most ? most / sqrt(norm) : 1;
    if (run->pure)
        shrink *= fmax(0, 1 - noise / fmax(norm, 1e-300));
    for (uint32_t i = 0; i < d; i++)
        mean[i] += shrink * (double)cells.sums[i] / run->n_hat / plan.kept;
    kith_i_domain_clip(run->domain, mean);
    for (uint32_t i = 0; i < d; i++)
        mean[i] = nearbyint(mean[i]);
    space->astray = noise;
    kith_i_cells_free(&cells);
    return KITH_OK;
}

kith_status auto_improve_mean(auto_run *run, auto_space *space, double share,
                              double *noise, kith_error *err)
{
    uint32_t d = run->d;
    auto_plain plan = plan_mean(run, &space->norms, share);
    double *mean = space->mean, square = 0;
    whole w;
    kith_i_cells cells = {0};
    kith_status status = whole_set(&w, d, mean, 0, err);
    if (!status)
        status = auto_residuals(run, &w.locator, "mean", &plan.radius, share,
                                &cells, err);
    whole_free(run, &w);
    if (status)
        return status;
    *noise = sqrt(d) * plan.noise / run->n_hat;
    for (uint32_t i = 0; i < d; i++)
        square += pow((double)cells.sums[i] / run->n_hat, 2);
    double keep = fmax(0, 1 - *noise * *noise / fmax(square, 1e-300));
    for (uint32_t i = 0; i < d; i++)
        mean[i] += keep * (double)cells.sums[i] / run->n_hat;
    kith_i_domain_clip(run->domain, mean);
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Fewer rows in one bin would not stand out; and what does is this part of
 * them at least. */
static int is_seen(const auto_run *run, const auto_hist *hist, double part)
{
    return hist->seen && run->n_hat > 6 * hist->sd &&
           hist->total > part * run->n_hat;
}

static const double nearly_all = .9;

double auto_norms_end(const auto_space *space)
{
    double edge = 0;
    for (uint32_t b = 0; b < space->norms.bins; b++)
        edge = space->norms.h[b] > 0 ? space->norms.up[b] : edge;
    return edge;
}

/* Rows beyond all that the histogram of A4 shows: one bin, so that far fewer
 * stand out than in the histogram. */
kith_status auto_any_far(auto_run *run, const auto_space *space, int *out,
                         kith_error *err)
{
    double edge = auto_norms_end(space), share = share_far[run->pure];
    auto_hist two = {0};
    double one = 1;
    whole w;
    kith_status status = whole_set(&w, run->d, space->mean, 0, err);
    if (!status)
        status =
            auto_histogram(run, &w.locator, &one, "rows far away,",
                           beyond * edge, space->reach, 2, share, &two, err);
    whole_free(run, &w);
    if (!status)
        *out = two.raw[1] > far_sure * two.sd;
    return status;
}

/* The bounds are so wide that nearly all rows are in the first bin of A4, whose
 * variance could be anything: look into it, and once more if need be. */
kith_status auto_look_closer(auto_run *run, auto_space *space, kith_error *err)
{
    kith_status status = KITH_OK;
    for (int look = 0; !status && look < 2; look++) {
        const auto_hist *h = &space->norms;
        if (run->plan > 0 || !h->seen || h->h[0] < nearly_all * h->total)
            break;
        auto_hist inside;
        status =
            norm_histogram(run, space->mean, 0, "distances close to the mean,",
                           h->up[0], share_norm[run->pure], &inside, err);
        if (status || !is_seen(run, &inside, .3))
            break;
        inside.seen = 1;
        space->norms = inside;
        space->trace = auto_mean_square(&inside);
    }
    return status;
}

kith_status auto_find_middle(auto_run *run, auto_space *space, kith_error *err)
{
    uint32_t d = run->d;
    double reach = (double)kith_i_domain_l2(run->domain);
    auto_hist hist;
    space->mean = kith_i_alloc(d, sizeof *space->mean);
    space->zero = kith_i_alloc(d, sizeof *space->zero);
    kith_status status =
        space->mean && space->zero ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status =
            norm_histogram(run, space->mean, 0, "distances from the origin,",
                           reach, share_norm[run->pure], &hist, err);
    if (!status && run->pure && d >= TAXICAB_FROM) {
        double most = find_zero(run->domain, space->zero);
        space->taxicab = 1;
        status = norm_histogram(run, space->zero, 1, "L1 lengths,", most,
                                share_taxicab, &space->taxicabs, err);
    }
    if (!status)
        status = release_mean(run, space, &hist, err);
    double square = 0;
    for (uint32_t i = 0; !status && i < d; i++)
        square += space->mean[i] * space->mean[i];
    space->reach = reach + sqrt(square);
    if (!status)
        status = norm_histogram(run, space->mean, 0, "distances from the mean,",
                                space->reach, share_norm[run->pure],
                                &space->norms, err);
    /* nothing is seen: it is worth more */
    if (!status && !is_seen(run, &space->norms, .6) && run->plan <= 0)
        status = norm_histogram(run, space->mean, 0, "distances from the mean,",
                                space->reach, closer * share_norm[run->pure],
                                &space->norms, err);
    if (!status) {
        space->norms.seen = is_seen(run, &space->norms, .3);
        space->trace = auto_mean_square(&space->norms);
    }
    return status;
}
