/* Algorithm 4 of Balcan et al. 2017, private clustering, repaired.
 *
 *   n^, m   <- noisy number and mean of the records   (recovery.c)
 *   r       <- a radius about m, from a noisy histogram of distances
 *   y       <- G (x - m), G Gaussian p x d, p = ln(n^) / 2    public coins
 *   C       <- candidate(y)                            (candidates.c)
 *   u_1..k  <- localswap(y, C)                         (localswap.c)
 *   z_1..k  <- means of the records by nearest u       (recovery.c)
 *   z_1..k  <- paid Lloyd rounds                       (recovery.c)
 *
 * Shares are of mu^2 in Gaussian DP and of epsilon in pure DP. Everything that
 * the paper derives from n uses n^; there is one trial; what each release costs
 * is fixed before the first (docs/balcan.md). */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Swaps share the budget and are weighed all against all; a cube has 2^p
 * children (docs/balcan.md). */
enum { MOST_SWAPS = 20, MOST_CLUSTERS = 4096, LEAST_P = 2, MOST_P = 12 };
/* Section 7 of the paper: "8 iterations of the SuLQ k-means algorithm", and k
 * partitions. */
enum { PUBLISHED_ROUNDS = 8 };
/* Algorithm 5 chooses 2 s / eta features; eta is left open. */
static const double PRINTED_ETA = .5;

/* Shares of the budget; the Lloyd rounds get what is left. In pure DP a mean
 * of d features is dear and a selection is cheap. */
typedef struct {
    double count, mean, radius, candidates, swaps, recovery;
} shares;
static const shares gaussian_shares = {.01, .02, .01, .25, .25, .15};
static const shares pure_shares = {.01, .10, .01, .20, .20, .20};

typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    uint32_t done, steps; /* for progress */
    shares share;
    kith_i_loss total; /* what there was at the start */
    kith_i_recovery recovery;
    kith_i_coins coins;
    const kith_i_view *view;
    uint32_t p, count;
    double *points;   /* candidates, count x p */
    uint32_t *chosen; /* k of them */
    int sparse;       /* Algorithm 5 recovers the centres */
    int median;       /* swaps by distances, not by their squares */
} balcan_run;

static kith_i_loss part(const balcan_run *run, double share)
{
    return kith_i_loss_share(run->total, share);
}

static kith_status step_done(balcan_run *run, kith_error *err)
{
    return kith_i_progress(run->opt->progress, run->opt->progress_arg,
                           ++run->done, run->steps, err);
}

/* Johnson-Lindenstrauss: G/sqrt(p), here divided by 2 sqrt(d/p) to keep the
 * axes short; the ball shrinks alike, and nothing later depends on the scale.
 * Records of few features are taken as they are. */
static kith_status project(balcan_run *run, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t d = domain->dimension;
    double want = floor(log(run->recovery.rows) / 2);
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
    kith_status status = kith_i_view_open(
        run->session, axes, p, run->sparse ? NULL : run->recovery.mean,
        radius * shrink, &run->view, err);
    kith_i_free(axes);
    return status;
}

/* As printed: as often as it takes to halve a cube n times, or as the lattice
 * allows. */
static uint32_t levels(const balcan_run *run)
{
    double passes = floor(log(run->recovery.rows)) + 1;
    return (uint32_t)fmax(1, fmin(passes, KITH_I_TREE_LEVELS));
}

static kith_status discrete_clusters(balcan_run *run, kith_error *err)
{
    uint32_t k = run->opt->clusters;
    int published = run->opt->as_published;
    kith_status status = kith_i_candidates(
        run->session,
        &(kith_i_candidates_spec){.view = run->view,
                                  .least = k + 1,
                                  .charge = part(run, run->share.candidates),
                                  .partitions = published ? k : 0,
                                  .levels = published ? levels(run) : 0},
        &run->coins, &run->points, &run->count, err);
    if (!status)
        status = step_done(run, err);
    if (status)
        return status;
    kith_i_localswap_spec spec = {.view = run->view,
                                  .candidates = run->points,
                                  .count = run->count,
                                  .k = k,
                                  .rounds = k < MOST_SWAPS ? k : MOST_SWAPS,
                                  .median = run->median,
                                  .last_draw = published,
                                  .charge = part(run, run->share.swaps)};
    status =
        kith_i_localswap(run->session, &spec, &run->coins, run->chosen, err);
    return status ? status : step_done(run, err);
}

static kith_status recover(balcan_run *run, const char *what,
                           const kith_i_view *view, const double *points,
                           int last, kith_i_loss charge, kith_error *err)
{
    return (run->sparse ? kith_i_recover_sparse : kith_i_recover)(
        &run->recovery, what, view, points, last, charge, err);
}

static kith_status full_clusters(balcan_run *run, uint32_t rounds,
                                 kith_error *err)
{
    uint32_t k = run->opt->clusters, p = run->p;
    double *low = kith_i_alloc((size_t)k * p, sizeof *low);
    if (!low)
        return kith_i_fail_memory(err);
    for (uint32_t j = 0; j < k; j++)
        memcpy(low + (size_t)j * p, run->points + (size_t)run->chosen[j] * p,
               p * sizeof *low);
    kith_i_loss charge = rounds ? part(run, run->share.recovery)
                                : kith_i_session_left(run->session);
    kith_status status = recover(run, "recovery, cluster", run->view, low,
                                 rounds == 0, charge, err);
    kith_i_free(low);
    if (!status)
        status = step_done(run, err);
    for (uint32_t t = 0; !status && t < rounds; t++) {
        char what[64];
        snprintf(what, sizeof what, "round %u of %u, cluster", t + 1, rounds);
        charge = kith_i_session_left(run->session) / (rounds - t);
        status = recover(run, what, NULL, NULL, t + 1 == rounds, charge, err);
        if (!status)
            status = step_done(run, err);
    }
    return status;
}

