/* The default method: a private summary of the data is bought (mean, leading
 * directions, a forest of boxes with their means), clustered for free, and
 * refined by a few noisy steps on residuals. Recipe and reasons: docs/auto.md.
 */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 24 };
static const double share_hists = .03; /* of what A5 leaves, Gaussian */
#define LEAST_SHARE 1e-6

kith_status kith_i_auto_charge(auto_run *run, double share, kith_i_loss *charge,
                               kith_error *err)
{
    *charge = kith_i_loss_share(run->total, share);
    run->used += share;
    return *charge == 0 ? kith_i_fail_budget(run->total, err) : KITH_OK;
}

kith_status kith_i_auto_tick(auto_run *run, kith_error *err)
{
    const kith_kmeans_options *opt = run->opt;
    if (run->done < run->steps)
        run->done++;
    return kith_i_progress(opt->progress, opt->progress_arg, run->done,
                           run->steps, err);
}

static int replaces(const auto_run *run)
{
    return kith_i_session_neighbors(run->session) == KITH_REPLACE_ONE;
}

double kith_i_auto_count_sd(const auto_run *run, double share)
{
    double twice = replaces(run) ? 2 : 1;
    return run->pure ? twice * sqrt(2) / (run->budget * share)
                     : sqrt(twice) / (run->budget * sqrt(share));
}

double kith_i_auto_sum_sd(const auto_run *run, double share, double dim)
{
    double twice = replaces(run) ? 2 : 1;
    return run->pure ? twice * sqrt(dim + 1) / (run->budget * share)
                     : twice / (run->budget * sqrt(share));
}

double kith_i_auto_center_noise(const auto_run *run, double sum_sd, double k)
{
    return sum_sd * sqrt(run->d) * k / run->n_hat;
}

/* How many clusters noise leaves room for, whatever number was asked for: their
 * means are about half the bound away from where they are looked for, and the
 * last step has about this share (Gaussian, pure; few features, many). */
static double room(const auto_run *run)
{
    static const double last[2][2] = {{.1, .2}, {.2, .5}};
    double share = last[run->pure][run->d > AUTO_MANY_AXES];
    double unit = kith_i_auto_sum_sd(run, share, run->d) / 2;
    return kith_i_calm() / kith_i_auto_center_noise(run, unit, 1);
}

/* Pure DP: shares of epsilon. Small shares are dear there (noise ~ 1/share), so
 * there are fewer steps, and steps whose noise is tiny anyway (low dimension,
 * many rows) leave up to half of their share to the summary before them. */
static auto_shares divide_pure(const auto_run *run, const auto_space *space)
{
    double pool = 1 - 1e-9 - run->used, q = space->q, k = run->k;
    double f = q / run->d, hist = .012;
    auto_shares s = {.tree = .25,
                     .leaf = .12,
                     .over = space->blind ? .16 : .20,
                     .lloyd = space->blind && !run->opt->rounds ? 0 : .22,
                     .rec = space->blind ? .75 : .20 + .25 * (1 - f),
                     .counts = space->blind ? .2 : 1 / (2 + fmin(q, 10)),
                     .over_steps = 1};
    double all = s.tree + s.leaf + s.over + s.lloyd + s.rec;
    double half = s.over / all * pool * s.counts / 2;
    if (space->blind &&
        run->n_hat > AUTO_CLEAR * kith_i_auto_count_sd(run, half) * k)
        s.over_steps = 2;
    /* relative noise of a step's means, times its share */
    double noise = sqrt(q * (q + 1)) * k / (run->budget * run->n_hat);
    if (run->opt->rounds)
        s.rounds = run->opt->rounds;
    else if (!space->blind)
        s.rounds =
            (uint32_t)fmin(4, floor(sqrt(.02) * s.lloyd / all * pool / noise));
    if (!space->blind && q >= run->d) {
        double need = (s.rounds + 1) * noise / sqrt(.001) / pool;
        double ease = fmax(.5, fmin(1, need * all / (s.lloyd + s.rec)));
        s.lloyd *= ease;
        s.rec *= ease;
    }
    if (s.rounds == 0) {
        s.rec += s.lloyd;
        s.lloyd = 0;
    }
    all = s.tree + s.leaf + s.over + s.lloyd + s.rec;
    s.hists = s.rounds > 0;
    double hists = 2 + s.over_steps + s.hists;
    hist = fmin(hist, .2 * pool / hists);
    double scale = (pool - hist * hists) / all;
    s.tree *= scale;
    s.leaf *= scale;
    s.over *= scale;
    s.lloyd *= scale;
    s.rec *= scale;
    s.hist = hist;
    return s;
}

