/* P10: A11 in pure DP when the axes of the view are random. What the view knows
 * of a centre is a few random coordinates: the sums in full space are taken
 * about that, or about zero where the rows are short in L1, and what the view
 * does not know is believed coordinate by coordinate. First a wider view makes
 * the labels better. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { WIDE_STEPS = 2, WIDE_MOST = 128 };
enum { GROUPS_EACH = 4, MERGE_REPEATS = 8, MERGE_STARTS = 4 };
static const double zoom_below = .35;
static const double wide_part = .15;  /* of the share of A11 */
static const double wide_noise = .15; /* axes x noise that a step may have */
static const double wide_worth = 1.5; /* times the axes before */

/* What is known of some clusters before the sums in full space. */
typedef struct {
    const kith_i_centers *lattice; /* in the view: labels */
    const double *centers;         /* likewise: where sums are taken from */
    double within; /* of the variance in the view, the part inside clusters */
    auto_sizes sizes;
} blind_known;

/* How many clusters leave a first estimate good enough for a second. */
static double zooms_up_to(const auto_run *run, double share)
{
    double d = run->d,
           first = AUTO_ZOOM_FIRST * share * (1 - AUTO_BLIND_COUNTS);
    return zoom_below * run->n_hat /
           (sqrt(d) * kith_i_auto_sum_sd(run, first, d));
}

int kith_i_auto_zooms(const auto_run *run, double k, double share)
{
    return k < zooms_up_to(run, share);
}

/* Random axes see a part of every distance, so the best k clusters in them may
 * be poor ones in full space. Where noise is small enough for it, the first
 * estimate is of more groups, which are merged to k there (free). */
static uint32_t first_groups(const auto_run *run, const auto_shares *shares,
                             const auto_coreset *coreset)
{
    double k = run->k,
           most = floor(zooms_up_to(run, (1 - wide_part) * shares->rec));
    most = fmin(most, GROUPS_EACH * k);
    if (run->plan <= 0)
        most = fmin(most, coreset->n);
    return most >= 2 * k ? (uint32_t)most : run->k;
}

/* k centres (full, in place) of as many groups as were found. */
static kith_status merge_groups(auto_run *run, const auto_step *found,
                                double *full, kith_error *err)
{
    size_t n = found->k, d = run->d;
    auto_coreset groups;
    kith_status status =
        kith_i_auto_coreset_new(&groups, found->k, run->d, err);
    if (status)
        return status;
    memcpy(groups.points, full, n * d * sizeof *full);
    for (size_t j = 0; j < n; j++)
        groups.weight[j] = fmax(found->size[j], 1);
    status = kith_i_auto_solve(run, &groups, run->k, MERGE_REPEATS,
                               MERGE_STARTS, 1, full, err);
    kith_i_auto_coreset_free(&groups);
    return status;
}

/* Mean of all clusters about the origin (d values), shortened to the part that
 * is not noise (James-Stein). */
static void find_mean(const auto_step *found, double kept, double total,
                      uint32_t d, double *mean)
{
    double square = 0, noise = 0;
    memset(mean, 0, d * sizeof *mean);
    for (uint32_t j = 0; j < found->k; j++) {
        double w = fmax(found->size[j], 1) / total;
        noise += d * pow(w * found->noise[j], 2);
        for (uint32_t i = 0; i < d; i++)
            mean[i] += w * found->move[(size_t)j * d + i] / kept;
    }
    for (uint32_t i = 0; i < d; i++)
        square += mean[i] * mean[i];
    double keep = square > noise ? 1 - noise / square : 0;
    for (uint32_t i = 0; i < d; i++)
        mean[i] *= keep;
}

/* Means about a public origin, and empirical Bayes for each coordinate towards
 * the mean of all: its variance over the clusters, without the noise's, says
 * how much of a difference to believe. */
