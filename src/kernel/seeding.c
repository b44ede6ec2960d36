/* Greedy k-means++ on weighted points, released or a block's rows
 * (sidedoor/block_means.c): Arthur, Vassilvitskii 2007, the greedy variant of
 * their section 6: of several draws, keep the one that lowers the cost most. */
#include "kernel_i.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "wide_code.h"

enum { MOST_CANDIDATES = 32 }; /* 2 + ln 2^32 is less */

/* Four sums in a fixed pattern: the same bits with registers of any width. */
KITH_I_WIDE static double distance_squared(const double *a, const double *b,
                                           size_t d)
{
    lanes sum = {0};
    size_t i = 0;
    for (; i + 4 <= d; i += 4) {
        lanes e = *(const lanes *)(a + i) - *(const lanes *)(b + i);
        sum += e * e;
    }
    for (; i < d; i++)
        sum[0] += (a[i] - b[i]) * (a[i] - b[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Four points side by side, so that no addition waits for the one before; at
 * the end their sums change places, to be added as those of one point would be.
 */
KITH_I_WIDE static void distances_squared(const double *points, size_t n,
                                          size_t d, const double *c,
                                          double *out)
{
    for (size_t r = 0; r < n; r += 4) {
        const double *x[4];
        lanes sum[4] = {{0}, {0}, {0}, {0}}, part[4];
        for (size_t t = 0; t < 4; t++) /* the last may repeat */
            x[t] = points + (r + t < n ? r + t : n - 1) * d;
        size_t i = 0;
        for (; i + 4 <= d; i += 4)
            for (size_t t = 0; t < 4; t++) {
                lanes e = *(const lanes *)(x[t] + i) - *(const lanes *)(c + i);
                sum[t] += e * e;
            }
        for (size_t t = 0; t < 4; t++)
            part[t] = (lanes){sum[0][t], sum[1][t], sum[2][t], sum[3][t]};
        for (; i < d; i++) {
            lanes e = (lanes){x[0][i], x[1][i], x[2][i], x[3][i]} - c[i];
            part[0] += e * e;
        }
        lanes square = (part[0] + part[1]) + (part[2] + part[3]);
        if (r + 4 <= n)
            *(lanes *)(out + r) = square;
        else
            for (size_t t = 0; r + t < n; t++)
                out[r + t] = square[t];
    }
}

double kith_i_distance_squared(const double *a, const double *b, size_t d)
{
    return distance_squared(a, b, d);
}

void kith_i_distances_squared(const double *points, size_t n, size_t d,
                              const double *c, double *out)
{
    distances_squared(points, n, d, c, out);
}

uint32_t kith_i_nearest(const double *x, const double *centers, uint32_t k,
                        size_t d, double *square)
{
    double part[16], best = HUGE_VAL;
    uint32_t label = 0;
    for (uint32_t from = 0; from < k; from += 16) {
        uint32_t count = k - from < 16 ? k - from : 16;
        distances_squared(centers + from * d, count, d, x, part);
        for (uint32_t j = 0; j < count; j++)
            if (part[j] < best) {
                best = part[j];
                label = from + j;
            }
    }
    *square = best;
    return label;
}

uint32_t kith_i_seed_candidates(uint32_t k)
{
    return 2 + (uint32_t)floor(log(k));
}

uint64_t kith_i_seed_words(uint32_t n, uint32_t k)
{
    return n && k ? 1 + (uint64_t)(k - 1) * kith_i_seed_candidates(k) : 0;
}

/* mass[i] = now[i] * weight[i] (now NULL: 1); returns their sum. */
static double weigh(const double *now, const double *weight, uint32_t n,
                    double *mass)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++) {
        mass[i] = (now ? now[i] : 1) * weight[i];
        total += mass[i];
    }
    return total;
}

/* Index drawn with probability mass[i] / total. Uniform when there is nothing
 * to weigh. Takes one word of the coins (but for 2^-32 of the uniform ones). */
static uint32_t draw(const double *mass, double total, uint32_t n,
                     kith_i_coins *coins)
{
    if (!(total > 0) || !isfinite(total))
        return (uint32_t)kith_i_coins_below(coins, n);
    double left = kith_i_coins_unit(coins) * total;
    uint32_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!(mass[i] > 0))
            continue;
        last = i;
        left -= mass[i];
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
    double cost = 0;
    distances_squared(points->coords, points->n, d, points->coords + pick * d,
                      near);
    for (uint32_t i = 0; i < points->n; i++) {
        near[i] = near[i] < now[i] ? near[i] : now[i];
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
    uint32_t candidates = kith_i_seed_candidates(k), pick[MOST_CANDIDATES];
    double *now = scratch, *near = scratch + n;
    double *mass = scratch + (size_t)candidates * n; /* the last of near */
    for (uint32_t i = 0; i < n; i++)
        now[i] = HUGE_VAL;
    for (uint32_t j = 0; j < k && !kith_i_stop_wanted(); j++) {
        uint32_t best = 0, count = j ? candidates : 1;
        double best_cost = HUGE_VAL;
        double total = weigh(j ? now : NULL, points->weights, n, mass);
        for (uint32_t c = 0; c < count; c++)
            pick[c] = draw(mass, total, n, coins);
        for (uint32_t c = 0; c < count; c++) {
            double cost =
                try_center(points, pick[c], now, near + (size_t)c * n);
            if (c == 0 || cost < best_cost) {
                best = c;
                best_cost = cost;
            }
        }
        memcpy(now, near + (size_t)best * n, n * sizeof *now);
        memcpy(centers + j * d, points->coords + pick[best] * d,
               d * sizeof *centers);
    }
}
