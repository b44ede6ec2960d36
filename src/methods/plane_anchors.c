/* A tree in the plane of the leading directions, and the points of R^d that its
 * cells stand for. */
#include "plane.h"

#include <math.h>
#include <string.h>

enum { RESTARTS = 12 };

kith_status kith_i_plane_open(kith_i_local_run *run,
                              const kith_i_local_plane *plane, uint32_t depth,
                              uint32_t room, kith_i_grow *grow, kith_error *err)
{
    double low[KITH_I_GROW_AXES];
    for (uint32_t a = 0; a < plane->lens.q; a++)
        low[a] = -plane->half[a];
    kith_i_grow_box box = {plane->lens.q, low, plane->half, depth, room};
    kith_status status = kith_i_grow_open(run, &box, grow, err);
    grow->split_levels = kith_i_recipe.flat_levels;
    return status;
}

static void lift(const kith_i_local_plane *plane, const double *flat,
                 kith_i_local_model *anchors)
{
    size_t q = plane->lens.q, d = anchors->d;
    for (size_t j = 0; j < anchors->count; j++)
        for (size_t i = 0; i < d; i++) {
            double x = plane->origin[i];
            for (size_t a = 0; a < q; a++)
                x += flat[j * q + a] * plane->lens.rows[a * d + i];
            anchors->center[j * d + i] = x;
        }
}

kith_status kith_i_plane_anchors(kith_i_local_run *run,
                                 const kith_i_local_plane *plane,
                                 kith_i_grow *grow, uint32_t wanted,
                                 kith_i_local_model *anchors, kith_error *err)
{
    uint32_t room = grow->leaves + 1, q = plane->lens.q;
    double *points = kith_i_local_numbers(run, room, q);
    double *weights = kith_i_local_numbers(run, room, 1);
    double *variances = kith_i_local_numbers(run, room, 1);
    uint32_t *labels = kith_i_local_take(run, room, sizeof *labels);
    double *flat = kith_i_local_numbers(run, wanted, q);
    kith_status status = kith_i_model_new(run, wanted, anchors, err);
    if (status)
        return status;
    if (!points || !weights || !variances || !labels || !flat)
        return kith_i_fail_memory(err);
    kith_i_grow_prune(grow);
    uint32_t count = kith_i_grow_points(grow, 0, points, weights, variances);
    kith_i_points cells = {points, weights, count, q};
    kith_i_solution solved = {.centers = flat, .labels = labels};
    status = kith_i_local_solve(run, &cells, wanted, RESTARTS, &solved, err);
    if (status)
        return status;
    anchors->count = solved.found;
    memset(anchors->raw, 0, wanted * sizeof *anchors->raw);
    for (uint32_t i = 0; i < count; i++)
        if (labels[i] != UINT32_MAX) {
            anchors->raw[labels[i]] += weights[i];
            anchors->raw_var[labels[i]] += variances[i];
        }
    lift(plane, flat, anchors);
    return KITH_OK;
}