static void believe(const double *base, const auto_plain *plan, uint32_t d,
                    auto_step *found, double *full)
{
    uint32_t k = found->k;
    double total = 0, *means = full + (size_t)(k - 1) * d; /* last to be made */
    for (uint32_t j = 0; j < k; j++) {
        total += fmax(found->size[j], 1);
        found->noise[j] /= plan->kept;
    }
    find_mean(found, plan->kept, total, d, means);
    for (uint32_t i = 0; i < d; i++) {
        double mean = means[i], about = 0, signal = 0;
        for (uint32_t j = 0; j < k; j++)
            about += fmax(found->size[j], 1) / total *
                     found->move[(size_t)j * d + i] / plan->kept;
        for (uint32_t j = 0; j < k; j++) {
            double w = fmax(found->size[j], 1) / total, s = found->noise[j];
            double g = found->move[(size_t)j * d + i] / plan->kept - about;
            signal += w * (g * g - (1 - w) * s * s);
        }
        signal = fmax(signal, 0);
        for (uint32_t j = 0; j < k; j++) {
            double g = found->move[(size_t)j * d + i] / plan->kept - about;
            double s = found->noise[j] * found->noise[j];
            full[(size_t)j * d + i] =
                base[i] + mean + g * signal / fmax(signal + s, 1e-300);
        }
    }
}

/* Moves from the centres of the view. Inside its axes they are corrections,
 * shrunk as such; the rest is all that is known of the other directions. */
static kith_status believe_parts(const auto_space *space, const double *centers,
                                 const auto_plain *plan, auto_step *found,
                                 double *full, kith_error *err)
{
    uint32_t k = found->k, q = space->q, d = found->width;
    double *inside = kith_i_alloc((size_t)k * q, sizeof *inside);
    double *factor = kith_i_alloc(k, sizeof *factor);
    if (inside && factor) {
        kith_i_auto_take_apart(space, found, inside);
        kith_i_auto_shrink(inside, q, q, k, found->noise, q, factor);
        for (uint32_t j = 0; j < k; j++)
            found->noise[j] *= sqrt(1 - (double)q / d);
        believe(space->mean, plan, d, found, full);
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t a = 0; a < q; a++) {
                size_t at = (size_t)j * q + a;
                double in = centers[at] / space->finer +
                            factor[j] * inside[at] / plan->kept;
                for (uint32_t i = 0; i < d; i++)
                    full[(size_t)j * d + i] +=
                        in * space->axes[(size_t)a * d + i];
            }
    }
    int ok = inside && factor;
    kith_i_free(inside);
    kith_i_free(factor);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* Where the sums of k clusters are taken from: zero, or what the view knows of
 * the centres. */
static void set_origins(const auto_space *space, uint32_t k, uint32_t d,
                        const double *centers, int taxicab, double *full)
{
    if (!taxicab) {
        kith_i_auto_lift(space, k, d, centers, full);
        return;
    }
    for (uint32_t j = 0; j < k; j++)
        memcpy(full + (size_t)j * d, space->zero, d * sizeof *full);
}

/* Sizes and sums of k clusters. */
static kith_status plain_step(auto_run *run, const auto_space *space,
                              blind_known *known, const auto_plain *plan,
                              double share, double *full, auto_step *found,
                              kith_error *err)
{
    uint32_t k = known->lattice->k, d = run->d;
    auto_locator l = {.centers = known->lattice,
                      .by = space->view,
                      .cells = k,
                      .width = d,
                      .taxicab = plan->taxicab};
    kith_i_cells cells = {0};
    double *radius = kith_i_alloc(k, sizeof *radius);
    double *used = kith_i_alloc(k, sizeof *used);
    found->k = k;
    found->width = d;
    found->move = kith_i_alloc((size_t)k * d, sizeof *found->move);
    found->noise = kith_i_alloc(k, sizeof *found->noise);
    found->size = kith_i_alloc(k, sizeof *found->size);
    kith_status status = KITH_OK;
    if (!radius || !used || !found->move || !found->noise || !found->size)
        status = kith_i_fail_memory(err);
    for (uint32_t j = 0; !status && j < k; j++)
        radius[j] = plan->radius;
    if (!status) {
        set_origins(space, k, d, known->centers, plan->taxicab, full);
        status = kith_i_auto_locator_set(&l, full, err);
    }
    if (!status)
        status = kith_i_auto_locator_label(run, &l, err);
    if (!status)
        status = kith_i_auto_count_sizes(run, &l, "cluster",
                                         share * AUTO_BLIND_COUNTS,
                                         &known->sizes, found, used, err);
    if (!status)
        status =
            kith_i_auto_residuals(run, &l, "cluster", radius,
                                  share * (1 - AUTO_BLIND_COUNTS), &cells, err);
    for (uint32_t j = 0; !status && j < k; j++) {
        found->noise[j] = cells.sum_sd[j] / used[j];
        found->sum_sd = cells.sum_sd[j] / plan->kept; /* all alike */
        for (uint32_t i = 0; i < d; i++)
            found->move[(size_t)j * d + i] =
                (double)cells.sums[(size_t)j * d + i] / used[j];
    }
    if (!status && plan->taxicab)
        believe(space->zero, plan, d, found, full);
    else if (!status)
        status = believe_parts(space, known->centers, plan, found, full, err);
    kith_i_cells_free(&cells);
    kith_i_auto_locator_free(run, &l);
    kith_i_free(radius);
    kith_i_free(used);
    if (status)
        kith_i_auto_step_free(found);
    return status;
}

