/* Round blobs fitted to noisy counts of cells by weighted least squares:
 * Levenberg and Marquardt, and a search that replaces one blob at a time. The
 * widths of blobs are drawn together a little (a prior), because noise is
 * explained best by blobs that are absurdly narrow or wide. */
#include "blobs.h"

#include <math.h>
#include <string.h>

enum { LONG_FIT = 25, SHORT_FIT = 6, TRIALS = 6 };
static const double LEAST_WEIGHT = 1e-4;
static const double FAR = 7; /* widths beyond which there is nobody: 1e-12 */
static const double UNSAID = 1e12;     /* variance of what is not said */
static const double LEAST_GAIN = 0.01; /* chi squared; less is none */

static double below(double x)
{
    return erfc(-x * M_SQRT1_2) / 2;
}

static double bell(double x)
{
    return exp(-x * x / 2) * 0.3989422804014327; /* 1 / sqrt(2 pi) */
}

/* Mass of one blob of weight 1 in a cell, and the derivatives: by weight, by
 * each coordinate, by the log of the width. */
static double blob_mass(const kith_i_grow_cell *cell, uint32_t axes,
                        const double *blob, double *slope)
{
    double width = exp(blob[axes + 1]), mass = 1, by_width = 0;
    double part[KITH_I_GROW_AXES], move[KITH_I_GROW_AXES],
        widen[KITH_I_GROW_AXES];
    for (uint32_t a = 0; a < axes; a++) {
        double from = (cell->low[a] - blob[1 + a]) / width;
        double to = (cell->high[a] - blob[1 + a]) / width;
        if (from > FAR || to < -FAR) {
            for (uint32_t i = 0; slope && i < axes + 2; i++)
                slope[i] = 0;
            return 0;
        }
        part[a] = below(to) - below(from);
        mass *= part[a];
        if (!slope)
            continue;
        double first = bell(from), last = bell(to);
        move[a] = (first - last) / width;
        widen[a] = (isfinite(from) ? from * first : 0) -
                   (isfinite(to) ? to * last : 0);
    }
    if (!slope)
        return mass;
    slope[0] = mass;
    for (uint32_t a = 0; a < axes; a++) {
        double others = blob[0];
        for (uint32_t b = 0; b < axes; b++)
            others *= b == a ? 1 : part[b];
        slope[1 + a] = others * move[a];
        by_width += others * widen[a];
    }
    slope[axes + 1] = by_width;
    return mass;
}

double kith_i_blobs_misfit(const kith_i_grow_cell *cells, uint32_t count,
                           uint32_t axes, const double *blobs, uint32_t k,
                           double *expected, double *slopes)
{
    size_t each = axes + 2;
    double chi = 0;
    for (size_t l = 0; l < count; l++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += blobs[j * each] *
                   blob_mass(&cells[l], axes, blobs + j * each,
                             slopes ? slopes + (l * k + j) * each : NULL);
        double miss = cells[l].estimate - sum;
        expected[l] = sum;
        chi += miss * miss / cells[l].variance;
    }
    return chi;
}

double kith_i_blobs_part(const kith_i_grow_cell *cell, uint32_t axes,
                         const double *blob, double *middle)
{
    double width = exp(blob[axes + 1]);
    for (uint32_t a = 0; a < axes; a++) {
        double from = (cell->low[a] - blob[1 + a]) / width;
        double to = (cell->high[a] - blob[1 + a]) / width;
        double part = below(to) - below(from), at = blob[1 + a];
        if (part > 0)
            at += width * (bell(from) - bell(to)) / part;
        middle[a] = fmin(cell->high[a], fmax(cell->low[a], at));
    }
    return blob[0] * blob_mass(cell, axes, blob, NULL);
}

void kith_i_blobs_weigh(kith_i_blob_fit *f, const double *blobs, uint32_t k)
{
    kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k, f->expected,
                        NULL);
    for (uint32_t l = 0; l < f->count; l++)
        f->cells[l].variance =
            f->cells[l].empty + f->cells[l].per_share * f->expected[l];
}

static void normal_equations(kith_i_blob_fit *f, size_t n)
{
    memset(f->normal, 0, n * n * sizeof *f->normal);
    memset(f->gradient, 0, n * sizeof *f->gradient);
    for (size_t l = 0; l < f->count; l++) {
        const double *row = f->slopes + l * n;
        double v = f->cells[l].variance;
        double miss = (f->cells[l].estimate - f->expected[l]) / v;
        for (size_t i = 0; i < n; i++) {
            if (row[i] == 0)
                continue;
            f->gradient[i] += row[i] * miss;
            for (size_t j = 0; j <= i; j++)
                f->normal[i * n + j] += row[i] / v * row[j];
        }
    }
}

