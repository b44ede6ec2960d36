/* The constants of Balcan et al. 2017 as printed, and a run with them.
 *
 * Algorithm 4 makes ceil(2 ln 1/f) trials, f the chance that all fail, and
 * gives each candidate() epsilon / (6 trials). Algorithm 2 divides that among
 * T = 27 k ln(n/f) partitions, each at f/T. Algorithm 1 divides again by
 * 2 ln(n) levels: epsilon', and activates a cube of about
 * gamma = 20/epsilon' ln(n T/f) records. Algorithm 3 makes 100 k ln(n/f) swaps.
 * All logarithms are natural.
 *
 * These numbers make the result vacuous: gamma is far above n, no cube becomes
 * active, and the candidates are random points. They can be run all the same,
 * with every repair that privacy needs (docs/central.md), where they can be
 * represented: n is a noisy count; a cube's children are numbered in 64 bits,
 * which p = 8 ln n dimensions exceed from n = 13 on unless the rows have few
 * features themselves; and the work must end. */
#include "balcan_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "release/release_select.h"

static const double FAILURE = 0.1; /* f; not the delta of privacy */
static const double FEWEST = 3;    /* rows for which the formulas make sense */

/* Shares of the budget. The count is our own; the others are as printed: a
 * sixth for the candidates, a sixth for the swaps and a twelfth for the
 * centres of all trials, a sixth for the choice between them. */
static const double COUNT_SHARE = .01;

/* Releases, and distances to be computed: more would take hours. */
enum { MOST_RELEASES = 1 << 14 };
#define MOST_WORK 0x1p36

kith_i_paper_constants kith_i_paper_constants_of(double n, uint32_t k,
                                                 double epsilon)
{
    kith_i_paper_constants c = {.n = n};
    c.trials = ceil(2 * log(1 / FAILURE));
    c.partitions = ceil(27 * k * log(n / FAILURE));
    c.swaps = ceil(100 * k * log(n / FAILURE));
    c.dimension = ceil(8 * log(n));
    c.epsilon = epsilon / (6 * c.trials) / c.partitions / (2 * log(n));
    c.gamma = 20 / c.epsilon * log(n * c.partitions / FAILURE);
    return c;
}

void kith_paper_constants(double rows, uint32_t clusters, double epsilon,
                          kith_paper_numbers *out)
{
    if (!out)
        return;
    kith_i_paper_constants c =
        kith_i_paper_constants_of(fmax(rows, FEWEST), clusters, epsilon);
    *out = (kith_paper_numbers){.trials = c.trials,
                                .partitions = c.partitions,
                                .swaps = c.swaps,
                                .dimension = c.dimension,
                                .level_epsilon = c.epsilon,
                                .cube_rows = c.gamma};
}

/* Levels of a partition: floor(ln n) + 1 passes are made as printed. */
static double levels_of(const kith_i_paper_constants *c)
{
    return floor(log(c->n)) + 1;
}

/* Why these numbers cannot be run; NULL: they can. d: of the records. */
static const char *obstacle(const kith_i_paper_constants *c, double d)
{
    if (fmin(d, c->dimension) > KITH_I_TREE_DIMENSION)
        return "a cube has 2^p children, too many to number";
    if (levels_of(c) > KITH_I_TREE_LEVELS)
        return "cubes are halved more often than the lattice allows";
    double releases = c->partitions * levels_of(c) + c->swaps;
    if (c->trials * releases > MOST_RELEASES ||
        c->trials * c->swaps * c->partitions * c->n > MOST_WORK)
        return "all these passes would take hours";
    return NULL;
}

static kith_status refuse(const kith_i_paper_constants *c, uint32_t k,
                          double epsilon, const char *why, const char *spent,
                          kith_error *err)
{
    return kith_i_fail(
        err, KITH_ERR_PRIVACY,
        "the constants as printed make the result vacuous, %s spent: k = %u, "
        "epsilon = %g,%s n = %.3g: %.0f trials of %.0f partitions and %.0f "
        "swaps, p = %.0f; a cube needs gamma = %.3g rows; %s: leave "
        "--paper-constants out",
        spent, k, epsilon, c->n > FEWEST ? "" : " even for", c->n, c->trials,
        c->partitions, c->swaps, c->dimension, c->gamma, why);
}

/* ---- a run ---- */

typedef struct {
    kith_session *session;
    const kith_kmeans_options *opt;
    kith_i_paper_constants c;
    kith_i_loss total; /* after the count */
    kith_i_coins coins;
    kith_i_recovery recovery;
    const kith_i_view *view;
    double *sets;    /* trials x k x d: the centres of each trial */
    double *weights; /* trials x k */
} paper_run;

