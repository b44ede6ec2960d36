/* A8: a better coreset from steps with more cells than clusters. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

/* How far from a cell another one begins that shall share its rows, of its rms
 * distance: short, since only the direction matters. */
static const double aside = .3;
/* Cells with less than this part of an average cell, for sure, are of no use
 * where they are. */
static const double nobody = .1;

/* Heavy tails (trust_cells): this much of the variance is far out, and less
 * than this of it would count. */
static const double far_rows = .1, well_seen = .7;
/* The move of a cell in a shell: so many times the noise's square is noise. */
static const double dear_move = 2;
/* Shells begin so many spreads from the mean. */
static const double shells_from = 12;
/* Clusters are in few cells each: less than this many have rows, for each
 * cluster; and an average cluster stands out by so many sd of a size. */
static const double few_each = 2, clear = 8;

/* A false one takes a centre away from the others, and of many boxes some are
 * false: one in fifty of eight in one shell, one in a thousand of thirty. */
double kith_i_auto_far_stands(const auto_run *run)
{
    return fmax(2, 2 * sqrt(log(fmax(run->shells, 2) / 2)));
}

static int is_far(const auto_run *run, const auto_space *space, const double *c)
{
    double most = 0;
    for (uint32_t i = 0; i < space->q; i++)
        most = fmax(most, fabs(c[i]) / space->spread[i]);
    return run->shells && most > shells_from;
}

/* What a round of steps works on. */
typedef struct {
    uint32_t cells;
    double *centers, *scale, *parts, *before, *trust;
    uint8_t *far; /* in a shell */
    auto_sizes sizes;
    auto_step found;
} fine;

static void fine_free(fine *f)
{
    kith_i_auto_step_free(&f->found);
    kith_i_free(f->centers);
    kith_i_free(f->scale);
    kith_i_free(f->parts);
    kith_i_free(f->before);
    kith_i_free(f->trust);
    kith_i_free(f->far);
    kith_i_free(f->sizes.mean);
    kith_i_free(f->sizes.variance);
}

static kith_status fine_new(fine *f, uint32_t cells, uint32_t q,
                            kith_error *err)
{
    memset(f, 0, sizeof *f);
    f->cells = cells;
    f->centers = kith_i_alloc((size_t)cells * q, sizeof *f->centers);
    f->scale = kith_i_alloc(2 * (size_t)cells, sizeof *f->scale);
    f->parts = kith_i_alloc(cells, sizeof *f->parts);
    f->before = kith_i_alloc((size_t)cells * q, sizeof *f->before);
    f->trust = kith_i_alloc(cells, sizeof *f->trust);
    f->far = kith_i_alloc(cells, sizeof *f->far);
    f->sizes.mean = kith_i_alloc(cells, sizeof *f->sizes.mean);
    f->sizes.variance = kith_i_alloc(cells, sizeof *f->sizes.variance);
    return f->centers && f->scale && f->parts && f->before && f->trust &&
                   f->far && f->sizes.mean && f->sizes.variance
               ? KITH_OK
               : kith_i_fail_memory(err);
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
 * counts against their distance instead. */
static void trust_cells(const auto_run *run, const auto_space *space, fine *f)
{
    const auto_step *found = &f->found;
    uint32_t q = space->q;
    double far = 4 * space->trace, seen = 0, all = 0;
    for (int restore = 0; restore < 2; restore++) {
        for (uint32_t j = 0; j < found->k; j++) {
            double square = 0, size = found->size[j];
            double noise = q * found->noise[j] * found->noise[j];
            for (uint32_t i = 0; i < q; i++)
                square += pow(f->centers[(size_t)j * q + i], 2);
            if (restore && square <= far)
                continue;
            double signal = (restore ? square : space->trace) / 4;
            double usual = restore ? 1 : 2;
            double least = f->far[j] ? kith_i_auto_far_stands(run) : usual;
            int stands = size > least * sqrt(f->sizes.variance[j]);
            f->trust[j] = stands ? 1 / (1 + noise / signal) : 0;
            if (stands && square > far) {
                all += size * fmax(square - noise, 0);
                seen += f->trust[j] * size * fmax(square - noise, 0);
            }
        }
        if (space->blind || seen >= well_seen * all ||
            fmax(far_variance(space, far), all / run->n_hat) <
                far_rows * space->trace)
            return;
    }
}

/* The cells that are believed become the coreset. */
static kith_status make_coreset(const fine *f, uint32_t q, int shells,
                                auto_coreset *coreset, kith_error *err)
{
    uint32_t kept = 0;
    auto_coreset made;
    kith_status status = kith_i_auto_coreset_new(&made, f->cells, q, err);
    if (status)
        return status;
    for (uint32_t j = 0; j < f->cells; j++) {
        if (!(f->trust[j] > 0))
            continue;
        memcpy(made.points + (size_t)kept * q, f->centers + (size_t)j * q,
               q * sizeof *f->centers);
        /* NOLINTNEXTLINE: there is a step before this */
        made.size[kept] = f->found.size[j];
        /* of use for cells in shells: others change too much until A10 */
        made.unsure[kept] =
            shells && !f->far[j] ? HUGE_VAL : f->sizes.variance[j];
        made.within[kept] = f->scale[j] * f->scale[j];
        made.weight[kept++] = f->found.size[j] * f->trust[j];
    }
    made.n = kept;
    auto_coreset *old = kept > 0 ? coreset : &made;
    kith_i_auto_coreset_free(old);
    if (kept > 0)
        *coreset = made;
    return KITH_OK;
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
           with_rows < found->k && most > each && each > clear * found->size_sd;
}

/* Cells with surely less than this part of the rows, and none that stand out,
 * go next to the cell that costs most, in a random direction. If two clusters
 * are in that cell, most planes through its mean pass between them. */
static void reuse_empty(auto_run *run, uint32_t q, double less, fine *f)
{
    double few = less * run->n_hat;
    for (uint32_t j = 0; j < f->cells; j++)
        f->parts[j] = f->found.size[j] * f->scale[j] * f->scale[j];
    for (uint32_t j = 0; j < f->cells; j++) {
        double sd = sqrt(f->sizes.variance[j]), square = 0;
        if (f->found.size[j] > 2 * sd || f->found.size[j] + 2 * sd > few)
            continue;
        uint32_t from = 0;
        for (uint32_t i = 1; i < f->cells; i++)
            from = f->parts[i] > f->parts[from] ? i : from;
        if (!(f->parts[from] > 0) || from == j)
            break;
        double *to = f->centers + (size_t)j * q;
        for (uint32_t a = 0; a < q; a++) {
            to[a] = kith_i_coins_normal(&run->coins);
            square += to[a] * to[a];
        }
        double step = aside * f->scale[from] / sqrt(fmax(square, 1e-300));
        for (uint32_t a = 0; a < q; a++)
            to[a] = f->centers[(size_t)from * q + a] + step * to[a];
        f->scale[j] = f->scale[from];
        f->parts[from] /= 4;
        f->parts[j] = 0;
        f->sizes.variance[j] = f->sizes.variance[from] = HUGE_VAL;
    }
}

void kith_i_auto_drop_doubtful(const auto_run *run, const auto_space *space,
                               auto_coreset *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const double *point = c->points + (size_t)i * c->q;
        double least = kith_i_auto_far_stands(run) * sqrt(c->unsure[i]);
        if (is_far(run, space, point) && c->size[i] < least)
            continue;
        memmove(c->points + (size_t)n * c->q, point, c->q * sizeof *point);
        c->weight[n] = c->weight[i];
        c->size[n] = c->size[i];
        c->unsure[n] = c->unsure[i];
        c->within[n++] = c->within[i];
    }
    c->n = n > 0 ? n : c->n;
}

