/* Lloyd's iterations on weighted points, released or a block's rows
 * (sidedoor/block_means.c): plain doubles. */
#include "kernel_i.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"

enum { PAUSE = 64 }; /* points between two looks at the caller */

/* labels and cost[i] = weight times squared distance; returns their sum. */
static double assign_points(const kith_i_points *points, uint32_t k,
                            const double *centers, uint32_t *labels,
                            double *cost)
{
    size_t d = points->d;
    double total = 0;
    for (uint32_t i = 0; i < points->n; i++) {
        double best;
        if (i % PAUSE == 0 && kith_i_stop_wanted())
            break; /* the run is over: anything will do */
        labels[i] =
            kith_i_nearest(points->coords + i * d, centers, k, d, &best);
        cost[i] = points->weights[i] > 0 ? best * points->weights[i] : 0;
        total += cost[i];
    }
    return total;
}

/* The point that costs most is taken by an empty centre: it costs nothing
 * from now on. Returns whether there is one. */
static int take_costliest(const kith_i_points *points, double *cost,
                          double *center)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < points->n; i++)
        if (cost[i] > cost[most])
            most = i;
    if (points->n == 0 || !(cost[most] > 0))
        return 0;
    cost[most] = 0;
    memcpy(center, points->coords + (size_t)most * points->d,
           points->d * sizeof *center);
    return 1;
}

/* Move every centre to the mean of its points; returns whether any moved.
 * sums: k x d, mass: k. */
static int move_centers(const kith_i_points *points, uint32_t k,
                        const uint32_t *labels, double *cost, double *sums,
                        double *mass, double *centers)
{
    size_t d = points->d;
    int moved = 0;
    memset(sums, 0, k * d * sizeof *sums);
    memset(mass, 0, k * sizeof *mass);
    for (uint32_t i = 0; i < points->n; i++) {
        double w = points->weights[i];
        double *sum = sums + labels[i] * d;
        if (!(w > 0))
            continue;
        mass[labels[i]] += w;
        for (size_t t = 0; t < d; t++)
            sum[t] += w * points->coords[i * d + t];
    }
    for (uint32_t j = 0; j < k; j++) {
        double *center = centers + j * d;
        if (!(mass[j] > 0)) {
            moved |= take_costliest(points, cost, center);
            continue;
        }
        for (size_t t = 0; t < d; t++) {
            double mean = sums[j * d + t] / mass[j];
            moved |= mean != center[t];
            center[t] = mean;
        }
    }
    return moved;
}

double kith_i_lloyd_points(const kith_i_points *points, uint32_t k,
                           uint32_t max_rounds, double *scratch,
                           uint32_t *labels, double *centers)
{
    double *cost = scratch;
    double *sums = cost + points->n;
    double *mass = sums + (size_t)k * points->d;
    double total = assign_points(points, k, centers, labels, cost);
    for (uint32_t round = 0; round < max_rounds; round++) {
        if (!move_centers(points, k, labels, cost, sums, mass, centers) ||
            kith_i_stop_wanted())
            break;
        total = assign_points(points, k, centers, labels, cost);
    }
    return total;
}
