/* Which releases a run of `auto` for planes makes, and their shares: decided
 * from public values (n or its noisy count, d, k, q, the budget) before any
 * of them. docs/subspace_auto.md has the reasons and the measurements. */
#include <math.h>

#include "kernel/quartic.h"
#include "subspace_auto_i.h"

/* Nearly all: shares are added as doubles. */
#define ALL (1 - 1e-9)

/* Two signals, each for the whole budget: of second moments and of fourth.
 * Below either of the first two no clusters are to be seen. */
#define SEEN_GRAM   1.6
#define SEEN_TENSOR 1.5
#define STEP        3.8   /* fourth: from here on a last step               */
#define PLENTY      5.2   /* fourth: from here on most of all is for it     */
#define STRONG      80.0  /* second: from here on two last steps            */
#define CHAINED     200.0 /* second: starts are improved before the choice  */

/* Pure DP, where a small share is dear: signals of the shares themselves. */
#define PURE_GRAM   .8
#define PURE_TENSOR 1.1
#define PURE_STEP   2.1

/* An eigenvalue of balanced, isotropic clusters over the noise's edge. */
static double gram_signal(const plane_run *run, double share, uint32_t cells)
{
    return run->n2 / ((double)run->k * run->q) /
           plane_edge(run, share, cells, run->d);
}

/* The same for the tensor as a matrix on pairs, along a cluster's S_l. The
 * symmetry of the tensor leaves a third of the noise's variance. */
static double tensor_signal(const plane_run *run, double share, uint32_t r)
{
    double pairs = r * (r + 1.0) / 2, size = (double)kith_i_quartic_size(r);
    double sd = run->pure ? sqrt(size + 1) / share : 1 / sqrt(share);
    sd *= run->d1 / run->budget;
    return run->n4 / ((double)run->k * run->q) / (sd * sqrt(2 * pairs / 3));
}

static plane_recipe only_cover(const plane_run *run)
{
    return (plane_recipe){.r = run->q, .gram = ALL - run->used};
}

/* Shares so far are parts of what is left. */
static plane_recipe scale(const plane_run *run, plane_recipe s)
{
    double all = ALL - run->used;
    s.gram *= all;
    s.tensor *= all;
    s.chains *= all;
    s.choice *= all;
    s.step *= all;
    s.guard *= all;
    return s;
}

static plane_recipe gaussian(const plane_run *run)
{
    double second = gram_signal(run, ALL, 1);
    double fourth = tensor_signal(run, ALL, run->r);
    if (second < SEEN_GRAM || fourth < SEEN_TENSOR)
        return only_cover(run);
    plane_recipe s = {.r = run->r, .choice = .04};
    if (fourth < STEP) {
        s.gram = .30;
        s.tensor = 1 - s.gram - s.choice;
        return scale(run, s);
    }
    s.gram = fourth < PLENTY ? .20 : .10;
    s.tensor = fourth < PLENTY ? .35 : .20;
    s.chains = second < CHAINED ? 0 : .25;
    s.guard = .02;
    s.steps = second < STRONG ? 1 : 2;
    s.step = 1 - s.gram - s.tensor - s.chains - s.choice - s.guard;
    return scale(run, s);
}

/* A Gram matrix is worth its price when it more than halves the number of
 * entries of the tensor; and where rows have different lengths, as the tensor's
 * contraction weighs them by their squares. */
static int wants_view(const plane_run *run)
{
    return run->d > KITH_I_QUARTIC_MOST ||
           2 * kith_i_quartic_size(run->r) < kith_i_quartic_size(run->d);
}

static plane_recipe pure_shares(const plane_run *run, uint32_t steps)
{
    int view = wants_view(run), buy = view || !run->domain->unit_rows;
    plane_recipe s = {.r = view ? run->r : run->d,
                      .gram = buy ? (steps ? .20 : .25) : 0,
                      .choice = .05,
                      .guard = steps ? .03 : 0,
                      .steps = steps};
    double rest = 1 - s.choice - s.guard - s.gram;
    s.tensor = rest * (steps == 0 ? 1 : (buy ? .35 : .45));
    s.step = rest - s.tensor;
    return scale(run, s);
}

static plane_recipe pure(const plane_run *run)
{
    plane_recipe s = pure_shares(run, 1);
    if (tensor_signal(run, s.tensor, s.r) < PURE_STEP)
        s = pure_shares(run, 0);
    if (tensor_signal(run, s.tensor, s.r) < PURE_TENSOR ||
        (s.gram > 0 && gram_signal(run, s.gram, 1) < PURE_GRAM))
        return only_cover(run);
    return s;
}

plane_recipe plane_recipe_for(const plane_run *run)
{
    if (run->k == 1 || run->q >= run->r) /* nothing for a tensor to tell */
        return only_cover(run);
    plane_recipe s = run->pure ? pure(run) : gaussian(run);
    if (s.steps > 0 && run->run->opt->rounds > 0)
        s.steps = run->run->opt->rounds;
    return s;
}