static void keep_sensible(const kith_i_blob_fit *f, const double *old,
                          uint32_t k, double *blobs)
{
    uint32_t each = f->axes + 2;
    for (uint32_t j = 0; j < k; j++) {
        double *b = blobs + j * each;
        b[0] = fmin(1, fmax(LEAST_WEIGHT, b[0]));
        b[f->axes + 1] = fmin(f->wide, fmax(f->narrow, b[f->axes + 1]));
        for (uint32_t i = 0; i < each; i++)
            if (!isfinite(b[i]))
                b[i] = old[j * each + i];
    }
}

double kith_i_blobs_prior(const double *blobs, uint32_t k, uint32_t axes)
{
    size_t each = axes + 2, n = k * each;
    double sum = 0, square = 0;
    for (size_t i = each - 1; i < n; i += each) {
        sum += blobs[i];
        square += blobs[i] * blobs[i];
    }
    return (square - sum * sum / k) / pow(kith_i_recipe.blob_widths, 2);
}

/* The same in the normal equations. */
static void add_prior(kith_i_blob_fit *f, const double *blobs, uint32_t k)
{
    size_t each = f->axes + 2, n = k * each;
    double mean = 0, weight = 1 / pow(kith_i_recipe.blob_widths, 2);
    for (size_t i = each - 1; i < n; i += each)
        mean += blobs[i] / k;
    for (size_t i = each - 1; i < n; i += each) {
        f->gradient[i] -= weight * (blobs[i] - mean);
        f->normal[i * n + i] += weight;
    }
}

static double badness(kith_i_blob_fit *f, const double *blobs, uint32_t k,
                      double *slopes)
{
    return kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k,
                               f->expected, slopes) +
           kith_i_blobs_prior(blobs, k, f->axes);
}

/* Levenberg and Marquardt. Returns chi squared with the prior's; expected is
 * up to date. */
static double fit(kith_i_blob_fit *f, double *blobs, uint32_t k, int rounds)
{
    size_t n = (size_t)k * (f->axes + 2);
    double damping = 1e-2, chi = badness(f, blobs, k, f->slopes);
    for (int round = 0; round < rounds; round++) {
        double now = HUGE_VAL;
        normal_equations(f, n);
        add_prior(f, blobs, k);
        for (int t = 0; t < TRIALS && !(now < chi); t++) {
            double damp = damping;
            damping *= 5; /* for the next trial */
            memcpy(f->factor, f->normal, n * n * sizeof *f->factor);
            memcpy(f->step, f->gradient, n * sizeof *f->step);
            for (size_t i = 0; i < n; i++)
                f->factor[i * n + i] += damp * f->normal[i * n + i] + 1e-9;
            if (kith_i_solve_positive(f->factor, f->step, n))
                continue;
            for (size_t i = 0; i < n; i++)
                f->trial[i] = blobs[i] + f->step[i];
            keep_sensible(f, blobs, k, f->trial);
            now = badness(f, f->trial, k, NULL);
        }
        if (!(now < chi))
            break;
        memcpy(blobs, f->trial, n * sizeof *blobs);
        damping = fmax(damping / 25, 1e-6);
        double gain = chi - now;
        chi = badness(f, blobs, k, f->slopes);
        if (gain < LEAST_GAIN + 1e-5 * chi)
            break;
    }
    return badness(f, blobs, k, NULL);
}

double kith_i_blobs_total(kith_i_blob_fit *f, const double *blobs, uint32_t k,
                          double *sd)
{
    size_t each = f->axes + 2, n = k * each;
    double known = f->cells[0].variance, total = 0, variance = 0;
    f->cells[0].variance = UNSAID;
    memcpy(f->moved, blobs, n * sizeof *blobs);
    fit(f, f->moved, k, LONG_FIT);
    badness(f, f->moved, k, f->slopes);
    normal_equations(f, n);
    add_prior(f, f->moved, k);
    for (size_t i = 0; i < n; i++) {
        f->normal[i * n + i] += 1e-9;
        f->step[i] = i % each == 0;
    }
    int bad = kith_i_solve_positive(f->normal, f->step, n);
    for (size_t i = 0; i < n; i += each) {
        total += f->moved[i];
        variance += f->step[i];
    }
    f->cells[0].variance = known;
    *sd = !bad && variance > 0 ? sqrt(variance) : HUGE_VAL;
    return total;
}

