/* The number of clusters, chosen inside the budget of one run.
 *
 * A part of the budget buys a summary: the released centres and sizes of a run
 * with several times as many clusters as the largest number in question.
 * Everything after it is free. Each number k of the range is tried on the
 * summary, and the k is taken at which the cost stops falling fast (the largest
 * second difference of its logarithm), among those that noise leaves room for.
 * The rest of the budget pays for the run with that k. The summary is drawn
 * again by the law of its noise: when that often chooses otherwise, the choice
 * is weak, and the k of least cost and noise together is taken. */
#include <math.h>
#include <string.h>

#include "choose_k.h"
#include "kernel/kernel_i.h"

enum {
    FINER = 4,     /* centres of the summary for each of the most clusters */
    STARTS = 6,    /* of a solution of the summary */
    ROUNDS = 60,   /* of a start */
    REDRAWN = 20,  /* summaries with fresh noise */
    AGREEING = 15, /* of them, for a choice that is not weak */
    STREAM = 71,   /* of the public coins */
    MOST_CLUSTERS = 256
};
#define SUMMARY_SHARE .35 /* of the budget */
#define MOST_NOISE    .25 /* of the cost: more clusters are not looked at */

typedef struct {
    kith_i_points points; /* of the summary */
    double *coords, *weights, *fresh;
    double *scratch, *centers, *cost;
    uint32_t *labels;
    double noise; /* of an average centre of the summary, a coordinate's sd */
    uint32_t from, to;
    kith_i_coins coins;
} chooser;

static void close_chooser(chooser *c)
{
    kith_i_free(c->coords);
    kith_i_free(c->weights);
    kith_i_free(c->fresh);
    kith_i_free(c->scratch);
    kith_i_free(c->centers);
    kith_i_free(c->cost);
    kith_i_free(c->labels);
}

/* The summary as points; nobody is in a cell of less than no rows. */
static kith_status open_chooser(chooser *c, const kith_result *summary,
                                const kith_i_domain *domain, kith_error *err)
{
    size_t n = summary->k, d = summary->d, k = (size_t)c->to + 1;
    c->coords = kith_i_alloc(n * d, sizeof *c->coords);
    c->fresh = kith_i_alloc(n * d, sizeof *c->fresh);
    c->weights = kith_i_alloc(n, sizeof *c->weights);
    c->scratch = kith_i_alloc(n * 16 + k * (d + 1), sizeof *c->scratch);
    c->centers = kith_i_alloc(k * d, sizeof *c->centers);
    c->cost = kith_i_alloc(k + 1, sizeof *c->cost);
    c->labels = kith_i_alloc(n, sizeof *c->labels);
    if (!c->coords || !c->fresh || !c->weights || !c->scratch || !c->centers ||
        !c->cost || !c->labels)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < n * d; i++)
        c->coords[i] = summary->centers[i] *
                       (domain->stretch ? domain->stretch[i % d] : 1);
    for (size_t j = 0; j < n; j++)
        c->weights[j] = fmax(summary->weights[j], 0);
    c->points =
        (kith_i_points){c->coords, c->weights, (uint32_t)n, (uint32_t)d};
    c->noise = summary->noise / sqrt((double)d);
    return KITH_OK;
}

/* cost[k] of the best of several solutions, for every k from `from` - 1 to `to`
 * + 1: the neighbours of the range tell where its ends bend. */
static void solve_all(chooser *c, const double *coords)
{
    kith_i_points points = c->points;
    points.coords = coords;
    for (uint32_t k = c->from > 1 ? c->from - 1 : 1; k <= c->to + 1; k++) {
        double best = (double)INFINITY;
        for (int s = 0; s < STARTS; s++) {
            kith_i_seed_points(&points, k, &c->coins, c->scratch, c->centers);
            best =
                fmin(best, kith_i_lloyd_points(&points, k, ROUNDS, c->scratch,
                                               c->labels, c->centers));
        }
        c->cost[k] = best;
    }
    for (uint32_t k = c->to; k >= c->from; k--) /* starts may miss the best */
        c->cost[k] = fmax(c->cost[k], c->cost[k + 1]);
}

static double total_weight(const chooser *c)
{
    double total = 0;
    for (uint32_t j = 0; j < c->points.n; j++)
        total += c->weights[j];
    return total;
}

/* What the noise of the run to come adds to the cost: centres of k clusters
 * move less than those of the summary, for they have more rows, and have
 * another part of the budget. */
static double noise_cost(const chooser *c, uint32_t k)
{
    double larger = (double)k / c->points.n;
    double move = c->noise * larger * sqrt(SUMMARY_SHARE / (1 - SUMMARY_SHARE));
    return total_weight(c) * c->points.d * move * move;
}

/* Where the logarithm of the cost bends most, among the k whose noise is small
 * next to their cost. */
