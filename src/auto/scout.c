/* A1 to A4: how many rows, where their mean is, how far from it they are. */
#include "auto/stages.h"

/* A1. Counted again with more where noise is a large part of it, and never
 * taken for less than twice its noise: everything is divided by it. */
static void count_rows(auto_run *run)
{
    const auto_recipe *r = run->recipe;
    double variance = HUGE_VAL;
    auto_place all = {.cells = 1};
    for (int times = 1; times <= 3; times += 2) {
        kith_i_cells cells =
            kith_i_auto_counts(run, &all, "row", times * r->count);
        if (kith_i_auto_failed(run))
            return;
        double count = run->plan > 0 ? run->plan : (double)cells.counts[0];
        kith_i_auto_join(&run->n, &variance, count, pow(cells.count_sd, 2));
        if (run->n >= r->clear * sqrt(variance))
            break;
    }
    run->n_sd = sqrt(variance);
    run->n = fmax(run->n, fmax(r->sure * run->n_sd, 1));
}

/* All rows are in one cell, whose origin is this point. */
static auto_place about(const double *point, uint32_t d, int taxicab)
{
    return (auto_place){
        .cells = 1, .width = d, .taxicab = taxicab, .origin = point};
}

/* Histogram of distances from one point (A2, A4). */
static void measure(auto_run *run, auto_place place, const char *what,
                    double reach, double share, auto_hist *out)
{
    static const double one = 1;
    auto_look look = {.what = what,
                      .scale = &one,
                      .lo = run->recipe->nearest * reach,
                      .hi = reach,
                      .prior = reach,
                      .share = share};
    kith_i_auto_place_open(run, &place, 0);
    kith_i_auto_histogram(run, &place, &look, out);
}

/* The caller's zero in steps of the lattice; where it is out of bounds, the
 * nearest point. Returns the largest L1 distance of a row from it. */
static double find_zero(const kith_i_domain *domain, double *zero)
{
    double sum = 0, square = 0;
    for (uint32_t i = 0; i < domain->dimension; i++) {
        double u = domain->shift ? -domain->shift[i] * domain->stretch[i] : 0;
        double q = ldexp(u - domain->origin[i], domain->scale_log2);
        double low = domain->low_q[i], high = domain->high_q[i];
        zero[i] = nearbyint(fmax(low, fmin(high, q)));
        sum += fmax(high - zero[i], zero[i] - low);
        square += zero[i] * zero[i];
    }
    double l2 = (double)kith_i_domain_l2(domain);
    return fmin(sum, sqrt(domain->dimension) * (l2 + sqrt(square)));
}

auto_clip kith_i_auto_plan_plain(const auto_run *run, const auto_hist *lengths,
                                 double k, double share)
{
    const auto_scout *scout = &run->scout;
    auto_sum sum = {kith_i_auto_sum_sd(run, share, run->d), run->d,
                    lengths->square};
    auto_clip best = kith_i_auto_clip(run, lengths, &sum, run->n / k);
    if (!scout->taxicab)
        return best;
    sum.unit = kith_i_auto_count_sd(run, share);
    auto_clip other = kith_i_auto_clip(run, &scout->taxicabs, &sum, run->n / k);
    other.taxicab = 1;
    return other.cost < best.cost ? other : best;
}

/* A3: the radius that balances what clipping loses, if all of it is in one
 * direction, against what noise adds. A histogram that shows nothing stands for
 * all rows. */
static auto_clip plan_mean(const auto_run *run, const auto_hist *hist,
                           double share)
{
    double d = run->d, n = run->n, unit = kith_i_auto_sum_sd(run, share, d);
    auto_clip best = {.cost = HUGE_VAL, .kept = 1};
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double r = hist->up[b], excess = 0;
        for (uint32_t i = 0; i < AUTO_BINS; i++)
            excess += hist->h[i] * fmax(hist->mid[i] - r, 0);
        double bias = excess / (hist->seen ? n : hist->total);
        double cost = bias * bias + d * pow(r * unit / n, 2);
        if (cost < best.cost)
            best = (auto_clip){r, 1, unit * r, cost, 0};
    }
    return best;
}

/* Moves the mean to where a sum about it (L1: about zero) says. Shortened to
 * what is not noise (James-Stein), and as if it were no longer than the radius,
 * which it cannot be: where noise is far larger, that is all that keeps it
 * within bounds. */
