/* Radii from released histograms: clip as much as noise makes it worth
 * (post-processing). */
#include "cluster/auto_i.h"

#include <math.h>

enum { BRIDGE = 2 }; /* empty bins that a chain may step over */
static const double surely[2] = {5, 6.5}; /* Gaussian, pure: longer tails */
static const double likely_sd = 2.5, window_sd = 4;

/* No bin stands out alone: the narrowest window of bins that does, spread
 * evenly. Returns 0 if there is none. */
static int find_window(auto_hist *hist, const int64_t *counts, double sd)
{
    uint32_t bins = hist->bins;
    for (uint32_t width = 3; width <= bins / 2; width = 2 * width - 1) {
        double best = 0;
        uint32_t at = 0;
        for (uint32_t b = 0; b + width <= bins; b++) {
            double sum = 0;
            for (uint32_t i = 0; i < width; i++)
                sum += (double)counts[b + i];
            if (sum > best) {
                best = sum;
                at = b;
            }
        }
        if (best >= window_sd * sd * sqrt(width)) {
            for (uint32_t i = 0; i < width; i++)
                hist->h[at + i] = best / width;
            return 1;
        }
    }
    return 0;
}

/* With some 50 empty bins, one passes 2.5 standard deviations in a quarter of
 * all histograms, and a false bin far out ruins a radius. So a bin counts if
 * it is surely there (5 sd), or likely and next to one that counts; where the
 * noise hides every single bin, a window of them; else the prior. */
void kith_i_auto_hist_clean(auto_hist *hist, const int64_t *counts, double sd,
                            int pure, double prior)
{
    uint32_t bins = hist->bins;
    int any = 0;
    hist->sd = sd;
    for (uint32_t b = 0; b < bins; b++) {
        hist->raw[b] = (double)counts[b];
        int sure = (double)counts[b] >= surely[pure] * sd && counts[b] > 0;
        hist->h[b] = sure ? (double)counts[b] : 0;
        any |= sure;
    }
    for (int pass = 0; any && pass < 2; pass++) { /* outward both ways */
        uint32_t gap = BRIDGE + 1;
        for (uint32_t i = 0; i < bins; i++) {
            uint32_t b = pass ? bins - 1 - i : i;
            if (hist->h[b] <= 0 && gap <= BRIDGE &&
                (double)counts[b] >= likely_sd * sd)
                hist->h[b] = (double)counts[b];
            gap = hist->h[b] > 0 ? 0 : gap + 1;
        }
    }
    hist->seen = any || find_window(hist, counts, sd);
    if (!hist->seen) {
        uint32_t b = 0;
        while (b + 1 < bins && hist->up[b] < prior)
            b++;
        hist->h[b] = 1;
    }
    hist->total = 0;
    for (uint32_t b = 0; b < bins; b++)
        hist->total += hist->h[b];
}

double kith_i_auto_excess(const auto_hist *hist, double r)
{
    double sum = 0;
    for (uint32_t b = 0; b < hist->bins; b++)
        sum += hist->h[b] * fmax(hist->mid[b] - r, 0);
    return sum;
}

