/* A start that does not look at the data: k points far from each other and
 * from the border (sphere packing, Su et al. 2016). The largest separation
 * that random placement reaches is found by bisection. Each pair is looked at,
 * so more than MOST_PACKED points are placed uniformly. Public coins. */
#include "lloyd_i.h"

#include <math.h>

#include "base/watch.h"

enum { BISECTIONS = 12, TRIES = 40, MOST_PACKED = 2048 };
#define SPARSE_START 0.05 /* of where a point would be in a dense domain */

void kith_i_place_point(const kith_i_domain *m, kith_i_coins *coins,
                        double margin, double *point)
{
    uint32_t d = m->dimension;
    double radius = sqrt((double)m->l2_squared);
    if (m->radius > 0 && !m->low) { /* uniform in the shrunken ball */
        double square = kith_i_coins_normals(coins, point, d);
        double length = radius * (1 - margin) *
                        pow(kith_i_coins_unit(coins), 1.0 / d) / sqrt(square);
        for (uint32_t i = 0; i < d; i++)
            point[i] *= length;
        return;
    }
    for (uint32_t i = 0; i < d; i++) { /* uniform in the shrunken box */
        double half = (m->high_q[i] - (double)m->low_q[i]) / 2;
        double middle = m->low_q[i] + half;
        point[i] =
            middle + half * (1 - margin) * (2 * kith_i_coins_unit(coins) - 1);
    }
    kith_i_domain_clip(m, point);
}

/* Largest sphere that fits at the border: the ball's radius, or the smallest
 * half-width of the box. */
static double inner_radius(const kith_i_domain *m)
{
    if (m->radius > 0 && !m->low)
        return sqrt((double)m->l2_squared);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < m->dimension; i++)
        least = fmin(least, (m->high_q[i] - (double)m->low_q[i]) / 2);
    return least;
}

/* k points, pairwise >= 2a apart and a from the border: 1 if found. */
static int pack(const kith_i_domain *m, uint32_t k, double a,
                kith_i_coins *coins, double *points)
{
    uint32_t d = m->dimension;
    double margin = fmin(a / inner_radius(m), 0.999);
    for (uint32_t j = 0; j < k && !kith_i_stop_wanted(); j++) {
        double *p = points + (size_t)j * d;
        int placed = 0;
        for (int t = 0; t < TRIES && !placed; t++) {
            kith_i_place_point(m, coins, margin, p);
            placed = 1;
            for (uint32_t i = 0; a > 0 && i < j && placed; i++)
                placed = kith_i_distance_squared(p, points + (size_t)i * d,
                                                 d) >= 4 * a * a;
        }
        if (!placed)
            return 0;
    }
    return 1;
}

kith_status kith_i_spread(const kith_i_domain *m, uint32_t k,
                          kith_i_coins *coins, double *centers, kith_error *err)
{
    size_t size = (size_t)k * m->dimension;
    double *trial = kith_i_alloc(size, sizeof *trial);
    if (!trial)
        return kith_i_fail_memory(err);
    double low = 0, high = sqrt((double)m->l2_squared);
    (void)pack(m, k, 0, coins, centers); /* always succeeds */
    if (m->sparse) { /* sparse rows are near the origin in all but a few of
                        their features: only the directions of the start say
                        something, and a centre that is never moved must not
                        be far away */
        for (size_t i = 0; i < size; i++)
            centers[i] *= SPARSE_START;
        kith_i_free(trial);
        return KITH_OK;
    }
    for (int step = 0; step < BISECTIONS && k <= MOST_PACKED; step++) {
        double a = (low + high) / 2;
        if (pack(m, k, a, coins, trial)) {
            low = a;
            for (size_t i = 0; i < size; i++)
                centers[i] = trial[i];
        } else {
            high = a;
        }
    }
    kith_i_free(trial);
    return KITH_OK;
}
