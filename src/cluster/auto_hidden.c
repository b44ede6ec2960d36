/* Between A8 and A9: places that are not seen. A tail goes on where its rows
 * are too few for any count, and a handful of rows far out may carry more of
 * the cost than all that is seen. Centres that the coreset can do without are
 * left there, along the directions that the coreset ends in. Free of charge:
 * all of it looks at released values and the bounds. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

/* From one place to the next, outwards; places on a way are further apart than
 * this part of the distance from the mean. */
static const double shortest = 1.5, apart = .2;
/* How much of what noise may hide is likely to be there; what the coreset may
 * lose, and how much must be at stake, of its cost. */
static const double likely_there = .1, harm = .3, at_stake = .01;
/* Bounds may be as wide as they like: the places all over them count for no
 * more than so many times those on the ways. */
static const double most_cover = 4;
enum {
    MOST_WAYS = 64,
    MOST_STRIDES = 12,
    COVER = 32, /* places all over the bounds */
    SETTLING = 10
};

typedef struct {
    uint32_t n;
    double *at;           /* n x q */
    double *rows;         /* that may hide there */
    double *near, *apart; /* scratch of the search */
} places;

/* A point of the rows' space as the view sees it. */
static void into_view(const auto_run *run, const auto_space *space,
                      const double *full, double *at)
{
    uint32_t q = space->q, d = run->d;
    for (uint32_t a = 0; a < q; a++) {
        double sum = 0;
        for (uint32_t i = 0; i < d; i++)
            sum += space->axes[(size_t)a * d + i] * (full[i] - space->mean[i]);
        at[a] = sum * space->finer;
    }
}

/* Pull a point of the view into the bounds of the rows. full: d of scratch. */
static void into_bounds(const auto_run *run, const auto_space *space,
                        double *full, double *at)
{
    kith_i_auto_lift(space, 1, run->d, at, full);
    kith_i_domain_clip(run->domain, full);
    into_view(run, space, full, at);
}

/* Places on the way from the middle of the coreset through one of its points
 * and on to the bounds. A tail whose rows fall with the square of the distance
 * has as much of the cost at each of them. */
static void walk(const auto_run *run, const auto_space *space,
                 const double *middle, const double *from, double rows,
                 double *full, places *out)
{
    uint32_t q = space->q;
    double begin = sqrt(kith_i_distance_squared(middle, from, q)), last = begin;
    if (!(begin > 0))
        return;
    double far = pow(space->reach / begin, 1.0 / MOST_STRIDES);
    double stride = fmax(shortest, far), times = 1;
    for (int step = 1; step <= MOST_STRIDES; step++) {
        double *at = out->at + (size_t)out->n * q;
        times *= stride;
        for (uint32_t i = 0; i < q; i++)
            at[i] = middle[i] + (from[i] - middle[i]) * times;
        into_bounds(run, space, full, at);
        double now = sqrt(kith_i_distance_squared(middle, at, q));
        if (now < (1 + apart) * last)
            return;
        last = now;
        out->rows[out->n++] = rows * pow(begin / now, 2);
    }
}

/* Places all over the bounds, evenly: a lump may be anywhere, and so many rows
 * somewhere. */
static kith_status cover_bounds(const auto_run *run, const auto_space *space,
                                double rows, places *out, kith_error *err)
{
    uint32_t q = space->q, d = run->d;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, run->opt->public_seed, 2);
    double *full = kith_i_alloc((size_t)COVER * d, sizeof *full);
    kith_status status =
        full ? kith_i_spread(run->domain, COVER, &coins, full, err)
             : kith_i_fail_memory(err);
    for (uint32_t j = 0; !status && j < COVER; j++) {
        into_view(run, space, full + (size_t)j * d, out->at + out->n * q);
        out->rows[out->n++] = rows / COVER;
    }
    kith_i_free(full);
    return status;
}

/* Both ends of the coreset on each axis. middle: q of scratch. */
static void find_places(const auto_run *run, const auto_space *space,
                        const auto_coreset *c, double rows, double *middle,
                        double *full, places *out)
{
    uint32_t q = space->q, used[MOST_WAYS], ways = 0;
    double total = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        total += c->weight[i];
        for (uint32_t a = 0; a < q; a++)
            middle[a] += c->weight[i] * c->points[(size_t)i * q + a];
    }
    for (uint32_t a = 0; a < q; a++)
        middle[a] /= fmax(total, 1e-300);
    for (uint32_t side = 0; side < 2 * q && side < MOST_WAYS; side++) {
        uint32_t end = 0, known = 0;
        double sign = side % 2 ? -1 : 1;
        for (uint32_t i = 1; i < c->n; i++)
            if (sign * c->points[(size_t)i * q + side / 2] >
                sign * c->points[(size_t)end * q + side / 2])
                end = i;
        for (uint32_t w = 0; w < ways; w++)
            known |= used[w] == end;
        if (known)
            continue;
        used[ways++] = end;
        walk(run, space, middle, c->points + (size_t)end * q, rows, full, out);
    }
}

