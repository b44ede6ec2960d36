/* Histograms of distances, and the radii to clip at. */
#include "auto/auto_run.h"

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

/* Clipping at r multiplies a row of length mid by min(1, r / mid). */
static void set_factors(auto_hist *hist, uint32_t at)
{
    double sum = 0, square = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double factor = fmin(1, hist->up[at] / hist->mid[b]);
        sum += hist->h[b] * factor;
        square += hist->h[b] * factor * factor;
    }
    hist->kept[at] = sum / hist->total;
    hist->varied[at] = fmax(0, square * hist->total / (sum * sum) - 1);
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
    hist->total = hist->square = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        hist->total += hist->h[b];
        hist->square += hist->h[b] * hist->mid[b] * hist->mid[b];
    }
    hist->square /= hist->total;
    for (uint32_t b = 0; b < AUTO_BINS; b++)
        set_factors(hist, b);
}

/* Bins up to the last that is seen may hold as much as their noise. */
double kith_i_auto_looseness(const auto_hist *hist)
{
    double fourth = 0, seen = 0;
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        fourth += pow(hist->mid[b], 4);
        seen = hist->h[b] > 0 ? fourth : seen;
    }
    return hist->sd * sqrt(seen) / (hist->total * hist->square);
}

/* Radii that leave too little of a sum are not tried: lengths that fall into
 * one bin would call for none at all. */
auto_clip kith_i_auto_clip(const auto_run *run, const auto_hist *hist,
                           const auto_sum *sum, double size)
{
    auto_clip best = {.cost = HUGE_VAL};
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        auto_clip c = {.radius = hist->up[b], .kept = hist->kept[b]};
        c.noise = sum->unit * c.radius / c.kept;
        c.cost = run->recipe->coherent * hist->varied[b] * sum->square +
                 sum->dim * pow(c.noise / size, 2);
        if (c.kept >= run->recipe->least_kept && c.cost < best.cost)
            best = c;
    }
    return best;
}
