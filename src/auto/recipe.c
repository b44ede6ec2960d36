/* The numbers of `auto`, and how the budget is divided by them. */
#include "auto/summary.h"

#include <math.h>

#define COMMON                                                                 \
    .clear = 20, .sure = 2, .nearest = .001, .poor = .25, .turns = 3,          \
    .nothing = .0003, .choice = .05, .noisy = .2, .doubt = .8, .coherent = .5, \
    .likely = 2.5, .bridge = 2, .window = 4, .edge = .05, .single = .3,        \
    .first = 40, .each = 3, .least_each = 1.5, .least_ease = .25, .quiet = .02

static const auto_recipe gaussian = {COMMON,
                                     .count = .004,
                                     .norms = .006,
                                     .mean = .012,
                                     .surely = 5,
                                     .dear = 4,
                                     .least_moments = .005,
                                     .most_moments = .25,
                                     .few = 20,
                                     .tree = .235,
                                     .leaf = .09,
                                     .cells = .27,
                                     .steps = .30,
                                     .last = .10,
                                     .hist = .03,
                                     .narrow = .135,
                                     .tree_falls = 1,
                                     .levels = 6,
                                     .halvings = 2,
                                     .cut = 5,
                                     .keep = 1.5,
                                     .most_cells = 200,
                                     .blurred = 1.2,
                                     .cell_steps = 2,
                                     .stands = 2,
                                     .least_rounds = 4,
                                     .usual_rounds = 8,
                                     .most_rounds = AUTO_MOST_ROUNDS,
                                     .sizes = .08,
                                     .zooms = 3};

/* Noise falls with the share itself, so that small shares are dear: fewer
 * levels, cells and rounds, and what is false is dearer. */
#define PURE                                                                   \
    COMMON, .count = .01, .norms = .02, .mean = .03, .taxicab = .012,          \
            .surely = 6.5, .dear = 2.25, .least_moments = .02,                 \
            .most_moments = .10, .directions = 12, .few_features = 8,          \
            .few = 14, .keep = 2, .most_cells = 400, .blurred = 2,             \
            .cell_steps = 1, .one_hist = 1

static const auto_recipe pure = {PURE,
                                 .tree = .21,
                                 .leaf = .14,
                                 .stands = 1.5,
                                 .cells = .24,
                                 .steps = .22,
                                 .last = .20,
                                 .hist = .03,
                                 .narrow = .25,
                                 .levels = 4,
                                 .halvings = 3,
                                 .cut = 7,
                                 .usual_rounds = 4,
                                 .most_rounds = 4,
                                 .sizes = .083,
                                 .zooms = 3};

/* Random axes see little of a distance: boxes are cut one axis at a time, and
 * all that is left goes to sums in full space. One round before that: without
 * it a cell that is noise keeps a centre in one run of eight (synth, k = 64).
 */
static const auto_recipe random_axes = {PURE,
                                        .tree = .25,
                                        .leaf = .12,
                                        .stands = 2,
                                        .cells = .16,
                                        .steps = .05,
                                        .last = .75,
                                        .hist = .04,
                                        .levels = 13,
                                        .halvings = 1,
                                        .cut = 6,
                                        .sizes = .2,
                                        .least_rounds = 1,
                                        .usual_rounds = 1,
                                        .most_rounds = 1};

const auto_recipe *kith_i_auto_recipe(int is_pure, int blind)
{
    return !is_pure ? &gaussian : blind ? &random_axes : &pure;
}

/* As many rounds as leave each quiet; many only where that is very quiet, since
 * Lloyd has not converged then. */
static uint32_t count_rounds(const auto_run *run, double share, uint32_t q)
{
    const auto_recipe *r = run->recipe;
    double noise = kith_i_auto_center_noise(run, share, q, run->k);
    double quiet = r->quiet / noise, rounds = run->pure ? sqrt(quiet) : quiet;
    rounds = fmin(rounds, r->usual_rounds + .01 * quiet);
    return (uint32_t)fmax(r->least_rounds, fmin(r->most_rounds, floor(rounds)));
}

auto_shares kith_i_auto_divide(const auto_run *run, const auto_frame *frame)
{
    const auto_recipe *r = run->recipe;
    double pool = kith_i_auto_left(run), q = frame->q, narrow = 1 - q / run->d;
    double loud = kith_i_auto_center_noise(run, pool * r->last, run->d, run->k);
    double choice = run->k > 1 && loud > r->noisy ? r->choice * pool : 0;
    pool -= choice;
    auto_shares s = {.tree = r->tree - r->tree_falls * r->narrow * narrow,
                     .leaf = r->leaf,
                     .cells = r->cells,
                     .steps = run->opt->rounds ? fmax(r->steps, .2) : r->steps,
                     .last = r->last + r->narrow * narrow,
                     .counts = fmax(r->sizes, 1 / (2 + q)),
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
    s.rounds = run->opt->rounds
                   ? run->opt->rounds
                   : count_rounds(run, pool * s.steps / all, frame->q);
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
    return s;
}

void kith_i_auto_divide_again(const auto_run *run, uint32_t q, auto_shares *s)
{
    const auto_recipe *r = run->recipe;
    double hists = s->hist * (1 + s->hists);
    if (kith_i_auto_center_noise(run, s->last, run->d, run->k) <= r->noisy) {
        s->last += s->choice;
        s->choice = 0;
    }
    if (s->rounds > 0 && !run->opt->rounds)
        s->rounds = count_rounds(run, s->steps, q);
    s->hists = r->one_hist ? s->rounds > 0 : s->rounds;
    s->hist = hists / (1 + s->hists);
}
