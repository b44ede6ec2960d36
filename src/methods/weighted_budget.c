/* weighted-centers: its shape and who pays what.
 *
 * Splitting users (the default): everybody is in one group and answers once,
 * with all of epsilon. Splitting epsilon, as printed and with the repairs E2,
 * E6 and E7: everybody answers for every radius with epsilon / 3J, and twice
 * for the weights with epsilon / 3; the J shares and the two thirds add up to
 * epsilon, and the deltas of the J Gaussian steps to delta. Within a radius
 * the steps that are run share alike; LDP-AVG halves its share between sums
 * and counts (E2). */
#include <math.h>

#include "weighted.h"

/* ---- shape ---- */

enum { MAX_WIDTH = 4, MAX_RADII = 6 };

/* The largest radius, as a part of the radius of the ball. */
static const double FIRST_RADIUS = 0.25;

double kith_i_wc_radius(const kith_i_local_task *task, uint32_t j)
{
    return FIRST_RADIUS * task->radius * pow(2, -(double)j);
}

/* Radii are added while a cluster that is a (2k)-th of the users can still be
 * told from noise in the group of one radius after it has spread over the cells
 * of the next one: 2^(d'/2) cells more each time. In a projection the means of
 * small cells are noisy in all d dimensions, and it takes more to gain. */
static uint32_t choose_radii(const kith_i_local_task *task, uint64_t invited,
                             const kith_i_wc_setup *setup)
{
    double cluster = 1 / (2 * (double)task->k), least = setup->cells ? 1.5 : 4;
    kith_i_wc_setup trial = *setup;
    for (trial.radii = 3; trial.radii <= MAX_RADII; trial.radii++) {
        kith_i_question q = {0};
        kith_i_wc_pay_step(task, &trial, KITH_I_WC_LIST,
                           (kith_i_wc_group){.parts = 1}, &q);
        double users = fmax(1, q.share * (double)invited);
        double sd = kith_i_olh_sd(q.epsilon) / sqrt(users);
        double spread = pow(2, -.5 * setup->width * (trial.radii - 1));
        if (cluster * spread < least * sd)
            break;
    }
    return trial.radii - 1;
}

void kith_i_wc_setup_make(const kith_i_local_task *task, uint64_t invited,
                          kith_i_wc_setup *out)
{
    *out = (kith_i_wc_setup){.good = .5, .a = .2, .b = .3};
    out->width = task->d < MAX_WIDTH ? task->d : MAX_WIDTH;
    out->e2lsh = task->e2lsh;
    out->boxes = task->boxes || task->e2lsh;
    out->cells = out->width == task->d && !out->boxes;
    out->repetitions = task->repetitions ? task->repetitions : 1;
    double *share = out->share;
    share[KITH_I_WC_LIST] = out->cells ? .5 : .3;
    share[KITH_I_WC_BOXES] = out->boxes ? .2 : 0;
    share[KITH_I_WC_COUNT] = out->cells ? .1 : .15;
    share[KITH_I_WC_FILTER] = out->cells ? 0 : .15;
    share[KITH_I_WC_SUM] = 1;
    for (int i = 0; i < KITH_I_WC_STEPS; i++)
        if (i != KITH_I_WC_SUM)
            share[KITH_I_WC_SUM] -= share[i];
    out->radii = task->radii ? task->radii : choose_radii(task, invited, out);
}

/* ---- payment ---- */

/* Of the budget of a radius, when epsilon is split. */
static double step_part(const kith_i_wc_setup *setup, kith_i_wc_step step)
{
    double steps = 2; /* the list and LDP-AVG */
    steps += setup->share[KITH_I_WC_BOXES] > 0;
    steps += setup->share[KITH_I_WC_FILTER] > 0;
    int half = step == KITH_I_WC_SUM || step == KITH_I_WC_COUNT;
    return (half ? .5 : 1) / steps;
}

/* Parts of epsilon and delta are rounded down by more than their own rounding,
 * so that they add up to no more than the whole, exactly. */
static double spare(double part)
{
    return part * (1 - 0x1p-49);
}

/* Where group i of n begins; differences of cuts are exact. */
static double cut(uint64_t i, uint64_t n)
{
    uint64_t part = (i << 32) / n;
    return ldexp((double)part, -32);
}

void kith_i_wc_pay_step(const kith_i_local_task *task,
                        const kith_i_wc_setup *setup, kith_i_wc_step step,
                        kith_i_wc_group group, kith_i_question *question)
{
    double m = setup->repetitions, j = setup->radii;
    int gaussian = step == KITH_I_WC_SUM && task->delta > 0;
    question->randomizer =
        gaussian ? KITH_I_RANDOMIZER_GAUSSIAN : KITH_I_RANDOMIZER_AUTO;
    if (!task->split_epsilon) {
        question->share =
            setup->good * setup->share[step] / (m * j * group.parts);
        question->epsilon = task->epsilon;
        question->delta = gaussian ? task->delta : 0;
        return;
    }
    question->partition = 1 + group.radius;
    uint64_t number = (uint64_t)group.repetition * group.parts + group.part,
             groups = (uint64_t)setup->repetitions * group.parts;
    question->offset = cut(number, groups);
    question->share = cut(number + 1, groups) - question->offset;
    question->epsilon = spare(task->epsilon / (3 * j) * step_part(setup, step));
    question->delta = gaussian ? spare(task->delta / j) : 0;
}

void kith_i_wc_pay_weights(const kith_i_local_task *task,
                           const kith_i_wc_setup *setup, int b,
                           kith_i_question *question)
{
    if (!task->split_epsilon) {
        question->share = b ? setup->b : setup->a;
        question->epsilon = task->epsilon;
        return;
    }
    question->partition = 1 + setup->radii;
    question->offset = 0;
    question->share = 1;
    question->epsilon = spare(task->epsilon / 3);
}