/* Clusters that noise leaves room for. With so many of them rows are clipped,
 * whatever this k did: pure noise of unclipped sums is that of a radius too
 * (cheapest_bin). 0: as everywhere. */
static double room(const balcan_run *run)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    double reach = (double)run->recovery.radius, d = domain->dimension;
    int pure = kith_i_session_measure(run->session) == KITH_PURE_DP;
    if (pure && !run->sparse && reach <= 0)
        reach = fmin((double)domain->l1,
                     sqrt((double)domain->l2_squared * (d + 1) / 2));
    return reach > 0 ? run->opt->clusters * kith_i_calm() * reach /
                           run->recovery.noise
                     : 0;
}

static kith_status run_all(balcan_run *run, uint64_t rows, kith_result *result,
                           kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t k = run->opt->clusters;
    const shares *s = &run->share;
    kith_i_loss round_charge =
        kith_i_loss_share(run->total, (1 - s->count - s->mean - s->radius -
                                       s->candidates - s->swaps - s->recovery) /
                                          fmax(result->rounds, 1));
    run->chosen = kith_i_alloc(k, sizeof *run->chosen);
    kith_status status = kith_i_recovery_open(
        &run->recovery, run->session, k, &run->coins, result->weights, err);
    if (!status && !run->chosen)
        status = kith_i_fail_memory(err);
    if (run->sparse && run->opt->as_published)
        run->recovery.picks = (uint32_t)fmin(
            ceil(2 * domain->sparsity / PRINTED_ETA), domain->dimension);
    if (!status)
        status = kith_i_recover_mean(&run->recovery, rows, part(run, s->count),
                                     run->sparse ? 0 : part(run, s->mean), err);
    if (!status && !run->sparse)
        status = kith_i_recover_radius(&run->recovery, part(run, s->radius),
                                       round_charge, err);
    if (!status)
        status = step_done(run, err);
    if (!status)
        status = project(run, err);
    if (!status)
        status = discrete_clusters(run, err);
    if (!status)
        status = full_clusters(run, result->rounds, err);
    if (!status) {
        kith_i_result_set_centers(result, domain, run->recovery.centers);
        result->noise = run->recovery.noise * kith_i_domain_step(domain);
        result->rows = run->recovery.rows;
        result->room = room(run);
    }
    kith_i_recovery_close(&run->recovery);
    kith_i_free(run->chosen);
    kith_i_free(run->points);
    return status;
}

/* Every charge must be something: a budget that cannot be divided is refused
 * before any of it is spent. */
static kith_status check_budget(const balcan_run *run, kith_error *err)
{
    if (run->total == 0)
        return kith_i_fail_budget(run->total, err);
    double least = 0.1 * 0.15 / run->steps; /* below any single charge */
    if (kith_i_loss_share(run->total, least) == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the budget is too small to be divided: raise "
                           "epsilon or delta, or ask for fewer rounds");
    return KITH_OK;
}

/* Measured (docs/balcan.md): a pure round divides epsilon, which only few
 * features can bear. */
static uint32_t default_rounds(const kith_session *session,
                               const kith_kmeans_options *opt)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    if (opt->as_published)
        return PUBLISHED_ROUNDS;
    if (kith_i_session_measure(session) == KITH_GAUSSIAN_DP)
        return domain->sparse ? 2 : 4;
    return domain->dimension <= 32 && !domain->sparse ? 3 : 1;
}

/* result->rounds is set. */
static kith_status cluster(kith_session *session,
                           const kith_kmeans_options *opt, int median,
                           uint64_t rows, kith_result *result, kith_error *err)
{
    int pure = kith_i_session_measure(session) == KITH_PURE_DP;
    if (opt->clusters > MOST_CLUSTERS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this method weighs every swap of a centre against "
                           "every candidate: at most %d clusters; use lloyd",
                           MOST_CLUSTERS);
    balcan_run run = {.session = session,
                      .opt = opt,
                      .steps = 4 + result->rounds,
                      .share = pure ? pure_shares : gaussian_shares,
                      .total = kith_i_session_left(session),
                      .sparse = kith_i_session_domain(session)->sparse,
                      .median = median};
    kith_i_coins_seed(&run.coins, opt->public_seed, 0);
    kith_status status = check_budget(&run, err);
    return status ? status : run_all(&run, rows, result, err);
}

kith_status kith_i_kmeans_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err)
{
    if (opt->paper_constants)
        return kith_i_kmeans_paper(session, opt, rows, result, err);
    result->rounds = opt->rounds ? opt->rounds : default_rounds(session, opt);
    return cluster(session, opt, 0, rows, result, err);
}

kith_status kith_i_median_balcan(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err)
{
    result->rounds = 0;
    return cluster(session, opt, 1, rows, result, err);
}
