/* Private Lloyd iterations (SuLQ k-means: Blum, Dwork, McSherry, Nissim 2005).
 *
 * A fixed number of rounds (I32) from a start that does not look at the data,
 * or (for auto) only at what was released of it. Each round releases, for the
 * current centres, the noisy sizes of the clusters and the noisy sums of their
 * rows about the public origin; the new centre is their ratio. Everything but
 * these two releases is post-processing, and four free improvements on the
 * classic listing live there: a step is shortened to the part that is not
 * noise; centres that caught no rows are given half of the largest cluster; the
 * first rounds use 4k centres; and those are merged to k by k-means on the
 * released means and sizes. */
#include "lloyd_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first rounds use WIDE * k centres, whose means are then merged. */
enum { WIDE = 4, MERGE_STARTS = 10, MERGE_ROUNDS = 100 };

/* One run of the method: where the centres are now, and what a round needs. */
typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    uint32_t rounds, done;
    double seen, weight; /* noisy numbers of rows, over their variances */
    kith_i_coins coins;
    kith_i_centers lattice; /* room for the widest round */
    double *centers;        /* lattice units; the same room */
    double *sizes;          /* scratch: one per centre */
} lloyd_run;

/* Share of a round that goes to the counts. A centre is S / N: its squared
 * error is d s_S^2 / N^2 from the sum and |S/N|^2 s_N^2 / N^2 from the count.
 * With |S/N| about half the bound, minimising the total over the split of
 * mu^2 (noise ~ 1/share) gives shares in the ratio 1 : 2 sqrt(d). In pure DP
 * the squared noise is ~ 1/share^2 and the L1 bound carries another sqrt(d). */
static double count_share(const kith_session *session)
{
    double d = kith_i_session_domain(session)->dimension;
    double ratio = kith_i_session_measure(session) == KITH_PURE_DP
                       ? cbrt(4 * d * d)
                       : 2 * sqrt(d);
    return 1 / (1 + ratio);
}

/* Expected squared distance that noise moves the mean of a cluster. */
static double mean_noise(const kith_i_cells *cells, uint32_t j, uint32_t d,
                         double size)
{
    double sd = cells->sum_sd[j] / size;
    return d * sd * sd;
}

/* A cluster is lost when its noisy size is within two standard deviations of
 * nothing, or its mean would be moved by noise beyond the bounds. */
static int is_lost(const kith_i_domain *domain, const kith_i_cells *cells,
                   uint32_t j)
{
    double size = (double)cells->counts[j];
    if (size < 1 || size < 2 * cells->count_sd)
        return 1;
    return !domain->sparse && mean_noise(cells, j, domain->dimension, size) >
                                  (double)domain->l2_squared;
}

/* Sparse rows: a mean has few features that matter, and thousands that are
 * only noise. Keep those above the level that the largest of d noises reaches
 * (the universal threshold): centres come out sparse. */
static void keep_features(const int64_t *sum, double size, double sd,
                          uint32_t d, double *center)
{
    double level = sd * sqrt(2 * log(d + 1.0));
    for (uint32_t i = 0; i < d; i++)
        center[i] = fabs((double)sum[i]) > level ? (double)sum[i] / size : 0;
}

/* Move the centres to the noisy means, each step shortened to the part that
 * is not noise (positive-part James-Stein). Lost clusters stay. */
static void move_centers(const kith_i_domain *domain, const kith_i_cells *cells,
                         uint32_t k, double *centers)
{
    uint32_t d = domain->dimension;
    for (uint32_t j = 0; j < k; j++) {
        if (is_lost(domain, cells, j))
            continue;
        double size = (double)cells->counts[j], square = 0;
        double *c = centers + (size_t)j * d;
        const int64_t *sum = cells->sums + (size_t)j * d;
        if (domain->sparse) {
            keep_features(sum, size, cells->sum_sd[j], d, c);
            kith_i_domain_clip(domain, c);
            continue;
        }
        for (uint32_t i = 0; i < d; i++) {
            double step = (double)sum[i] / size - c[i];
            square += step * step;
        }
        double noise = mean_noise(cells, j, d, size);
        double keep = kith_i_shrink(square, noise);
        for (uint32_t i = 0; i < d; i++)
            c[i] += keep * ((double)sum[i] / size - c[i]);
        kith_i_domain_clip(domain, c);
    }
}

