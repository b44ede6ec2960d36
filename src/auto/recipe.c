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
    rounds = fmin(rounds, r->usual_rounds + r->converging * quiet);
    return (uint32_t)fmax(r->least_rounds, fmin(r->most_rounds, floor(rounds)));
}

void kith_i_auto_divide(auto_run *run)
{
    const auto_recipe *r = run->recipe;
    uint32_t q = run->frame.q, asked = run->opt->rounds;
    double pool = kith_i_auto_left(run), narrow = 1 - (double)q / run->d;
    double loud = kith_i_auto_center_noise(run, pool * r->last, run->d, run->k);
    double choice = run->k > 1 && loud > r->noisy ? r->choice * pool : 0;
    double tree = r->tree - r->tree_falls * r->narrow * narrow;
    /* rounds that were asked for have no less than cells */
    double steps = asked ? fmax(r->steps, r->cells) : r->steps;
    double last = r->last + r->narrow * narrow;
    double unit =
        (pool - choice) / (tree + r->leaf + r->cells + steps + last + r->hist);
    /* where the last step, in all features, is loud, the rounds before it are
     * not: they leave it some of their share */
    loud = kith_i_auto_center_noise(run, unit * last, run->d, run->k);
    double ease = narrow > 0 && !asked ? sqrt(r->quiet / loud) : 1;
    double left = steps * fmax(r->least_ease, fmin(1, ease));
    uint32_t rounds = asked ? asked : count_rounds(run, unit * left);
    left = rounds > 0 ? left : 0;
    run->shares =
        (auto_shares){.tree = unit * tree,
                      .leaf = unit * r->leaf,
                      .cells = unit * r->cells,
                      .steps = unit * left,
                      .last = unit * (last + steps - left),
                      .choice = choice,
                      .hist = unit * r->hist / (2 + r->cell_steps + rounds),
                      .counts = fmax(r->sizes, 1 / (2. + q)),
                      .cell_steps = r->cell_steps,
                      .rounds = rounds};
}

void kith_i_auto_divide_again(auto_run *run)
{
    auto_shares *s = &run->shares;
    const auto_recipe *r = run->recipe;
    double hists = s->hist * (1 + s->rounds);
    if (kith_i_auto_center_noise(run, s->last, run->d, run->k) <= r->noisy) {
        s->last += s->choice;
        s->choice = 0;
    }
    if (s->rounds > 0 && !run->opt->rounds)
        s->rounds = count_rounds(run, s->steps);
    s->hist = hists / (1 + s->rounds);
}
