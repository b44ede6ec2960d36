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

/* Pure DP, where a small share is dear: shares follow from the signals, which
 * are of the shares themselves. */
#define VIEW        1.5  /* second: what a view is bought with */
#define WIDE_VIEW   1.0  /* or this, if it leaves out less than a quarter */
#define SEEN_VIEW   .8   /* second: less shows no directions */
#define STEP_LEAST  2.85 /* second, by plane: what a last step needs, */
#define STEP_GOOD   6.0  /* and where the fit alone would be good */
#define FIT_GOOD    4.7  /* signals of the fit: bought if FIT_PART is enough, */
#define FIT_FAIR    3.2  /* bought else, */
#define FIT_POOR    3.05 /* or, where that would leave too little for a step */
#define MEET        1.5  /* times FIT_GOOD where the planes must meet */
#define FIT_ALONE   3.7  /* good without a step */
#define FIT_LEAST   2.1  /* below it no clusters are to be seen */
#define FIT_PART    .35
#define FIT_SHARE   .20  /* the least share before a step */
#define STEP_PLENTY 20.0 /* second, by plane: what is beyond it goes to */
#define FIT_PLENTY  .30  /* a better fit, up to this share, */
#define VIEW_PLENTY .15  /* and a better view */

/* An eigenvalue of balanced, isotropic clusters over the noise's edge. */
static double gram_signal(const plane_run *run, double share, uint32_t cells)
{
    return run->n2 / ((double)run->k * run->q) /
           kith_i_plane_edge(run, share, cells, run->d);
}

/* The same for the tensor as a matrix on pairs, along a cluster's S_l, in
 * Gaussian DP. The symmetry of the tensor leaves a third of the noise's
 * variance. */
static double tensor_signal(const plane_run *run, double share, uint32_t r)
{
    double pairs = r * (r + 1.0) / 2;
    double edge = run->d1 / run->budget * sqrt(2 * pairs / 3 / share);
    return run->n4 / ((double)run->k * run->q) / edge;
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

/* ---- pure DP: shares that buy the signals that are needed ---- */

/* What a fit sees of a cluster with the whole budget: its part of the tensor,
 * n/k sqrt(3 / (q (q + 2))), over the noise along x (x) x (x) x (x) x, about sd
 * sqrt(r); less where planes fill much of the space, and where some of the
 * k (k - 1) / 2 pairs of random planes are close. */
static double fit_signal(const plane_run *run, uint32_t r)
{
    double k = run->k, q = run->q, apart = run->d - q;
    double length = run->n4 / k * sqrt(3 / (q * (q + 2)));
    kith_neighbors neighbors = kith_i_session_privacy(run->session).neighbors;
    double sd = kith_i_tensor_noise(neighbors, r).sd / run->budget;
    double close = pow(k * (k - 1) / 2, 5 / (q * apart));
    return length / (sd * sqrt(r)) * apart / run->d / close / pow(q / 3, .25);
}

/* The moments in r dimensions, then a last step with the rest. A good fit if
 * FIT_PART is enough for it, else a fair one, or one that leaves enough for the
 * step. */
static plane_recipe pure_step(const plane_run *run, uint32_t r, int buy)
{
    plane_recipe s = {.r = r, .choice = .04, .guard = .03, .steps = 1};
    double fit = fit_signal(run, r), rest = 1 - s.choice - s.guard;
    double view = 4 * r > 3 * run->d ? WIDE_VIEW : VIEW;
    s.gram = buy ? fmin(view / gram_signal(run, 1, 1), 1) : 0;
    double good = FIT_GOOD * (run->k * (double)run->q > run->d ? MEET : 1);
    s.tensor = fmax(fmin(good / fit, FIT_PART), FIT_FAIR / fit);
    double most = rest - s.gram - STEP_LEAST / gram_signal(run, 1, run->k);
    if (s.tensor > most)
        s.tensor = FIT_POOR / fit;
    s.tensor = fmax(s.tensor, FIT_SHARE);
    s.step = rest - s.gram - s.tensor;
    /* where there is plenty: a better start, for clusters that are not alike */
    double spare = s.step - STEP_PLENTY / gram_signal(run, 1, run->k);
    double fitter = fmin(fmax(FIT_PLENTY - s.tensor, 0), fmax(spare, 0));
    double wider = fmax(fmin(VIEW_PLENTY - s.gram, spare - fitter), 0);
    s.tensor += fitter;
    s.gram += buy ? wider : 0;
    s.step = rest - s.gram - s.tensor;
    return s;
}

/* The moments alone; a view is final then, and gets more where it is weaker. */
static plane_recipe pure_fit(const plane_run *run, uint32_t r, int buy)
{
    plane_recipe s = {.r = r, .choice = .05};
    double ratio = cbrt(fit_signal(run, r) / gram_signal(run, 1, 1));
    double part = r < run->d ? .9 * ratio / (1 + .9 * ratio) : .2;
    s.gram = buy ? (1 - s.choice) * part : 0;
    s.tensor = 1 - s.choice - s.gram;
    return s;
}

/* A Gram matrix is bought where a view pays, and where rows have different
 * lengths, as the tensor's contraction weighs them by their squares. */
static plane_recipe pure(const plane_run *run)
{
    int buy = !run->domain->unit_rows;
    plane_recipe s = pure_step(run, run->r, buy || run->r < run->d);
    if (run->r < run->d && run->d <= KITH_I_QUARTIC_MOST) {
        plane_recipe all = pure_step(run, run->d, buy);
        if (all.gram + all.tensor < s.gram + s.tensor)
            s = all;
    }
    plane_recipe alone = pure_fit(run, s.r, buy || s.r < run->d);
    double fit = fit_signal(run, s.r);
    double step = s.step * gram_signal(run, 1, run->k);
    if (step < STEP_LEAST ||
        (step < STEP_GOOD && alone.tensor * fit >= FIT_ALONE))
        s = alone;
    if (s.tensor * fit < FIT_LEAST ||
        (s.gram > 0 && s.gram * gram_signal(run, 1, 1) < SEEN_VIEW))
        return only_cover(run);
    return scale(run, s);
}

plane_recipe kith_i_plane_recipe_for(const plane_run *run)
{
    if (run->k == 1 || run->q >= run->r) /* nothing for a tensor to tell */
        return only_cover(run);
    plane_recipe s = run->pure ? pure(run) : gaussian(run);
    if (s.steps > 0 && run->run->opt->rounds > 0)
        s.steps = run->run->opt->rounds;
    return s;
}