static void revive_lost(lloyd_run *run, const kith_i_cells *cells, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        run->sizes[j] =
            is_lost(run->domain, cells, j) ? 0 : (double)cells->counts[j];
    kith_i_revive_lost(run->domain, &run->coins, k, run->sizes, run->centers);
}

/* How many rows there are: each round's sizes add up to it, with their noise
 * (and so with their sign). */
static void count_rows(lloyd_run *run, const kith_i_cells *cells, uint32_t k)
{
    double total = 0, variance = k * cells->count_sd * cells->count_sd;
    for (uint32_t j = 0; j < k; j++)
        total += (double)cells->counts[j];
    run->seen += total / fmax(variance, 1e-300);
    run->weight += 1 / fmax(variance, 1e-300);
}

/* Distance that noise moves a centre of an average cluster. rows: a plan's, or
 * 0; a number that does not stand out of its noise is none. */
static double center_noise(const lloyd_run *run, const kith_i_cells *cells,
                           uint32_t k, double rows)
{
    double n = rows;
    if (!(rows > 0))
        n = run->seen > 2 * sqrt(run->weight) ? run->seen / run->weight : 1;
    return cells->sum_sd[0] * sqrt(run->domain->dimension) * k / fmax(n, 1) *
           kith_i_domain_step(run->domain);
}

/* One round with k centres: release sizes and sums. */
static kith_status release_round(lloyd_run *run, uint32_t k,
                                 kith_i_cells *cells, kith_error *err)
{
    uint32_t d = run->domain->dimension;
    char what[64];
    snprintf(what, sizeof what, "round %u of %u, cluster", run->done + 1,
             run->rounds);
    run->lattice.k = k;
    kith_i_centers_set(&run->lattice, run->centers);
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &run->lattice}};
    kith_i_loss round =
        kith_i_session_left(run->session) / (run->rounds - run->done);
    kith_i_loss count_charge =
        kith_i_loss_share(round, count_share(run->session));
    if (count_charge == 0 || count_charge == round)
        return kith_i_session_left(run->session) == 0
                   ? kith_i_fail_budget(0, err)
                   : kith_i_fail(err, KITH_ERR_BUDGET,
                                 "the budget is too small to be divided among "
                                 "%u rounds: raise epsilon or delta",
                                 run->rounds);
    kith_i_cells_spec spec = {.what = what,
                              .cells = k,
                              .width = d,
                              .count_charge = count_charge,
                              .sum_charge = round - count_charge};
    kith_status status =
        kith_i_release_cells(run->session, &ask, &spec, cells, err);
    if (status)
        return status;
    run->done++;
    status = kith_i_progress(run->opt->progress, run->opt->progress_arg,
                             run->done, run->rounds, err);
    if (status)
        kith_i_cells_free(cells);
    return status;
}

/* Best of several weighted k-means runs over the released means of the wide
 * round: free, since they are released. Fewer live means than k: they are
 * kept, and the rest are lost centres for the next round to revive. */
