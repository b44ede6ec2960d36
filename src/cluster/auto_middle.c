/* A1 to A3: how many rows, how long they are, and their mean. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { NORM_BINS = 60, TAXICAB_FROM = 17, MOST_TURNS = 3 };
static const double share_count[2] = {.004, .01}; /* Gaussian, pure */
static const double clear = 20, again = 3, closer = 4, sure = 2;
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
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {.what = "row", .cells = 1};
    kith_i_cells cells;
    kith_status status =
        kith_i_auto_charge(run, share, &spec.count_charge, err);
    if (!status)
        status = kith_i_release_cells(run->session, &ask, &spec, &cells, err);
    if (status)
        return status;
    *count = run->plan > 0 ? run->plan : (double)cells.counts[0];
    kith_i_cells_free(&cells);
    return kith_i_auto_tick(run, err);
}

/* Counts, and joins that with what is known by precision. Never taken for less
 * than twice its noise: means are divided by it. */
static kith_status count_more(auto_run *run, double share, kith_error *err)
{
    double count, sd = kith_i_auto_count_sd(run, share);
    kith_status status = count_once(run, share, &count, err);
    if (status)
        return status;
    double part = run->n_sd > 0 ? pow(run->n_sd / sd, 2) : HUGE_VAL;
    if (part < HUGE_VAL) {
        count = (run->n_hat + part * count) / (1 + part);
        sd *= sqrt(part / (1 + part));
    }
    run->n_hat = fmax(count, fmax(sure * sd, 1));
    run->n_sd = sd;
    return KITH_OK;
}

/* A1: the number of rows. Means and thresholds are made of it: if noise is a
 * large part of it, it is counted again with more. */
kith_status kith_i_auto_count_rows(auto_run *run, kith_error *err)
{
    double share = share_count[run->pure];
    kith_status status = count_more(run, share, err);
    if (!status && run->n_hat < clear * run->n_sd)
        status = count_more(run, again * share, err);
    return status;
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
    return kith_i_auto_locator_set(&w->locator, point, err);
}