static double nearest(const double *at, uint32_t q, uint32_t k,
                      const double *centers)
{
    double square;
    (void)kith_i_nearest(at, centers, k, q, &square);
    return square;
}

/* Cost of the places for these centres. */
static double cost_of(const places *p, uint32_t q, uint32_t k,
                      const double *centers)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n; i++)
        sum += p->rows[i] * nearest(p->at + (size_t)i * q, q, k, centers);
    return sum;
}

static double coreset_cost(const auto_coreset *c, uint32_t k,
                           const double *centers)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->n; i++)
        sum += c->weight[i] *
               (nearest(c->points + (size_t)i * c->q, c->q, k, centers) +
                c->within[i]);
    return sum;
}

/* Squared distance of each place from the nearest of k centres. */
static void measure(const places *p, uint32_t q, uint32_t k,
                    const double *centers)
{
    for (uint32_t i = 0; i < p->n; i++)
        p->near[i] = nearest(p->at + (size_t)i * q, q, k, centers);
}

/* A centre goes to the place that brings most; near is kept up. */
static void take_place(const places *p, uint32_t q, double *center)
{
    double best = HUGE_VAL;
    const double *at = p->at;
    for (uint32_t i = 0; i < p->n; i++) {
        const double *to = p->at + (size_t)i * q;
        double cost = 0;
        kith_i_distances_squared(p->at, p->n, q, to, p->apart);
        for (uint32_t j = 0; j < p->n; j++)
            cost += p->rows[j] * fmin(p->near[j], p->apart[j]);
        if (cost < best) {
            best = cost;
            at = to;
        }
    }
    memcpy(center, at, q * sizeof *center);
    kith_i_distances_squared(p->at, p->n, q, center, p->apart);
    for (uint32_t j = 0; j < p->n; j++)
        p->near[j] = fmin(p->near[j], p->apart[j]);
}

/* The last m of the centres go to the means of the places that are theirs: one
 * in the middle of many halves the distance of each. sum: m x (q + 1). */
static void settle(const places *p, uint32_t q, uint32_t k, uint32_t m,
                   double *sum, double *centers)
{
    for (int round = 0; round < SETTLING; round++) {
        memset(sum, 0, (size_t)m * (q + 1) * sizeof *sum);
        for (uint32_t i = 0; i < p->n; i++) {
            double square;
            const double *at = p->at + (size_t)i * q;
            uint32_t label = kith_i_nearest(at, centers, k, q, &square);
            if (label < k - m)
                continue;
            double *s = sum + (size_t)(label - (k - m)) * (q + 1);
            for (uint32_t a = 0; a < q; a++)
                s[a] += p->rows[i] * at[a];
            s[q] += p->rows[i];
        }
        for (uint32_t j = 0; j < m; j++) {
            const double *s = sum + (size_t)j * (q + 1);
            for (uint32_t a = 0; s[q] > 0 && a < q; a++)
                centers[(size_t)(k - m + j) * q + a] = s[a] / s[q];
        }
    }
}

/* As many of the k centres are moved to places as bring more than they cost,
 * each kind of cost with its weight. trial, best: k x q; sum: k x (q + 1). */
static kith_status share_out(auto_run *run, const auto_coreset *coreset,
                             const places *p, uint32_t repeats, double *trial,
                             double *sum, double *best, kith_error *err)
{
    uint32_t k = run->k, q = coreset->q;
    double seen = coreset_cost(coreset, k, best);
    double least = seen + likely_there * cost_of(p, q, k, best);
    double limit = (1 + harm) * seen;
    uint32_t before = 0;
    memcpy(trial, best, (size_t)k * q * sizeof *trial);
    for (uint32_t m = 1; m <= p->n && m < k; m += m < 4 ? 1 : m / 2) {
        /* of many clusters, searches would take seconds */
        kith_status status =
            k > AUTO_MANY_CLUSTERS
                ? kith_i_auto_thin(coreset, k - before, k - m, trial, err)
                : kith_i_auto_solve(run, coreset, k - m, repeats, AUTO_SEEDINGS,
                                    1, trial, err);
        if (status)
            return status;
        before = m;
        seen = coreset_cost(coreset, k - m, trial);
        measure(p, q, k - m, trial);
        for (uint32_t j = k - m; j < k; j++)
            take_place(p, q, trial + (size_t)j * q);
        settle(p, q, k, m, sum, trial);
        double cost = seen + likely_there * cost_of(p, q, k, trial);
        if (seen > limit || cost >= least)
            break;
        least = cost;
        memcpy(best, trial, (size_t)k * q * sizeof *best);
    }
    return KITH_OK;
}