static kith_status merge_means(lloyd_run *run, const kith_i_cells *cells,
                               uint32_t wide, uint32_t k, kith_error *err)
{
    uint32_t d = run->domain->dimension, n = 0;
    kith_i_pool pool = {0};
    double *points = kith_i_pool_reals(&pool, (size_t)wide * d);
    double *weights = kith_i_pool_reals(&pool, wide);
    double *trial = kith_i_pool_reals(&pool, (size_t)k * d);
    size_t each = kith_i_seed_candidates(k) + 1; /* numbers for a point */
    double *scratch =
        kith_i_pool_reals(&pool, wide * each + (size_t)k * (d + 1));
    uint32_t *labels = kith_i_pool_take(&pool, wide, sizeof *labels);
    kith_status status = pool.failed ? kith_i_fail_memory(err) : KITH_OK;
    for (uint32_t j = 0; !status && j < wide; j++)
        if (!is_lost(run->domain, cells, j)) {
            memcpy(points + (size_t)n * d, run->centers + (size_t)j * d,
                   d * sizeof *points);
            weights[n++] = (double)cells->counts[j];
        }
    kith_i_points live = {points, weights, n, d};
    double best = HUGE_VAL;
    for (int start = 0; !status && n > k && start < MERGE_STARTS; start++) {
        kith_i_seed_points(&live, k, &run->coins, scratch, trial);
        double cost =
            kith_i_lloyd_points(&live, k, MERGE_ROUNDS, scratch, labels, trial);
        if (cost < best) {
            best = cost;
            memcpy(run->centers, trial, (size_t)k * d * sizeof *trial);
        }
    }
    if (!status && n > 0 && n <= k)
        for (uint32_t j = 0; j < k; j++)
            memcpy(run->centers + (size_t)j * d, points + (size_t)(j % n) * d,
                   d * sizeof *points);
    kith_i_pool_drop(&pool, 0);
    return status;
}

/* Wide rounds first, then their means are merged to k centres, then rounds
 * with k centres. */
static kith_status run_rounds(lloyd_run *run, uint64_t rows, uint32_t wide,
                              kith_result *result, kith_error *err)
{
    uint32_t k = run->opt->clusters;
    uint32_t wide_rounds = (3 * run->rounds + 4) / 8; /* 3 of 8, 2 of 5 */
    if (wide_rounds == 0)
        wide = k;
    kith_status status =
        kith_i_spread(run->domain, wide, &run->coins, run->centers, err);
    while (!status && run->done < run->rounds) {
        uint32_t now = run->done < wide_rounds ? wide : k;
        kith_i_cells cells;
        status = release_round(run, now, &cells, err);
        if (status)
            break;
        count_rows(run, &cells, now);
        move_centers(run->domain, &cells, now, run->centers);
        if (run->done == wide_rounds)
            status = merge_means(run, &cells, now, k, err);
        else if (run->done < run->rounds)
            revive_lost(run, &cells, now);
        for (uint32_t j = 0; j < k; j++)
            result->weights[j] = fmax((double)cells.counts[j], 0);
        result->noise = center_noise(run, &cells, k, (double)rows);
        kith_i_cells_free(&cells);
    }
    if (rows > 0)
        result->rows = (double)rows;
    else if (!status)
        result->rows = fmax(run->seen / run->weight, 1);
    return status;
}

static uint32_t default_rounds(const kith_session *session)
{
    /* Measured (bench/RESULTS.md): in pure DP a round costs 1/T of epsilon,
     * in Gaussian DP only 1/sqrt(T) of mu. */
    return kith_i_session_measure(session) == KITH_PURE_DP ? 5 : 8;
}

kith_status kith_i_kmeans_lloyd(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    result->rounds = opt->rounds ? opt->rounds : default_rounds(session);
    uint32_t wide = opt->clusters * WIDE;
    size_t size = (size_t)wide * domain->dimension;
    lloyd_run run = {
        .session = session,
        .opt = opt,
        .domain = domain,
        .rounds = result->rounds,
        .lattice = {.d = domain->dimension, .sparse = domain->sparse}};
    kith_i_coins_seed(&run.coins, opt->public_seed, 0);
    kith_i_pool pool = {0};
    run.sizes = kith_i_pool_reals(&pool, wide);
    run.centers = kith_i_pool_reals(&pool, size);
    run.lattice.coords = kith_i_pool_reals(&pool, size);
    run.lattice.squares = kith_i_pool_reals(&pool, wide);
    kith_status status = pool.failed
                             ? kith_i_fail_memory(err)
                             : run_rounds(&run, rows, wide, result, err);
    if (!status)
        kith_i_result_set_centers(result, domain, run.centers);
    kith_i_pool_drop(&pool, 0);
    return status;
}
