/* Cells without the part of the noise that no cluster can explain. Weighted
 * k-means on noisy cells is attracted by false mass far away; a fit of k round
 * blobs (weight, centre, width) by weighted least squares is not, because one
 * false cell is worth a few units of chi squared and a missed cluster hundreds.
 * The fitted blobs are used as a prior: each cell is shrunk to what they
 * predict, by its own noise. When they do not fit, the caller keeps its cells.
 */
#include "local_auto_i.h"

#include <math.h>
#include <string.h>

enum { STARTS = 8, LONG_FIT = 25, SHORT_FIT = 6, TRIALS = 6 };
static const double FITS = 1.5;  /* chi squared of a cell, at most */
static const double TRUST = 0.5; /* blobs are right within this factor */
static const double OUTLIER = 3; /* sd: not counted in the spread of cells */
static const double LEAST_WEIGHT = 1e-4;

typedef struct {
    const kith_i_grow_cell *cells; /* outer ones are widened to infinity */
    uint32_t count, axes, room;    /* room: blobs */
    double narrow, wide;           /* log of the width */
    double *expected, *slopes, *normal, *factor, *gradient, *step, *trial;
} fitting;

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

/* Solve A x = b for a symmetric positive A (destroyed, lower triangle): x in
 * b. Nonzero when A is not positive. */
static int solve_positive(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double s = a[i * n + j];
            for (size_t t = 0; t < j; t++)
                s -= a[i * n + t] * a[j * n + t];
            if (i == j && !(s > 0))
                return -1;
            a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t t = 0; t < i; t++)
            b[i] -= a[i * n + t] * b[t];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t t = i + 1; t < n; t++)
            b[i] -= a[t * n + i] * b[t];
        b[i] /= a[i * n + i];
    }
    return 0;
}

static void normal_equations(fitting *f, size_t n)
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

static void keep_sensible(const fitting *f, const double *old, uint32_t k,
                          double *blobs)
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

/* Levenberg and Marquardt. Returns chi squared; expected is up to date. */
static double fit(fitting *f, double *blobs, uint32_t k, int rounds)
{
    size_t n = (size_t)k * (f->axes + 2);
    double damping = 1e-2;
    double chi = kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k,
                                     f->expected, f->slopes);
    for (int round = 0; round < rounds; round++) {
        double now = HUGE_VAL;
        normal_equations(f, n);
        for (int t = 0; t < TRIALS && !(now < chi); t++) {
            double damp = damping;
            damping *= 5; /* for the next trial */
            memcpy(f->factor, f->normal, n * n * sizeof *f->factor);
            memcpy(f->step, f->gradient, n * sizeof *f->step);
            for (size_t i = 0; i < n; i++)
                f->factor[i * n + i] += damp * f->normal[i * n + i] + 1e-9;
            if (solve_positive(f->factor, f->step, n))
                continue;
            for (size_t i = 0; i < n; i++)
                f->trial[i] = blobs[i] + f->step[i];
            keep_sensible(f, blobs, k, f->trial);
            now = kith_i_blobs_misfit(f->cells, f->count, f->axes, f->trial, k,
                                      f->expected, NULL);
        }
        if (!(now < chi))
            break;
        memcpy(blobs, f->trial, n * sizeof *blobs);
        damping = fmax(damping / 25, 1e-6);
        double gain = chi - now;
        chi = kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k,
                                  f->expected, f->slopes);
        if (gain < 0.01 + 1e-5 * chi)
            break;
    }
    return kith_i_blobs_misfit(f->cells, f->count, f->axes, blobs, k,
                               f->expected, NULL);
}

/* Leave out the blob that is missed least. */
static void drop_one(fitting *f, double *blobs, uint32_t k)
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

static kith_status take_room(kith_i_local_run *run, fitting *f, uint32_t leaves,
                             kith_error *err)
{
    size_t n = (size_t)f->room * (f->axes + 2);
    f->expected = kith_i_local_numbers(run, leaves, 1);
    f->slopes = kith_i_local_numbers(run, leaves, n);
    f->normal = kith_i_local_numbers(run, n, n);
    f->factor = kith_i_local_numbers(run, n, n);
    f->gradient = kith_i_local_numbers(run, n, 3);
    if (!f->expected || !f->slopes || !f->normal || !f->factor || !f->gradient)
        return kith_i_fail_memory(err);
    f->step = f->gradient + n;
    f->trial = f->step + n;
    return KITH_OK;
}

