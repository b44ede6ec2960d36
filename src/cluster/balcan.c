/* Algorithm 4 of Balcan et al. 2017, private clustering, repaired.
 *
 *   n^      <- noisy number of records                           1 %
 *   y       <- G x, G Gaussian p x d, p = ln(n^) / 2             public coins
 *   C       <- candidate(y)                 (candidates.c)      25 %
 *   u_1..k  <- localswap(y, C)              (localswap.c)       25 %
 *   z_1..k  <- means by nearest u           (recovery.c)        20 %
 *   z_1..k  <- paid Lloyd rounds            (recovery.c)        the rest
 *
 * Shares are of mu^2 in Gaussian DP and of epsilon in pure DP. Everything that
 * the paper derives from n uses n^; there is one trial; the prices of all
 * releases are fixed before the first (docs/balcan.md). */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SWAPS = 20, MOST_CLUSTERS = 4096, LEAST_P = 2, MOST_P = 12 };

typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    uint32_t done, steps; /* for progress */
    kith_i_loss left;
    double rows; /* n^ */
    kith_i_coins coins;
    const kith_i_view *view;
    double *points;    /* candidates, count x p */
    uint32_t count, p; /*  */
    uint32_t *chosen;  /* k of them */
} balcan_run;

/* A part of what was there at the start; the last step takes what is left. */
static kith_i_loss take(balcan_run *run, kith_i_loss total, double share)
{
    kith_i_loss charge = kith_i_loss_share(total, share);
    run->left -= charge;
    return charge;
}

static kith_status step_done(balcan_run *run, kith_error *err)
{
    const kith_kmeans_options *opt = run->opt;
    run->done++;
    if (opt->progress && opt->progress(opt->progress_arg, run->done, run->steps))
        return kith_i_fail(err, KITH_ERR_CANCELLED,
                           "stopped: what was spent stays spent");
    return KITH_OK;
}

/* n^ from the gate; in a plan the guess. At least 1. */
static kith_status count_rows(balcan_run *run, uint64_t guess,
                              kith_i_loss charge, kith_error *err)
{
    kith_i_map map = {0};
    kith_i_cells_spec spec = {
        .what = "number of rows,", .cells = 1, .count_charge = charge};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(run->session, &map, &spec, &cells, err);
    if (status)
        return status;
    run->rows = fmax(guess ? (double)guess : (double)cells.counts[0], 1);
    kith_i_cells_free(&cells);
    return step_done(run, err);
}

/* Johnson-Lindenstrauss: G/sqrt(p), here divided by 2 sqrt(d/p) to keep the
 * axes short; the ball shrinks alike, and nothing later depends on the scale.
 * Records of few features are taken as they are. */
static kith_status project(balcan_run *run, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t d = domain->dimension;
    double want = floor(log(run->rows) / 2);
    uint32_t p = (uint32_t)fmin(fmax(want, LEAST_P), MOST_P);
    int whole = d <= p;
    run->p = p = whole ? d : p;
    double *axes = kith_i_alloc((size_t)p * d, sizeof *axes);
    if (!axes)
        return kith_i_fail_memory(err);
    double shrink = whole ? 1 : 0.5 * sqrt((double)p / d);
    for (size_t i = 0; i < (size_t)p * d; i++)
        axes[i] = whole ? i % (d + 1) == 0
                        : kith_i_coins_normal(&run->coins) * shrink / sqrt(p);
    double radius =
        sqrt((double)domain->l2_squared) * kith_i_domain_step(domain);
    kith_status status = kith_i_view_open(run->session, axes, p, NULL,
                                          radius * shrink, &run->view, err);
    kith_i_free(axes);
    return status;
}

static kith_status discrete_clusters(balcan_run *run, kith_i_loss total,
                                     kith_error *err)
{
    uint32_t k = run->opt->clusters;
    kith_status status = kith_i_candidates(
        run->session, run->view, k + 1, take(run, total, 0.25), &run->coins,
        &run->points, &run->count, err);
    if (!status)
        status = step_done(run, err);
    if (status)
        return status;
    kith_i_localswap_spec spec = {.view = run->view,
                                  .candidates = run->points,
                                  .count = run->count,
                                  .k = k,
                                  .rounds = k < MOST_SWAPS ? k : MOST_SWAPS,
                                  .charge = take(run, total, 0.25)};
    status =
        kith_i_localswap(run->session, &spec, &run->coins, run->chosen, err);
    return status ? status : step_done(run, err);
}

static kith_status full_clusters(balcan_run *run, kith_i_loss total,
                                 kith_i_recovery *recovery, double *low,
                                 uint32_t rounds, kith_error *err)
{
    uint32_t k = run->opt->clusters, p = run->p;
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < p; i++)
            low[(size_t)j * p + i] =
                run->points[(size_t)run->chosen[j] * p + i];
    kith_status status =
        kith_i_recover(recovery, run->view, low, run->rows,
                       take(run, total, 0.20), err);
    if (!status)
        status = step_done(run, err);
    for (uint32_t t = 0; !status && t < rounds; t++) {
        char what[64];
        snprintf(what, sizeof what, "round %u of %u, cluster", t + 1, rounds);
        kith_i_loss charge = run->left / (rounds - t);
        run->left -= charge;
        status = kith_i_recover_round(recovery, what, run->rows,
                                      t + 1 == rounds, charge, err);
        if (!status)
            status = step_done(run, err);
    }
    return status;
}

static kith_status run_all(balcan_run *run, uint64_t rows, kith_result *result,
                           kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t k = run->opt->clusters, d = domain->dimension;
    kith_i_loss total = run->left;
    kith_i_recovery recovery = {.session = run->session,
                                .k = k,
                                .coins = &run->coins,
                                .weights = result->weights};
    recovery.centers = kith_i_alloc((size_t)k * d, sizeof(double));
    double *low = kith_i_alloc((size_t)k * MOST_P, sizeof *low);
    run->chosen = kith_i_alloc(k, sizeof *run->chosen);
    kith_status status = recovery.centers && low && run->chosen
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status)
        status = count_rows(run, rows, take(run, total, 0.01), err);
    if (!status)
        status = project(run, err);
    if (!status)
        status = discrete_clusters(run, total, err);
    if (!status)
        status = full_clusters(run, total, &recovery, low, result->rounds, err);
    if (!status) {
        kith_i_result_set_centers(result, domain, recovery.centers);
        result->noise = recovery.noise * kith_i_domain_step(domain);
    }
    kith_i_free(recovery.centers);
    kith_i_free(low);
    kith_i_free(run->chosen);
    kith_i_free(run->points);
    return status;
}

kith_status kith_i_kmeans_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err)
{
    int pure = kith_i_session_measure(session) == KITH_PURE_DP;
    if (opt->clusters > MOST_CLUSTERS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this method weighs every swap of a centre against "
                           "every candidate: at most %d clusters; use lloyd",
                           MOST_CLUSTERS);
    result->rounds = opt->rounds ? opt->rounds : pure ? 1 : 4;
    balcan_run run = {.session = session,
                      .opt = opt,
                      .steps = 4 + result->rounds,
                      .left = kith_i_session_left(session)};
    if (run.left == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the budget of this session is used up");
    kith_i_coins_seed(&run.coins, opt->public_seed, 0);
    return run_all(&run, rows, result, err);
}
