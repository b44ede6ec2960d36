/* Cells without the part of the noise that no cluster can explain. Weighted
 * k-means on noisy cells is attracted by false mass far away; a fit of k round
 * blobs (weight, centre, width) by weighted least squares is not, because one
 * false cell is worth a few units of chi squared and a missed cluster hundreds.
 * The fitted blobs are used as a prior: each cell is shrunk to what they
 * predict, by its own noise, and its users stand where the blobs expect them,
 * not in its middle. When blobs do not fit, the caller keeps its cells.
 */
#include "blobs.h"

#include <math.h>
#include <string.h>

enum { SETTLE = 2 };
static const double ALL_SD = 1e-3;     /* of the sum of all weights around 1 */
static const double LEAST_PART = 1e-3; /* of a cell, to be a point */

/* k-means from one start, as blobs. */
static kith_status start_blobs(kith_i_local_run *run, const kith_i_blob_fit *f,
                               const kith_i_points *start, uint32_t k,
                               double *blobs, uint32_t *found, kith_error *err)
{
    const double *points = start->coords, *weights = start->weights;
    uint32_t count = start->n;
    size_t q = f->axes, each = q + 2;
    uint32_t *labels = kith_i_local_take(run, count, sizeof *labels);
    double *centers = kith_i_local_numbers(run, k, q + 2);
    if (!labels || !centers)
        return kith_i_fail_memory(err);
    double *mass = centers + k * q, *spread = mass + k;
    kith_i_solution solved = {.centers = centers, .labels = labels};
    kith_status status = kith_i_local_solve(run, start, k, 1, &solved, err);
    *found = solved.found;
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

/* Outer faces to infinity, because users beyond the box are counted in its
 * outer cells. */
static void open_cell(const kith_i_grow *grow, kith_i_grow_cell *cell)
{
    const kith_i_grow_node *root = &grow->node[0];
    for (uint32_t a = 0; a < grow->axes; a++) {
        if (cell->low[a] <= root->low[a])
            cell->low[a] = -HUGE_VAL;
        if (cell->high[a] >= root->high[a])
            cell->high[a] = HUGE_VAL;
    }
}

/* All that was reported, each node by those who were asked about it: unlike
 * the estimates of the leaves these are independent. That all users are
 * somewhere is known, and said by the root of the first tree. */
static uint32_t gather(const kith_i_grow *grow, int first,
                       kith_i_grow_cell *reports)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < grow->nodes; i++) {
        const kith_i_grow_node *node = &grow->node[i];
        kith_i_grow_cell *to = &reports[count];
        if (i == 0 ? !first : !(node->precision > 0))
            continue;
        memcpy(to->low, node->low, sizeof to->low);
        memcpy(to->high, node->high, sizeof to->high);
        open_cell(grow, to);
        to->estimate = i == 0 ? 1 : node->mean;
        to->empty = i == 0 ? ALL_SD * ALL_SD : 1 / node->precision + 1e-12;
        to->per_share = i == 0 ? 0 : node->per_share;
        to->variance = to->empty;
        count++;
    }
    return count;
}

/* How narrow and wide blobs may be. */
static void bound_widths(const kith_i_grow *grow, kith_i_blob_fit *f)
{
    const kith_i_grow_node *root = &grow->node[0];
    double wide = root->high[0] - root->low[0], narrow = wide;
    memcpy(f->low, root->low, sizeof f->low);
    memcpy(f->high, root->high, sizeof f->high);
    for (uint32_t i = 0; i < grow->nodes; i++)
        for (uint32_t a = 0; a < f->axes; a++) {
            double side = grow->node[i].high[a] - grow->node[i].low[a];
            narrow = fmin(narrow, side);
            wide = fmax(wide, side);
        }
    f->narrow = log(narrow / 4);
    f->wide = log(wide / 2);
}

/* Cells shrunk to what the blobs expect. The spread of the cells around it is
 * the prior's variance, besides a share of the expectation. */
