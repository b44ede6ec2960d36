/* The default method: a private summary of the rows is bought (mean, leading
 * directions, a tree of boxes with their means), clustered for free, and
 * refined by a few noisy steps on residuals. Recipe and reasons: docs/auto.md.
 */
#include "auto/auto.h"

#include "auto/stages.h"
#include "lloyd/lloyd_i.h"

#define LEAST_SHARE 1e-6

int kith_i_auto_failed(auto_run *run)
{
    if (!run->status && run->pool.failed)
        run->status = kith_i_fail_memory(run->err);
    return run->status != KITH_OK;
}

kith_i_loss kith_i_auto_charge(auto_run *run, double share)
{
    kith_i_loss charge = kith_i_loss_share(run->total, share);
    run->used += share;
    if (charge == 0 && !kith_i_auto_failed(run))
        run->status = kith_i_fail_budget(run->total, run->err);
    return charge;
}

void kith_i_auto_tick(auto_run *run)
{
    const kith_kmeans_options *opt = run->opt;
    if (kith_i_auto_failed(run))
        return;
    if (run->done < run->steps)
        run->done++;
    run->status = kith_i_progress(opt->progress, opt->progress_arg, run->done,
                                  run->steps, run->err);
}

static double twice(const auto_run *run)
{
    int replaces =
        kith_i_session_privacy(run->session).neighbors == KITH_REPLACE_ONE;
    return replaces ? 2 : 1;
}

double kith_i_auto_count_sd(const auto_run *run, double share)
{
    return run->pure ? twice(run) * sqrt(2) / (run->budget * share)
                     : sqrt(twice(run)) / (run->budget * sqrt(share));
}

double kith_i_auto_sum_sd(const auto_run *run, double share, double dim)
{
    return run->pure ? twice(run) * sqrt(dim + 1) / (run->budget * share)
                     : twice(run) / (run->budget * sqrt(share));
}

double kith_i_auto_center_noise(const auto_run *run, double share, double dim,
                                double k)
{
    return dim * pow(kith_i_auto_sum_sd(run, share, dim) * k / run->n, 2);
}

/* How many clusters noise leaves room for, whatever number was asked for: their
 * means are about half the bound away from where they are looked for, and the
 * last step has about this share. */
static double room(const auto_run *run)
{
    const auto_recipe *r = run->recipe;
    double share = run->d > r->all_axes ? r->room_many : r->room;
    return 2 * kith_i_calm() /
           sqrt(kith_i_auto_center_noise(run, share, run->d, 1));
}

/* A12: back to the caller's units, within the bounds. sum_sd: of a coordinate
 * of a cluster's sum, steps. */
static void set_result(const auto_run *run)
{
    const auto_found *found = &run->found;
    kith_result *result = run->result;
    for (uint32_t j = 0; j < run->k; j++)
        result->weights[j] = fmax(found->sizes[j], 0);
    double step = kith_i_domain_step(run->domain);
    if (found->loose >= 0)
        kith_i_result_expect(result, found->squares, step * step, found->loose);
    kith_i_result_set_centers(result, run->domain, found->full);
    result->noise = found->noise * sqrt(run->d) * run->k / run->n * step;
}

/* One mean with all of the budget, and the k centres about it. */
static void one_mean(auto_run *run)
{
    auto_found *found = &run->found;
    double noise = kith_i_auto_better_mean(run, kith_i_auto_left(run));
    kith_i_auto_about_mean(run, run->scout.mean, found->full);
    for (uint32_t j = 0; j < run->k; j++)
        found->sizes[j] = run->n / run->k;
    found->noise = sqrt(noise / run->d) * run->n / run->k;
    found->carried = 1;
}

/* So few rows, for this budget, that a summary would be noise: two noisy rounds
 * over all of the bounds. */
static void hand_over(auto_run *run, uint64_t rows)
{
    kith_kmeans_options opt = *run->opt;
    if (!opt.rounds)
        opt.rounds = 2;
    opt.clusters = run->k;
    run->status =
        kith_i_kmeans_lloyd(run->session, &opt, rows, run->result, run->err);
}

/* All of the budget for one mean: no more was asked for, or not even two would
 * be worth anything, or most that was found of it is noise, and everything else
 * would be about it. */
static int is_single(const auto_run *run)
{
    const auto_recipe *r = run->recipe;
    double two = kith_i_auto_center_noise(run, r->single, run->d, 2);
    return !run->opt->rounds &&
           (run->k == 1 || (run->plan <= 0 && two > r->poor));
}

