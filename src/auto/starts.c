/* A9: k-means on the summary, and for how many k; free of charge. */
#include "auto/stages.h"

#include "solver/choose_number.h"
#include "solver/search_points.h"

/* Searches, each from the best of some seedings. A few clusters have optima of
 * nearly the same cost (rows on a closed curve): to tell them apart takes more
 * searches, and takes no time. */
enum { STARTS = 4, REPEATS = 8, FEW_REPEATS = 3, MORE_REPEATS = 64, FEW = 7 };

void kith_i_auto_solve(auto_run *run, uint32_t k, int cells, double *centers)
{
    int many = k > AUTO_SWAPPED;
    const auto_summary *s = &run->summary;
    if (kith_i_auto_failed(run))
        return;
    kith_i_auto_halve(run, k, 0);
    kith_i_points points = {s->points, s->weight, s->n, s->q};
    kith_i_search search = {.k = k,
                            .repeats = cells      ? 1
                                       : many     ? FEW_REPEATS
                                       : k <= FEW ? MORE_REPEATS
                                                  : REPEATS,
                            .starts = cells ? 1 : STARTS,
                            .swaps = !cells || !many,
                            .threads = kith_i_session_threads(run->session)};
    run->status =
        kith_i_search_points(&points, &search, &run->coins, centers, run->err);
}

enum { NUMBER_STREAM = 71 }; /* of the public coins */

/* The range that was asked for; curve: two places for each k of it. */
static kith_choice *begin_choice(auto_run *run, double **curve)
{
    kith_choice *choice = kith_i_result_choose(
        run->result, run->opt->clusters_from, run->opt->clusters, curve);
    run->pool.failed |= !choice;
    return kith_i_auto_failed(run) ? NULL : choice;
}

void kith_i_auto_number(auto_run *run)
{
    double *curve, unit = kith_i_domain_step(run->domain) / run->frame.finer;
    const auto_summary *s = &run->summary;
    kith_choice *choice = begin_choice(run, &curve);
    if (!choice)
        return;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, run->opt->public_seed, NUMBER_STREAM);
    kith_i_auto_halve(run, run->recipe->halves * run->k, 0);
    /* the last step's noise, if rows are clipped at their rms distance */
    double blur = kith_i_auto_center_noise(run, run->shares.last, run->d, 1);
    kith_i_noisy_points points = {.at = {s->points, s->size, s->n, s->q},
                                  .noise = s->noise,
                                  .unsure = s->unsure,
                                  .blur = blur,
                                  .unit = unit * unit};
    for (uint32_t i = 0; i < s->n; i++) /* a part: noise spreads points too */
        points.inside += run->recipe->inside * s->size[i] *
                         (s->within[i] + run->frame.outside);
    run->status =
        kith_i_choose_number(&points, &coins, curve, choice, run->err);
    run->k = run->result->k = choice->chosen;
    kith_i_auto_divide_again(run);
}

void kith_i_auto_fewest(auto_run *run)
{
    double *curve, step = kith_i_domain_step(run->domain);
    kith_choice *choice = begin_choice(run, &curve);
    if (!choice)
        return;
    uint32_t many = choice->to - choice->from + 1;
    double all = run->n * run->scout.trace * step * step;
    for (uint32_t i = 0; i < many; i++) {
        curve[i] = all;
        curve[many + i] =
            all * kith_i_auto_center_noise(run, kith_i_auto_left(run), run->d,
                                           choice->from + i);
    }
    run->k = run->result->k = choice->chosen;
}