/* One centre of a cube, on the lattice of the view, in the ball. */
static kith_status add_center(const kith_i_domain *domain, double **points,
                              uint32_t *count, uint32_t *room,
                              const double *center, kith_error *err)
{
    uint32_t p = domain->dimension;
    if (*count == *room) {
        uint32_t grown = *room ? 2 * *room : 64;
        double *more = kith_i_resize(*points, (size_t)*room * p,
                                     (size_t)grown * p, sizeof **points);
        if (!more)
            return kith_i_fail_memory(err);
        *points = more;
        *room = grown;
    }
    double *to = *points + (size_t)(*count)++ * p;
    memcpy(to, center, p * sizeof *to);
    kith_i_domain_clip(domain, to);
    for (uint32_t i = 0; i < p; i++)
        to[i] = trunc(to[i]);
    return KITH_OK;
}

/* Algorithm 2: the centres of all active cubes, and of the roots. */
static kith_status candidates(paper_run *run, kith_i_loss charge, double **out,
                              uint32_t *count, kith_error *err)
{
    const kith_i_domain *domain = kith_i_view_domain(run->view);
    uint32_t partitions = (uint32_t)run->c.partitions, room = 0;
    kith_status status = KITH_OK;
    *out = NULL;
    *count = 0;
    uint32_t t = 0;
    do { /* at least once */
        double shift[KITH_I_TREE_DIMENSION], center[KITH_I_TREE_DIMENSION];
        for (uint32_t i = 0; i < domain->dimension; i++)
            shift[i] = 2 * kith_i_coins_unit(&run->coins) - 1;
        kith_i_tree tree;
        kith_i_tree_root(&tree, domain, shift);
        kith_i_partition_spec spec = {.what = "partition, as printed",
                                      .view = run->view,
                                      .levels = (uint32_t)levels_of(&run->c),
                                      .threshold =
                                          (int64_t)fmin(run->c.gamma, 0x1p60),
                                      .charge = charge / partitions};
        status = kith_i_partition(run->session, &spec, &tree, err);
        for (uint32_t i = 0; i < domain->dimension; i++)
            center[i] = tree.low[i] + tree.edge / 2.0;
        if (!status)
            status = add_center(domain, out, count, &room, center, err);
        for (uint32_t a = 0; !status && a < tree.depth; a++)
            for (size_t i = 0; !status && i < tree.level[a].count; i++) {
                kith_i_tree_center(&tree, a + 1, i, center);
                status = add_center(domain, out, count, &room, center, err);
            }
        kith_i_tree_free(&tree);
    } while (!status && ++t < partitions);
    return status;
}

static kith_status make_trial(paper_run *run, uint32_t trial, kith_error *err)
{
    uint32_t k = run->opt->clusters,
             p = kith_i_view_domain(run->view)->dimension;
    size_t d = kith_i_session_domain(run->session)->dimension;
    double trials = run->c.trials, *points = NULL;
    uint32_t count = 0, *chosen = kith_i_alloc(k, sizeof *chosen);
    double *low = kith_i_alloc((size_t)k * p, sizeof *low);
    kith_i_loss sixth = kith_i_loss_share(run->total, 1 / (6 * trials));
    kith_status status = chosen && low
                             ? candidates(run, sixth, &points, &count, err)
                             : kith_i_fail_memory(err);
    kith_i_localswap_spec spec = {.view = run->view,
                                  .candidates = points,
                                  .count = count,
                                  .k = k,
                                  .rounds = (uint32_t)run->c.swaps,
                                  .last_draw = 1,
                                  .charge = sixth};
    if (!status)
        status =
            kith_i_localswap(run->session, &spec, &run->coins, chosen, err);
    for (uint32_t j = 0; !status && j < k; j++)
        memcpy(low + (size_t)j * p, points + (size_t)chosen[j] * p,
               p * sizeof *low);
    if (!status)
        status = kith_i_recover(&run->recovery, "recovery, cluster", run->view,
                                low, 1, sixth / 2, err);
    if (!status) {
        memcpy(run->sets + trial * k * d, run->recovery.centers,
               k * d * sizeof *run->sets);
        memcpy(run->weights + trial * k, run->recovery.weights,
               k * sizeof *run->weights);
        for (uint32_t j = 0; j < k; j++)
            run->recovery.variance[j] = HUGE_VAL; /* trials start afresh */
    }
    kith_i_free(points);
    kith_i_free(chosen);
    kith_i_free(low);
    return status;
}

