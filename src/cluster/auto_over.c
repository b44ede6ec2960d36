/* A8: a better coreset from steps with more cells than clusters, and how much
 * of it to believe. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

/* Heavy tails (trust_cells): this much of the variance is far out, and less
 * than this of it would count. */
static const double far_rows = .1, well_seen = .7;
/* How far from a cell its parts begin, of its rms distance: short, since only
 * the directions matter. */
static const double aside = .2;
/* Clusters are in few cells each (crowded): less than this many have rows, for
 * each cluster. */
static const double few_each = 2;
/* The move of a cell in a shell: so many times the noise's square is noise. */
static const double dear_move = 2;

/* A false one takes a centre away from the others, and of many boxes some are
 * false: one in fifty of eight in one shell, one in a thousand of thirty. */
double kith_i_auto_far_stands(const auto_run *run)
{
    return fmax(2, 2 * sqrt(log(fmax(run->shells, 2) / 2)));
}

/* Variance beyond two rms distances from the mean, by their histogram. */
static double far_variance(const auto_space *space, double far)
{
    const auto_hist *norms = &space->norms;
    double sum = 0;
    for (uint32_t b = 0; b < norms->bins; b++) {
        double square = pow(norms->mid[b] * space->finer, 2);
        sum += square > far ? norms->h[b] * square : 0;
    }
    return sum / norms->total;
}

/* How much of its size each fine cell weighs in the coreset: less the noisier
 * its mean, nothing if it does not stand out. That hides heavy tails, whose
 * cells are wide and have few rows. So if far cells lose much by it, and the
 * histogram or the cells say that much of the variance is there, their noise
 * counts against their distance instead. sd: of the sizes. */
static void trust_cells(const auto_run *run, const auto_space *space,
                        const auto_step *found, const double *sd,
                        const double *centers, double *trust)
{
    uint32_t q = space->q;
    double far = 4 * space->trace, seen = 0, all = 0;
    for (int restore = 0; restore < 2; restore++) {
        for (uint32_t j = 0; j < found->k; j++) {
            double square = 0, size = found->size[j];
            double noise = q * found->noise[j] * found->noise[j];
            for (uint32_t i = 0; i < q; i++)
                square += pow(centers[(size_t)j * q + i], 2);
            if (restore && square <= far)
                continue;
            double signal = (restore ? square : space->trace) / 4;
            double least = sd[j] < found->size_sd ? kith_i_auto_far_stands(run)
                           : restore              ? 1
                                                  : 2;
            int stands = size > least * sd[j];
            trust[j] = stands ? 1 / (1 + noise / signal) : 0;
            if (stands && square > far) {
                all += size * fmax(square - noise, 0);
                seen += trust[j] * size * fmax(square - noise, 0);
            }
        }
        if (space->blind || seen >= well_seen * all ||
            fmax(far_variance(space, far), all / run->n_hat) <
                far_rows * space->trace)
            return;
    }
}

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

/* Cells in a shell have few rows, often in one leaf whose size is better known
 * than the cell's: the mean of both, by precision. Elsewhere the forest's sizes
 * are not used (variance 0 or infinite). sd: k, of the sizes. */
static void join_sizes(const double *size, const double *variance,
                       auto_step *found, double *sd)
{
    double mine = found->size_sd * found->size_sd;
    for (uint32_t j = 0; j < found->k; j++) {
        sd[j] = found->size_sd;
        if (!(variance[j] < HUGE_VAL) || !(variance[j] > 0))
            continue;
        double sum = 1 / mine + 1 / variance[j];
        found->size[j] = (found->size[j] / mine + size[j] / variance[j]) / sum;
        sd[j] = sqrt(1 / sum);
    }
}

