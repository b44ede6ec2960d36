/* How many clusters a summary has. Each number of the range is tried on it, and
 * the k is taken at which the cost stops falling fast (the largest second
 * difference of its logarithm), among those that noise leaves room for. Then
 * the summary is drawn again by the law of its own noise, and even clouds of
 * its covariance are drawn. The choice is weak if a cloud without clusters
 * bends about as much there, or if fresh noise often chooses otherwise; then
 * the k of least cost and noise together is taken. All of it is post-processing
 * of released values. */
#include "solver/choose_number.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"

enum {
    STARTS = 6,    /* of a solution of the summary, */
    FRESH = 1,     /* of one with fresh noise, besides the one before */
    ROUNDS = 60,   /* of a start */
    REDRAWN = 20,  /* summaries with fresh noise */
    AGREEING = 15, /* of them, for a choice that is not weak */
    CLOUDS = 6,    /* without clusters, */
    OF_CLOUD = 3,  /* starts of a solution of one, */
    CLOUD = 400    /* and points in each; more would cost more than the rest */
};
static const double most_noise = .25; /* of the cost: more is not looked at */
/* Times the bend of clouds. Rows of 11 shapes without clusters had up to 1.8
 * times it (99 runs), mixtures 4 deviations apart more than 2 times (52). */
static const double standing_out = 2;

typedef struct {
    const kith_i_noisy_points *given;
    kith_i_points now;        /* as given, or drawn again */
    double *coords, *weights; /* of those that are drawn again */
    double *scratch, *try, *cost;
    double *sides; /* d x d: of the box that has the points' covariance */
    double **best; /* centres of the best solution so far, for each k */
    uint32_t *labels;
    uint32_t from, to, low, high; /* the range, and with its neighbours */
    kith_i_coins *coins;
    kith_i_pool pool;
} chooser;

static kith_status open_chooser(chooser *c, kith_error *err)
{
    const kith_i_points *at = &c->given->at;
    size_t n = at->n > CLOUD ? at->n : CLOUD, d = at->d, k = c->high;
    c->now = *at;
    c->coords = kith_i_pool_reals(&c->pool, n * d);
    c->weights = kith_i_pool_reals(&c->pool, n);
    c->scratch = kith_i_pool_reals(&c->pool, n * 16 + k * (d + 1));
    c->try = kith_i_pool_reals(&c->pool, k * d);
    c->cost = kith_i_pool_reals(&c->pool, k + 1);
    c->sides = kith_i_pool_reals(&c->pool, d * d);
    c->labels = kith_i_pool_take(&c->pool, n, sizeof *c->labels);
    c->best = kith_i_pool_take(&c->pool, k + 1, sizeof *c->best);
    for (uint32_t j = c->low; c->best && j <= c->high; j++)
        c->best[j] = kith_i_pool_reals(&c->pool, j * d);
    return c->pool.failed ? kith_i_fail_memory(err) : KITH_OK;
}

static double improve(chooser *c, uint32_t k, double *centers)
{
    return kith_i_lloyd_points(&c->now, k, ROUNDS, c->scratch, c->labels,
                               centers);
}

/* The least cost of several solutions with k centres; keep: of which the best
 * is kept, or NULL. */
static double solve(chooser *c, uint32_t k, int starts, double *keep)
{
    double least = HUGE_VAL;
    for (int s = 0; s < starts; s++) {
        kith_i_seed_points(&c->now, k, c->coins, c->scratch, c->try);
        double cost = improve(c, k, c->try);
        if (cost < least && keep)
            memcpy(keep, c->try, k * (size_t)c->now.d * sizeof *keep);
        least = fmin(least, cost);
    }
    return least;
}

/* Costs fall with k, but starts may miss the best. */
static void fall(chooser *c)
{
    for (uint32_t k = c->high; k-- > c->low;)
        c->cost[k] = fmax(c->cost[k], c->cost[k + 1]);
}

/* cost[k] of the best of several solutions, for every k and the two next to
 * the range, which tell where its ends bend. again: from the solutions before
 * too, which stay. */
static void solve_all(chooser *c, int again)
{
    size_t d = c->now.d;
    for (uint32_t k = c->low; k <= c->high; k++) {
        double least = HUGE_VAL;
        if (again) {
            memcpy(c->try, c->best[k], k * d * sizeof *c->try);
            least = improve(c, k, c->try);
        }
        least = fmin(least, again ? solve(c, k, FRESH, NULL)
                                  : solve(c, k, STARTS, c->best[k]));
        c->cost[k] = least + c->given->inside;
    }
    fall(c);
}

static double noise_cost(const chooser *c, uint32_t k)
{
    return c->given->blur * k * k * c->cost[k];
}

/* How much the logarithm of the cost bends at k. */
static double bend_at(const chooser *c, uint32_t k)
{
    double before = k > 1 ? c->cost[k - 1] : 2 * c->cost[k];
    return log(before + 1e-300) - 2 * log(c->cost[k] + 1e-300) +
           log(c->cost[k + 1] + 1e-300);
}

/* Where it bends most, among the k whose noise is small next to their cost. */
static uint32_t find_bend(const chooser *c)
{
    uint32_t best = c->from;
    double most = -HUGE_VAL;
    for (uint32_t k = c->from; k <= c->to; k++) {
        if (k > c->from && noise_cost(c, k) > most_noise * c->cost[k])
            break;
        double bend = bend_at(c, k);
        if (bend > most) {
            most = bend;
            best = k;
        }
    }
    return best;
}

