/* CentersProcedure (Stemmer 2021, A.2) for one radius and one repetition:
 * steps 1, 2, 7, 8, 9. Steps 3 to 6 are in weighted_boxes.c.
 *
 * With the grid in all d dimensions the cell is the box (erratum E11), and
 * every user in it is within its diagonal cr of every point of it, so that step
 * 8 would ask again what LDP-AVG's counts have told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weighted.h"

/* Universes up to this size are looked through as a whole, larger ones below
 * the heavy cells of the next larger radius. */
enum { SCAN = 4096, HEAVY_MAX = 512 };

/* A cell is kept while its count is this many standard deviations above 0. */
static const double KEEP = 2.0;

void kith_i_procedure_names(const kith_i_wc_setup *setup, kith_i_procedure *p)
{
    static const char *const words[KITH_I_WC_STEPS] = {
        "heavy cells", "positions along an axis", "cell sums", "cell counts",
        "users near their centre"};
    char which[32] = "";
    if (setup->repetitions > 1)
        snprintf(which, sizeof which, ", repetition %u", p->repetition + 1);
    for (int i = 0; i < KITH_I_WC_STEPS; i++)
        snprintf(p->name[i], sizeof p->name[i], "%s, radius %u of %u%s",
                 words[i], p->radius_number + 1, setup->radii, which);
}

/* ---- step 2: heavy cells ---- */

static const uint64_t nothing_wanted;

/* All users of a procedure's share. */
static kith_i_wc_group everybody(const kith_i_procedure *procedure)
{
    return (kith_i_wc_group){.radius = procedure->radius_number,
                             .repetition = procedure->repetition,
                             .parts = 1};
}

void kith_i_procedure_list(const kith_i_local_run *run,
                           const kith_i_wc_setup *setup,
                           const kith_i_procedure *procedure,
                           kith_i_question *question)
{
    *question = kith_i_local_question(run, procedure->name[KITH_I_WC_LIST], 0,
                                      KITH_I_REPORT_SYMBOL);
    question->place = (kith_i_place){.kind = KITH_I_PLACE_GRID,
                                     .places = procedure->hash.universe,
                                     .grid = procedure->hash.grid};
    if (procedure->hash.universe > SCAN) {
        /* Decoded later, by `again`. */
        question->wanted = &nothing_wanted;
        question->wanted_count = 0;
    }
    kith_i_wc_pay_step(run->task, setup, KITH_I_WC_LIST, everybody(procedure),
                       question);
    if (procedure->hash.universe > SCAN)
        question->randomizer = KITH_I_RANDOMIZER_OLH;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys to look at: all, or the children of what is heavy one radius up
 * (E12: list decoding through nested prefixes). */
static kith_status candidates(kith_i_local_run *run,
                              const kith_i_procedure *parent,
                              const kith_i_procedure *procedure,
                              uint64_t **keys, uint32_t *count, kith_error *err)
{
    uint64_t universe = procedure->hash.universe;
    uint32_t q = procedure->hash.grid.lens.q;
    size_t room = universe <= SCAN ? (size_t)universe
                  : parent         ? (size_t)parent->count << q
                                   : 0;
    *count = 0;
    *keys = kith_i_local_take(run, room + ((size_t)1 << q), sizeof **keys);
    if (!*keys)
        return kith_i_fail_memory(err);
    if (universe <= SCAN) {
        for (uint64_t key = 0; key < universe; key++)
            (*keys)[(*count)++] = key;
        return KITH_OK;
    }
    for (uint32_t i = 0; parent && i < parent->count; i++)
        *count += kith_i_lsh_children(&parent->hash.grid, parent->keys[i],
                                      &procedure->hash.grid, *keys + *count);
    qsort(*keys, *count, sizeof **keys, by_key);
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (i == 0 || (*keys)[i] != (*keys)[distinct - 1])
            (*keys)[distinct++] = (*keys)[i];
    *count = distinct;
    return KITH_OK;
}

static int room_for(kith_i_local_run *run, kith_i_procedure *p, uint32_t count)
{
    uint32_t d = run->task->d;
    p->keys = kith_i_local_take(run, count, sizeof *p->keys);
    p->share = kith_i_local_numbers(run, count, 1);
    p->variance = kith_i_local_numbers(run, count, 1);
    p->center = kith_i_local_numbers(run, count, d);
    p->reach = kith_i_local_numbers(run, count, 1);
    p->y = kith_i_local_numbers(run, count, d);
    return p->keys && p->share && p->variance && p->center && p->reach && p->y;
}

/* Number of values at or above the limit. */
static uint32_t count_above(const double *values, uint32_t count, double limit)
{
    uint32_t above = 0;
    for (uint32_t i = 0; i < count; i++)
        above += values[i] > limit;
    return above;
}

kith_status kith_i_procedure_take_list(kith_i_local_run *run,
                                       const kith_i_procedure *parent,
                                       const kith_i_answer *answer,
                                       kith_i_procedure *procedure,
                                       kith_error *err)
{
    uint64_t *keys;
    uint32_t count;
    procedure->count = 0;
    kith_status status = candidates(run, parent, procedure, &keys, &count, err);
    double *found = kith_i_local_numbers(run, count, 1);
    if (status || !found)
        return status ? status : kith_i_fail_memory(err);
    if (procedure->hash.universe <= SCAN)
        memcpy(found, answer->fractions, count * sizeof *found);
    else if (count > 0)
        status = run->collector->again(run->collector, procedure->list_question,
                                       keys, count, found, err);
    if (status || !isfinite(answer->sd))
        return status; /* nobody answered: an empty list */
    double limit = sqrt(2 * log(fmax(2, count))) * answer->sd;
    uint32_t heavy = count_above(found, count, limit);
    /* A longer list can be trimmed (the paper, proof of Lemma A.6). */
    while (heavy > HEAVY_MAX) {
        limit *= 1.1;
        heavy = count_above(found, count, limit);
    }
    if (!room_for(run, procedure, heavy))
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        if (!(found[i] > limit))
            continue;
        procedure->keys[procedure->count] = keys[i];
        procedure->share[procedure->count] = found[i];
        procedure->variance[procedure->count++] = answer->sd * answer->sd;
    }
    return KITH_OK;
}

