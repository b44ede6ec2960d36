/* A4 and A5: how wide, and in which directions. */
#include "cluster/auto_i.h"
#include "release/release_gram.h"

#include <math.h>
#include <string.h>

enum {
    MOST_AXES = 64,
    SOME_AXES = 32,
    LARGE_VIEW = 1 << 24,
    LEAST_AXES = 4,
    COARSE_FROM = 256,
    BLIND_ALL = 16,
    BLIND_AXES = 16
};
static const double least_pca[2] = {.005, .02}; /* Gaussian, pure */
/* Pure: about what a level of the forest gets, and what splits a box there. */
static const double share_level = .03, box_sds = 3.5, share_look = .02;
/* With that many boxes' worth of rows a summary beats noisy rounds, however
 * many clusters are asked for (docs/history/auto.md). */
static const double few_boxes = 4;

/* Noise edge of second moments of rows in the unit ball: what the largest
 * eigenvalue of pure noise would be. */
static double noise_edge(const auto_run *run, double share)
{
    double d = run->d;
    return kith_i_auto_sum_sd(run, share, d * (d + 1) / 2) * sqrt(2 * d);
}

/* A4: radius for the second moments, and the share they need so that the edge
 * is a twentieth of the mean eigenvalue. 0 if the noise is absurd, or, in pure
 * DP, if they would drown: not even twelve equal directions would stand above
 * the edge. */
static void plan_pca(const auto_run *run, const auto_hist *hist, double trace,
                     double *r2, double *share)
{
    double d = run->d, tail = 0, most = run->pure ? .10 : .25 * d / (d + 80);
    double limit = fmin(run->k * noise_edge(run, most), .5 * hist->total);
    uint32_t b = hist->bins - 1;
    while (b > 0 && tail + hist->h[b] <= limit)
        tail += hist->h[b--];
    *r2 = hist->up[b];
    double edge = *r2 * *r2 * noise_edge(run, most);
    double over = edge * d / (.05 * run->n_hat * trace);
    double need = most * (run->pure ? over : over * over);
    *share = fmax(least_pca[run->pure], fmin(need, most));
    if (run->pure && 12 * edge > run->n_hat * trace)
        *share = 0;
    if (edge / sqrt(2 * d) > 0x1p50) /* would not fit 64 bits */
        *share = 0;
}

/* Orthonormal random rows (public coins) from, .., to - 1; those before are
 * there already. */
void kith_i_auto_random_axes(auto_run *run, double *axes, uint32_t from,
                             uint32_t to)
{
    uint32_t d = run->d;
    for (uint32_t j = from; j < to; j++) {
        double *axis = axes + (size_t)j * d, norm = 0;
        for (uint32_t i = 0; i < d; i++)
            axis[i] = kith_i_coins_normal(&run->coins);
        for (uint32_t a = 0; a < j; a++) { /* Gram-Schmidt */
            const double *other = axes + (size_t)a * d;
            double dot = 0;
            for (uint32_t i = 0; i < d; i++)
                dot += axis[i] * other[i];
            for (uint32_t i = 0; i < d; i++)
                axis[i] -= dot * other[i];
        }
        for (uint32_t i = 0; i < d; i++)
            norm += axis[i] * axis[i];
        for (uint32_t i = 0; i < d; i++)
            axis[i] /= sqrt(norm);
    }
}

/* Without second moments: all directions when there are few, else random
 * ones (public coins), orthonormal. */
static kith_status blind_axes(auto_run *run, auto_space *space, kith_error *err)
{
    double trace = space->trace;
    uint32_t d = run->d, q = d <= BLIND_ALL ? d : BLIND_AXES;
    space->blind = d > BLIND_ALL;
    space->q = q;
    space->axes = kith_i_alloc((size_t)q * d, sizeof *space->axes);
    space->spread = kith_i_alloc(q, sizeof *space->spread);
    if (!space->axes || !space->spread)
        return kith_i_fail_memory(err);
    if (q == d)
        for (uint32_t i = 0; i < d; i++)
            space->axes[(size_t)i * d + i] = 1;
    else
        kith_i_auto_random_axes(run, space->axes, 0, q);
    for (uint32_t j = 0; j < q; j++)
        space->spread[j] = sqrt(fmax(trace / d, 1));
    space->outside = trace * (1 - (double)q / d);
    return KITH_OK;
}

/* As many directions as d allows. Where that would make a large view, no more
 * than keep it well below half of the rows in memory: the last step sees what
 * the view leaves out, and with so many rows it sees it well. */
static uint32_t most_axes(const auto_run *run)
{
    double d = run->d, most = fmin(d, MOST_AXES);
    if (d > BLIND_ALL && run->n_hat * most > LARGE_VIEW)
        most =
            fmin(most, fmax(fmin(SOME_AXES, floor(.45 * d)), floor(.38 * d)));
    return (uint32_t)most;
}

/* The second moments about the mean (d x d), in steps of the rows, and the
 * noise of each. matrix: also holds the sums. */
