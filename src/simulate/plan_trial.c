/* Made-up users for a plan: round clusters in the public ball, and what a run
 * of the method by the law makes of them. */
#include "plan_trial.h"

#include <math.h>
#include <string.h>

#include "kernel/kernel_i.h"

/* Root mean square radius of a cluster of the trial, of the bounds' radius. */
static const double SPREAD = 0.12;
/* Centres are at least so far from each other, of the radius, if they can: as
 * in the mixtures of docs/local.md. There is less room on a line or a plane. */
static double apart(uint32_t d)
{
    return d <= 2 ? 0.3 : 0.4;
}

/* A point in three quarters of the ball, in the box. */
static void draw_center(kith_i_trial *t, kith_i_coins *coins, double *center)
{
    double norm = kith_i_coins_normals(coins, center, t->d);
    double length = .75 * t->box.radius *
                    pow(kith_i_coins_unit(coins), 1 / (double)t->d) /
                    sqrt(norm);
    for (uint32_t i = 0; i < t->d; i++) {
        center[i] = t->box.center[i] + length * center[i];
        center[i] = fmin(t->box.upper[i], fmax(t->box.lower[i], center[i]));
    }
}

/* Centres far from each other where there is room for it: the best of some
 * draws. */
static void draw_centers(kith_i_trial *t, kith_i_coins *coins, double *scratch)
{
    enum { DRAWS = 20 };
    for (uint32_t j = 0; j < t->k; j++) {
        double farthest = -1;
        for (int a = 0; a < DRAWS; a++) {
            double nearest = HUGE_VAL;
            draw_center(t, coins, scratch);
            for (uint32_t i = 0; i < j; i++)
                nearest = fmin(
                    nearest, kith_i_distance_squared(
                                 scratch, t->centers + (size_t)i * t->d, t->d));
            if (nearest <= farthest)
                continue;
            farthest = nearest;
            memcpy(t->centers + (size_t)j * t->d, scratch,
                   t->d * sizeof *scratch);
        }
    }
}

/* Centres anywhere, if they are not too near to others; sizes that differ by
 * factors of two or three: gamma variates of shape 8, normalised. */
static void draw_uneven(kith_i_trial *t, kith_i_coins *coins)
{
    enum { DRAWS = 100, SHAPE = 8 };
    size_t d = t->d;
    double all = 0, least = apart(t->d) * t->box.radius;
    for (uint32_t j = 0; j < t->k; j++) {
        double *center = t->centers + j * d, nearest = 0, size = 0;
        for (int a = 0; a < DRAWS && nearest < least * least; a++) {
            draw_center(t, coins, center);
            nearest = HUGE_VAL;
            for (uint32_t i = 0; i < j; i++)
                nearest = fmin(nearest, kith_i_distance_squared(
                                            center, t->centers + i * d, d));
        }
        for (int s = 0; s < SHAPE; s++)
            size -= log(kith_i_coins_unit(coins) + 1e-300);
        t->upto[j] = all += size;
    }
    for (uint32_t j = 0; j < t->k; j++)
        t->upto[j] /= all;
}

static uint32_t cluster_of(const kith_i_trial *t, uint64_t row)
{
    uint32_t j = 0;
    double at = ((double)row + .5) / (double)t->users;
    while (j + 1 < t->k && t->upto[j] < at)
        j++;
    return j;
}

void kith_i_trial_free(kith_i_trial *t)
{
    kith_i_free(t->centers);
    kith_i_free(t->upto);
    kith_i_free(t->rows);
    t->centers = t->upto = t->rows = NULL;
}

