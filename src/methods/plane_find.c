/* Where the users are and in which directions they vary: a first mean, a
 * radius around it that holds most of them, and the leading eigenvectors of
 * their second moment, all from local reports. */
#include "plane.h"

#include <math.h>
#include <string.h>

#include "kernel/planes.h"
#include "method_parts.h"

enum { BANDS = 16 };

static kith_status find_radius(kith_i_local_run *run, double share,
                               kith_i_local_plane *plane, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    const kith_i_answer *answer;
    double same[BANDS], h[BANDS], top = 2 * task->radius, within = 0;
    kith_i_question q = kith_i_local_question(run, "distance to the mean",
                                              share, KITH_I_REPORT_DISTANCE);
    q.centers = plane->origin;
    q.bands = BANDS;
    q.top = top;
    kith_status status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    plane->radius = plane->moment = 0;
    for (int b = 0; b < BANDS; b++)
        same[b] = 1;
    kith_i_norm_sub(answer->fractions, same, BANDS, h);
    for (int b = BANDS - 1; b >= 0; b--) {
        double edge = top * exp2(-0.5 * b);
        within += h[b];
        plane->moment +=
            h[b] * kith_i_recipe.typical * edge * kith_i_recipe.typical * edge;
        if (within >= kith_i_recipe.most && plane->radius == 0)
            plane->radius = fmin(edge, task->radius);
    }
    if (answer->received == 0 || !(plane->radius > 0))
        plane->radius = task->radius;
    return KITH_OK;
}

/* The origin, and the radius around it. */
static kith_status find_middle(kith_i_local_run *run, double mean_share,
                               double radius_share, kith_i_local_plane *plane,
                               kith_error *err)
{
    double variance;
    kith_status status =
        kith_i_mean_ask(run, mean_share, plane->origin, &variance, err);
    return status ? status : find_radius(run, radius_share, plane, err);
}

kith_status kith_i_plane_find(kith_i_local_run *run, double mean_share,
                              double radius_share, double moment_share,
                              kith_i_local_plane *plane, kith_error *err)
{
    uint32_t d = run->task->d;
    uint32_t axes = d < KITH_I_GROW_AXES ? d : KITH_I_GROW_AXES;
    const kith_i_answer *answer;
    double values[KITH_I_GROW_AXES];
    memset(plane, 0, sizeof *plane);
    plane->origin = kith_i_local_numbers(run, d, 1);
    double *rows = kith_i_local_numbers(run, axes, d);
    double *matrix = kith_i_local_numbers(run, d, d);
    double *work = kith_i_local_numbers(run, kith_i_eigen_work(d), 1);
    int *integers =
        kith_i_local_take(run, kith_i_eigen_integers(d), sizeof(int));
    if (!plane->origin || !rows || !matrix || !work || !integers)
        return kith_i_fail_memory(err);
    kith_status status = find_middle(run, mean_share, radius_share, plane, err);
    if (status)
        return status;
    kith_i_question q = kith_i_local_question(
        run, "second moments", moment_share, KITH_I_REPORT_MOMENT);
    q.centers = plane->origin;
    q.radii = &plane->radius;
    status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    int heard = answer->received > 0 && isfinite(answer->noise);
    if (heard)
        memcpy(matrix, answer->sums, (size_t)d * d * sizeof *matrix);
    for (uint32_t i = 0; i < d; i++) /* what a moment's answer is less */
        matrix[(size_t)i * d + i] += 1.0 / (d + 1.0);
    double noise = heard ? answer->noise : 0;
    /* A matrix that LAPACK cannot take apart: the first axes will do. */
    if (!heard ||
        kith_i_eigen_top(matrix, d, axes, work, integers, values, rows)) {
        memset(rows, 0, (size_t)axes * d * sizeof *rows);
        for (uint32_t a = 0; a < axes; a++) {
            rows[(size_t)a * d + a] = 1;
            values[a] = 1;
        }
    }
    double trace = plane->moment / (plane->radius * plane->radius);
    trace = fmin(1, fmax(0.02, trace));
    for (uint32_t a = 0; a < axes; a++) {
        double least = trace / d;
        double value =
            fmax(least, kith_i_debias(values[a], noise * noise / 2, d));
        plane->half[a] =
            plane->radius * fmin(1, kith_i_recipe.reach * sqrt(value));
    }
    plane->lens = (kith_i_lens){.q = axes,
                                .d = d,
                                .rows = rows,
                                .offset = plane->origin,
                                .half = plane->half};
    return KITH_OK;
}

kith_status kith_i_plane_draw(kith_i_local_run *run, double mean_share,
                              double radius_share, kith_i_local_plane *plane,
                              kith_error *err)
{
    uint32_t d = run->task->d;
    uint32_t axes = d < KITH_I_GROW_AXES ? d : KITH_I_GROW_AXES;
    memset(plane, 0, sizeof *plane);
    plane->origin = kith_i_local_numbers(run, d, 1);
    double *rows = kith_i_local_numbers(run, axes, d);
    if (!plane->origin || !rows)
        return kith_i_fail_memory(err);
    kith_status status = find_middle(run, mean_share, radius_share, plane, err);
    if (status)
        return status;
    kith_i_plane_random(rows, axes, d, &run->coins);
    /* In a random direction the users vary by the d-th part. */
    double half = kith_i_recipe.reach * sqrt(plane->moment / d);
    for (uint32_t a = 0; a < axes; a++)
        plane->half[a] = fmin(plane->radius, half);
    plane->lens = (kith_i_lens){.q = axes,
                                .d = d,
                                .rows = rows,
                                .offset = plane->origin,
                                .half = plane->half};
    return KITH_OK;
}