/* Leave out the blob that is missed least. */
static void drop_one(kith_i_blob_fit *f, double *blobs, uint32_t k)
{
    size_t each = f->axes + 2, worst = 0;
    double least = HUGE_VAL;
    for (size_t j = 0; j < k; j++) {
        double weight = blobs[j * each];
        blobs[j * each] = 0;
        double chi = kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k,
                                         f->expected, NULL);
        blobs[j * each] = weight;
        if (chi < least) {
            least = chi;
            worst = j;
        }
    }
    memmove(blobs + worst * each, blobs + (worst + 1) * each,
            (k - worst - 1) * each * sizeof *blobs);
}

/* The cell that is missed by most of its sd, fewer than `ceiling`. */
static uint32_t most_missed(const kith_i_blob_fit *f, const double *expected,
                            double ceiling, double *z)
{
    uint32_t at = 0;
    *z = 0;
    for (uint32_t l = 0; l < f->count; l++) {
        double miss = f->cells[l].estimate - expected[l];
        miss /= sqrt(f->cells[l].variance);
        if (miss > *z && miss < ceiling) {
            *z = miss;
            at = l;
        }
    }
    return at;
}

/* A blob in that cell, as wide as the others are. */
static void put_blob(const kith_i_blob_fit *f, uint32_t at, double weight,
                     double width, double *blob)
{
    blob[0] = fmax(kith_i_recipe.blob_weight, weight);
    for (uint32_t a = 0; a < f->axes; a++)
        blob[1 + a] = fmax(f->cells[at].low[a], f->low[a]) / 2 +
                      fmin(f->cells[at].high[a], f->high[a]) / 2;
    blob[f->axes + 1] = width;
}

/* Blob j in each of the places where most is missed without it. The best is
 * kept in f->best when it is better than chi. */
static double try_elsewhere(kith_i_blob_fit *f, const double *blobs, uint32_t k,
                            uint32_t j, double chi)
{
    size_t each = f->axes + 2, n = k * each;
    double width = 0, ceiling = HUGE_VAL;
    for (size_t i = each - 1; i < n; i += each)
        width += blobs[i] / k;
    memcpy(f->moved, blobs, n * sizeof *blobs);
    f->moved[j * each] = 0;
    kith_i_blobs_misfit(f->cells, f->count, f->axes, f->moved, k, f->without,
                        NULL);
    for (uint32_t spot = 0; spot < kith_i_recipe.blob_spots; spot++) {
        uint32_t at = most_missed(f, f->without, ceiling, &ceiling);
        if (!(ceiling > 0))
            break;
        memcpy(f->moved, blobs, n * sizeof *blobs);
        put_blob(f, at, f->cells[at].estimate - f->without[at], width,
                 f->moved + j * each);
        double now = fit(f, f->moved, k, SHORT_FIT);
        if (now < chi - LEAST_GAIN) {
            chi = now;
            memcpy(f->best, f->moved, n * sizeof *f->best);
        }
    }
    return chi;
}

double kith_i_blobs_fit(kith_i_blob_fit *f, double *blobs, uint32_t count,
                        uint32_t k)
{
    double chi = fit(f, blobs, count, count > k ? SHORT_FIT : LONG_FIT);
    for (; count > k; count--) {
        drop_one(f, blobs, count);
        chi = fit(f, blobs, count - 1, count - 1 > k ? SHORT_FIT : LONG_FIT);
    }
    for (uint32_t e = 0; e < kith_i_recipe.exchanges; e++) {
        double lead = chi;
        for (uint32_t j = 0; j < count; j++)
            lead = try_elsewhere(f, blobs, count, j, lead);
        if (!(lead < chi))
            break;
        memcpy(blobs, f->best, count * (f->axes + 2) * sizeof *blobs);
        chi = fit(f, blobs, count, LONG_FIT);
    }
    return chi;
}

kith_status kith_i_blobs_room(kith_i_local_run *run, kith_i_blob_fit *f,
                              uint32_t room, kith_error *err)
{
    size_t n = (size_t)room * (f->axes + 2);
    f->expected = kith_i_local_numbers(run, f->count, 2);
    f->slopes = kith_i_local_numbers(run, f->count, n);
    f->normal = kith_i_local_numbers(run, n, n);
    f->factor = kith_i_local_numbers(run, n, n);
    f->gradient = kith_i_local_numbers(run, n, 5);
    if (!f->expected || !f->slopes || !f->normal || !f->factor || !f->gradient)
        return kith_i_fail_memory(err);
    f->without = f->expected + f->count;
    f->step = f->gradient + n;
    f->trial = f->step + n;
    f->moved = f->trial + n;
    f->best = f->moved + n;
    return KITH_OK;
}