/* ---- regions without steps 3 to 6 ---- */

void kith_i_procedure_regions(const kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              kith_i_procedure *procedure)
{
    const kith_i_local_task *task = run->task;
    size_t d = task->d;
    for (uint32_t i = 0; i < procedure->count; i++) {
        double *center = procedure->center + i * d,
               *high = procedure->y + i * d;
        if (!setup->cells) {
            memcpy(center, task->center, d * sizeof *center);
            procedure->reach[i] = task->radius;
            continue;
        }
        kith_i_lsh_cell(task, &procedure->hash.grid, procedure->keys[i], center,
                        high);
        double diagonal = sqrt(kith_i_distance_squared(center, high, d));
        for (size_t t = 0; t < d; t++)
            center[t] = (center[t] + high[t]) / 2;
        procedure->reach[i] =
            fmax(diagonal / 2, 1e-6 * procedure->hash.grid.side);
    }
}

/* ---- step 7: LDP-AVG ---- */

static kith_i_place list_place(const kith_i_procedure *procedure, double reach)
{
    return (kith_i_place){.kind = KITH_I_PLACE_LIST,
                          .places = procedure->count,
                          .grid = procedure->hash.grid,
                          .keys = procedure->keys,
                          .reach = reach};
}

void kith_i_procedure_average(const kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              const kith_i_procedure *procedure,
                              kith_i_question questions[2])
{
    /* Boxes all have the same size. A user outside of hers sends noise only,
     * which nobody can tell from the rest (E4); so does one in no cell. */
    double reach = setup->boxes ? procedure->reach[0] : 0;
    for (int i = 0; i < 2; i++) {
        questions[i] = kith_i_local_question(
            run, procedure->name[i ? KITH_I_WC_COUNT : KITH_I_WC_SUM], 0,
            i ? KITH_I_REPORT_SYMBOL : KITH_I_REPORT_VECTOR);
        questions[i].place = list_place(procedure, reach);
        questions[i].centers = procedure->center;
        questions[i].radii = procedure->reach;
        kith_i_wc_pay_step(run->task, setup,
                           i ? KITH_I_WC_COUNT : KITH_I_WC_SUM,
                           everybody(procedure), &questions[i]);
    }
}