/* k-means from one start, as blobs. narrowest: side of a cell. */
static kith_status start_blobs(kith_i_local_run *run, const fitting *f,
                               const double *points, const double *weights,
                               uint32_t count, uint32_t k, double *blobs,
                               uint32_t *found, kith_error *err)
{
    size_t q = f->axes, each = q + 2;
    uint32_t *labels = kith_i_local_take(run, count, sizeof *labels);
    double *centers = kith_i_local_numbers(run, k, q + 2);
    if (!labels || !centers)
        return kith_i_fail_memory(err);
    double *mass = centers + k * q, *spread = mass + k;
    kith_status status =
        kith_i_local_solve(run, points, weights, count, f->axes, k, 1, centers,
                           labels, found, err);
    for (uint32_t i = 0; !status && i < count; i++) {
        uint32_t j = labels[i];
        if (j == UINT32_MAX)
            continue;
        mass[j] += weights[i];
        spread[j] += weights[i] * kith_i_distance_squared(points + i * q,
                                                          centers + j * q, q);
    }
    for (size_t j = 0; !status && j < *found; j++) {
        double side = exp(f->narrow) * 4;
        double square = spread[j] / mass[j] / (double)q + side * side / 12;
        square = fmax(square, side * side / 4);
        blobs[j * each] = mass[j];
        memcpy(blobs + j * each + 1, centers + j * q, q * sizeof *blobs);
        blobs[j * each + q + 1] =
            fmin(f->wide, fmax(f->narrow, log(square) / 2));
    }
    return status;
}

/* Middles of the cells, for the caller; outer faces to infinity, because users
 * beyond the box are counted in its outer cells. */
static void open_cells(const kith_i_grow *grow, kith_i_grow_cell *cells,
                       fitting *f, double *points)
{
    const kith_i_grow_node *root = &grow->node[0];
    double wide = root->high[0] - root->low[0], narrow = HUGE_VAL;
    for (uint32_t l = 0; l < f->count; l++) {
        cells[l].variance += 1e-12;
        for (uint32_t a = 0; a < f->axes; a++) {
            double low = cells[l].low[a], high = cells[l].high[a];
            points[l * f->axes + a] = low / 2 + high / 2;
            narrow = fmin(narrow, high - low);
            wide = fmax(wide, root->high[a] - root->low[a]);
            if (low <= root->low[a])
                cells[l].low[a] = -HUGE_VAL;
            if (high >= root->high[a])
                cells[l].high[a] = HUGE_VAL;
        }
    }
    f->narrow = log(narrow / 4);
    f->wide = log(wide / 2);
}

/* Cells shrunk to what the blobs expect. The spread of the cells around it is
 * the prior's variance, besides a share of the expectation. */
static void shrink(const fitting *f, const double *expected, double *weights)
{
    double above = 0, precision = 0;
    for (uint32_t l = 0; l < f->count; l++) {
        double v = f->cells[l].variance;
        double miss = f->cells[l].estimate - expected[l];
        if (miss * miss > OUTLIER * OUTLIER * v)
            continue;
        above += (miss * miss - v) / v;
        precision += 1 / v;
    }
    double spread = precision > 0 ? fmax(0, above / precision) : 0;
    for (uint32_t l = 0; l < f->count; l++) {
        double v = f->cells[l].variance;
        double prior = pow(TRUST * expected[l], 2) + spread;
        weights[l] = fmax(0, (f->cells[l].estimate * prior + expected[l] * v) /
                                 (prior + v));
    }
}

kith_status kith_i_blobs_smooth(kith_i_local_run *run, const kith_i_grow *grow,
                                const double *start, const double *start_weight,
                                uint32_t start_count, uint32_t k,
                                double *points, double *weights,
                                uint32_t *count, kith_error *err)
{
    fitting f = {.axes = grow->axes, .room = k + 2};
    *count = 0;
    if (k > KITH_I_BLOBS_MOST || start_count <= 1)
        return KITH_OK;
    kith_i_grow_cell *cells =
        kith_i_local_take(run, grow->leaves, sizeof *cells);
    double *blobs = kith_i_local_numbers(run, f.room, f.axes + 2);
    double *expected = kith_i_local_numbers(run, grow->leaves, 1);
    kith_status status = take_room(run, &f, grow->leaves, err);
    if (status)
        return status;
    if (!cells || !blobs || !expected)
        return kith_i_fail_memory(err);
    f.cells = cells;
    f.count = kith_i_grow_cells(grow, cells);
    open_cells(grow, cells, &f, points);
    double best = HUGE_VAL;
    for (uint32_t t = 0; t < STARTS; t++) {
        uint32_t found = 0; /* some starts have one or two too many */
        status = start_blobs(run, &f, start, start_weight, start_count,
                             k + t % 3, blobs, &found, err);
        if (status)
            return status;
        double chi = fit(&f, blobs, found, found > k ? SHORT_FIT : LONG_FIT);
        for (; found > k; found--) {
            drop_one(&f, blobs, found);
            chi =
                fit(&f, blobs, found - 1, found - 1 > k ? SHORT_FIT : LONG_FIT);
        }
        if (!(chi < best))
            continue;
        best = chi;
        memcpy(expected, f.expected, f.count * sizeof *expected);
    }
    if (!(best <= FITS * f.count))
        return KITH_OK;
    shrink(&f, expected, weights);
    *count = f.count;
    return KITH_OK;
}