static void whole_free(auto_run *run, whole *w)
{
    kith_i_auto_locator_free(run, &w->locator);
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
        status = kith_i_auto_histogram(run, &w.locator, &one, what, .01 * reach,
                                       reach, NORM_BINS, share, out, err);
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

auto_plain kith_i_auto_plan_plain(const auto_run *run, const auto_space *space,
                                  const auto_hist *about, double trace,
                                  double k, double share)
{
    double d = run->d, n = run->n_hat;
    auto_plain best = {.cost = HUGE_VAL};
    for (int taxicab = 0; taxicab <= space->taxicab; taxicab++) {
        const auto_hist *hist = taxicab ? &space->taxicabs : about;
        double unit = taxicab ? kith_i_auto_count_sd(run, share)
                              : kith_i_auto_sum_sd(run, share, d);
        for (uint32_t b = 0; b < hist->bins; b++) {
            auto_plain p = {.taxicab = taxicab, .radius = hist->up[b]};
            double varied = kith_i_auto_clipping(hist, p.radius, &p.kept);
            p.noise = unit * p.radius / p.kept;
            p.cost = coherent * varied * trace + d * pow(p.noise * k / n, 2);
            if (p.cost < best.cost)
                best = p;
        }
    }
    return best;
}

/* A3: the radius that balances what clipping loses, if all of it is in one
 * direction, against what noise adds. A histogram that shows nothing stands for
 * all rows. */
static auto_plain plan_mean(const auto_run *run, const auto_hist *hist,
                            double share)
{
    double d = run->d, n = run->n_hat, unit = kith_i_auto_sum_sd(run, share, d);
    double all = hist->seen ? n : hist->total;
    auto_plain best = {.cost = HUGE_VAL, .kept = 1};
    for (uint32_t b = 0; b < hist->bins; b++) {
        double r = hist->up[b], bias = kith_i_auto_excess(hist, r) / all;
        double cost = bias * bias + d * pow(r * unit / n, 2);
        if (cost < best.cost) {
            best.cost = cost;
            best.radius = r;
            best.noise = unit * r;
        }
    }
    return best;
}

/* A3: the mean of the rows, if its noise is small against the lengths (else the
 * origin, or zero, has to do). Gaussian: up to eight times the share, if that
 * makes it so. Pure: shrunk. */
static kith_status release_mean(auto_run *run, auto_space *space,
                                const auto_hist *hist, kith_error *err)
{
    uint32_t d = run->d;
    double share = share_mean[run->pure], trace = kith_i_auto_mean_square(hist);
    auto_plain plan = plan_mean(run, hist, share);
    if (space->taxicab) {
        auto_plain other =
            kith_i_auto_plan_plain(run, space, hist, trace, 1, share);
        if (other.taxicab)
            plan = other;
    }
    double noise = d * pow(plan.noise / run->n_hat, 2);
    if (!run->pure && noise > AUTO_POOR * trace) {
        share *= fmin(8, noise / (AUTO_POOR * trace));
        plan = plan_mean(run, hist, share);
        noise = d * pow(plan.noise / run->n_hat, 2);
    }
    double *mean = space->mean;
    if (plan.taxicab)
        memcpy(mean, space->zero, d * sizeof *mean);
    space->astray = -1;
    if (noise > AUTO_POOR * trace * (1 + 1e-9))
        return KITH_OK;
    whole w;
    kith_i_cells cells = {0};
    kith_status status = whole_set(&w, d, mean, plan.taxicab, err);
    if (!status)
        status = kith_i_auto_residuals(run, &w.locator, "mean", &plan.radius,
                                       share, &cells, err);
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
    space->astray = plan.taxicab ? noise : plan.cost;
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Moves the mean to where a sum about it says. Shortened to what is not noise
 * (James-Stein), and as if it were no longer than the radius, which it cannot
 * be: where noise is far larger, that is all that keeps it within bounds. */
static kith_status move_mean(auto_run *run, auto_space *space,
                             const auto_plain *plan, double share,
                             kith_error *err)
{
    uint32_t d = run->d;
    double *mean = space->mean, square = 0;
    whole w;
    kith_i_cells cells = {0};
    kith_status status = whole_set(&w, d, mean, 0, err);
    if (!status)
        status = kith_i_auto_residuals(run, &w.locator, "mean", &plan->radius,
                                       share, &cells, err);
    whole_free(run, &w);
    if (status)
        return status;
    double noise = d * pow(plan->noise / run->n_hat, 2);
    double most = plan->radius * plan->radius;
    for (uint32_t i = 0; i < d; i++)
        square += pow((double)cells.sums[i] / run->n_hat, 2);
    double keep = fmax(0, 1 - noise / fmax(square, 1e-300));
    keep = fmin(keep, most / (most + noise));
    for (uint32_t i = 0; i < d; i++)
        mean[i] += keep * (double)cells.sums[i] / run->n_hat;
    kith_i_domain_clip(run->domain, mean);
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Noise that is no more than this part of the variance is nothing to care
 * about; rows that noise hides are. */
static const double next_to_nothing = .0003;

kith_status kith_i_auto_final_mean(auto_run *run, auto_space *space,
                                   double *noise, kith_error *err)
{
    double d = run->d, share = 1 - 1e-9 - run->used;
    kith_status status = KITH_OK;
    if (run->n_hat < clear * run->n_sd) { /* divided as lloyd does */
        double part = share / (1 + 2 * sqrt(d));
        status = count_more(run, part, err);
        share -= part;
    }
    if (status)
        return status;
    const auto_hist *hist = &space->norms;
    double unit = kith_i_auto_sum_sd(run, share, d);
    auto_plain plan = plan_mean(run, hist, share);
    for (uint32_t b = 0; b < hist->bins; b++) {
        double r = hist->up[b], lost = d * pow(unit * r / run->n_hat, 2);
        if (r > plan.radius && lost <= next_to_nothing * space->trace) {
            plan.radius = r;
            plan.noise = unit * r;
        }
    }
    *noise = sqrt(d) * plan.noise / run->n_hat;
    return move_mean(run, space, &plan, share, err);
}

/* Fewer rows in one bin would not stand out; and what does is this part of
 * them at least. */
static int is_seen(const auto_run *run, const auto_hist *hist, double part)
{
    return hist->seen && run->n_hat > 6 * hist->sd &&
           hist->total > part * run->n_hat;
}

static const double nearly_all = .9;

double kith_i_auto_norms_end(const auto_space *space)
{
    double edge = 0;
    for (uint32_t b = 0; b < space->norms.bins; b++)
        edge = space->norms.h[b] > 0 ? space->norms.up[b] : edge;
    return edge;
}

/* Rows beyond all that the histogram of A4 shows, and further away than lloyd's
 * noise (else it would not find them either): one bin, so that far fewer stand
 * out than in the histogram. */
kith_status kith_i_auto_any_far(auto_run *run, const auto_space *space,
                                int *out, kith_error *err)
{
    double share = share_far[run->pure],
           edge = beyond * kith_i_auto_norms_end(space);
    edge = fmax(edge, kith_i_auto_lloyd_noise(run, AUTO_LEAST_ROUNDS));
    *out = 0;
    if (!(edge < space->reach))
        return KITH_OK;
    auto_hist two = {0};
    double one = 1;
    whole w;
    kith_status status = whole_set(&w, run->d, space->mean, 0, err);
    if (!status)
        status = kith_i_auto_histogram(run, &w.locator, &one, "rows far away,",
                                       edge, space->reach, 2, share, &two, err);
    whole_free(run, &w);
    if (!status)
        *out = two.raw[1] > far_sure * two.sd;
    return status;
}

/* The first bin of hist, in the finer ones of inside. */
static void refine_first(auto_hist *hist, auto_hist *inside)
{
    for (uint32_t b = 1; b < hist->bins; b++) {
        uint32_t to = inside->bins++;
        inside->up[to] = hist->up[b];
        inside->mid[to] = hist->mid[b];
        inside->h[to] = hist->h[b];
        inside->raw[to] = hist->raw[b];
        inside->total += hist->h[b];
    }
    inside->seen = 1;
    *hist = *inside;
}

/* The bounds are so wide that nearly all rows are in the first bin of A4, whose
 * variance could be anything: look into it, and once more if need be. */
static kith_status look_closer(auto_run *run, auto_space *space,
                               kith_error *err)
{
    kith_status status = KITH_OK;
    for (int look = 0; !status && look < 2; look++) {
        auto_hist *h = &space->norms, inside;
        if (run->plan > 0 || !h->seen || h->h[0] < nearly_all * h->total)
            break;
        status =
            norm_histogram(run, space->mean, 0, "distances close to the mean,",
                           h->up[0], share_norm[run->pure], &inside, err);
        if (status || !is_seen(run, &inside, .3))
            break;
        refine_first(h, &inside);
    }
    return status;
}

/* A4. */
static kith_status measure_norms(auto_run *run, auto_space *space,
                                 kith_error *err)
{
    double square = 0;
    for (uint32_t i = 0; i < run->d; i++)
        square += space->mean[i] * space->mean[i];
    space->reach = (double)kith_i_domain_l2(run->domain) + sqrt(square);
    kith_status status =
        norm_histogram(run, space->mean, 0, "distances from the mean,",
                       space->reach, share_norm[run->pure], &space->norms, err);
    /* nothing is seen: it is worth more */
    if (!status && !is_seen(run, &space->norms, .6) && run->plan <= 0)
        status = norm_histogram(run, space->mean, 0, "distances from the mean,",
                                space->reach, closer * share_norm[run->pure],
                                &space->norms, err);
    if (!status) {
        space->norms.seen = is_seen(run, &space->norms, .3);
        status = look_closer(run, space, err);
    }
    space->trace = kith_i_auto_mean_square(&space->norms);
    return status;
}

/* Bounds so wide that the mean is off by as much as the rows are apart: what A4
 * shows makes a radius for a better one, as long as that halves the error. */
kith_status kith_i_auto_approach_mean(auto_run *run, auto_space *space,
                                      kith_error *err)
{
    kith_status status = KITH_OK;
    for (int turn = 0; !status && turn < MOST_TURNS; turn++) {
        double share = share_mean[run->pure];
        if (run->plan > 0 || !space->norms.seen ||
            space->astray <= AUTO_POOR * space->trace)
            break;
        auto_plain plan = plan_mean(run, &space->norms, share);
        if (plan.cost > space->astray / 2)
            break;
        status = move_mean(run, space, &plan, share, err);
        for (uint32_t i = 0; i < run->d; i++)
            space->mean[i] = nearbyint(space->mean[i]);
        space->astray = plan.cost;
        if (!status)
            status = measure_norms(run, space, err);
    }
    return status;
}

kith_status kith_i_auto_find_middle(auto_run *run, auto_space *space,
                                    kith_error *err)
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
    if (!status)
        status = measure_norms(run, space, err);
    return status;
}