static void shrink(kith_i_grow_cell *cells, uint32_t count, int plain,
                   const double *expected, double *weights)
{
    double above = 0, precision = 0;
    for (uint32_t l = 0; l < count; l++) {
        if (!plain)
            cells[l].variance += cells[l].per_share * expected[l];
        double v = cells[l].variance;
        double miss = cells[l].estimate - expected[l];
        if (miss * miss > kith_i_recipe.outlier * kith_i_recipe.outlier * v)
            continue;
        above += (miss * miss - v) / v;
        precision += 1 / v;
    }
    double spread = precision > 0 ? fmax(0, above / precision) : 0;
    for (uint32_t l = 0; l < count; l++) {
        double v = cells[l].variance;
        double own = pow(kith_i_recipe.trust * expected[l], 2) + spread;
        weights[l] =
            fmax(0, (cells[l].estimate * own + expected[l] * v) / (own + v));
    }
}

/* What the blobs expect in a leaf. */
static double expected_in(const kith_i_blob_mean *mean, uint32_t leaf)
{
    double sum = 0;
    for (uint32_t j = 0; j < mean->k; j++)
        sum += mean->part[(size_t)leaf * mean->k + j];
    return sum / mean->samples;
}

/* The users of a leaf: as many as the blobs expect where these expect them,
 * more than that in the middle. Returns the number of points. */
static uint32_t place_users(const kith_i_blob_mean *mean, uint32_t leaf,
                            size_t q, double weight, double *points,
                            double *weights)
{
    const kith_i_grow_cell *box = &mean->box[leaf];
    double expected = expected_in(mean, leaf);
    double inside = expected > 0 ? fmin(weight, expected) / expected : 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < mean->k; j++) {
        size_t i = (size_t)leaf * mean->k + j;
        double part = mean->part[i] / mean->samples;
        if (!(part > LEAST_PART * expected) || !(inside > 0))
            continue;
        for (size_t a = 0; a < q; a++) { /* blobs go on beyond the box */
            double at = mean->place[i * q + a] / mean->part[i];
            points[count * q + a] = fmin(box->high[a], fmax(box->low[a], at));
        }
        weights[count++] = part * inside;
    }
    if (!(weight > expected))
        return count;
    for (size_t a = 0; a < q; a++)
        points[count * q + a] = box->low[a] / 2 + box->high[a] / 2;
    weights[count++] = weight - expected;
    return count;
}

/* Blobs, and how badly they explain the reports. */
typedef struct {
    double *blobs;
    uint32_t count;
    double chi;
} best_fit;

/* The best fit once more, with variances that it expects itself. A cell that
 * has many users by chance must not count less for it: variances follow the
 * blobs, never the estimates. */
static void settle(kith_i_blob_fit *f, best_fit *best)
{
    for (int t = 0; t < SETTLE; t++) {
        kith_i_blobs_weigh(f, best->blobs, best->count);
        best->chi = kith_i_blobs_fit(f, best->blobs, best->count, best->count);
    }
}

/* The best fit of at most k blobs to the reports. */
static kith_status find_blobs(kith_i_local_run *run, const kith_i_grow_set *set,
                              const kith_i_points *start, uint32_t k,
                              kith_i_blob_fit *f, best_fit *best,
                              kith_error *err)
{
    size_t each = f->axes + 2;
    size_t nodes = 0;
    for (uint32_t t = 0; t < set->count; t++)
        nodes += set->asked[t].nodes;
    kith_i_grow_cell *reports = kith_i_local_take(run, nodes, sizeof *reports);
    double *trial =
        kith_i_local_numbers(run, k + kith_i_recipe.blob_starts - 1, each);
    if (!reports || !trial)
        return kith_i_fail_memory(err);
    f->cells = reports;
    f->count = 0;
    for (uint32_t t = 0; t < set->count; t++)
        f->count += gather(&set->asked[t], t == 0, reports + f->count);
    bound_widths(set->shown, f);
    best->chi = HUGE_VAL;
    kith_status status =
        kith_i_blobs_room(run, f, k + kith_i_recipe.blob_starts - 1, err);
    for (uint32_t t = 0; !status && t < kith_i_recipe.blob_starts; t++) {
        uint32_t count = 0; /* some starts have one or two too many */
        status = start_blobs(run, f, start, k + t, trial, &count, err);
        if (status)
            return status;
        if (t == 0 && !set->plain)
            kith_i_blobs_weigh(f, trial, count);
        double now = kith_i_blobs_fit(f, trial, count, k);
        if (!(now < best->chi))
            continue;
        best->chi = now;
        best->count = count < k ? count : k;
        memcpy(best->blobs, trial, best->count * each * sizeof *trial);
    }
    if (!status && best->count > 0 && !set->plain)
        settle(f, best);
    return status;
}

