/* The default method: a private summary of the data is bought (mean, leading
 * directions, a forest of boxes with their means), clustered for free, and
 * refined by a few noisy steps on residuals. Recipe and reasons: docs/auto.md.
 */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

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
    return kith_i_session_privacy(run->session).neighbors == KITH_REPLACE_ONE;
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
        auto_shares shares = kith_i_auto_divide(&run, &space);
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