static kith_status buy_moments(auto_run *run, const auto_space *space,
                               double r2, double share, double *matrix,
                               double *sd, kith_error *err)
{
    uint32_t d = run->d;
    int64_t *gram = (int64_t *)(void *)matrix; /* in its place */
    int32_t *mean = kith_i_alloc(d, sizeof *mean);
    if (!mean)
        return kith_i_fail_memory(err);
    /* rows about the mean must fit int16: halved where they might not, or more
     * often where a coarser lattice will do (to the nearest: the gate clips
     * what that makes too long) */
    kith_i_ask ask = {
        .value = {.kind = KITH_I_VALUE_RESIDUAL, .origins = mean}};
    int *halve = &ask.value.halvings;
    for (uint32_t i = 0; i < d; i++) {
        mean[i] = (int32_t)space->mean[i];
        if (run->domain->high_q[i] - mean[i] > INT16_MAX ||
            mean[i] - run->domain->low_q[i] > INT16_MAX)
            *halve = 1;
    }
    /* Many directions: their products are what takes time, and a coarser
     * lattice, on which they are exact in single precision, shows the
     * directions as well. */
    while (d >= COARSE_FROM && ceil(ldexp(r2, -*halve)) > KITH_I_SMALL_VALUE)
        ++*halve;
    double unit = ldexp(1, *halve);
    kith_i_gram_spec spec = {.what = "second moments",
                             .cells = 1,
                             .width = d,
                             .radius = (uint64_t)fmax(ceil(r2 / unit), 1),
                             .halvings = *halve};
    kith_status status = kith_i_auto_charge(run, share, &spec.charge, err);
    if (!status)
        status = kith_i_release_gram(run->session, &ask, &spec, gram, sd, err);
    if (!status)
        status = kith_i_auto_tick(run, err);
    for (size_t i = 0; !status && i < (size_t)d * d; i++)
        matrix[i] = (double)gram[i] * unit * unit;
    *sd *= unit * unit;
    kith_i_free(mean);
    return status;
}

/* The axes whose eigenvalue stands out of the noise's largest (edge); their
 * spread, and what is outside of them. average: of all eigenvalues. */
static void keep_axes(const auto_run *run, const double *values, uint32_t want,
                      double edge, double average, auto_space *space)
{
    uint32_t d = run->d, least = d < LEAST_AXES ? d : LEAST_AXES, q = 0;
    double inside = 0;
    while (q < want && values[q] > edge)
        q++;
    /* rows without any direction add their mean eigenvalue to the edge; a plan
     * has no rows, and is one of rows that have directions */
    space->unseen = run->plan <= 0 && d > LEAST_AXES && edge > average &&
                    values[0] < average + 1.1 * edge;
    space->q = q < least ? least : q;
    for (uint32_t i = 0; i < space->q; i++) {
        double v = values[i];
        v = v > edge ? (v + sqrt(v * v - edge * edge)) / 2 : edge / 2;
        inside += v / run->n_hat;
        space->spread[i] = sqrt(fmax(v / run->n_hat, 1));
    }
    space->outside = space->q < d ? fmax(0, space->trace - inside) : 0;
}

/* A5: second moments, their leading directions. */
static kith_status find_axes(auto_run *run, double r2, double share,
                             auto_space *space, kith_error *err)
{
    uint32_t d = run->d, want = most_axes(run);
    double sd = 0, average = 0;
    double *matrix = kith_i_alloc((size_t)d * d, sizeof *matrix);
    double *work = kith_i_alloc(kith_i_eigen_work(d), sizeof *work);
    int *integers = kith_i_alloc(kith_i_eigen_integers(d), sizeof *integers);
    double *values = kith_i_alloc(want, sizeof *values);
    space->axes = kith_i_alloc((size_t)want * d, sizeof *space->axes);
    space->spread = kith_i_alloc(want, sizeof *space->spread);
    kith_status status =
        matrix && work && integers && values && space->axes && space->spread
            ? buy_moments(run, space, r2, share, matrix, &sd, err)
            : kith_i_fail_memory(err);
    if (!status) {
        for (size_t i = 0; i < d; i++)
            average += matrix[i * d + i] / d;
        int saved = kith_i_blas_single(); /* same bits for any threads */
        int failed = kith_i_eigen_top(matrix, d, want, work, integers, values,
                                      space->axes);
        kith_i_blas_restore(saved);
        if (failed)
            status = kith_i_fail(err, KITH_ERR_INTERNAL,
                                 "LAPACK found no eigenvectors");
    }
    if (!status)
        keep_axes(run, values, want, sd * sqrt(2.0 * d), average, space);
    kith_i_free(matrix);
    kith_i_free(work);
    kith_i_free(integers);
    kith_i_free(values);
    return status;
}

/* So few rows, for this budget, that a summary of them would be noise. Pure:
 * they fill a few boxes at most, or second moments would do but for a few rows
 * so far out that they drown them (no share), and boxes would not see these
 * either; Gaussian: by trial. */