/* Residuals from a first estimate, labels by it: where clusters are small, so
 * are the residuals. */
static kith_status zoom_step(auto_run *run, const auto_space *space,
                             const auto_shares *shares, uint32_t k,
                             auto_sizes *sizes, double share, double *full,
                             auto_step *found, kith_error *err)
{
    uint32_t d = run->d;
    size_t size = (size_t)k * d;
    auto_shares now = *shares;
    now.counts = AUTO_BLIND_COUNTS;
    kith_i_centers lattice = {.k = k, .d = d};
    lattice.coords = kith_i_alloc(size, sizeof *lattice.coords);
    lattice.squares = kith_i_alloc(k, sizeof *lattice.squares);
    auto_locator l = {.centers = &lattice, .cells = k, .width = d};
    double *scale = kith_i_alloc(k, sizeof *scale);
    double *factor = kith_i_alloc(k, sizeof *factor);
    kith_status status = KITH_OK;
    if (!lattice.coords || !lattice.squares || !scale || !factor)
        status = kith_i_fail_memory(err);
    for (size_t i = 0; !status && i < size; i++)
        full[i] = nearbyint(full[i]); /* residuals are from these */
    if (!status)
        status = kith_i_auto_locator_set(&l, full, err);
    if (!status) {
        kith_i_centers_set(&lattice, full);
        for (uint32_t j = 0; j < k; j++)
            scale[j] = sqrt(space->trace) / space->finer / 2;
        status = kith_i_auto_take_step(run, &l, &now, scale, share, "cluster",
                                       sizes, found, err);
    }
    if (!status) {
        kith_i_auto_shrink(found->move, d, d, k, found->noise, d, factor);
        for (size_t i = 0; i < size; i++)
            full[i] += factor[i / d] * found->move[i];
    }
    kith_i_auto_locator_free(run, &l);
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    kith_i_free(scale);
    kith_i_free(factor);
    return status;
}

/* More random axes, as many as the noise of a step leaves worth having; the
 * centres in them are not known yet. */
static kith_status widen(auto_run *run, const auto_space *space, uint32_t k,
                         uint32_t p, const double *centers, auto_space *wide,
                         double *out, kith_error *err)
{
    uint32_t q = space->q, d = run->d;
    *wide = *space;
    wide->axes = kith_i_alloc((size_t)p * d, sizeof *wide->axes);
    if (!wide->axes)
        return kith_i_fail_memory(err);
    memcpy(wide->axes, space->axes, (size_t)q * d * sizeof *wide->axes);
    kith_i_auto_random_axes(run, wide->axes, q, p);
    wide->q = p;
    wide->narrow = space->view;
    double step = kith_i_domain_step(run->domain);
    kith_status status =
        kith_i_view_open(run->session, wide->axes, p, wide->mean,
                         space->reach / space->finer * step, &wide->view, err);
    if (status) {
        kith_i_free(wide->axes);
        return status;
    }
    wide->finer = step / kith_i_domain_step(kith_i_view_domain(wide->view));
    double ratio = wide->finer / space->finer;
    wide->reach *= ratio;
    wide->trace *= ratio * ratio;
    wide->outside = wide->trace * (1 - (double)p / d);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < q; i++)
            out[(size_t)j * p + i] = centers[(size_t)j * q + i] * ratio;
    return KITH_OK;
}

/* Centres as far as they are believed: those of small clusters are noise, and
 * sums taken from there would be clipped on their way back. */
