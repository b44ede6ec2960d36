/* SuLQ k-means as printed (Blum, Dwork, McSherry, Nissim 2005, section 4), and
 * as Balcan et al. 2017 ran it: 20 rounds from k points drawn uniformly within
 * the bounds; in a round every cluster is asked d + 1 queries, its size and
 * each coordinate of its sum, with noise for an equal part of the round's
 * budget each; the new centre is the ratio. No merging, no shrinking, no
 * revival: those are lloyd's.
 *
 * Three things had to be settled. Bounds are public, not the rows' own box. A
 * mean of fewer than one row (noisily) is not defined: that centre stays. A
 * mean outside of the bounds is drawn back to them. */
#include "baseline_i.h"

#include <math.h>
#include <stdio.h>

#include "lloyd/lloyd_i.h"

enum { ROUNDS = 20 };

typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    uint32_t rounds, done;
    double seen; /* noisy numbers of rows, summed over the rounds */
    kith_i_centers lattice;
    double *centers; /* lattice units */
} sulq_run;

double kith_i_mean_moved(const kith_i_domain *domain, double sum_sd, uint32_t k,
                         double rows)
{
    return sum_sd * sqrt(domain->dimension) * k / fmax(rows, 1) *
           kith_i_domain_step(domain);
}

static kith_status release_round(sulq_run *run, kith_i_cells *cells,
                                 kith_error *err)
{
    uint32_t k = run->opt->clusters, d = run->domain->dimension;
    char what[64];
    snprintf(what, sizeof what, "round %u of %u, cluster", run->done + 1,
             run->rounds);
    kith_i_centers_set(&run->lattice, run->centers);
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &run->lattice}};
    kith_i_loss left = kith_i_session_left(run->session);
    kith_i_loss round = left / (run->rounds - run->done);
    kith_i_loss count = kith_i_loss_share(round, 1 / (1.0 + d));
    if (count == 0 || count == round)
        return kith_i_fail_budget(left, err);
    kith_i_cells_spec spec = {.what = what,
                              .cells = k,
                              .width = d,
                              .count_charge = count,
                              .sum_charge = round - count};
    return kith_i_release_cells(run->session, &ask, &spec, cells, err);
}

static void move_centers(sulq_run *run, const kith_i_cells *cells)
{
    uint32_t d = run->domain->dimension;
    for (uint32_t j = 0; j < run->opt->clusters; j++) {
        double size = (double)cells->counts[j];
        double *c = run->centers + (size_t)j * d;
        run->seen += size;
        if (size < 1)
            continue;
        for (uint32_t i = 0; i < d; i++)
            c[i] = (double)cells->sums[(size_t)j * d + i] / size;
        kith_i_domain_clip(run->domain, c);
    }
}

static kith_status run_rounds(sulq_run *run, uint64_t rows, kith_result *result,
                              kith_error *err)
{
    const kith_kmeans_options *opt = run->opt;
    uint32_t k = opt->clusters;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, opt->public_seed, 0);
    for (size_t j = 0; j < k; j++)
        kith_i_place_point(run->domain, &coins, 0,
                           run->centers + j * run->domain->dimension);
    kith_status status = KITH_OK;
    while (!status && run->done < run->rounds) {
        kith_i_cells cells;
        status = release_round(run, &cells, err);
        if (status)
            break;
        run->done++;
        move_centers(run, &cells);
        result->rows = rows > 0 ? (double)rows : fmax(run->seen / run->done, 1);
        result->noise =
            kith_i_mean_moved(run->domain, cells.sum_sd[0], k, result->rows);
        for (uint32_t j = 0; j < k; j++)
            result->weights[j] = fmax((double)cells.counts[j], 0);
        kith_i_cells_free(&cells);
        status = kith_i_progress(opt->progress, opt->progress_arg, run->done,
                                 run->rounds, err);
    }
    return status;
}

kith_status kith_i_kmeans_sulq(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t k = opt->clusters;
    size_t size = (size_t)k * domain->dimension;
    result->rounds = opt->rounds ? opt->rounds : ROUNDS;
    sulq_run run = {
        .session = session,
        .opt = opt,
        .domain = domain,
        .rounds = result->rounds,
        .lattice = {.k = k, .d = domain->dimension, .sparse = domain->sparse}};
    run.centers = kith_i_alloc(size, sizeof *run.centers);
    run.lattice.coords = kith_i_alloc(size, sizeof *run.lattice.coords);
    run.lattice.squares = kith_i_alloc(k, sizeof *run.lattice.squares);
    kith_status status = KITH_OK;
    if (!run.centers || !run.lattice.coords || !run.lattice.squares)
        status = kith_i_fail_memory(err);
    if (!status)
        status = run_rounds(&run, rows, result, err);
    if (!status)
        kith_i_result_set_centers(result, domain, run.centers);
    kith_i_free(run.centers);
    kith_i_free(run.lattice.coords);
    kith_i_free(run.lattice.squares);
    return status;
}
