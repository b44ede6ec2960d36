/* Histograms of distances, and the radii to clip at. */
#include "auto/radii.h"

#include <math.h>

/* The narrowest run of bins that stands out, its rows spread evenly over it.
 * Returns 0 if there is none. */
static int find_window(auto_hist *hist, const int64_t *counts, double least)
{
    for (uint32_t width = 3; width <= AUTO_BINS / 2; width = 2 * width - 1) {
        double best = 0;
        uint32_t at = 0;
        for (uint32_t b = 0; b + width <= AUTO_BINS; b++) {
            double sum = 0;
            for (uint32_t i = 0; i < width; i++)
                sum += (double)counts[b + i];
            if (sum > best) {
                best = sum;
                at = b;
            }
        }
        if (best >= least * sqrt(width)) {
            for (uint32_t i = 0; i < width; i++)
                hist->h[at + i] = best / width;
            return 1;
        }
    }
    return 0;
}

/* With some 50 empty bins, one passes 2.5 sd in a quarter of all histograms,
 * and a false bin far out ruins a radius. So a bin counts if it is surely
 * there, or likely and next to one that counts; where noise hides every single
 * bin, a window of them; else the prior. */
void kith_i_auto_hist_clean(const auto_recipe *recipe, const int64_t *counts,
                            double sd, double prior, auto_hist *hist)
{
    int any = 0;
    hist->sd = sd;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        int sure = (double)counts[b] >= recipe->surely * sd && counts[b] > 0;
        hist->h[b] = sure ? (double)counts[b] : 0;
        any |= sure;
    }
    for (int pass = 0; any && pass < 2; pass++) { /* outward both ways */
        uint32_t gap = recipe->bridge + 1;
        for (uint32_t i = 0; i < AUTO_BINS; i++) {
            uint32_t b = pass ? AUTO_BINS - 1 - i : i;
            if (hist->h[b] <= 0 && gap <= recipe->bridge &&
                (double)counts[b] >= recipe->likely * sd)
                hist->h[b] = (double)counts[b];
            gap = hist->h[b] > 0 ? 0 : gap + 1;
        }
    }
    hist->seen = any || find_window(hist, counts, recipe->window * sd);
    if (!hist->seen) {
        uint32_t b = 0;
        while (b + 1 < AUTO_BINS && hist->up[b] < prior)
            b++;
        hist->h[b] = 1;
    }
    hist->total = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++)
        hist->total += hist->h[b];
}

double kith_i_auto_excess(const auto_hist *hist, double r)
{
    double sum = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++)
        sum += hist->h[b] * fmax(hist->mid[b] - r, 0);
    return sum;
}

double kith_i_auto_clipping(const auto_hist *hist, double r, double *kept)
{
    double sum = 0, square = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double factor = fmin(1, r / hist->mid[b]);
        sum += hist->h[b] * factor;
        square += hist->h[b] * factor * factor;
    }
    *kept = sum / hist->total;
    return fmax(0, square / hist->total / (*kept * *kept) - 1);
}

double kith_i_auto_mean_square(const auto_hist *hist)
{
    double sum = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++)
        sum += hist->h[b] * hist->mid[b] * hist->mid[b];
    return sum / hist->total;
}

/* Bins up to the last that is seen may hold as much as their noise. */
double kith_i_auto_looseness(const auto_hist *hist)
{
    double fourth = 0, seen = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        fourth += pow(hist->mid[b], 4);
        seen = hist->h[b] > 0 ? fourth : seen;
    }
    return hist->sd * sqrt(seen) /
           (hist->total * kith_i_auto_mean_square(hist));
}

/* What clipping loses, if all of it is in one direction, against what noise
 * adds. */
auto_radii kith_i_auto_balance(const auto_run *run, const auto_hist *hist,
                               const auto_widths *cells)
{
    auto_radii out = {.rho = hist->up[AUTO_BINS - 1],
                      .kappa = sqrt(kith_i_auto_mean_square(hist)),
                      .loose = kith_i_auto_looseness(hist)};
    double unit = kith_i_auto_sum_sd(run, cells->share, cells->dim);
    double weight = 0, best = HUGE_VAL;
    for (uint32_t j = 0; j < cells->n; j++)
        weight += cells->size[j] * cells->scale[j] * cells->scale[j];
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double r = hist->up[b];
        double bias = kith_i_auto_excess(hist, r) / hist->total;
        double cost = run->recipe->dear * bias * bias * weight;
        for (uint32_t j = 0; j < cells->n; j++) {
            double s = cells->scale[j] * cells->scale[j];
            double noise = cells->dim * r * r * s * unit * unit;
            cost += fmin(noise / cells->size[j], cells->size[j] * s);
        }
        if (cost < best) {
            best = cost;
            out.rho = r;
        }
    }
    return out;
}