static uint32_t find_least(const chooser *c)
{
    uint32_t best = c->from;
    for (uint32_t k = c->from + 1; k <= c->to; k++)
        if (c->cost[k] + noise_cost(c, k) < c->cost[best] + noise_cost(c, best))
            best = k;
    return best;
}

static void draw_again(chooser *c)
{
    const kith_i_noisy_points *given = c->given;
    size_t d = given->at.d;
    for (size_t i = 0; i < given->at.n; i++) {
        double sd = sqrt(given->unsure[i]);
        c->weights[i] =
            fmax(0, given->at.weights[i] + sd * kith_i_coins_normal(c->coins));
        for (size_t a = i * d; a < (i + 1) * d; a++)
            c->coords[a] = given->at.coords[a] +
                           given->noise[i] * kith_i_coins_normal(c->coins);
    }
    c->now.coords = c->coords;
    c->now.weights = c->weights;
}

/* The sides of a box, even in which the covariance is that of the points. */
static kith_status find_sides(chooser *c, kith_error *err)
{
    const kith_i_points *at = &c->given->at;
    size_t d = at->d;
    double *mean = kith_i_pool_reals(&c->pool, d), total = 0;
    double *square = kith_i_pool_reals(&c->pool, d * d);
    double *values = kith_i_pool_reals(&c->pool, d);
    if (c->pool.failed)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < at->n; i++) {
        total += at->weights[i];
        for (size_t a = 0; a < d; a++)
            mean[a] += at->weights[i] * at->coords[i * d + a];
    }
    total = total > 0 ? total : 1;
    for (size_t i = 0; i < at->n; i++)
        for (size_t a = 0; a < d; a++) {
            double off = at->coords[i * d + a] - mean[a] / total;
            for (size_t b = 0; b < d; b++)
                square[a * d + b] += at->weights[i] / total * off *
                                     (at->coords[i * d + b] - mean[b] / total);
        }
    kith_status status =
        kith_i_eigen_alone(square, at->d, at->d, values, c->sides, err);
    for (size_t a = 0; !status && a < d * d; a++)
        c->sides[a] *= sqrt(3 * fmax(0, values[a / d]));
    return status;
}

static void draw_cloud(chooser *c, int round)
{
    size_t d = c->given->at.d;
    memset(c->coords, 0, CLOUD * d * sizeof *c->coords);
    for (size_t i = 0; i < CLOUD; i++) {
        c->weights[i] = 1;
        for (size_t side = 0; side < d; side++) {
            double along = round ? kith_i_coins_normal(c->coins) / sqrt(3)
                                 : 2 * kith_i_coins_unit(c->coins) - 1;
            for (size_t a = 0; a < d; a++)
                c->coords[i * d + a] += along * c->sides[side * d + a];
        }
    }
    c->now = (kith_i_points){c->coords, c->weights, CLOUD, (uint32_t)d};
}

/* The most that clouds of the points' covariance bend at k: boxes and normal
 * ones in turn. */
static double cloud_bend(chooser *c, uint32_t k)
{
    double most = 0;
    for (int i = 0; i < CLOUDS; i++) {
        draw_cloud(c, i % 2);
        for (uint32_t j = k > 1 ? k - 1 : k; j <= k + 1; j++)
            c->cost[j] = solve(c, j, OF_CLOUD, NULL);
        most = fmax(most, bend_at(c, k));
    }
    return most;
}

kith_status kith_i_choose_number(const kith_i_noisy_points *points,
                                 kith_i_coins *coins, double *curve,
                                 kith_choice *choice, kith_error *err)
{
    chooser c = {.given = points,
                 .from = choice->from,
                 .to = choice->to,
                 .low = choice->from > 1 ? choice->from - 1 : 1,
                 .high = choice->to + 1,
                 .coins = coins};
    double *noise = curve + (c.to - c.from + 1);
    kith_status status = open_chooser(&c, err);
    if (!status)
        status = find_sides(&c, err);
    if (!status) {
        solve_all(&c, 0);
        for (uint32_t k = c.from; k <= c.to; k++) {
            curve[k - c.from] = c.cost[k] * points->unit;
            noise[k - c.from] = noise_cost(&c, k) * points->unit;
        }
        if (c.low < c.from)
            choice->before = c.cost[c.low] * points->unit;
        choice->after = c.cost[c.high] * points->unit;
        choice->chosen = find_bend(&c);
        choice->bend = bend_at(&c, choice->chosen);
        uint32_t least = find_least(&c);
        for (int i = 0; i < REDRAWN; i++) {
            draw_again(&c);
            solve_all(&c, 1);
            choice->agreed += find_bend(&c) == choice->chosen;
        }
        choice->cost = curve;
        choice->noise = noise;
        choice->tries = REDRAWN;
        choice->cloud_bend = cloud_bend(&c, choice->chosen);
        choice->by_bend = choice->agreed >= AGREEING;
        choice->stable =
            choice->by_bend && choice->bend > standing_out * choice->cloud_bend;
        if (!choice->by_bend)
            choice->chosen = least;
    }
    kith_i_pool_drop(&c.pool, 0);
    return status;
}