static void move_mean(auto_run *run, const auto_clip *clip, double share)
{
    uint32_t d = run->d;
    double *mean = run->scout.mean, square = 0;
    if (clip->taxicab)
        memcpy(mean, run->scout.zero, d * sizeof *mean);
    auto_place place = about(mean, d, clip->taxicab);
    kith_i_auto_place_open(run, &place, 0);
    kith_i_cells cells =
        kith_i_auto_residuals(run, &place, "mean", &clip->radius, share);
    if (kith_i_auto_failed(run))
        return;
    double noise = d * pow(clip->noise / run->n, 2);
    double most = clip->taxicab ? HUGE_VAL : clip->radius * clip->radius;
    double scale = 1 / (run->n * clip->kept);
    for (uint32_t i = 0; i < d; i++)
        square += pow((double)cells.sums[i] * scale, 2);
    double keep = kith_i_shrink(square, noise);
    keep = fmin(keep, 1 / (1 + noise / most));
    for (uint32_t i = 0; i < d; i++)
        mean[i] += keep * scale * (double)cells.sums[i];
    kith_i_domain_clip(run->domain, mean);
    kith_i_round(mean, d);
    run->scout.astray = clip->taxicab ? noise : clip->cost;
}

/* A4. */
static void measure_norms(auto_run *run)
{
    auto_scout *scout = &run->scout;
    scout->reach = (double)kith_i_domain_l2(run->domain) +
                   sqrt(kith_i_dot(scout->mean, scout->mean, run->d));
    for (int look = 0; look < 2; look++) {
        double times = look ? 4 : 1;
        measure(run, about(scout->mean, run->d, 0), "distances from the mean,",
                scout->reach, times * run->recipe->norms, &scout->norms);
        if (scout->norms.seen || run->plan > 0) /* else it is worth more */
            break;
    }
    scout->trace = scout->norms.square;
}

/* A2 to A4. Where bounds are so wide that the mean is off by as much as the
 * rows are apart, what A4 shows makes a radius for a better one, as long as
 * that halves the error. */
static void find_mean(auto_run *run)
{
    auto_scout *scout = &run->scout;
    const auto_recipe *r = run->recipe;
    auto_hist hist;
    measure(run, about(scout->mean, run->d, 0), "distances from the origin,",
            (double)kith_i_domain_l2(run->domain), r->norms, &hist);
    auto_clip clip = plan_mean(run, &hist, r->mean), other = {0};
    if (r->taxicab > 0 && run->d > r->all_axes) {
        double most = find_zero(run->domain, scout->zero);
        scout->taxicab = 1;
        measure(run, about(scout->zero, run->d, 1), "L1 lengths,", most,
                r->taxicab, &scout->taxicabs);
        other = kith_i_auto_plan_plain(run, &hist, 1, r->mean);
    }
    move_mean(run, other.taxicab ? &other : &clip, r->mean);
    measure_norms(run);
    for (uint32_t turn = 0; turn < r->turns; turn++) {
        clip = plan_mean(run, &scout->norms, r->mean);
        if (run->plan > 0 || !scout->norms.seen ||
            scout->astray <= r->poor * scout->trace ||
            clip.cost > scout->astray / 2)
            break;
        move_mean(run, &clip, r->mean);
        measure_norms(run);
    }
}

void kith_i_auto_scout(auto_run *run)
{
    run->scout.mean = kith_i_pool_reals(&run->pool, run->d);
    run->scout.zero = kith_i_pool_reals(&run->pool, run->d);
    if (kith_i_auto_failed(run))
        return;
    count_rows(run);
    find_mean(run);
}

double kith_i_auto_better_mean(auto_run *run, double share)
{
    const auto_scout *scout = &run->scout;
    auto_clip clip = plan_mean(run, &scout->norms, share);
    double unit = kith_i_auto_sum_sd(run, share, run->d);
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double r = scout->norms.up[b],
               noisy = run->d * pow(unit * r / run->n, 2);
        if (r > clip.radius && noisy <= run->recipe->nothing * scout->trace) {
            clip.radius = r;
            clip.noise = unit * r;
        }
    }
    move_mean(run, &clip, share);
    return run->d * pow(clip.noise / run->n, 2);
}
