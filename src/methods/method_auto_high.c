/* d > 3: leading directions, a tree in them, first means in all dimensions.
 * Then, if k round clusters explain all answers, vectors and a fit in turn,
 * else two refinements with a split between. */
#include "explain_answers.h"
#include "method_parts.h"
#include "plane.h"

#include <math.h>
#include <string.h>

enum {
    TREE_ROUNDS = 3,
    TREE_DEPTH = 6,
    LEAVES = 512,
    TURNS = 4,
    LATE_TURNS = 2
};

/* The tree in the plane, then anchors in R^d. */
static kith_status find_anchors(kith_i_local_run *run,
                                const kith_i_local_plane *plane,
                                const kith_i_local_shares *part,
                                kith_i_local_model *anchors, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    const double tree[TREE_ROUNDS] = {part->tree_1, part->tree_2, part->tree_3};
    kith_i_grow grow;
    kith_status status =
        kith_i_plane_open(run, plane, TREE_DEPTH, LEAVES, &grow, err);
    for (int r = 0; !status && r < TREE_ROUNDS; r++) {
        const kith_i_answer *answer;
        uint32_t *leaf;
        kith_i_question ask = kith_i_local_question(
            run, "cell of the histogram", tree[r], KITH_I_REPORT_SYMBOL);
        if (r > 0)
            kith_i_grow_split(&grow,
                              kith_i_olh_sd(task->epsilon) /
                                  sqrt(kith_i_local_users(run, tree[r])));
        status = kith_i_grow_publish(run, &grow, UINT32_MAX, &plane->lens,
                                     &ask.place, &leaf, err);
        if (!status)
            status = kith_i_local_ask(run, &ask, 1, &answer, err);
        if (!status)
            kith_i_grow_take(&grow, leaf, answer);
    }
    if (status)
        return status;
    double noise = kith_i_vector_sd(task->epsilon, task->d + 1) *
                   sqrt(task->d / kith_i_local_users(run, part->first_vector));
    double wanted =
        fmin(kith_i_recipe.most_anchors * task->k,
             fmax(task->k, floor(kith_i_recipe.anchor_noise / noise)));
    return kith_i_plane_anchors(run, plane, &grow, (uint32_t)wanted, anchors,
                                err);
}

static kith_status first_means(kith_i_local_run *run,
                               const kith_i_local_shares *part, double top,
                               kith_i_local_model *model, int *fits,
                               kith_error *err)
{
    const kith_i_answer *answer;
    kith_i_local_model first = *model, *anchors = &first;
    double excess = HUGE_VAL;
    kith_i_refine_look look = {.stage = KITH_I_REFINE_FIRST,
                               .share = part->first_histogram,
                               .vector_share = part->first_vector,
                               .top = top};
    kith_status status = kith_i_refine_see(run, anchors, &look, err);
    if (status)
        return status;
    kith_i_question q =
        kith_i_refine_question(run, anchors, part->first_vector);
    status = kith_i_local_ask(run, &q, 1, &answer, err);
    if (status)
        return status;
    kith_i_refine_measure(anchors, answer);
    status = kith_i_first_step(run, anchors, err);
    if (status)
        return status;
    *model = *anchors;
    status = kith_i_explain(run, model, run->task->k, &excess, err);
    *fits = excess <= kith_i_recipe.fits;
    if (status || *fits)
        return status;
    return kith_i_first_merge(run, anchors, run->task->k, model, err);
}

static kith_status refine_and_split(kith_i_local_run *run,
                                    const kith_i_local_shares *part, double top,
                                    kith_i_local_model *model, int *fits,
                                    kith_error *err)
{
    const kith_i_answer *answers[2];
    double excess = HUGE_VAL;
    size_t coords = (size_t)model->count * model->d;
    double *old = kith_i_local_numbers(run, coords, 1);
    if (!old)
        return kith_i_fail_memory(err);
    kith_i_refine_look look = {.stage = KITH_I_REFINE_MIDDLE,
                               .share = part->second_histogram,
                               .vector_share = part->second_vector,
                               .top = top};
    kith_status status = kith_i_refine_see(run, model, &look, err);
    if (status)
        return status;
    kith_i_question q[2] = {
        kith_i_refine_question(run, model, part->second_vector),
        kith_i_split_question(run, model, part->split)};
    status = kith_i_local_ask(run, q, 2, answers, err);
    if (status)
        return status;
    memcpy(old, model->center, coords * sizeof *old);
    kith_i_refine_measure(model, answers[0]);
    kith_i_refine_step(model);
    status = kith_i_split_apply(run, model, old, answers[1], run->task->k, err);
    if (!status)
        status = kith_i_explain(run, model, run->task->k, &excess, err);
    *fits = !status && excess <= kith_i_recipe.fits;
    return status;
}

