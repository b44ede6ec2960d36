/* A11 when the view has fewer dimensions than the rows: residuals in full
 * space. The part of a residual mean inside the axes and the rest are shrunk
 * apart. (Random axes: auto_blind.c.) */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { MOST_ZOOMS = 3 };
static const double clips = .5; /* a squared radius, of what it is taken from */

void kith_i_auto_lift(const auto_space *space, uint32_t k, uint32_t d,
                      const double *centers, double *full)
{
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < d; i++) {
            double sum = 0;
            for (uint32_t a = 0; a < space->q; a++)
                sum += space->axes[(size_t)a * d + i] *
                       centers[(size_t)j * space->q + a];
            full[(size_t)j * d + i] = space->mean[i] + sum / space->finer;
        }
}

void kith_i_auto_take_apart(const auto_space *space, auto_step *found,
                            double *inside)
{
    uint32_t q = space->q, d = found->width;
    for (uint32_t j = 0; j < found->k; j++) {
        double *move = found->move + (size_t)j * d;
        for (uint32_t a = 0; a < q; a++) {
            const double *axis = space->axes + (size_t)a * d;
            double dot = 0;
            for (uint32_t i = 0; i < d; i++)
                dot += axis[i] * move[i];
            inside[(size_t)j * q + a] = dot; /* NOLINT: k, q > 0 */
            for (uint32_t i = 0; i < d; i++)
                move[i] -= dot * axis[i];
        }
    }
}

/* Split each move into its part inside the axes and the rest, shrink both,
 * add. inside: k x q, factor: 2k of scratch. */
static void move_by_parts(const auto_space *space, uint32_t d, auto_step *found,
                          double *inside, double *factor, double *full)
{
    uint32_t k = found->k, q = space->q;
    kith_i_auto_take_apart(space, found, inside);
    kith_i_auto_shrink(inside, q, q, k, found->noise, q, factor);
    kith_i_auto_shrink(found->move, d, d, k, found->noise, d - q, factor + k);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < d; i++) {
            double in = 0;
            for (uint32_t a = 0; a < q; a++)
                in +=
                    space->axes[(size_t)a * d + i] * inside[(size_t)j * q + a];
            full[(size_t)j * d + i] +=
                factor[j] * in + factor[k + j] * found->move[(size_t)j * d + i];
        }
}

/* One step with this share, from the centres in full. */
static kith_status recover_once(auto_run *run, const auto_space *space,
                                const auto_shares *shares, double share,
                                const kith_i_centers *lattice,
                                const double *full_scale, auto_sizes *known,
                                double *full, auto_step *found, kith_error *err)
{
    uint32_t k = run->k, d = run->d;
    auto_locator l = {
        .centers = lattice, .by = space->view, .cells = k, .width = d};
    double *inside = kith_i_alloc((size_t)k * space->q, sizeof *inside);
    double *factor = kith_i_alloc(2 * (size_t)k, sizeof *factor);
    kith_status status = inside && factor ? KITH_OK : kith_i_fail_memory(err);
    for (size_t i = 0; !status && i < (size_t)k * d; i++)
        full[i] = nearbyint(full[i]); /* residuals are from these */
    if (!status)
        status = kith_i_auto_locator_set(&l, full, err);
    if (!status)
        status = kith_i_auto_take_step(run, &l, shares, full_scale, share,
                                       "cluster", known, found, err);
    if (!status)
        move_by_parts(space, d, found, inside, factor, full);
    kith_i_auto_locator_free(run, &l);
    kith_i_free(inside);
    kith_i_free(factor);
    return status;
}

/* Mean squared distance, in full space, of rows from the means of their
 * clusters, if they spread outside of the axes as they do inside. The last step
 * of A10 saw them about centres that were off by the noise of the step before,
 * which had the smaller share. */
static double spread_within(const auto_space *space, uint32_t d,
                            const double *scale, const auto_step *before,
                            uint32_t k)
{
    double inside = 0, q = space->q;
    for (uint32_t j = 0; j < k; j++) {
        double square = scale[j] * scale[j];
        if (before->rms) {
            square = before->rms[j] * before->rms[j];
            square = fmax(square - AUTO_GROWTH * q * pow(before->noise[j], 2),
                          square / 4);
        }
        inside += square / k;
    }
    return fmin(inside * d / q, inside + space->outside);
}

/* A step in full space is worth repeating where rows are closer to each other
 * than to what the axes know of their mean: the next one is clipped at what the
 * one before has left, and noise follows the radius. How many, with a share in
 * all, have the least noise: square and within are the mean squared distances
 * of rows before the first step and after the best. */
static uint32_t count_zooms(const auto_run *run, double share, double square,
                            double within)
{
    double least = HUGE_VAL;
    uint32_t zooms = 1;
    for (uint32_t many = 1; many <= MOST_ZOOMS; many++) {
        double unit = kith_i_auto_sum_sd(run, share / many, run->d);
        double times = clips * run->d * pow(unit * run->k / run->n_hat, 2);
        double noise = 0, left = square;
        for (uint32_t i = 0; i < many; i++) {
            noise = times * left;
            left = within + noise * square / (noise + square);
        }
        if (noise < least) {
            least = noise;
            zooms = many;
        }
    }
    return zooms;
}

/* What a step left is its noise, and what no step makes smaller. */
static void zoom_in(const auto_step *found, uint32_t d, double within,
                    double *full_scale)
{
    for (uint32_t j = 0; j < found->k; j++) {
        double noise = d * pow(found->noise[j], 2);
        /* NOLINTNEXTLINE: k > 0 */
        full_scale[j] = fmin(full_scale[j], sqrt(within + noise));
    }
}

kith_status kith_i_auto_recover(auto_run *run, const auto_space *space,
                                const auto_shares *shares, const double *scale,
                                auto_sizes *known, const double *centers,
                                double *full, auto_step *found, kith_error *err)
{
    uint32_t k = run->k, q = space->q, d = run->d;
    double unit = space->finer * space->finer, square = 0;
    double within = spread_within(space, d, scale, found, k) / unit;
    kith_i_centers lattice = {.k = k, .d = q};
    lattice.coords = kith_i_alloc((size_t)k * q, sizeof *lattice.coords);
    lattice.squares = kith_i_alloc(k, sizeof *lattice.squares);
    double *full_scale = kith_i_alloc(k, sizeof *full_scale);
    kith_status status = KITH_OK;
    if (!lattice.coords || !lattice.squares || !full_scale)
        status = kith_i_fail_memory(err);
    if (!status) {
        kith_i_centers_set(&lattice, centers);
        kith_i_auto_lift(space, k, d, centers, full);
        for (uint32_t j = 0; j < k; j++) {
            full_scale[j] =
                sqrt(scale[j] * scale[j] + space->outside) / space->finer;
            square += full_scale[j] * full_scale[j] / k;
        }
    }
    uint32_t zooms = count_zooms(run, shares->rec, square, within);
    double share = (shares->rec - (zooms - 1) * shares->hist) / zooms;
    for (uint32_t i = 0; !status && i < zooms; i++) {
        if (i > 0)
            zoom_in(found, d, within, full_scale);
        kith_i_auto_step_free(found);
        status = recover_once(run, space, shares, share, &lattice, full_scale,
                              known, full, found, err);
    }
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    kith_i_free(full_scale);
    return status;
}