/* The choice between the trials by their loss. */
static kith_status choose_trial(paper_run *run, uint32_t *out, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t trials = (uint32_t)run->c.trials, k = run->opt->clusters;
    uint32_t d = domain->dimension;
    uint64_t bound = 4 * domain->l2_squared;
    kith_i_center_sets sets = {.count = trials};
    while (bound >> sets.shift > INT32_MAX)
        sets.shift++;
    size_t size = (size_t)k * d;
    double *room = kith_i_alloc(trials * (size + k), sizeof *room);
    kith_i_centers *set = kith_i_alloc(trials, sizeof *set);
    sets.set = set;
    kith_status status = room && set ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t t = 0; !status && t < trials; t++) {
        set[t] = (kith_i_centers){.k = k,
                                  .d = d,
                                  .sparse = domain->sparse,
                                  .coords = room + t * (size + k),
                                  .squares = room + t * (size + k) + size};
        kith_i_centers_set(&set[t], run->sets + t * size);
    }
    kith_i_losses losses = {.sets = &sets};
    kith_i_select_spec spec = {
        .what = "choice of a trial",
        .candidates = trials,
        .bound = (uint32_t)(bound >> sets.shift),
        .unit = ldexp(pow(kith_i_domain_step(domain), 2), sets.shift),
        .charge = kith_i_loss_share(run->total, 1 / 6.)};
    if (!status)
        status = kith_i_release_select(run->session, &losses, &spec, out, err);
    kith_i_free(set);
    kith_i_free(room);
    return status;
}

/* The records as they are: only they can be run (obstacle()). */
static kith_status look_at_records(paper_run *run, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    uint32_t d = domain->dimension;
    double axes[KITH_I_TREE_DIMENSION * KITH_I_TREE_DIMENSION] = {0};
    for (uint32_t i = 0; i < d; i++)
        axes[(size_t)i * d + i] = 1;
    double radius =
        sqrt((double)domain->l2_squared) * kith_i_domain_step(domain);
    return kith_i_view_open(run->session, axes, d, NULL, radius, &run->view,
                            err);
}

static kith_status run_trials(paper_run *run, kith_result *result,
                              kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(run->session);
    size_t k = run->opt->clusters, d = domain->dimension;
    uint32_t trials = (uint32_t)run->c.trials, best = 0;
    run->sets = kith_i_alloc(trials * k * d, sizeof *run->sets);
    run->weights = kith_i_alloc(trials * k, sizeof *run->weights);
    kith_status status = run->sets && run->weights ? look_at_records(run, err)
                                                   : kith_i_fail_memory(err);
    const kith_kmeans_options *opt = run->opt;
    for (uint32_t t = 0; !status && t < trials; t++) {
        status = make_trial(run, t, err);
        if (!status)
            status = kith_i_progress(opt->progress, opt->progress_arg, t + 1,
                                     trials, err);
    }
    if (!status)
        status = choose_trial(run, &best, err);
    if (!status) {
        kith_i_result_set_centers(result, domain, run->sets + best * k * d);
        memcpy(result->weights, run->weights + best * k,
               k * sizeof *result->weights);
        result->noise = run->recovery.noise * kith_i_domain_step(domain);
        result->rows = run->recovery.rows;
    }
    kith_i_free(run->sets);
    kith_i_free(run->weights);
    return status;
}

kith_status kith_i_kmeans_paper(kith_session *session,
                                const kith_kmeans_options *opt, uint64_t rows,
                                kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    uint32_t k = opt->clusters;
    double epsilon = kith_i_session_privacy(session).epsilon;
    /* What no n can save is refused before anything is spent. */
    kith_i_paper_constants c =
        kith_i_paper_constants_of(fmax((double)rows, FEWEST), k, epsilon);
    const char *why = domain->dimension > KITH_I_TREE_DIMENSION && rows == 0
                          ? "a cube has 2^p children, too many to number from "
                            "n = 13 on"
                          : obstacle(&c, domain->dimension);
    if (why)
        return refuse(&c, k, epsilon, why, "nothing was", err);
    paper_run run = {.session = session, .opt = opt};
    kith_i_coins_seed(&run.coins, opt->public_seed, 0);
    kith_i_loss left = kith_i_session_left(session);
    kith_i_loss count = kith_i_loss_share(left, COUNT_SHARE);
    if (count == 0)
        return kith_i_fail_budget(left, err);
    run.total = left - count;
    kith_status status = kith_i_recovery_open(&run.recovery, session, k,
                                              &run.coins, result->weights, err);
    if (!status)
        status = kith_i_recover_mean(&run.recovery, rows, count, 0, err);
    if (!status) {
        run.c = kith_i_paper_constants_of(fmax(run.recovery.rows, FEWEST), k,
                                          epsilon * (1 - COUNT_SHARE));
        why = obstacle(&run.c, domain->dimension);
        status = why ? refuse(&run.c, k, epsilon, why, "only a count was", err)
                     : run_trials(&run, result, err);
    }
    kith_i_recovery_close(&run.recovery);
    return status;
}
