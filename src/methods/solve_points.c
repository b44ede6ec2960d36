/* k-means or k-median of released, weighted points: restarts of greedy
 * k-means++ and Lloyd; for k-median each start goes on with Weiszfeld's
 * iterations. */
#include "method_run.h"

#include <math.h>
#include <string.h>

enum { LLOYD_ROUNDS = 200, MEDIAN_ROUNDS = 40, WEISZFELD = 8 };

typedef struct {
    kith_i_points points;
    uint32_t k;
    double *scratch, *trial;
    uint32_t *labels;
} solver;

/* Sum of weighted distances; fills the labels. */
static double assign(const solver *s, const double *centers)
{
    size_t d = s->points.d;
    double total = 0;
    for (uint32_t i = 0; i < s->points.n; i++) {
        double best = HUGE_VAL;
        for (uint32_t j = 0; j < s->k; j++) {
            double v = kith_i_distance_squared(s->points.coords + i * d,
                                               centers + j * d, d);
            if (v < best) {
                best = v;
                s->labels[i] = j;
            }
        }
        total += s->points.weights[i] * sqrt(best);
    }
    return total;
}

/* One Weiszfeld step of every centre; a point that sits on its centre counts
 * as if it was `near` away. */
static void weiszfeld(const solver *s, double near, double *centers)
{
    size_t d = s->points.d, k = s->k;
    double *sum = s->scratch, *mass = sum + k * d;
    memset(sum, 0, (k * d + k) * sizeof *sum);
    for (uint32_t i = 0; i < s->points.n; i++) {
        const double *x = s->points.coords + i * d;
        size_t j = s->labels[i];
        double far = sqrt(kith_i_distance_squared(x, centers + j * d, d));
        double w = s->points.weights[i] / fmax(far, near);
        mass[j] += w;
        for (size_t t = 0; t < d; t++)
            sum[j * d + t] += w * x[t];
    }
    for (size_t j = 0; j < k; j++)
        for (size_t t = 0; mass[j] > 0 && t < d; t++)
            centers[j * d + t] = sum[j * d + t] / mass[j];
}

static double descend_median(const solver *s, double *centers)
{
    double weight = 0, cost = assign(s, centers);
    for (uint32_t i = 0; i < s->points.n; i++)
        weight += s->points.weights[i];
    double near = 1e-6 * cost / weight;
    if (!(near > 0))
        return cost;
    for (int round = 0; round < MEDIAN_ROUNDS; round++) {
        for (int step = 0; step < WEISZFELD; step++)
            weiszfeld(s, near, centers);
        double now = assign(s, centers);
        if (now >= cost * (1 - 1e-9))
            return now;
        cost = now;
    }
    return cost;
}

static double start_once(const solver *s, int median, kith_i_coins *coins)
{
    kith_i_seed_points(&s->points, s->k, coins, s->scratch, s->trial);
    double cost = kith_i_lloyd_points(&s->points, s->k, LLOYD_ROUNDS,
                                      s->scratch, s->labels, s->trial);
    return median ? descend_median(s, s->trial) : cost;
}

static kith_status solver_open(kith_i_local_run *run, solver *s,
                               kith_error *err)
{
    size_t n = s->points.n, d = s->points.d;
    size_t draws = kith_i_seed_candidates(s->k) + 1;
    s->scratch = kith_i_local_numbers(run, n * draws + s->k * (d + 1), 1);
    s->trial = kith_i_local_numbers(run, s->k, d);
    s->labels = kith_i_local_take(run, n, sizeof *s->labels);
    return s->scratch && s->trial && s->labels ? KITH_OK
                                               : kith_i_fail_memory(err);
}

/* The points that weigh something. */
static kith_status keep_heavy(kith_i_local_run *run, const kith_i_points *from,
                              kith_i_points *kept, kith_error *err)
{
    size_t d = from->d;
    double *coords = kith_i_local_numbers(run, from->n, d);
    double *mass = kith_i_local_numbers(run, from->n, 1);
    if (!coords || !mass)
        return kith_i_fail_memory(err);
    *kept = (kith_i_points){.coords = coords, .weights = mass, .d = from->d};
    for (uint32_t i = 0; i < from->n; i++) {
        if (!(from->weights[i] > 0))
            continue;
        memcpy(coords + kept->n * d, from->coords + i * d, d * sizeof *coords);
        mass[kept->n++] = from->weights[i];
    }
    return KITH_OK;
}

/* The nearest centre of each point of the cloud. */
static void label(const kith_i_points *from, kith_i_solution *out)
{
    size_t d = from->d;
    for (uint32_t i = 0; out->labels && i < from->n; i++) {
        double near = HUGE_VAL;
        out->labels[i] = UINT32_MAX;
        for (uint32_t j = 0; from->weights[i] > 0 && j < out->found; j++) {
            double v = kith_i_distance_squared(from->coords + i * d,
                                               out->centers + j * d, d);
            if (v < near) {
                near = v;
                out->labels[i] = j;
            }
        }
    }
}

kith_status kith_i_local_solve(kith_i_local_run *run, const kith_i_points *from,
                               uint32_t k, uint32_t restarts,
                               kith_i_solution *out, kith_error *err)
{
    solver s = {.k = k};
    size_t each = from->d * sizeof *out->centers;
    kith_status status = keep_heavy(run, from, &s.points, err);
    if (status)
        return status;
    out->found = s.points.n < k ? s.points.n : k;
    if (s.points.n <= k) {
        memcpy(out->centers, s.points.coords, s.points.n * each);
    } else {
        status = solver_open(run, &s, err);
        double best = HUGE_VAL;
        for (uint32_t r = 0; !status && r < restarts; r++) {
            double cost = start_once(&s, run->task->median, &run->coins);
            if (r > 0 && cost >= best)
                continue;
            best = cost;
            memcpy(out->centers, s.trial, k * each);
        }
    }
    if (!status)
        label(from, out);
    return status;
}
