/* Sizes of cells as far as they are known: from the summary before them, and
 * joined with what a step counts. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

void kith_i_auto_sum_sizes(const auto_coreset *c, uint32_t k,
                           const double *centers, double *size,
                           double *variance)
{
    memset(size, 0, k * sizeof *size);
    memset(variance, 0, k * sizeof *variance);
    for (uint32_t i = 0; i < c->n; i++) {
        double square;
        uint32_t label = kith_i_nearest(c->points + (size_t)i * c->q, centers,
                                        k, c->q, &square);
        size[label] += c->size[i];
        variance[label] += c->unsure[i];
    }
}

/* What a few clusters seem to change by is mostly noise: as if so many more did
 * not change at all. */
static const double few = 10;

/* Clusters change from step to step, and so do their sizes, by a part of them
 * that the difference of the two counts shows (what noise does not explain of
 * it). So much less is known of the earlier size; then both, by precision. */
void kith_i_auto_join_sizes(auto_sizes *known, uint32_t k, double sd,
                            double *size)
{
    double drift = 0, total = 0, many = 0;
    for (uint32_t j = 0; j < k; j++) {
        if (!(known->variance[j] < HUGE_VAL))
            continue;
        double c = fmax(known->mean[j], sd), apart = size[j] - known->mean[j];
        drift += (apart * apart - sd * sd - known->variance[j]) / c;
        total += c;
        many++;
    }
    drift = total > 0 ? fmax(0, drift / total) * many / (many + few) : 0;
    for (uint32_t j = 0; j < k; j++) {
        double c = fmax(known->mean[j], sd);
        double variance = known->variance[j] + drift * c * c;
        double part = variance < HUGE_VAL ? variance / (variance + sd * sd) : 1;
        known->mean[j] += part * (size[j] - known->mean[j]);
        size[j] = known->mean[j];
        known->variance[j] = part * sd * sd;
    }
}