/* What is left after A5 is divided by fixed weights; q/d moves weight from the
 * full-space step to the tree. */
static auto_shares divide(const auto_run *run, const auto_space *space)
{
    if (run->pure)
        return divide_pure(run, space);
    double pool = (1 - 1e-9 - run->used) / 1.025;
    double f = (double)space->q / run->d, q = space->q, k = run->k;
    auto_shares s = {.tree = pool * (.10 + .135 * f),
                     .leaf = pool * .09,
                     .over = pool * .27,
                     .lloyd = pool * .30,
                     .rec = pool * (.10 + .135 * (1 - f))};
    double noise =
        q * pow(k * kith_i_auto_sum_sd(run, s.lloyd, q) / run->n_hat, 2);
    /* 4 to 8 rounds as noise allows; more where it is very small, since
     * Lloyd then has not converged (cabs, trips:
     * docs/auto_history.md). */
    double rounds = fmin(.02 / noise, 8 + .002 / noise);
    /* No more than leave each of them a histogram worth having: rows fill some
     * 15 bins, which stand out by 10 sd. A radius that noise has chosen stops a
     * step, or throws a centre about (docs/auto_history.md). */
    double bins = run->n_hat / (15 * 10 * kith_i_auto_count_sd(run, 1));
    rounds = fmin(rounds, share_hists * pool * bins * bins - 4);
    s.rounds = (uint32_t)fmax(4, fmin(MOST_ROUNDS, floor(rounds)));
    if (run->opt->rounds)
        s.rounds = run->opt->rounds;
    s.over_steps = 2;
    s.hists = s.rounds;
    s.hist = pool * share_hists / (2 + s.over_steps + s.hists);
    s.counts = fmax(.08, 1 / (2 + q));
    return s;
}

kith_status kith_i_kmeans_auto(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    auto_run run = {.session = session,
                    .opt = opt,
                    .domain = domain,
                    .k = opt->clusters,
                    .d = domain->dimension,
                    .total = kith_i_session_left(session),
                    .plan = (double)rows,
                    .steps = 60};
    run.pure = kith_i_session_measure(session) == KITH_PURE_DP;
    run.budget = kith_i_loss_value(run.total, kith_i_session_measure(session));
    kith_i_coins_seed(&run.coins, opt->public_seed, 1);
    if (kith_i_loss_share(run.total, LEAST_SHARE) == 0)
        return kith_i_fail_budget(run.total, err);
    auto_space space = {0};
    auto_coreset coreset = {0};
    kith_status status = kith_i_auto_find_space(&run, &space, err);
    result->rows = run.n_hat;
    result->room = status ? 0 : room(&run);
    if (!status && space.unseen) {
        status = kith_i_auto_hand_over(&run, &space, rows, result, err);
        if (!status)
            status = kith_i_auto_keep_mean(&run, &space, sqrt(space.trace),
                                           result, err);
        kith_i_auto_space_free(&space);
        return status;
    }
    if (!status) {
        auto_shares shares = divide(&run, &space);
        status = kith_i_auto_grow(&run, &space, &shares, &coreset, err);
        if (!status)
            status = kith_i_auto_refine(&run, &space, &shares, &coreset, result,
                                        err);
        if (!status)
            status = kith_i_auto_keep_mean(
                &run, &space, sqrt(space.trace) / space.finer, result, err);
    }
    if (!status && opt->progress)
        (void)opt->progress(opt->progress_arg, run.steps, run.steps);
    kith_i_auto_coreset_free(&coreset);
    kith_i_auto_space_free(&space);
    return status;
}
