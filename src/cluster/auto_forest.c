/* A6: a forest of boxes over the data, finer where there is more of it. Two
 * roots, one for the bulk and one for outliers; every level splits the active
 * boxes at the middle of their widest side and releases the sizes of the
 * halves. The leaves' means (A7) are in kith_i_auto_leaves.c. */
#include "cluster/auto_forest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FOREST_MOST_LEVELS = 20,
    FOREST_COUNTED = 12,
    FOREST_COUNTED_PURE = 6,
    FOREST_DEPTH = 8,
    FOREST_NEAR = 2,   /* roots that are always there */
    SHELL_HALVINGS = 3 /* of a shell, each along another axis */
};

static kith_status forest_reserve(auto_forest *f, uint32_t more,
                                  kith_error *err)
{
    if (f->nodes + more <= f->room)
        return KITH_OK;
    uint32_t room = 2 * (f->nodes + more);
    kith_i_box *node = kith_i_resize(f->node, f->nodes, room, sizeof *node);
    if (!node)
        return kith_i_fail_memory(err);
    f->node = node;
    double *box = kith_i_resize(f->box, (size_t)f->nodes * 2 * f->q,
                                (size_t)room * 2 * f->q, sizeof *box);
    if (!box)
        return kith_i_fail_memory(err);
    f->box = box;
    f->room = room;
    return KITH_OK;
}

static void forest_free(auto_forest *f)
{
    kith_i_free(f->node);
    kith_i_free(f->box);
    kith_i_free(f->inverse);
}

/* Whether the noise of A4 may hide rows so far out that they would double the
 * variance: three sd of them. */
static int may_be_far(const auto_space *space)
{
    const auto_hist *norms = &space->norms;
    return 3 * norms->sd * pow(space->reach, 2) > norms->total * space->trace;
}

static kith_status plant(auto_run *run, auto_forest *f, const auto_space *space,
                         kith_error *err)
{
    f->q = space->q;
    f->inverse = kith_i_alloc(f->q, sizeof *f->inverse);
    if (!f->inverse)
        return kith_i_fail_memory(err);
    kith_status status = forest_reserve(f, FOREST_ROOTS, err);
    if (status)
        return status;
    /* random axes have no outliers of their own */
    f->edge[0] = space->blind ? 2 : 3;
    f->edge[1] = 12;
    f->roots = FOREST_NEAR;
    /* bounds far beyond that: shells, the last as wide as a row can be */
    double most = space->reach / space->spread[0], next = f->edge[1];
    double closer = may_be_far(space) ? 1 : 4;
    while (!space->blind && f->roots < FOREST_ROOTS && next < most / closer) {
        next = 4 * next < most / 4 ? 4 * next : most;
        closer = 4;
        f->edge[f->roots++] = next;
    }
    run->shells = f->roots - FOREST_NEAR;
    for (uint32_t i = 0; i < SHELL_HALVINGS && i < f->q; i++)
        run->shells *= 2;
    for (uint32_t root = 0; root < f->roots; root++) {
        double *box = f->box + (size_t)root * 2 * f->q;
        for (uint32_t i = 0; i < f->q; i++) {
            double half = fmin(space->reach, f->edge[root] * space->spread[i]);
            box[i] = -half;
            box[f->q + i] = half;
            f->inverse[i] = 1 / (space->spread[i] * space->spread[i]);
        }
        f->node[root] = (kith_i_box){
            .child = -1, .cell = KITH_I_NO_CELL, .far = root >= FOREST_NEAR};
    }
    f->nodes = f->roots;
    return KITH_OK;
}

/* Halve node n at the middle of its widest side (the first on ties). */
static kith_status split(auto_forest *f, uint32_t n, kith_error *err)
{
    kith_status status = forest_reserve(f, 2, err);
    if (status)
        return status;
    uint32_t q = f->q, axis = 0;
    const double *box = f->box + (size_t)n * 2 * q;
    for (uint32_t i = 1; i < q; i++)
        if (box[q + i] - box[i] > box[q + axis] - box[axis])
            axis = i;
    double middle = (box[axis] + box[q + axis]) / 2;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t child = f->nodes++;
        double *to = f->box + (size_t)child * 2 * q;
        memcpy(to, f->box + (size_t)n * 2 * q, 2 * q * sizeof *to);
        to[side ? axis : q + axis] = middle;
        f->node[child] = (kith_i_box){
            .child = -1, .cell = KITH_I_NO_CELL, .far = f->node[n].far};
    }
    f->node[n].child = (int32_t)f->nodes - 2;
    f->node[n].axis = axis;
    f->node[n].middle = (int32_t)floor(fmax(-0x1p30, fmin(0x1p30, middle)));
    return KITH_OK;
}

/* Halve the shells along up to three axes, all at once. Their boxes are counted
 * at every level, so that few rows stand out of the mean of these counts. */
static kith_status split_shells(auto_forest *f, kith_error *err)
{
    uint32_t from = FOREST_NEAR, to = f->roots;
    for (int round = 0; round < SHELL_HALVINGS && round < (int)f->q; round++) {
        uint32_t next = f->nodes;
        for (uint32_t n = from; n < to; n++) {
            kith_status status = split(f, n, err);
            if (status)
                return status;
        }
        from = next;
        to = f->nodes;
    }
    f->shells = from;
    f->shells_end = to;
    return KITH_OK;
}

/* The mean of what is known of the size of a box and of another count of it, by
 * precision. */
static void join_count(kith_i_box *node, double count, double sd)
{
    double before = node->sd > 0 ? 1 / (node->sd * node->sd) : 0;
    double sum = before + 1 / (sd * sd);
    node->count = (node->count * before + count / (sd * sd)) / sum;
    node->sd = sqrt(1 / sum);
}

