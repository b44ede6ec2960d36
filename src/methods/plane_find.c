/* Where the users are and in which directions they vary: a first mean, a
 * radius around it that holds most of them, and the leading eigenvectors of
 * their second moment, all from local reports. */
#include "plane.h"

#include <math.h>
#include <string.h>

#include "kernel/planes.h"
#include "method_parts.h"

enum { BANDS = 16, RADII = 12 };

/* How far users are from the origin: parts of them by bands of distances. */
typedef struct {
    double part[BANDS], top;
} distances;

static double edge(const distances *far, int band)
{
    return far->top * exp2(-0.5 * band);
}

/* Mean squared distance, none counted as more than the radius. */
static double clipped(const distances *far, double radius)
{
    double sum = 0;
    for (int b = 0; b < BANDS; b++) {
        double at = fmin(radius, kith_i_recipe.typical * edge(far, b));
        sum += far->part[b] * at * at;
    }
    return sum;
}

static kith_status find_radius(kith_i_local_run *run, double share,
                               kith_i_local_plane *plane, distances *far,
                               kith_error *err)
{
    const kith_i_local_task *task = run->task;
    const kith_i_answer *answer;
    double same[BANDS], within = 0;
    kith_i_question q = kith_i_local_question(run, "distance to the mean",
                                              share, KITH_I_REPORT_DISTANCE);
    far->top = 2 * task->radius;
    q.centers = plane->origin;
    q.bands = BANDS;
    q.top = far->top;
    kith_status status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    for (int b = 0; b < BANDS; b++)
        same[b] = 1;
    kith_i_norm_sub(answer->fractions, same, BANDS, far->part);
    if (answer->received == 0) { /* nothing is known: think of the largest */
        memset(far->part, 0, sizeof far->part);
        far->part[0] = 1;
    }
    plane->radius = 0;
    for (int b = BANDS - 1; b >= 0 && plane->radius == 0; b--) {
        within += far->part[b];
        if (within >= kith_i_recipe.most)
            plane->radius = fmin(edge(far, b), task->radius);
    }
    if (!(plane->radius > 0))
        plane->radius = task->radius;
    plane->moment = clipped(far, HUGE_VAL);
    return KITH_OK;
}

/* The radius that moments are clipped to. Their noise grows with its square,
 * and hides the directions of users who are much nearer; those who are farther
 * count less. Both together are least. share: of those who are asked. */
static double moment_radius(const kith_i_local_run *run,
                            const kith_i_local_plane *plane,
                            const distances *far, double share)
{
    double best = HUGE_VAL, found = plane->radius, d = run->task->d;
    double noise = kith_i_moment_sd(run->task->epsilon, run->task->d + 1) *
                   sqrt(2 * d / kith_i_local_users(run, share));
    for (int i = 0; i < RADII; i++) {
        double radius = plane->radius * exp2(-0.25 * i);
        double lost = plane->moment - clipped(far, radius);
        double risk =
            pow(noise * radius * radius, 2) + kith_i_recipe.lost * lost * lost;
        if (risk < best) {
            best = risk;
            found = radius;
        }
    }
    return found;
}

/* The origin, and the radius around it. */
static kith_status find_middle(kith_i_local_run *run, double mean_share,
                               double radius_share, kith_i_local_plane *plane,
                               distances *far, kith_error *err)
{
    kith_status status =
        kith_i_mean_ask(run, mean_share, plane->origin, NULL, err);
    return status ? status : find_radius(run, radius_share, plane, far, err);
}

static void set_lens(kith_i_local_plane *plane, const double *rows,
                     uint32_t axes, uint32_t d)
{
    plane->lens = (kith_i_lens){.q = axes,
                                .d = d,
                                .rows = rows,
                                .offset = plane->origin,
                                .half = plane->half};
}

kith_status kith_i_plane_find(kith_i_local_run *run, double mean_share,
                              double radius_share, double moment_share,
                              kith_i_local_plane *plane, kith_error *err)
{
    uint32_t d = run->task->d;
    uint32_t axes = d < KITH_I_GROW_AXES ? d : KITH_I_GROW_AXES;
    const kith_i_answer *answer;
    double values[KITH_I_GROW_AXES];
    distances far;
    memset(plane, 0, sizeof *plane);
    plane->origin = kith_i_local_numbers(run, d, 1);
    double *rows = kith_i_local_numbers(run, axes, d);
    double *matrix = kith_i_local_numbers(run, d, d);
    double *work = kith_i_local_numbers(run, kith_i_eigen_work(d), 1);
    int *integers =
        kith_i_local_take(run, kith_i_eigen_integers(d), sizeof(int));
    if (!plane->origin || !rows || !matrix || !work || !integers)
        return kith_i_fail_memory(err);
    kith_status status =
        find_middle(run, mean_share, radius_share, plane, &far, err);
    if (status)
        return status;
    double clip = moment_radius(run, plane, &far, moment_share);
    kith_i_question q = kith_i_local_question(
        run, "second moments", moment_share, KITH_I_REPORT_MOMENT);
    q.centers = plane->origin;
    q.radii = &clip;
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
    double trace = clipped(&far, clip) / (clip * clip);
    trace = fmin(1, fmax(0.02, trace));
    for (uint32_t a = 0; a < axes; a++) {
        double value = kith_i_debias(values[a], noise * noise / 2, d) / trace;
        double sd = sqrt(fmax(1.0 / d, value) * plane->moment);
        plane->half[a] = fmin(plane->radius, kith_i_recipe.reach * sd);
    }
    set_lens(plane, rows, axes, d);
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
    distances far;
    if (!plane->origin || !rows)
        return kith_i_fail_memory(err);
    kith_status status =
        find_middle(run, mean_share, radius_share, plane, &far, err);
    if (status)
        return status;
    kith_i_plane_random(rows, axes, d, &run->coins);
    /* In a random direction the users vary by the d-th part. */
    double half = kith_i_recipe.reach * sqrt(plane->moment / d);
    for (uint32_t a = 0; a < axes; a++)
        plane->half[a] = fmin(plane->radius, half);
    set_lens(plane, rows, axes, d);
    return KITH_OK;
}
