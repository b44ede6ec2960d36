/* Private Lloyd iterations (SuLQ k-means: Blum, Dwork, McSherry, Nissim 2005).
 *
 * A fixed number of rounds from a start that does not look at the data. Each
 * round releases, for the current centres, the noisy sizes of the clusters
 * and the noisy sums of their rows about the public origin; the new centre is
 * their ratio. Everything but the two releases is post-processing. */
#include "cluster_i.h"

#include <math.h>
#include <stdio.h>

static void nearest_center(const void *arg, const kith_i_block *block,
                           double *scratch, uint32_t *cell, int32_t *value)
{
    (void)value;
    kith_i_assign_block(arg, block, scratch, cell, NULL);
}

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

/* Move the centres to the noisy means. A cluster whose noisy size is within
 * two standard deviations of nothing stays where it is: its mean would be
 * noise. */
static void move_centers(const kith_i_domain *domain, const kith_i_cells *cells,
                         uint32_t k, double *centers)
{
    uint32_t d = domain->dimension;
    for (uint32_t j = 0; j < k; j++) {
        double size = (double)cells->counts[j];
        if (size < 2 * cells->count_sd || size < 1)
            continue;
        double *c = centers + (size_t)j * d;
        for (uint32_t i = 0; i < d; i++)
            c[i] = (double)cells->sums[(size_t)j * d + i] / size;
        kith_i_domain_clip(domain, c);
    }
}

/* Distance that noise moves a centre of an average cluster. */
static double center_noise(const kith_i_domain *domain,
                           const kith_i_cells *cells, uint32_t k, double rows)
{
    double size = fmax(rows / k, 1);
    return cells->sum_sd[0] * sqrt(domain->dimension) / size *
           kith_i_domain_step(domain);
}

static kith_status run_rounds(kith_session *session,
                              const kith_kmeans_options *opt, uint64_t rows,
                              kith_i_centers *lattice, double *centers,
                              kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t k = opt->clusters, rounds = result->rounds;
    double part = count_share(session);
    kith_i_map map = {.run = nearest_center,
                      .arg = lattice,
                      .scratch = kith_i_assign_scratch(KITH_I_BLOCK_ROWS, k,
                                                       domain->dimension,
                                                       domain->sparse)};
    for (uint32_t t = 0; t < rounds; t++) {
        char what[64];
        snprintf(what, sizeof what, "round %u of %u, cluster", t + 1, rounds);
        kith_i_loss round = kith_i_session_left(session) / (rounds - t);
        kith_i_loss count_charge = kith_i_loss_share(round, part);
        kith_i_cells_spec spec = {.what = what,
                                  .cells = k,
                                  .width = domain->dimension,
                                  .count_charge = count_charge,
                                  .sum_charge = round - count_charge};
        kith_i_cells cells;
        kith_i_centers_set(lattice, centers);
        kith_status status =
            kith_i_release_cells(session, &map, &spec, &cells, err);
        if (status)
            return status;
        move_centers(domain, &cells, k, centers);
        double total = 0;
        for (uint32_t j = 0; j < k; j++) {
            result->weights[j] = fmax((double)cells.counts[j], 0);
            total += result->weights[j];
        }
        result->noise =
            center_noise(domain, &cells, k, rows ? (double)rows : total);
        kith_i_cells_free(&cells);
        if (opt->progress && opt->progress(opt->progress_arg, t + 1, rounds))
            return kith_i_fail(err, KITH_ERR_CANCELLED,
                               "stopped: what was spent stays spent");
    }
    return KITH_OK;
}

kith_status kith_i_kmeans_lloyd(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    size_t size = (size_t)opt->clusters * domain->dimension;
    kith_i_centers lattice = {
        .k = opt->clusters, .d = domain->dimension, .sparse = domain->sparse};
    double *centers = kith_i_alloc(size, sizeof *centers);
    lattice.coords = kith_i_alloc(size, sizeof *lattice.coords);
    lattice.squares = kith_i_alloc(opt->clusters, sizeof *lattice.squares);
    result->rounds = opt->rounds ? opt->rounds : 5;
    kith_status status = KITH_OK;
    if (!centers || !lattice.coords || !lattice.squares)
        status = kith_i_fail_memory(err);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, opt->public_seed, 0);
    if (!status)
        status = kith_i_spread(domain, opt->clusters, &coins, centers, err);
    if (!status)
        status = run_rounds(session, opt, rows, &lattice, centers, result, err);
    if (!status)
        kith_i_result_set_centers(result, domain, centers);
    kith_i_free(centers);
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    return status;
}
