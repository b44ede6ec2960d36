/* Centres that caught no records get half of the largest cluster: shared by
 * the methods that make Lloyd rounds. All of it is post-processing. */
#include "lloyd_i.h"

#include <math.h>
#include <string.h>

enum { FEW = 8 }; /* features of a direction from a centre that has none */

/* Next to `from`, in a random (public) direction, so that the next round's
 * border cuts the cluster in two. Sparse centres stay sparse: the direction
 * has the features of `from`, or a few random ones. */
static void step_aside(const kith_i_domain *domain, kith_i_coins *coins,
                       const double *from, double *to)
{
    uint32_t d = domain->dimension, entries = d;
    if (domain->sparse) {
        entries = 0;
        for (uint32_t i = 0; i < d; i++)
            entries += from[i] != 0;
    }
    double offset =
        0.01 * sqrt((double)domain->l2_squared / (entries ? entries : FEW));
    memcpy(to, from, d * sizeof *to);
    for (uint32_t i = 0; entries && i < d; i++)
        if (!domain->sparse || from[i] != 0)
            to[i] += offset * kith_i_coins_normal(coins);
    for (int t = 0; !entries && t < FEW; t++)
        to[kith_i_coins_below(coins, d)] = offset * kith_i_coins_normal(coins);
    kith_i_domain_clip(domain, to);
}

void kith_i_revive_lost(const kith_i_domain *domain, kith_i_coins *coins,
                        uint32_t k, double *sizes, double *centers)
{
    size_t d = domain->dimension;
    for (uint32_t j = 0; j < k; j++) {
        if (sizes[j] > 0)
            continue;
        uint32_t largest = 0;
        for (uint32_t i = 1; i < k; i++)
            largest = sizes[i] > sizes[largest] ? i : largest;
        if (sizes[largest] <= 0)
            return; /* nothing but noise: all stay where they are */
        sizes[largest] /= 2;
        sizes[j] = sizes[largest];
        step_aside(domain, coins, centers + largest * d, centers + j * d);
    }
}