/* Drop cell i. */
static void drop(kith_i_procedure *p, size_t d, uint32_t i)
{
    uint32_t last = --p->count;
    size_t rest = last - i;
    memmove(p->keys + i, p->keys + i + 1, rest * sizeof *p->keys);
    memmove(p->share + i, p->share + i + 1, rest * sizeof *p->share);
    memmove(p->variance + i, p->variance + i + 1, rest * sizeof *p->share);
    memmove(p->reach + i, p->reach + i + 1, rest * sizeof *p->reach);
    memmove(p->center + i * d, p->center + (i + 1) * d,
            rest * d * sizeof *p->center);
    memmove(p->y + i * d, p->y + (i + 1) * d, rest * d * sizeof *p->y);
}

/* The count of LDP-AVG, together with step 2's where both count the same. */
static void take_count(const kith_i_wc_setup *setup,
                       const kith_i_answer *counts, kith_i_procedure *p,
                       uint32_t i)
{
    double variance = counts->sd * counts->sd;
    if (!setup->cells) {
        p->share[i] = isfinite(variance) ? counts->fractions[i] : 0;
        p->variance[i] = variance;
        return;
    }
    if (!isfinite(variance))
        return;
    double sum = p->variance[i] + variance;
    p->share[i] =
        (p->share[i] * variance + counts->fractions[i] * p->variance[i]) / sum;
    p->variance[i] = p->variance[i] * variance / sum;
}

/* y_u = centre + radius S_u / f_u, recentred as E3 wants, and drawn back to the
 * centre of the region by as much as the noise outweighs what the mean of a
 * region can be. */
static void take_mean(const kith_i_local_task *task,
                      const kith_i_wc_setup *setup, const kith_i_answer *sums,
                      kith_i_procedure *p, uint32_t i)
{
    size_t d = task->d;
    double *y = p->y + i * d, scale = p->reach[i] / p->share[i];
    const double *center = p->center + i * d;
    double noise = scale * sums->noise, pull = 0;
    for (size_t t = 0; t < d; t++)
        y[t] = isfinite(noise) ? scale * sums->sums[i * d + t] : 0;
    if (setup->cells && isfinite(noise)) {
        /* Half diagonal rho: a coordinate of a uniform point has variance
         * rho^2 / 3d. */
        double prior = p->reach[i] * p->reach[i] / (3 * (double)d);
        pull = prior / (prior + noise * noise);
    } else if (isfinite(noise)) {
        pull = kith_i_james_stein(y, d, noise);
    }
    double length = sqrt(kith_i_norm_squared(y, d)) * pull;
    if (length > p->reach[i]) /* no mean of points in the region */
        pull *= p->reach[i] / length;
    for (size_t t = 0; t < d; t++)
        y[t] = center[t] + pull * y[t];
    kith_i_local_clip(task, 1, y);
}

void kith_i_procedure_take_average(const kith_i_local_run *run,
                                   const kith_i_wc_setup *setup,
                                   const kith_i_answer answers[2],
                                   kith_i_procedure *procedure)
{
    for (uint32_t i = 0; i < procedure->count; i++) {
        take_count(setup, &answers[1], procedure, i);
        if (procedure->share[i] > KEEP * sqrt(procedure->variance[i]))
            take_mean(run->task, setup, &answers[0], procedure, i);
    }
    for (uint32_t i = procedure->count; i-- > 0;)
        if (!(procedure->share[i] > KEEP * sqrt(procedure->variance[i])))
            drop(procedure, run->task->d, i);
}

/* ---- step 8: cells whose users are near the centre ---- */

void kith_i_procedure_filter(const kith_i_local_run *run,
                             const kith_i_wc_setup *setup,
                             const kith_i_procedure *procedure,
                             kith_i_question *question)
{
    *question = kith_i_local_question(run, procedure->name[KITH_I_WC_FILTER], 0,
                                      KITH_I_REPORT_SYMBOL);
    question->place = list_place(procedure, 5 * procedure->hash.far);
    question->centers = procedure->y;
    kith_i_wc_pay_step(run->task, setup, KITH_I_WC_FILTER, everybody(procedure),
                       question);
}

void kith_i_procedure_take_filter(const kith_i_local_run *run,
                                  const kith_i_answer *answer,
                                  kith_i_procedure *procedure)
{
    for (uint32_t i = procedure->count; i-- > 0;)
        if (!(answer->fractions[i] > KEEP * answer->sd))
            drop(procedure, run->task->d, i);
}