static int too_few_rows(const auto_run *run, double share)
{
    if (!run->pure)
        return run->budget * run->n_hat < 120;
    double box = box_sds * kith_i_auto_count_sd(run, share_level);
    return few_boxes * box > run->n_hat ||
           (share <= 0 && 12 * noise_edge(run, .10) <= run->n_hat);
}

/* The rows fill a good part of the bounds, for all that is known, or noisy
 * rounds over all of the bounds (two of them) move the centres by little
 * against the spread of the rows. Where bounds are much wider, such rounds see
 * one place with nothing in it, and a summary that is mostly noise is better.
 */
static int fills_bounds(const auto_run *run, const auto_space *space)
{
    double bound = (double)kith_i_domain_l2(run->domain);
    double noise = pow(kith_i_auto_lloyd_noise(run, 2), 2);
    return !space->norms.seen || space->trace > pow(AUTO_FILLS * bound, 2) ||
           noise < .1 * space->trace;
}

/* Squared distance that noise moves the means of k clusters, of the rows' mean
 * square, even if residuals are no longer than the rows' spread, and summed
 * with a third of the budget. */
static double cluster_noise(const auto_run *run, double k)
{
    double d = run->d, unit = kith_i_auto_sum_sd(run, .3, d);
    return d * pow(unit * k / run->n_hat, 2);
}

/* All of the budget for one mean: no more was asked for, or not even two would
 * be worth anything. */
static int is_single(const auto_run *run)
{
    if (run->opt->rounds || (run->k > 1 && run->plan > 0))
        return 0;
    return run->k == 1 || cluster_noise(run, 2) > AUTO_POOR;
}

/* Most that was found of the mean is noise, and everything else would be about
 * it (random axes are about the origin, if need be): one mean, then. */
static int is_astray(const auto_run *run, const auto_space *space)
{
    return run->plan <= 0 && !run->opt->rounds && space->norms.seen &&
           !(run->pure && run->d > BLIND_ALL) &&
           space->astray > 2 * AUTO_POOR * space->trace;
}

/* Few rows (pure), and they are so close together that those which the noise of
 * A4 may hide, three sd of them, could carry most of the variance: the forest
 * would miss them too. Noisy rounds over all of the bounds do not; how noisy
 * they may be was found by trial. */
static int may_hide_most(const auto_run *run, const auto_space *space)
{
    double n = run->n_hat, seen = space->trace;
    double box = box_sds * kith_i_auto_count_sd(run, share_level);
    double sd = kith_i_auto_count_sd(run, share_look);
    double hidden = 3 * sd / n * pow(space->reach, 2) / seen;
    double noise =
        pow(kith_i_auto_lloyd_noise(run, AUTO_LLOYD_ROUNDS), 2) / seen;
    return run->pure && n < 25 * box && noise < fmin(.2, pow(.012 * hidden, 2));
}

kith_status kith_i_auto_find_space(auto_run *run, auto_space *space,
                                   kith_error *err)
{
    double r2, share;
    int few = run->d <= BLIND_ALL;
    kith_status status = kith_i_auto_count_rows(run, err);
    if (!status)
        status = kith_i_auto_find_middle(run, space, err);
    if (status)
        return status;
    space->single = is_single(run);
    /* if so, lloyd; but where the mean is all noise, as A4 saw it then, the
     * rows are looked for first, and those far away counted */
    int hide = few && !space->single && may_hide_most(run, space);
    int rounds = hide && space->astray <= AUTO_POOR * space->trace;
    if (!rounds) {
        status = kith_i_auto_approach_mean(run, space, err);
        space->single |= is_astray(run, space);
    }
    space->unseen = space->single;
    if (status || space->single)
        return status;
    plan_pca(run, &space->norms, space->trace, &r2, &share);
    if (few) {
        if (hide || too_few_rows(run, share)) {
            rounds |= fills_bounds(run, space);
            if (!rounds) {
                status = kith_i_auto_any_far(run, space, &rounds, err);
                space->split = rounds;
                space->single =
                    !rounds && run->plan <= 0 && cluster_noise(run, run->k) > 1;
                rounds |= space->single;
            }
        }
        space->unseen = rounds;
        if (status || rounds)
            return status;
    }
    status = share > 0 ? find_axes(run, r2, share, space, err)
                       : blind_axes(run, space, err);
    if (space->unseen) /* not even one direction stands out */
        return status;
    double step = kith_i_domain_step(run->domain);
    if (!status)
        status =
            kith_i_view_open(run->session, space->axes, space->q, space->mean,
                             space->reach * step, &space->view, err);
    if (status)
        return status;
    space->finer = step / kith_i_domain_step(kith_i_view_domain(space->view));
    for (uint32_t i = 0; i < space->q; i++)
        space->spread[i] *= space->finer;
    space->reach *= space->finer;
    space->trace *= space->finer * space->finer;
    space->outside *= space->finer * space->finer;
    return KITH_OK;
}

void kith_i_auto_space_free(auto_space *space)
{
    kith_i_free(space->zero);
    kith_i_free(space->mean);
    kith_i_free(space->axes);
    kith_i_free(space->spread);
}