static void draw_in(const auto_step *found, const double *centers, double *out)
{
    size_t w = found->width;
    double signal = 0, total = 0;
    for (uint32_t j = 0; j < found->k; j++) {
        double square = 0, size = fmax(found->size[j], 1);
        for (size_t i = 0; i < w; i++)
            square += pow(centers[j * w + i], 2);
        signal += size * (square / (double)w - pow(found->noise[j], 2));
        total += size;
    }
    signal = fmax(signal / total, 0);
    for (uint32_t j = 0; j < found->k; j++) {
        double noise = pow(found->noise[j], 2);
        for (size_t i = 0; i < w; i++)
            out[j * w + i] =
                centers[j * w + i] * signal / fmax(signal + noise, 1e-300);
    }
}

/* Steps in the wider view; the first still has the labels of the narrow one.
 * sure: the centres as far as they are believed. */
static kith_status wide_steps(auto_run *run, const auto_space *wide,
                              const auto_shares *shares, uint32_t k,
                              const kith_i_centers *narrow, double share,
                              double *centers, double *sure, kith_error *err)
{
    double *scale = kith_i_alloc(k, sizeof *scale);
    kith_status status = scale ? KITH_OK : kith_i_fail_memory(err);
    auto_shares now = *shares;
    auto_step found = {0};
    for (uint32_t j = 0; !status && j < k; j++)
        scale[j] = sqrt(wide->trace * wide->q / run->d);
    for (uint32_t t = 0; !status && t < WIDE_STEPS; t++) {
        kith_i_auto_step_free(&found);
        status =
            kith_i_auto_step_in_view(run, wide, &now, k, t ? NULL : narrow,
                                     scale, share / WIDE_STEPS - now.hist,
                                     "cluster", NULL, centers, &found, err);
        now.hist = 0; /* the radius serves both */
    }
    if (!status)
        draw_in(&found, centers, sure);
    kith_i_auto_step_free(&found);
    kith_i_free(scale);
    return status;
}

/* Lengths about the centres that the view knows, from those about the mean:
 * random axes see the same part of any length. */
static auto_hist shorten(const auto_space *space, uint32_t d, double within)
{
    auto_hist hist = space->norms;
    double less = sqrt(1 - (1 - within) * space->q / d);
    for (uint32_t b = 0; b < hist.bins; b++) {
        hist.up[b] *= less;
        hist.mid[b] *= less;
    }
    return hist;
}

/* Sums in full space, labels by centres in the view; if these are more than k,
 * merged. */
static kith_status recover_from(auto_run *run, const auto_space *space,
                                const auto_shares *shares, blind_known *known,
                                double share, double *full, auto_step *found,
                                kith_error *err)
{
    uint32_t n = known->lattice->k, k = n < run->k ? n : run->k;
    double trace = space->trace / pow(space->finer, 2);
    int zoom = kith_i_auto_zooms(run, n, share);
    double first = zoom ? AUTO_ZOOM_FIRST * share : share + shares->hist;
    auto_hist lengths = shorten(space, run->d, known->within);
    auto_plain plan = kith_i_auto_plan_plain(run, space, &lengths, trace, n,
                                             first * (1 - AUTO_BLIND_COUNTS));
    kith_status status =
        plain_step(run, space, known, &plan, first, full, found, err);
    if (!status && n > k) {
        status = merge_groups(run, found, full, err);
        for (uint32_t j = 0; j < k; j++)
            known->sizes.variance[j] = HUGE_VAL; /* others than those */
    }
    if (status || !zoom)
        return status;
    kith_i_auto_step_free(found);
    return zoom_step(run, space, shares, k, &known->sizes, share - first, full,
                     found, err);
}