kith_status kith_i_trial_make(kith_i_trial *t, uint64_t seed, int uneven,
                              kith_error *err)
{
    kith_i_coins coins;
    size_t d = t->d;
    t->centers = kith_i_alloc(t->k * d, sizeof *t->centers);
    t->upto = kith_i_alloc(t->k, sizeof *t->upto);
    t->rows = kith_i_alloc(t->users * d, sizeof *t->rows);
    double *scratch = kith_i_alloc(d, sizeof *scratch);
    if (!t->centers || !t->upto || !t->rows || !scratch) {
        kith_i_free(scratch);
        return kith_i_fail_memory(err);
    }
    kith_i_coins_seed(&coins, seed, 0x7472);
    if (uneven)
        draw_uneven(t, &coins);
    else
        draw_centers(t, &coins, scratch);
    kith_i_free(scratch);
    double sd = SPREAD * t->box.radius / sqrt((double)d);
    for (uint64_t i = 0; i < t->users; i++)
        for (size_t c = 0; c < d; c++)
            t->rows[i * d + c] =
                t->centers[(uneven ? cluster_of(t, i) : i % t->k) * d + c] +
                sd * kith_i_coins_normal(&coins);
    return KITH_OK;
}

/* Root mean square distance of a true centre from the nearest found. */
static double trial_distance(const kith_i_trial *t, const double *found,
                             uint32_t count)
{
    double sum = 0;
    for (uint32_t j = 0; j < t->k; j++) {
        double nearest = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++)
            nearest =
                fmin(nearest,
                     kith_i_distance_squared(t->centers + (size_t)j * t->d,
                                             found + (size_t)i * t->d, t->d));
        sum += nearest;
    }
    return sqrt(sum / t->k);
}

static double nearest_of(const double *x, const double *points, uint32_t count,
                         uint32_t d, uint32_t not_this)
{
    double nearest = HUGE_VAL;
    for (uint32_t i = 0; i < count; i++)
        if (i != not_this)
            nearest = fmin(
                nearest, kith_i_distance_squared(x, points + (size_t)i * d, d));
    return nearest;
}

/* Is there a true cluster that no centre found is nearer to than half the way
 * to the next true one? */
static int trial_lost(const kith_i_trial *t, const double *found,
                      uint32_t count)
{
    for (uint32_t j = 0; j < t->k; j++) {
        const double *true_one = t->centers + (size_t)j * t->d;
        double gap = nearest_of(true_one, t->centers, t->k, t->d, j);
        if (nearest_of(true_one, found, count, t->d, UINT32_MAX) > gap / 4)
            return 1;
    }
    return 0;
}

/* The bounds of a trial are those of the domain, in its units. */
static kith_status trial_dataset(const kith_i_trial *t,
                                 const kith_i_domain *domain,
                                 kith_dataset **out, kith_error *err)
{
    kith_bounds bounds = {.lower = t->box.lower,
                          .upper = t->box.upper,
                          .box_count = t->d,
                          .radius = domain->radius,
                          .center = domain->radius > 0 ? domain->origin : NULL,
                          .center_count = domain->radius > 0 ? t->d : 0};
    return kith_dataset_from_rows(t->rows, t->users, t->d, &bounds, out, err);
}

kith_status kith_i_trial_run(const kith_i_trial *t, const kith_i_domain *domain,
                             const kith_local_options *opt,
                             kith_i_trial_outcome *out,
                             kith_local_summary **summary, kith_error *err)
{
    kith_dataset *data = NULL;
    kith_i_trace trace = {0};
    kith_i_local_found found = {0};
    kith_status status = kith_i_local_found_make(t->k, t->d, &found, err);
    if (!status)
        status = trial_dataset(t, domain, &data, err);
    if (!status)
        status =
            kith_i_local_execute(data, t->copies, opt, &trace, &found, err);
    if (!status) {
        out->error = trial_distance(t, found.centers, found.count);
        out->lost = trial_lost(t, found.centers, found.count);
    }
    if (!status && summary)
        status = kith_i_local_summarise(&trace, summary, err);
    kith_i_trace_close(&trace);
    kith_dataset_free(data);
    kith_i_local_found_free(&found);
    return status;
}
