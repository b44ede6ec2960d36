/* Radii from released histograms: clip as much as noise makes it worth
 * (post-processing). */
#include "cluster/auto_i.h"

#include <math.h>

double auto_excess(const auto_hist *hist, double r)
{
    double sum = 0;
    for (uint32_t b = 0; b < hist->bins; b++)
        sum += hist->h[b] * fmax(hist->mid[b] - r, 0);
    return sum;
}

double auto_mean_square(const auto_hist *hist)
{
    double sum = 0;
    for (uint32_t b = 0; b < hist->bins; b++)
        sum += hist->h[b] * hist->mid[b] * hist->mid[b];
    return sum / hist->total;
}

double auto_radius(const auto_run *run, const auto_hist *hist,
                   const double *scale, const double *size, uint32_t n,
                   double share, double dim, double *kappa)
{
    double weight = 0, best = HUGE_VAL, rho = hist->up[hist->bins - 1];
    for (uint32_t j = 0; j < n; j++)
        weight += size[j] * scale[j] * scale[j];
    for (uint32_t b = 0; b < hist->bins; b++) {
        double r = hist->up[b];
        double bias = auto_excess(hist, r) / hist->total;
        double cost = 4 * bias * bias * weight;
        for (uint32_t j = 0; j < n; j++) {
            double s = scale[j] * scale[j];
            double noise = dim * r * r * s / (run->mu * run->mu * share);
            cost += fmin(noise / size[j], size[j] * s);
        }
        if (cost < best) {
            best = cost;
            rho = r;
        }
    }
    *kappa = sqrt(auto_mean_square(hist));
    return rho;
}