/* Typical distances by what a step found; not much less than is usual. Boxes of
 * shells are wide already: no more than before. */
static void update_scales(fine *f)
{
    double sum = 0, usual = 0;
    for (uint32_t j = 0; j < f->cells; j++) {
        double now = f->found.rms[j];
        f->scale[j] = f->far[j] ? fmin(f->scale[j], now) : now;
        sum += f->found.wide[j] ? 0 : f->scale[j];
        usual += !f->found.wide[j];
    }
    for (uint32_t j = 0; j < f->cells; j++)
        f->scale[j] = fmax(f->scale[j], .15 * sum / fmax(usual, 1));
}

/* One step of the cells. */
static kith_status refine_cells(auto_run *run, const auto_space *space,
                                const auto_shares *shares, double share,
                                fine *f, kith_error *err)
{
    uint32_t q = space->q;
    for (size_t i = 0; i < (size_t)f->cells * q; i++)
        f->before[i] = nearbyint(f->centers[i]); /* as the step does */
    for (uint32_t j = 0; j < f->cells; j++)
        f->far[j] = (uint8_t)is_far(run, space, f->centers + (size_t)j * q);
    kith_i_auto_step_free(&f->found);
    kith_status status = kith_i_auto_step_in_view(
        run, space, shares, f->cells, NULL, f->scale, share, "fine cell",
        &f->sizes, f->centers, &f->found, err);
    for (uint32_t j = 0; !status && j < f->cells; j++) {
        if (!f->far[j])
            continue;
        size_t at = (size_t)j * q;
        double keep = far_factor(&f->found, q, j);
        for (size_t i = at; i < at + q; i++)
            f->centers[i] = f->before[i] + keep * f->found.move[i];
        kith_i_domain_clip(kith_i_view_domain(space->view), f->centers + at);
    }
    if (!status)
        update_scales(f);
    return status;
}

kith_status kith_i_auto_over_cluster(auto_run *run, const auto_space *space,
                                     auto_shares *shares, uint32_t cells,
                                     auto_coreset *coreset, kith_error *err)
{
    fine f;
    kith_status status = fine_new(&f, cells, space->q, err);
    if (!status)
        status = kith_i_auto_solve(run, coreset, cells, 1, 1,
                                   cells <= AUTO_MANY_CLUSTERS, f.centers, err);
    if (!status) {
        kith_i_auto_scales(coreset, cells, f.centers, f.scale);
        kith_i_auto_sum_sizes(coreset, cells, f.centers, f.sizes.mean,
                              f.sizes.variance);
        for (uint32_t j = 0; j < cells; j++)
            if (!(f.sizes.variance[j] > 0))
                f.sizes.variance[j] = HUGE_VAL;
    }
    for (uint32_t t = 0; !status && t < shares->over_steps; t++) {
        status = refine_cells(run, space, shares,
                              shares->over / shares->over_steps, &f, err);
        int all = space->blind || crowded(run, &f.found);
        double less = all ? .5 / run->k : nobody / cells;
        if (!status && t + 1 < shares->over_steps && run->plan <= 0)
            reuse_empty(run, space->q, less, &f);
    }
    /* Pure: there was but one step. Another is worth more than A10, which
     * cannot part two clusters. */
    if (!status && shares->over_steps == 1 && shares->rounds > 0 &&
        !run->opt->rounds && crowded(run, &f.found)) {
        reuse_empty(run, space->q, .5 / run->k, &f);
        status = refine_cells(run, space, shares, shares->lloyd, &f, err);
        shares->rounds = 0;
        shares->lloyd = 0;
    }
    if (!status) {
        trust_cells(run, space, &f);
        status = make_coreset(&f, space->q, run->shells > 0, coreset, err);
    }
    fine_free(&f);
    return status;
}