/* The cells that are believed become the coreset. */
static kith_status make_coreset(const auto_step *found, uint32_t q,
                                const double *centers, const double *scale,
                                const double *sd, const double *trust,
                                int shells, auto_coreset *coreset,
                                kith_error *err)
{
    uint32_t kept = 0, n = 0;
    for (uint32_t j = 0; j < found->k; j++)
        kept += trust[j] > 0;
    if (kept == 0)
        return KITH_OK; /* the one before is better than none */
    auto_coreset made;
    kith_status status = kith_i_auto_coreset_new(&made, kept, q, err);
    if (status)
        return status;
    for (uint32_t j = 0; j < found->k; j++) {
        if (!(trust[j] > 0))
            continue;
        memcpy(made.points + (size_t)n * q, centers + (size_t)j * q,
               q * sizeof *centers);
        made.size[n] = found->size[j];
        /* of use for cells in shells, or with random axes: for others they
         * change too much until A10 (docs/auto_history.md) */
        made.unsure[n] =
            shells && sd[j] >= found->size_sd ? HUGE_VAL : sd[j] * sd[j];
        made.within[n] = scale[j] * scale[j];
        made.weight[n++] = found->size[j] * trust[j];
    }
    kith_i_auto_coreset_free(coreset);
    *coreset = made;
    return KITH_OK;
}

void kith_i_auto_drop_doubtful(const auto_run *run, auto_coreset *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        int far = c->unsure[i] > 0 && c->unsure[i] < HUGE_VAL;
        if (far &&
            c->size[i] < kith_i_auto_far_stands(run) * sqrt(c->unsure[i]))
            continue;
        memmove(c->points + (size_t)n * c->q, c->points + (size_t)i * c->q,
                c->q * sizeof *c->points);
        c->weight[n] = c->weight[i];
        c->size[n] = c->size[i];
        c->unsure[n] = c->unsure[i];
        c->within[n++] = c->within[i];
    }
    c->n = n > 0 ? n : c->n;
}

/* Typical distances by what a step found; not much less than is usual. Boxes of
 * shells are wide already, and few of the wide cells: no more than before. */
static void update_scales(const auto_step *found, const double *variance,
                          double *scale)
{
    double sum = 0, usual = 0;
    for (uint32_t j = 0; j < found->k; j++) {
        int far = variance[j] > 0 && variance[j] < HUGE_VAL;
        scale[j] = far ? fmin(scale[j], found->rms[j]) : found->rms[j];
        sum += found->wide[j] ? 0 : scale[j];
        usual += !found->wide[j];
    }
    for (uint32_t j = 0; j < found->k; j++)
        scale[j] = fmax(scale[j], .15 * sum / fmax(usual, 1));
}

/* Cells with nobody in them are of more use where the rows are: each goes next
 * to the cell that has most rows for its parts, in a random direction. If two
 * clusters are in that cell, most planes through its mean pass between them,
 * and A9 has two points to choose from instead of one. parts: k of scratch. */
static void reuse_empty(auto_run *run, const auto_step *found, uint32_t q,
                        double *parts, double *centers, double *scale)
{
    double least = 2 * found->size_sd;
    for (uint32_t j = 0; j < found->k; j++)
        parts[j] = 1;
    for (uint32_t j = 0; j < found->k; j++) {
        if (found->size[j] >= least)
            continue;
        uint32_t from = j;
        double most = 0, square = 0, *to = centers + (size_t)j * q;
        for (uint32_t i = 0; i < found->k; i++)
            if (found->size[i] >= least && found->size[i] / parts[i] > most) {
                most = found->size[i] / parts[i];
                from = i;
            }
        if (from == j) /* there is none */
            return;
        for (uint32_t a = 0; a < q; a++) {
            to[a] = kith_i_coins_normal(&run->coins);
            square += to[a] * to[a];
        }
        double step = aside * found->rms[from] / sqrt(fmax(square, 1e-300));
        for (uint32_t a = 0; a < q; a++)
            to[a] = centers[(size_t)from * q + a] + step * to[a];
        scale[j] = scale[from];
        parts[from]++;
    }
}

/* Whether some cell has more rows than a cluster has on average, while others
 * have none, so that it may hold two: rows in clumps that are far apart. Not
 * with shells, where cells with few rows count as well. */
static int crowded(const auto_run *run, const auto_step *found)
{
    double with_rows = 0, most = 0, each = run->n_hat / run->k;
    for (uint32_t j = 0; j < found->k; j++) {
        with_rows += found->size[j] >= 2 * found->size_sd;
        most = fmax(most, found->size[j]);
    }
    return !run->shells && run->plan <= 0 && with_rows < few_each * run->k &&
           with_rows < found->k && most > each &&
           each > AUTO_CLEAR * found->size_sd;
}

