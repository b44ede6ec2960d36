/* The numbers of `auto` that decide how fine the summary is and how the budget
 * is divided (docs/auto.md; measurements: docs/history/auto.md). */
#include "cluster/auto_i.h"

#include <math.h>

/* ---- A6 to A8: the summary ------------------------------------------------
 */

/* Few levels of several halvings: each level costs a share, and least squares
 * makes up for sizes between them. Pure noise falls with the share itself, so
 * there are fewer still; a false box is dearer there. Random axes see little of
 * a distance, and boxes are cut one axis at a time; so are those of pure
 * shells, where a lump is found box by box. */
auto_tree_recipe kith_i_auto_tree_recipe(int pure, int blind, int shells)
{
    static const auto_tree_recipe
        usual = {.levels = 6, .halvings = 2, .cut_sds = 5},
        fewer = {.levels = 4, .halvings = 3, .cut_sds = 7},
        by_axis = {.levels = 13, .halvings = 1, .cut_sds = 6},
        lumps = {.levels = 7, .halvings = 1, .cut_sds = 3.5};
    return !pure ? usual : blind ? by_axis : shells ? lumps : fewer;
}

double kith_i_auto_leaf_sds(int pure)
{
    return pure ? 2 : 1.5;
}

/* More cells gave worse optima; and a mean must be known to half a scale. */
double kith_i_auto_most_cells(int pure, double k, double n, double noise)
{
    double most = fmax(pure ? 400 : 200, 3 * k);
    return fmin(most, floor(n / (2 * noise)));
}

/* ---- shares ---------------------------------------------------------------
 */

enum { MOST_ROUNDS = 24 };
static const double share_hists = .03; /* of what A5 leaves, Gaussian */
/* Gaussian: noise of the last step, squared and in scales, from which on the
 * rounds leave it a part of their share; and what they keep at least. */
static const double last_quiet = .02, least_ease = .25;
/* Random axes: an average cluster stands out by so many sd of a fine cell's
 * size; then parts of one do too, and a second step is worth it. */
static const double clear = 8;

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
        run->n_hat > clear * kith_i_auto_count_sd(run, half) * k)
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
auto_shares kith_i_auto_divide(const auto_run *run, const auto_space *space)
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
    /* where the last step is loud, the rounds before it, in a few axes, are
     * not: they leave it some of their share (docs/history) */
    double last =
        run->d *
        pow(k * kith_i_auto_sum_sd(run, s.rec, run->d) / run->n_hat, 2);
    if (q < run->d && !run->opt->rounds) {
        double ease = fmax(least_ease, fmin(1, sqrt(last_quiet / last)));
        s.rec += (1 - ease) * s.lloyd;
        s.lloyd *= ease;
    }
    double noise =
        q * pow(k * kith_i_auto_sum_sd(run, s.lloyd, q) / run->n_hat, 2);
    /* 4 to 8 rounds as noise allows; more where it is very small, since
     * Lloyd then has not converged (cabs, trips:
     * docs/history/auto.md). */
    double rounds = fmin(.02 / noise, 8 + .0002 / noise);
    /* No more than leave each of them a histogram worth having: rows fill some
     * 15 bins, which stand out by 10 sd. A radius that noise has chosen stops a
     * step, or throws a centre about (docs/history/auto.md). */
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