static kith_status recover_blind(auto_run *run, const auto_space *space,
                                 const auto_shares *shares, uint32_t k,
                                 const double *centers, blind_known *known,
                                 double *full, auto_step *found,
                                 kith_error *err)
{
    double part = wide_part * shares->rec;
    double carry =
        wide_noise * part / WIDE_STEPS * run->budget * run->n_hat / k;
    uint32_t q = space->q, p = q;
    if (carry >= wide_worth * q)
        p = (uint32_t)fmin(fmin(run->d, WIDE_MOST), floor(carry));
    kith_i_centers lattice = {.k = k, .d = q};
    lattice.coords = kith_i_alloc((size_t)k * p, sizeof *lattice.coords);
    lattice.squares = kith_i_alloc(k, sizeof *lattice.squares);
    double *better = kith_i_alloc(2 * (size_t)k * p, sizeof *better);
    double *sure = better ? better + (size_t)k * p : NULL;
    kith_status status = KITH_OK;
    if (!lattice.coords || !lattice.squares || !better)
        status = kith_i_fail_memory(err);
    if (!status)
        kith_i_centers_set(&lattice, centers);
    known->lattice = &lattice;
    known->centers = p > q ? sure : centers;
    if (!status && p > q) {
        auto_space wide;
        status = widen(run, space, k, p, centers, &wide, better, err);
        if (!status) {
            status = wide_steps(run, &wide, shares, k, &lattice, part, better,
                                sure, err);
            lattice.d = p;
            if (!status) {
                kith_i_centers_set(&lattice, better);
                status = recover_from(run, &wide, shares, known,
                                      shares->rec - part, full, found, err);
            }
            kith_i_free(wide.axes);
        }
    } else if (!status) {
        status = recover_from(run, space, shares, known, shares->rec, full,
                              found, err);
    }
    known->lattice = NULL; /* they end here */
    known->centers = NULL;
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    kith_i_free(better);
    return status;
}

/* Centres of the groups in the view, and what is known of their sizes. centers:
 * those of k clusters. */
static kith_status find_groups(auto_run *run, const auto_space *space,
                               const auto_coreset *coreset, uint32_t groups,
                               const double *centers, double *middle,
                               blind_known *known, kith_error *err)
{
    if (groups != run->k) {
        kith_status status =
            kith_i_auto_solve(run, coreset, groups, 3, 4, 1, middle, err);
        if (status)
            return status;
    } else {
        memcpy(middle, centers, (size_t)groups * space->q * sizeof *middle);
    }
    double all = space->trace * space->q / run->d;
    known->within = fmin(
        1, kith_i_auto_weigh(coreset, groups, middle, &known->sizes) / all);
    for (uint32_t j = 0; run->plan > 0 && j < groups; j++)
        known->sizes.variance[j] = HUGE_VAL;
    return KITH_OK;
}

kith_status kith_i_auto_finish_blind(auto_run *run, const auto_space *space,
                                     const auto_shares *shares,
                                     const auto_coreset *coreset,
                                     const double *centers, double *full,
                                     kith_result *result, kith_error *err)
{
    uint32_t k = run->k, d = run->d, groups = k;
    uint32_t first = first_groups(run, shares, coreset);
    double *middle = kith_i_alloc((size_t)first * space->q, sizeof *middle);
    double *means = kith_i_alloc((size_t)first * d, sizeof *means);
    auto_step found = {0};
    blind_known known = {.sizes = {kith_i_alloc(first, sizeof(double)),
                                   kith_i_alloc(first, sizeof(double))}};
    kith_status status =
        middle && means && known.sizes.mean && known.sizes.variance
            ? KITH_OK
            : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_auto_carried(run, space, shares, coreset, middle,
                                     &groups, err);
    if (groups < k)
        first = groups;
    if (!status)
        status = find_groups(run, space, coreset, first, centers, middle,
                             &known, err);
    if (!status)
        status = recover_blind(run, space, shares, first, middle, &known, means,
                               &found, err);
    if (!status && groups < k)
        kith_i_auto_spread_groups(run, space, coreset, groups, middle, means,
                                  centers, full, result->weights);
    for (uint32_t j = 0; !status && groups == k && j < k; j++) {
        result->weights[j] = fmax(found.size[j], 0);
        memcpy(full + (size_t)j * d, means + (size_t)j * d, d * sizeof *full);
    }
    for (uint32_t j = 0; !status && j < k; j++)
        kith_i_domain_clip(run->domain, full + (size_t)j * d);
    if (!status) {
        if (groups < k && run->plan <= 0)
            result->carried = groups;
        /* how many groups a plan would make says nothing of the data's */
        result->noise = kith_i_auto_center_noise(run, found.sum_sd,
                                                 run->plan > 0 ? k : groups) *
                        kith_i_domain_step(run->domain);
        result->rounds = shares->rounds;
        kith_i_result_set_centers(result, run->domain, full);
    }
    kith_i_auto_step_free(&found);
    kith_i_free(known.sizes.mean);
    kith_i_free(known.sizes.variance);
    kith_i_free(middle);
    kith_i_free(means);
    return status;
}