/* How far a cell in a shell believes its move. Other cells share what their
 * moves have in common; a few rows far out would be thrown about by that. */
static double far_factor(const auto_step *found, uint32_t q, uint32_t j)
{
    double square = 0, noise = dear_move * q * pow(found->noise[j], 2);
    for (uint32_t i = 0; i < q; i++)
        square += pow(found->move[(size_t)j * q + i], 2);
    return square > noise ? 1 - noise / square : 0;
}

/* One step of the cells. */
static kith_status refine_cells(auto_run *run, const auto_space *space,
                                const auto_shares *shares, uint32_t cells,
                                double share, const double *variance,
                                double *centers, double *scale,
                                auto_step *found, kith_error *err)
{
    uint32_t q = space->q;
    size_t size = (size_t)cells * q;
    double *before = kith_i_alloc(size, sizeof *before);
    if (!before)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < size; i++)
        before[i] = nearbyint(centers[i]); /* as the step does */
    kith_i_auto_step_free(found);
    kith_status status =
        kith_i_auto_step_in_view(run, space, shares, cells, NULL, scale, share,
                                 "fine cell", NULL, centers, found, err);
    for (uint32_t j = 0; !status && j < cells; j++)
        if (variance[j] > 0 && variance[j] < HUGE_VAL) {
            size_t at = (size_t)j * q;
            double keep = far_factor(found, q, j);
            for (size_t i = at; i < at + q; i++)
                centers[i] = before[i] + keep * found->move[i];
            kith_i_domain_clip(kith_i_view_domain(space->view), centers + at);
        }
    if (!status)
        update_scales(found, variance, scale);
    kith_i_free(before);
    return status;
}

kith_status kith_i_auto_over_cluster(auto_run *run, const auto_space *space,
                                     auto_shares *shares, uint32_t cells,
                                     auto_coreset *coreset, kith_error *err)
{
    uint32_t q = space->q;
    double *centers = kith_i_alloc((size_t)cells * q, sizeof *centers);
    double *scale = kith_i_alloc(2 * (size_t)cells, sizeof *scale);
    double *trust = kith_i_alloc(cells, sizeof *trust);
    double *sd = kith_i_alloc(cells, sizeof *sd);
    double *before = kith_i_alloc(2 * (size_t)cells, sizeof *before);
    auto_step found = {0};
    kith_status status =
        centers && scale && trust && sd && before
            ? kith_i_auto_solve(run, coreset, cells, 1, 1,
                                cells <= AUTO_MANY_CLUSTERS, centers, err)
            : kith_i_fail_memory(err);
    if (!status)
        kith_i_auto_scales(coreset, cells, centers, scale);
    if (!status && run->shells)
        kith_i_auto_sum_sizes(coreset, cells, centers, before, before + cells);
    for (uint32_t t = 0; !status && t < shares->over_steps; t++) {
        status = refine_cells(run, space, shares, cells,
                              shares->over / shares->over_steps, before + cells,
                              centers, scale, &found, err);
        /* in random axes boxes are wide and leaves far from their rows: most
         * of them end up empty */
        if (!status && t + 1 < shares->over_steps &&
            (space->blind || crowded(run, &found)))
            reuse_empty(run, &found, q, trust, centers, scale);
    }
    /* Pure: there was but one step. Another is worth more than A10, which
     * cannot part two clusters. */
    if (!status && shares->over_steps == 1 && shares->rounds > 0 &&
        !run->opt->rounds && crowded(run, &found)) {
        reuse_empty(run, &found, q, trust, centers, scale);
        status = refine_cells(run, space, shares, cells, shares->lloyd,
                              before + cells, centers, scale, &found, err);
        shares->rounds = 0;
        shares->lloyd = 0;
    }
    if (!status) {
        join_sizes(before, before + cells, &found, sd);
        trust_cells(run, space, &found, sd, centers, trust);
        status = make_coreset(&found, q, centers, scale, sd, trust,
                              run->shells > 0, coreset, err);
    }
    kith_i_auto_step_free(&found);
    kith_i_free(centers);
    kith_i_free(scale);
    kith_i_free(trust);
    kith_i_free(sd);
    kith_i_free(before);
    return status;
}