/* So few rows, for this budget, that a summary of them would be noise. */
static int has_few_rows(const auto_run *run)
{
    const auto_recipe *r = run->recipe;
    return run->d <= r->all_axes &&
           run->n < r->few * kith_i_auto_count_sd(run, 1);
}

/* Two rounds over all of the bounds move the centres by less than the rows are
 * from their mean, or, where nothing is seen of that, than if they filled the
 * bounds. */
static int rounds_are_quiet(const auto_run *run)
{
    double bound = pow((double)kith_i_domain_l2(run->domain), 2);
    double noise = bound * kith_i_auto_center_noise(
                               run, kith_i_auto_left(run) / 2, run->d, run->k);
    double apart =
        run->scout.norms.seen ? run->scout.trace : run->recipe->fills * bound;
    return run->plan > 0 || run->opt->rounds || noise < apart;
}

/* A range of numbers of clusters was given. A plan is for the most. */
static int chooses(const auto_run *run)
{
    return run->opt->clusters_from > 0 && run->plan <= 0;
}

/* A5 to A11. */
static void by_summary(auto_run *run)
{
    auto_found *found = &run->found;
    auto_tree tree = {0};
    kith_i_auto_find_frame(run);
    if (kith_i_auto_failed(run))
        return;
    kith_i_auto_divide(run);
    kith_i_auto_grow(run, &tree);
    kith_i_auto_leaves(run, &tree);
    kith_i_auto_tree_free(&tree);
    found->carried = run->summary.n;
    kith_i_auto_cells(run);
    if (chooses(run))
        kith_i_auto_number(run);
    run->result->rounds = run->shares.rounds;
    run->centers = kith_i_pool_reals(&run->pool, (size_t)run->k * run->frame.q);
    kith_i_auto_solve(run, run->k, 0, run->centers);
    kith_i_auto_doubt(run);
    kith_i_auto_refine(run);
    for (uint32_t j = 0; j < run->k; j++)
        kith_i_domain_clip(run->domain, found->full + (size_t)j * run->d);
    if (run->shares.choice > 0)
        kith_i_auto_choose(run);
}

static void run_stages(auto_run *run, uint64_t rows)
{
    kith_result *result = run->result;
    kith_i_auto_scout(run);
    result->rows = run->n;
    result->rows_sd = run->n_sd;
    result->room = room(run);
    int single = is_single(run), few = has_few_rows(run);
    if ((single || few) && chooses(run))
        kith_i_auto_fewest(run);
    if (kith_i_auto_failed(run))
        return;
    if (few && !single && rounds_are_quiet(run)) {
        hand_over(run, rows);
        return;
    }
    single |= few && !run->opt->rounds;
    run->found = (auto_found){
        .full = kith_i_pool_reals(&run->pool, (size_t)run->k * run->d),
        .sizes = kith_i_pool_reals(&run->pool, run->k),
        .squares = kith_i_pool_reals(&run->pool, run->k),
        .loose = -1};
    if (kith_i_auto_failed(run))
        return;
    result->rounds = 1;
    if (single)
        one_mean(run);
    else
        by_summary(run);
    if (run->plan <= 0 && run->found.carried < run->k)
        result->carried = run->found.carried;
    if (!kith_i_auto_failed(run))
        set_result(run);
}

kith_status kith_i_kmeans_auto(kith_session *session,
                               const kith_kmeans_options *opt, uint64_t rows,
                               kith_result *result, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(session);
    auto_run run = {.session = session,
                    .opt = opt,
                    .domain = domain,
                    .result = result,
                    .k = opt->clusters,
                    .d = domain->dimension,
                    .total = kith_i_session_left(session),
                    .plan = (double)rows,
                    .err = err,
                    .steps = 60};
    run.pure = kith_i_session_measure(session) == KITH_PURE_DP;
    run.recipe = kith_i_auto_recipe(run.pure, 0);
    run.budget = kith_i_loss_value(run.total, kith_i_session_measure(session));
    kith_i_coins_seed(&run.coins, opt->public_seed, 1);
    if (kith_i_loss_share(run.total, LEAST_SHARE) == 0)
        return kith_i_fail_budget(run.total, err);
    run_stages(&run, rows);
    if (!run.status && opt->progress)
        (void)opt->progress(opt->progress_arg, run.steps, run.steps);
    kith_i_pool_drop(&run.pool, 0);
    return run.status;
}
