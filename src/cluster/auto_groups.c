/* P8: in pure DP and many dimensions noise may leave no room for k centres in
 * full space. How many it does leave room for is read off the coreset (free);
 * the k centres then share the means of that many groups. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

static const double shrunk = .3; /* part of the noise that shrinkage leaves */

/* Mean squared distance of the coreset from k centres; *within: inside its
 * points. */
static double coreset_cost(const auto_coreset *c, uint32_t k,
                           const double *centers, double *within)
{
    double sum = 0, total = 0, inside = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        double square;
        (void)kith_i_nearest(c->points + (size_t)i * c->q, centers, k, c->q,
                             &square);
        sum += c->weight[i] * square;
        inside += c->weight[i] * c->within[i];
        total += c->weight[i];
    }
    *within = total > 0 ? inside / total : 0;
    return total > 0 ? sum / total : 0;
}

kith_status kith_i_auto_carried(auto_run *run, const auto_space *space,
                                const auto_shares *shares,
                                const auto_coreset *coreset, double *centers,
                                uint32_t *out, kith_error *err)
{
    static const uint32_t ladder[] = {1,  2,  3,  4,  6,  8,  12,
                                      16, 24, 32, 48, 64, 96, 128};
    uint32_t k = run->k, steps = sizeof ladder / sizeof *ladder;
    double d = run->d, step = 1 / (space->finer * space->finer);
    double trace = space->trace * step, best = HUGE_VAL;
    *out = k;
    for (uint32_t i = 0; i <= steps; i++) {
        uint32_t now = i < steps ? ladder[i] : k;
        if (now > k || (i < steps && now == k))
            continue;
        kith_status status =
            kith_i_auto_solve(run, coreset, now, 1, 2, 1, centers, err);
        if (status)
            return status;
        double within, cost = coreset_cost(coreset, now, centers, &within);
        /* random axes see q/d of every variance */
        cost *= step * d / space->q;
        within *= step * d / space->q;
        auto_plain plan =
            kith_i_auto_plan_plain(run, space, &space->norms, trace, now,
                                   shares->rec * (1 - AUTO_BLIND_COUNTS));
        double noise = plan.cost;
        if (kith_i_auto_zooms(run, now, shares->rec)) {
            double left = (1 - AUTO_ZOOM_FIRST) * (1 - AUTO_BLIND_COUNTS);
            double unit = kith_i_auto_sum_sd(run, left * shares->rec, d);
            noise = fmin(noise, d * pow(unit * now / run->n_hat, 2) *
                                    fmin(trace, cost + within));
        }
        if (cost + shrunk * noise < best) {
            best = cost + shrunk * noise;
            *out = now;
        }
    }
    return KITH_OK;
}

/* A point that several centres are equally near to is the first's. */
double kith_i_auto_weigh(const auto_coreset *coreset, uint32_t k,
                         const double *centers, auto_sizes *out)
{
    uint32_t q = coreset->q;
    double all = 0, cost = 0;
    memset(out->mean, 0, k * sizeof *out->mean);
    if (out->variance)
        memset(out->variance, 0, k * sizeof *out->variance);
    for (uint32_t i = 0; i < coreset->n; i++) {
        double square, size = fmax(coreset->size[i], 0);
        uint32_t j = kith_i_nearest(coreset->points + (size_t)i * q, centers, k,
                                    q, &square);
        out->mean[j] += size;
        if (out->variance)
            out->variance[j] += coreset->unsure[i];
        all += size;
        cost += size * (square + coreset->within[i]);
    }
    for (uint32_t j = 0; out->variance && j < k; j++)
        if (!(out->variance[j] > 0))
            out->variance[j] = HUGE_VAL;
    return all > 0 ? cost / all : 0;
}

/* k centres from the few that the budget carries: each takes the mean of its
 * group, and what the view knows of the difference. */
void kith_i_auto_spread_groups(const auto_run *run, const auto_space *space,
                               const auto_coreset *coreset, uint32_t groups,
                               const double *middle, const double *means,
                               const double *centers, double *full,
                               double *weights)
{
    uint32_t k = run->k, q = space->q, d = run->d;
    auto_sizes sizes = {.mean = weights};
    double all = 0;
    (void)kith_i_auto_weigh(coreset, k, centers, &sizes);
    for (uint32_t j = 0; j < k; j++)
        all += weights[j];
    for (uint32_t j = 0; j < k; j++)
        weights[j] *= all > 0 ? run->n_hat / all : 0;
    for (uint32_t j = 0; j < k; j++) {
        const double *c = centers + (size_t)j * q;
        double square;
        uint32_t g = kith_i_nearest(c, middle, groups, q, &square);
        for (uint32_t i = 0; i < d; i++) {
            double sum = 0;
            for (uint32_t a = 0; a < q; a++)
                sum += space->axes[(size_t)a * d + i] *
                       (c[a] - middle[(size_t)g * q + a]);
            full[(size_t)j * d + i] =
                means[(size_t)g * d + i] + sum / space->finer;
        }
    }
}
