/* The numbers of `auto`, and how the budget is divided by them. */
#include "auto/stages.h"

#define WHOLE                 NUMBER
#define NUMBER(name, g, p, r) .name = (g),
static const auto_recipe gaussian = {
#include "auto/recipe.def"
};
#undef NUMBER

#define NUMBER(name, g, p, r) .name = (p),
static const auto_recipe pure = {
#include "auto/recipe.def"
};
#undef NUMBER

#define NUMBER(name, g, p, r) .name = (r),
static const auto_recipe random_axes = {
#include "auto/recipe.def"
};
#undef NUMBER

const auto_recipe *kith_i_auto_recipe(int is_pure, int blind)
{
    return !is_pure ? &gaussian : blind ? &random_axes : &pure;
}

/* As many rounds as leave each quiet; many only where that is very quiet, since
 * Lloyd has not converged then. */
static uint32_t count_rounds(const auto_run *run, double share)
{
    const auto_recipe *r = run->recipe;
    double noise = kith_i_auto_center_noise(run, share, run->frame.q, run->k);
    double quiet = r->quiet / noise, rounds = run->pure ? sqrt(quiet) : quiet;
    rounds = fmin(rounds, r->usual_rounds + .01 * quiet);
    return (uint32_t)fmax(r->least_rounds, fmin(r->most_rounds, floor(rounds)));
}

void kith_i_auto_divide(auto_run *run)
{
    const auto_recipe *r = run->recipe;
    uint32_t q = run->frame.q;
    double pool = kith_i_auto_left(run), narrow = 1 - (double)q / run->d;
    double loud = kith_i_auto_center_noise(run, pool * r->last, run->d, run->k);
    double choice = run->k > 1 && loud > r->noisy ? r->choice * pool : 0;
    pool -= choice;
    auto_shares s = {.tree = r->tree - r->tree_falls * r->narrow * narrow,
                     .leaf = r->leaf,
                     .cells = r->cells,
                     .steps = run->opt->rounds ? fmax(r->steps, .2) : r->steps,
                     .last = r->last + r->narrow * narrow,
                     .counts = fmax(r->sizes, 1 / (2. + q)),
                     .cell_steps = r->cell_steps,
                     .choice = choice};
    double all = s.tree + s.leaf + s.cells + s.steps + s.last + r->hist;
    /* where the last step, in all features, is loud, the rounds before it are
     * not: they leave it some of their share */
    loud = kith_i_auto_center_noise(run, pool * s.last / all, run->d, run->k);
    if (narrow > 0 && !run->opt->rounds) {
        double ease = fmax(r->least_ease, fmin(1, sqrt(r->quiet / loud)));
        s.last += (1 - ease) * s.steps;
        s.steps *= ease;
    }
    s.rounds = run->opt->rounds ? run->opt->rounds
                                : count_rounds(run, pool * s.steps / all);
    if (s.rounds == 0) {
        s.last += s.steps;
        s.steps = 0;
    }
    s.hists = r->one_hist ? s.rounds > 0 : s.rounds;
    s.hist = pool * r->hist / all / (2 + s.cell_steps + s.hists);
    s.tree *= pool / all;
    s.leaf *= pool / all;
    s.cells *= pool / all;
    s.steps *= pool / all;
    s.last *= pool / all;
    run->shares = s;
}

void kith_i_auto_divide_again(auto_run *run)
{
    auto_shares *s = &run->shares;
    const auto_recipe *r = run->recipe;
    double hists = s->hist * (1 + s->hists);
    if (kith_i_auto_center_noise(run, s->last, run->d, run->k) <= r->noisy) {
        s->last += s->choice;
        s->choice = 0;
    }
    if (s->rounds > 0 && !run->opt->rounds)
        s->rounds = count_rounds(run, s->steps);
    s->hists = r->one_hist ? s->rounds > 0 : s->rounds;
    s->hist = hists / (1 + s->hists);
}
