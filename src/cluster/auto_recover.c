/* A11 when the view has fewer dimensions than the rows: residuals in full
 * space. The part of a residual mean inside the axes and the rest are shrunk
 * apart. (Random axes: auto_blind.c.) */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

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
            inside[(size_t)j * q + a] = dot;
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

kith_status kith_i_auto_recover(auto_run *run, const auto_space *space,
                                const auto_shares *shares, const double *scale,
                                auto_sizes *known, const double *centers,
                                double *full, auto_step *found, kith_error *err)
{
    uint32_t k = run->k, q = space->q, d = run->d;
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
        for (uint32_t j = 0; j < k; j++)
            full_scale[j] =
                sqrt(scale[j] * scale[j] + space->outside) / space->finer;
    }
    if (!status)
        status = recover_once(run, space, shares, shares->rec, &lattice,
                              full_scale, known, full, found, err);
    kith_i_free(lattice.coords);
    kith_i_free(lattice.squares);
    kith_i_free(full_scale);
    return status;
}
