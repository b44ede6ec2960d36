/* Greedy k-means++ on released, weighted points (Arthur, Vassilvitskii 2007;
 * the greedy variant of their section 6: of several draws, keep the one that
 * lowers the cost most). */
#include "kernel_i.h"

#include <math.h>
#include <string.h>

#include "wide_code.h"

/* Four sums in a fixed pattern: the same bits with registers of any width. */
KITH_I_WIDE static double distance_squared(const double *a, const double *b,
                                           size_t d)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 4 <= d; i += 4) {
        double e0 = a[i] - b[i], e1 = a[i + 1] - b[i + 1];
        double e2 = a[i + 2] - b[i + 2], e3 = a[i + 3] - b[i + 3];
        s0 += e0 * e0;
        s1 += e1 * e1;
        s2 += e2 * e2;
        s3 += e3 * e3;
    }
    for (; i < d; i++)
        s0 += (a[i] - b[i]) * (a[i] - b[i]);
    return (s0 + s1) + (s2 + s3);
}

double kith_i_distance_squared(const double *a, const double *b, size_t d)
{
    return distance_squared(a, b, d);
}

uint32_t kith_i_seed_candidates(uint32_t k)
{
    return 2 + (uint32_t)floor(log(k));
}

/* Index drawn with probability mass[i] * weight[i] / total (mass NULL: 1).
 * Uniform when there is nothing to weigh. */
static uint32_t draw(const double *mass, const double *weight, uint32_t n,
                     kith_i_coins *coins)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += (mass ? mass[i] : 1) * weight[i];
    if (!(total > 0) || !isfinite(total))
        return (uint32_t)kith_i_coins_below(coins, n);
    double left = kith_i_coins_unit(coins) * total;
    uint32_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        double m = (mass ? mass[i] : 1) * weight[i];
        if (!(m > 0))
            continue;
        last = i;
        left -= m;
        if (left < 0)
            break;
    }
    return last; /* rounding may leave a crumb: it goes to the last one */
}

/* near[i] = min(now[i], |x_i - x_pick|^2); returns the weighted sum. */
static double try_center(const kith_i_points *points, uint32_t pick,
                         const double *now, double *near)
{
    size_t d = points->d;
    const double *c = points->coords + pick * d;
    double cost = 0;
    for (uint32_t i = 0; i < points->n; i++) {
        double s = kith_i_distance_squared(points->coords + i * d, c, d);
        near[i] = s < now[i] ? s : now[i];
        cost += near[i] * points->weights[i];
    }
    return cost;
}

void kith_i_seed_points(const kith_i_points *points, uint32_t k,
                        kith_i_coins *coins, double *scratch, double *centers)
{
    uint32_t n = points->n;
    size_t d = points->d;
    if (n == 0) {
        memset(centers, 0, k * d * sizeof *centers);
        return;
    }
    double *now = scratch;
    uint32_t candidates = kith_i_seed_candidates(k);
    for (uint32_t i = 0; i < n; i++)
        now[i] = HUGE_VAL;
    for (uint32_t j = 0; j < k; j++) {
        uint32_t best = 0, best_slot = 0;
        double best_cost = HUGE_VAL;
        for (uint32_t c = 0; c < (j ? candidates : 1); c++) {
            uint32_t pick = draw(j ? now : NULL, points->weights, n, coins);
            double cost =
                try_center(points, pick, now, scratch + (size_t)(c + 1) * n);
            if (c == 0 || cost < best_cost) {
                best = pick;
                best_slot = c;
                best_cost = cost;
            }
        }
        memcpy(now, scratch + (size_t)(best_slot + 1) * n, n * sizeof *now);
        memcpy(centers + j * d, points->coords + best * d, d * sizeof *centers);
    }
}