double kith_i_auto_clipping(const auto_hist *hist, double r, double *kept)
{
    double sum = 0, square = 0;
    for (uint32_t b = 0; b < hist->bins; b++) {
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
    for (uint32_t b = 0; b < hist->bins; b++)
        sum += hist->h[b] * hist->mid[b] * hist->mid[b];
    return sum / hist->total;
}

/* A wide cell is so many times as wide as that of the median row. */
static const double much_wider = 4;
/* Radii so small, in units of the scales, that most rows must be in few places
 * and say nothing about wide cells. */
static const double tiny = .3;

const uint8_t *kith_i_auto_find_wide(const double *scale, const double *size,
                                     uint32_t n, uint8_t *out)
{
    double total = 0, low = HUGE_VAL, high = 0;
    for (uint32_t j = 0; j < n; j++) {
        total += fmax(size[j], 0);
        low = fmin(low, scale[j]);
        high = fmax(high, scale[j]);
    }
    for (int round = 0; round < 40 && high > 1.001 * low; round++) {
        double middle = sqrt(low * high), below = 0;
        for (uint32_t j = 0; j < n; j++)
            below += scale[j] <= middle ? fmax(size[j], 0) : 0;
        *(below >= total / 2 ? &high : &low) = middle;
    }
    int any = 0;
    for (uint32_t j = 0; j < n; j++)
        any |= (out[j] = total > 0 && scale[j] > much_wider * high);
    return any ? out : NULL;
}

/* Noise hides bins, and rows in them would be clipped for nothing: three sd of
 * rows at the far end, at worst. Wider radii count as well if their noise is
 * no more than this part of the rows' own spread above that of the best; not
 * for fine cells, which differ too much for one factor. */
static const double next_to_nothing = .0003, may_hide = 3;

/* One class of cells. narrow: by what the histogram shows alone. */
static double balance(const auto_run *run, const auto_hist *hist, int class,
                      const uint8_t *wide, const double *scale,
                      const double *size, uint32_t n, double share, double dim,
                      double *narrow)
{
    double unit = kith_i_auto_sum_sd(run, share, dim),
           dear = run->pure ? 2.25 : 4;
    double weight = 0, best = HUGE_VAL, spread = 0;
    uint32_t at = hist->bins - 1;
    for (uint32_t j = 0; j < n; j++)
        if (!wide || wide[j] == class) {
            weight += size[j] * scale[j] * scale[j];
            spread += dim * unit * unit * scale[j] * scale[j] / size[j];
        }
    for (uint32_t b = 0; b < hist->bins; b++) {
        double r = hist->up[b];
        double bias = kith_i_auto_excess(hist, r) / hist->total;
        double cost = dear * bias * bias * weight;
        for (uint32_t j = 0; j < n; j++) {
            if (wide && wide[j] != class)
                continue;
            double s = scale[j] * scale[j];
            double noise = dim * r * r * s * unit * unit;
            cost += fmin(noise / size[j], size[j] * s);
        }
        if (cost < best) {
            best = cost;
            at = b;
        }
    }
    double end = hist->up[hist->bins - 1], worst = HUGE_VAL;
    double rho = *narrow = hist->up[at], least = spread * rho * rho;
    for (uint32_t b = at; n <= run->k && b < hist->bins; b++) {
        double r = hist->up[b], noise = spread * r * r;
        double bias = may_hide * hist->sd / hist->total * (end - r);
        double cost = dear * bias * bias * weight + noise;
        if (noise > least + next_to_nothing * weight)
            break;
        if (cost < worst) {
            worst = cost;
            rho = r;
        }
    }
    return rho;
}

/* Bins up to the last that is seen may hold as much as their noise. */
double kith_i_auto_looseness(const auto_hist *hist)
{
    double fourth = 0, seen = 0;
    for (uint32_t b = 0; b < hist->bins; b++) {
        fourth += pow(hist->mid[b], 4);
        seen = hist->h[b] > 0 ? fourth : seen;
    }
    return hist->sd * sqrt(seen) /
           (hist->total * kith_i_auto_mean_square(hist));
}

void kith_i_auto_radius(const auto_run *run, const auto_hist *hists,
                        const uint8_t *wide, const double *scale,
                        const double *size, uint32_t n, double share,
                        double dim, double prior, auto_radii *out)
{
    int classes = wide ? AUTO_CLASSES : 1;
    double narrow[AUTO_CLASSES] = {0};
    for (int class = 0; class < classes; class ++) {
        out->rho[class] = balance(run, &hists[class], class, wide, scale, size,
                                  n, share, dim, &narrow[class]);
        out->kappa[class] = sqrt(kith_i_auto_mean_square(&hists[class]));
        out->loose[class] = kith_i_auto_looseness(&hists[class]);
    }
    if (!run->shells && narrow[0] >= tiny) {
        out->rho[1] = out->rho[0];
        out->kappa[1] = out->kappa[0];
        out->loose[1] = out->loose[0];
    } else if (!wide || !hists[1].seen) { /* a scale is what there is */
        out->rho[1] = fmax(narrow[0], prior);
        out->kappa[1] = fmax(out->kappa[0], prior);
    }
}