/* Halve the widest point (by the cost inside it) in a random direction: rows on
 * both sides of it, at the mean distance of a normal. */
static void halve(auto_run *run, auto_coreset *c, uint32_t n)
{
    uint32_t q = c->q, at = 0;
    double square = 0;
    for (uint32_t i = 1; i < n; i++)
        if (c->weight[i] * c->within[i] > c->weight[at] * c->within[at])
            at = i;
    double *a = c->points + (size_t)at * q, *b = c->points + (size_t)n * q;
    for (uint32_t i = 0; i < q; i++) {
        b[i] = kith_i_coins_normal(&run->coins);
        square += b[i] * b[i];
    }
    double step = .8 * sqrt(c->within[at] / q / fmax(square, 1e-300));
    for (uint32_t i = 0; i < q; i++) {
        double move = step * b[i];
        b[i] = a[i] + move;
        a[i] -= move;
    }
    c->within[at] *= 1 - .64 / q;
    c->weight[at] /= 2;
    c->size[at] /= 2;
    c->unsure[n] = c->unsure[at];
    c->within[n] = c->within[at];
    c->weight[n] = c->weight[at];
    c->size[n] = c->size[at];
}

kith_status kith_i_auto_halve_points(auto_run *run, uint32_t k,
                                     auto_coreset *coreset, kith_error *err)
{
    uint32_t q = coreset->q, n = coreset->n;
    auto_coreset made;
    kith_status status = kith_i_auto_coreset_new(&made, k, q, err);
    if (status)
        return status;
    memcpy(made.points, coreset->points, (size_t)n * q * sizeof *made.points);
    memcpy(made.weight, coreset->weight, n * sizeof *made.weight);
    memcpy(made.size, coreset->size, n * sizeof *made.size);
    memcpy(made.unsure, coreset->unsure, n * sizeof *made.unsure);
    memcpy(made.within, coreset->within, n * sizeof *made.within);
    for (; n < k; n++)
        halve(run, &made, n);
    kith_i_auto_coreset_free(coreset);
    *coreset = made;
    return KITH_OK;
}

kith_status kith_i_auto_leave_some(auto_run *run, const auto_space *space,
                                   const auto_coreset *coreset, double count_sd,
                                   uint32_t repeats, double *centers,
                                   kith_error *err)
{
    uint32_t q = space->q, k = run->k;
    if (k < 2 || q < run->d || run->plan > 0)
        return KITH_OK;
    size_t room =
        (size_t)(2 * q < MOST_WAYS ? 2 * q : MOST_WAYS) * MOST_STRIDES + COVER;
    places p = {.at = kith_i_alloc(room * q, sizeof *p.at),
                .rows = kith_i_alloc(room, sizeof *p.rows),
                .near = kith_i_alloc(room, sizeof *p.near),
                .apart = kith_i_alloc(room, sizeof *p.apart)};
    double *full = kith_i_alloc((size_t)run->d + q, sizeof *full);
    double *trial = kith_i_alloc((size_t)k * (2 * q + 1), sizeof *trial);
    double *sum = trial ? trial + (size_t)k * q : NULL;
    kith_status status = p.at && p.rows && p.near && p.apart && full && trial
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status) {
        find_places(run, space, coreset, count_sd, full + run->d, full, &p);
        places ways = p, all = {0};
        status = cover_bounds(run, space, count_sd, &p, err);
        all.n = p.n - ways.n;
        all.at = p.at + (size_t)ways.n * q;
        all.rows = p.rows + ways.n;
        double most = most_cover * cost_of(&ways, q, k, centers);
        double part = most / fmax(cost_of(&all, q, k, centers), 1e-300);
        for (uint32_t i = 0; part < 1 && i < all.n; i++)
            all.rows[i] *= part;
    }
    if (!status && likely_there * cost_of(&p, q, k, centers) >
                       at_stake * coreset_cost(coreset, k, centers))
        status = share_out(run, coreset, &p, repeats, trial, sum, centers, err);
    kith_i_free(p.at);
    kith_i_free(p.rows);
    kith_i_free(p.near);
    kith_i_free(p.apart);
    kith_i_free(full);
    kith_i_free(trial);
    return status;
}