/* Sizes of the nodes from .. on, and of the boxes of the shells. */
static kith_status count_level(auto_run *run, const auto_space *space,
                               auto_forest *f, uint32_t from, uint32_t level,
                               double share, kith_error *err)
{
    char what[48];
    snprintf(what, sizeof what, "tree level %u, box", level);
    uint32_t many = 0;
    for (uint32_t n = 0; n < f->nodes; n++)
        f->node[n].cell =
            f->node[n].child < 0 &&
                    (n >= from || (n >= f->shells && n < f->shells_end))
                ? many++
                : KITH_I_NO_CELL;
    auto_locator l = {.forest = f, .view = space->view, .cells = many};
    kith_i_cells cells;
    kith_status status = kith_i_auto_counts(run, &l, what, share, &cells, err);
    if (status)
        return status;
    for (uint32_t n = 0; n < f->nodes; n++) {
        kith_i_box *node = &f->node[n];
        if (node->cell == KITH_I_NO_CELL)
            continue;
        double count = (double)cells.counts[node->cell];
        if (node->far) {
            join_count(node, count, cells.count_sd);
        } else {
            node->count = count;
            node->sd = cells.count_sd;
        }
        node->cell = KITH_I_NO_CELL;
    }
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Pure: whether a level of at least two boxes for each cluster shows nothing:
 * each axis was halved once at most, nobody is seen outside the bulk, and rows
 * are in nearly as many boxes as there are, by (sum of counts)^2 / sum of
 * squares. Rows in m places would be in some m of them. */
static const double nearly_even = .9;
enum { EVEN_LEAST = 16 };
static int is_even(const auto_run *run, const auto_space *space,
                   const auto_forest *f, uint32_t from, uint32_t level,
                   double active)
{
    double boxes = ldexp(1, (int)level), sum = 0, square = 0;
    if (!run->pure || space->blind || run->shells || run->plan > 0 ||
        level > f->q || boxes < fmax(EVEN_LEAST, 2 * (double)run->k))
        return 0;
    for (uint32_t n = from; n < f->nodes; n++) {
        double count = f->node[n].count, sd = f->node[n].sd;
        if (n - from >= boxes && count > active * sd)
            return 0;
        sum += count;
        square += count * count - sd * sd;
    }
    return square > 0 && sum * sum > nearly_even * boxes * square;
}

/* Whether a leaf has rows enough to be split, by sd of one count; of a shell's
 * box three times as many: half of them, counted less often, must still be
 * seen. */
static int is_large(const kith_i_box *node, double sds, double sd)
{
    return node->child < 0 &&
           node->count > sds * (node->far ? 3 * sd : node->sd);
}

/* Grow until nothing is worth splitting, or nothing will be seen; returns the
 * unspent part of the tree's share in *rest. */
static kith_status grow(auto_run *run, const auto_space *space,
                        const auto_shares *shares, auto_forest *f, double *rest,
                        kith_error *err)
{
    double levels = run->pure ? 6 : 10, enough = run->pure ? 25 : 40;
    double sd = kith_i_auto_count_sd(run, shares->tree / levels);
    double depth = floor(log2(fmax(2, run->n_hat / (enough * sd))));
    uint32_t first = (uint32_t)fmax(1, fmin(FOREST_DEPTH, depth));
    uint32_t counted =
        run->pure && !space->blind ? FOREST_COUNTED_PURE : FOREST_COUNTED;
    uint32_t last = first + counted < FOREST_MOST_LEVELS ? first + counted
                                                         : FOREST_MOST_LEVELS;
    double active = run->pure && !space->blind ? 3.5 : 6;
    double share = shares->tree / (last - first + 1);
    sd = kith_i_auto_count_sd(run, share);
    uint32_t from = 0, to = f->nodes; /* candidates of this level */
    *rest = shares->tree;
    for (uint32_t level = 1; level <= last; level++) {
        uint32_t children = f->nodes;
        kith_status status = KITH_OK;
        for (uint32_t n = from; !status && n < to; n++)
            if (level <= first ? !f->node[n].far
                               : is_large(&f->node[n], active, sd))
                status = split(f, n, err);
        for (uint32_t n = f->shells; !status && n < f->shells_end; n++)
            if (n < from && is_large(&f->node[n], active, sd))
                status = split(f, n, err);
        if (!status && level == first)
            status = split_shells(f, err);
        if (status)
            return status;
        if (f->nodes == children)
            break;
        from = children;
        to = f->nodes;
        if (level < first)
            continue;
        status = count_level(run, space, f, from, level, share, err);
        if (status)
            return status;
        *rest -= share;
        f->even = is_even(run, space, f, from, level, active);
        if (f->even)
            break;
    }
    return KITH_OK;
}

kith_status kith_i_auto_grow(auto_run *run, const auto_space *space,
                             auto_shares *shares, auto_coreset *out,
                             kith_error *err)
{
    auto_forest f = {0};
    double rest = 0;
    kith_status status = plant(run, &f, space, err);
    if (!status)
        status = grow(run, space, shares, &f, &rest, err);
    double later = shares->leaf + shares->over + shares->lloyd + shares->rec +
                   shares->hist * (2 + shares->over_steps + shares->hists);
    if (!status && f.even) {
        status =
            kith_i_auto_assume_even(run, space, later + rest, shares, out, err);
    } else if (!status) {
        /* what the tree did not need goes to the later stages */
        double more = (later + rest) / later;
        shares->leaf *= more;
        shares->over *= more;
        shares->lloyd *= more;
        shares->rec *= more;
        shares->hist *= more;
        status = kith_i_auto_leaves(run, space, shares, &f, out, err);
    }
    forest_free(&f);
    return status;
}