/* The clusters fit, so that their widths are known and the clip is part of the
 * fit: turns of vectors, and a fit after each but the last, whose fit is the
 * answer's. Where a fit is not believed everybody who is left refines the
 * centres by histogram and vectors instead. In the first turn some
 * tell how far they are: a cluster that hides in another is far from it. */
static kith_status take_turns(kith_i_local_run *run,
                              const kith_i_refine_look *all, const double *turn,
                              int turns, kith_i_local_model *model,
                              kith_error *err)
{
    const kith_i_answer *answers[2];
    double excess = HUGE_VAL, left = 1;
    kith_status status = KITH_OK;
    for (int t = 0; !status && t < turns; t++) {
        for (uint32_t j = 0; j < model->count; j++) {
            model->radius[j] = kith_i_recipe.tight * sqrt(model->spread[j]);
            model->pull[j] = model->radius[j];
            model->bias[j] = 0;
        }
        double told = t == 0 ? kith_i_recipe.told : 0;
        kith_i_question q[2] = {
            kith_i_refine_question(run, model, (turn[t] - told) * all->share),
            kith_i_refine_distances(run, model, told * all->share, all->top)};
        status = kith_i_local_ask(run, q, told > 0 ? 2 : 1, answers, err);
        if (status)
            return status;
        kith_i_refine_measure(model, answers[0]);
        kith_i_refine_step(model);
        left -= turn[t];
        if (t < turns - 1)
            status = kith_i_explain(run, model, run->task->k, &excess, err);
        if (!status && t < turns - 1 && excess > kith_i_recipe.fits)
            return kith_i_refine(
                run, model, all->top, kith_i_recipe.refit * left * all->share,
                (1 - kith_i_recipe.refit) * left * all->share, err);
    }
    kith_i_local_clip(run->task, model->count, model->center);
    return status;
}

/* Everything after the plane. */
static kith_status follow(kith_i_local_run *run,
                          const kith_i_local_plane *plane,
                          const kith_i_local_shares *part,
                          kith_i_local_model *model, kith_error *err)
{
    int fits = 0;
    double top = fmin(2 * run->task->radius, kith_i_recipe.top * plane->radius);
    double last = part->last_histogram + part->last_vector;
    double second = part->second_histogram + part->second_vector + part->split;
    kith_i_refine_look early = {.share = second + last, .top = top};
    kith_i_refine_look late = {.share = last, .top = top};
    kith_status status = find_anchors(run, plane, part, model, err);
    if (!status)
        status = first_means(run, part, top, model, &fits, err);
    if (!status && fits && second > 0)
        return take_turns(run, &early, kith_i_recipe.turn, TURNS, model, err);
    if (!status && second > 0)
        status = refine_and_split(run, part, top, model, &fits, err);
    if (status)
        return status;
    if (fits)
        return take_turns(run, &late, kith_i_recipe.late_turn, LATE_TURNS,
                          model, err);
    return kith_i_refine(run, model, top, part->last_histogram,
                         part->last_vector, err);
}

/* Directions need no more users than make the noise of the moments small:
 * the others grow the tree, and sharpen the last means. */
static kith_i_local_shares full_shares(const kith_i_local_run *run)
{
    kith_i_local_shares part = kith_i_recipe.with_directions;
    double d = run->task->d;
    double sd = kith_i_moment_sd(run->task->epsilon, run->task->d + 1);
    double enough =
        pow(sd / kith_i_recipe.sharp, 2) * 2 * d / kith_i_local_users(run, 1);
    double spare = part.moment -
                   fmin(part.moment, fmax(kith_i_recipe.least_moment, enough));
    part.moment -= spare;
    part.last_vector += spare / 4;
    part.tree_1 += spare / 4;
    part.tree_2 += spare / 4;
    part.tree_3 += spare / 4;
    return part;
}

kith_status kith_i_local_high(kith_i_local_run *run, kith_i_local_model *model,
                              kith_error *err)
{
    kith_i_local_plane plane;
    kith_i_local_shares part = full_shares(run);
    kith_i_shares_scale(&part, kith_i_local_left(run));
    kith_status status = kith_i_plane_find(run, part.origin, part.radius,
                                           part.moment, &plane, err);
    return status ? status : follow(run, &plane, &part, model, err);
}

kith_status kith_i_local_projected(kith_i_local_run *run,
                                   kith_i_local_model *model, kith_error *err)
{
    kith_i_local_plane plane;
    kith_i_local_shares part = kith_i_recipe.with_random_ones;
    kith_i_shares_scale(&part, kith_i_local_left(run));
    kith_status status =
        kith_i_plane_draw(run, part.origin, part.radius, &plane, err);
    return status ? status : follow(run, &plane, &part, model, err);
}