/* The leaves, shrunk, as points. */
static kith_status smooth(kith_i_local_run *run, const kith_i_grow_set *set,
                          const kith_i_blob_fit *f, const best_fit *best,
                          kith_i_blob_points *out, kith_error *err)
{
    const kith_i_grow *grow = set->shown;
    size_t leaves = grow->leaves, q = f->axes, found = best->count;
    kith_i_grow_cell *box = kith_i_local_take(run, leaves, sizeof *box);
    kith_i_grow_cell *open = kith_i_local_take(run, leaves, sizeof *open);
    double *expected = kith_i_local_numbers(run, leaves, 1);
    double *mass = kith_i_local_numbers(run, leaves, 1);
    kith_i_blob_mean mean = {
        .box = box, .open = open, .leaves = grow->leaves, .k = best->count};
    mean.part = kith_i_local_numbers(run, leaves, found);
    mean.place = kith_i_local_numbers(run, leaves * found, q);
    if (!box || !open || !expected || !mass || !mean.part || !mean.place)
        return kith_i_fail_memory(err);
    kith_i_grow_cells(grow, box);
    for (size_t l = 0; l < leaves; l++) {
        box[l].variance += 1e-12;
        open[l] = box[l];
        open_cell(grow, &open[l]);
    }
    kith_status status = kith_i_blobs_average(run, f, best->blobs, &mean, err);
    if (status)
        return status;
    for (uint32_t l = 0; l < leaves; l++)
        expected[l] = expected_in(&mean, l);
    shrink(box, grow->leaves, set->plain, expected, mass);
    for (uint32_t l = 0; l < leaves; l++)
        out->count +=
            place_users(&mean, l, q, mass[l], out->points + out->count * q,
                        out->weights + out->count);
    return KITH_OK;
}

/* Numbers that are known beyond what is fitted: reports and the prior of the
 * widths, less the parameters of the blobs. */
static double known_beyond(const kith_i_blob_fit *f, uint32_t blobs)
{
    double prior = blobs > 0 ? blobs - 1.0 : 0;
    return fmax(1, f->count + prior - (double)blobs * (f->axes + 2));
}

kith_status kith_i_blobs_smooth(kith_i_local_run *run,
                                const kith_i_grow_set *set,
                                const kith_i_points *start, uint32_t k,
                                kith_i_blob_points *out, kith_error *err)
{
    kith_i_blob_fit f = {.axes = set->shown->axes};
    best_fit best = {.blobs = out->best, .chi = HUGE_VAL};
    out->count = out->found = 0;
    out->misfit = out->total_sd = HUGE_VAL;
    if (k > KITH_I_BLOBS_MOST || start->n <= 1)
        return KITH_OK;
    kith_status status = find_blobs(run, set, start, k, &f, &best, err);
    if (status || best.count == 0)
        return status;
    double known = known_beyond(&f, set->plain ? 0 : best.count);
    double most = known + kith_i_recipe.blobs_fit * sqrt(2.0 * known);
    out->found = best.count;
    out->misfit = (best.chi - known) / sqrt(2.0 * known);
    if (!set->plain)
        out->total =
            kith_i_blobs_total(&f, best.blobs, best.count, &out->total_sd);
    if (!(best.chi <= most))
        return KITH_OK;
    return smooth(run, set, &f, &best, out, err);
}