static uint32_t find_bend(const chooser *c)
{
    uint32_t best = c->from;
    double most = -(double)INFINITY;
    for (uint32_t k = c->from; k <= c->to; k++) {
        if (k > c->from && noise_cost(c, k) > MOST_NOISE * c->cost[k])
            break;
        double before = k > 1 ? c->cost[k - 1] : 2 * c->cost[k];
        double bend = log(before + 1e-300) - 2 * log(c->cost[k] + 1e-300) +
                      log(c->cost[k + 1] + 1e-300);
        if (bend > most) {
            most = bend;
            best = k;
        }
    }
    return best;
}

static uint32_t find_least(const chooser *c)
{
    uint32_t best = c->from;
    for (uint32_t k = c->from + 1; k <= c->to; k++)
        if (c->cost[k] + noise_cost(c, k) < c->cost[best] + noise_cost(c, best))
            best = k;
    return best;
}

/* The summary with fresh noise: a small cell's centre moves more. */
static void draw_again(chooser *c)
{
    double average = total_weight(c) / c->points.n;
    size_t d = c->points.d;
    for (size_t i = 0; i < c->points.n * d; i++) {
        double small = average / fmax(c->weights[i / d], average / 16);
        c->fresh[i] =
            c->coords[i] + c->noise * small * kith_i_coins_normal(&c->coins);
    }
}

/* result->choice: what was tried, and what came of it. */
static kith_status choose(chooser *c, kith_result *result, kith_error *err)
{
    uint32_t count = c->to - c->from + 1;
    size_t size = (sizeof(kith_choice) + 63) / 64 * 64;
    char *block = kith_i_alloc(size + 2 * count * sizeof(double), 1);
    if (!block)
        return kith_i_fail_memory(err);
    kith_choice *choice = (kith_choice *)(void *)block;
    double *curve = (double *)(void *)(block + size);
    result->choice = choice;
    *choice = (kith_choice){
        .from = c->from, .to = c->to, .cost = curve, .noise = curve + count};
    solve_all(c, c->coords);
    /* NOLINTNEXTLINE: what c has is freed by the caller */
    for (uint32_t k = c->from; k <= c->to; k++) {
        curve[k - c->from] = c->cost[k];
        curve[count + k - c->from] = noise_cost(c, k);
    }
    choice->chosen = find_bend(c);
    uint32_t least = find_least(c);
    for (int i = 0; i < REDRAWN; i++) {
        draw_again(c);
        solve_all(c, c->fresh);
        choice->agreed += find_bend(c) == choice->chosen;
    }
    choice->tries = REDRAWN;
    choice->stable = choice->agreed >= AGREEING;
    if (!choice->stable)
        choice->chosen = least;
    return KITH_OK;
}

static kith_status buy_summary(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *summary, kith_error *err)
{
    kith_i_loss all = kith_i_session_left(session);
    kith_i_loss part = kith_i_loss_share(all, SUMMARY_SHARE);
    kith_kmeans_options finer = *opt;
    finer.clusters = summary->k;
    finer.clusters_from = 0;
    if (part == 0)
        return kith_i_fail_budget(all, err);
    kith_i_session_hold(session, all - part);
    kith_status status = kith_i_kmeans_run(session, &finer, rows, summary, err);
    kith_i_session_hold(session, 0);
    return status;
}

kith_status kith_i_choose_check(const kith_kmeans_options *opt, kith_error *err)
{
    uint32_t from = opt->clusters_from, to = opt->clusters;
    if (from == 0)
        return KITH_OK;
    if (opt->method != KITH_KMEANS_AUTO)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters is for the method "
                           "auto");
    if (from >= to || to > MOST_CLUSTERS)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters goes up, and to %d "
                           "at most",
                           MOST_CLUSTERS);
    return KITH_OK;
}

kith_status kith_i_kmeans_choose(kith_session *session,
                                 const kith_kmeans_options *opt, uint64_t rows,
                                 kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    chooser c = {.from = opt->clusters_from, .to = opt->clusters};
    kith_i_coins_seed(&c.coins, opt->public_seed, STREAM);
    if (domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a range of numbers of clusters needs dense rows");
    kith_result *summary = kith_i_result_new(FINER * opt->clusters, domain);
    kith_status status = summary ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = buy_summary(session, opt, rows, summary, err);
    if (!status && rows == 0) {
        status = open_chooser(&c, summary, domain, err);
        if (!status)
            status = choose(&c, result, err);
    }
    result->first_receipt = kith_i_session_receipt_count(session);
    kith_kmeans_options chosen = *opt;
    chosen.clusters_from = 0;
    if (!status && result->choice) /* a plan is for the most */
        chosen.clusters = result->k = result->choice->chosen;
    if (!status)
        status = kith_i_kmeans_run(session, &chosen, rows, result, err);
    close_chooser(&c);
    kith_result_free(summary);
    return status;
}
