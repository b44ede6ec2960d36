/* A6: a forest of boxes over the data, finer where there is more of it. Two
 * roots, one for the bulk and one for outliers; every level splits the active
 * boxes at the middle of their widest side and releases the sizes of the
 * halves. The leaves' means (A7) are in kith_i_auto_leaves.c. */
#include "cluster/auto_forest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FOREST_NEAR = 2,   /* roots that are always there */
    FOREST_BOX = 40,   /* sd of a count that a first box has */
    FOREST_DEPTH = 10, /* first halvings at most */
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
    auto_count *rows = kith_i_resize(f->rows, f->nodes, room, sizeof *rows);
    if (!rows)
        return kith_i_fail_memory(err);
    f->rows = rows;
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
    kith_i_free(f->rows);
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
        f->node[root] = (kith_i_box){.child = -1, .cell = KITH_I_NO_CELL};
        f->rows[root] = (auto_count){.variance = HUGE_VAL,
                                     .bulk = root == 0,
                                     .far = root >= FOREST_NEAR};
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
        f->node[child] = (kith_i_box){.child = -1, .cell = KITH_I_NO_CELL};
        f->rows[child] = (auto_count){.variance = HUGE_VAL,
                                      .bulk = f->rows[n].bulk,
                                      .far = f->rows[n].far,
                                      .depth = f->rows[n].depth + 1};
    }
    f->node[n].child = (int32_t)f->nodes - 2;
    f->node[n].axis = axis;
    f->node[n].middle = (int32_t)floor(fmax(-0x1p30, fmin(0x1p30, middle)));
    return KITH_OK;
}

/* Halve node n so many times. */
static kith_status cut(auto_forest *f, uint32_t n, uint32_t halvings,
                       kith_error *err)
{
    uint32_t from = n, to = n + 1;
    kith_status status = KITH_OK;
    for (uint32_t h = 0; !status && h < halvings; h++) {
        uint32_t next = f->nodes;
        for (uint32_t i = from; !status && i < to; i++)
            status = split(f, i, err);
        from = next;
        to = f->nodes;
    }
    return status;
}

/* Another count of all boxes that are not cut, joined with those before by
 * precision. */
static kith_status count_level(auto_run *run, const auto_space *space,
                               auto_forest *f, uint32_t level, double share,
                               kith_error *err)
{
    char what[48];
    snprintf(what, sizeof what, "tree level %u, box", level);
    uint32_t many = 0;
    for (uint32_t n = 0; n < f->nodes; n++)
        f->node[n].cell = f->node[n].child < 0 ? many++ : KITH_I_NO_CELL;
    auto_locator l = {.forest = f, .view = space->view, .cells = many};
    kith_i_cells cells;
    kith_status status = kith_i_auto_counts(run, &l, what, share, &cells, err);
    if (status)
        return status;
    double mine = cells.count_sd * cells.count_sd;
    for (uint32_t n = 0; n < f->nodes; n++) {
        auto_count *rows = &f->rows[n];
        if (f->node[n].cell == KITH_I_NO_CELL)
            continue;
        double count = (double)cells.counts[f->node[n].cell];
        double part = rows->variance < HUGE_VAL
                          ? rows->variance / (rows->variance + mine)
                          : 1;
        rows->count += part * (count - rows->count);
        rows->variance = part * mine;
    }
    kith_i_cells_free(&cells);
    return KITH_OK;
}

/* Up the tree the counts of a box and of its halves are joined by precision;
 * down the tree the surplus of a box is dealt out to its halves, the more to
 * the less sure one. */
void kith_i_auto_fit_sizes(auto_forest *f)
{
    for (uint32_t n = f->nodes; n-- > 0;) {
        auto_count *rows = &f->rows[n];
        rows->size = rows->count;
        rows->unsure = rows->variance;
        if (f->node[n].child < 0)
            continue;
        const auto_count *half = &f->rows[f->node[n].child];
        double size = half[0].size + half[1].size;
        double unsure = half[0].unsure + half[1].unsure;
        double part = rows->variance < HUGE_VAL
                          ? rows->variance / (rows->variance + unsure)
                          : 1;
        rows->size += part * (size - rows->size);
        rows->unsure = part * unsure;
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        auto_count *rows = &f->rows[n];
        if (n < f->roots && !rows->far)
            rows->size = fmax(rows->size, 0);
        if (f->node[n].child < 0)
            continue;
        auto_count *half = &f->rows[f->node[n].child];
        double surplus = rows->size - half[0].size - half[1].size;
        double part = half[0].unsure / (half[0].unsure + half[1].unsure);
        double first = half[0].size + part * surplus;
        if (!rows->far)
            first = fmax(0, fmin(rows->size, first));
        half[1].size = rows->size - first;
        half[0].size = first;
    }
}

/* Pure: whether a level of at least two boxes for each cluster shows nothing:
 * each axis was halved once at most, nobody is seen outside the bulk, and rows
 * are in nearly as many boxes as there are, by (sum of counts)^2 / sum of
 * squares. Rows in m places would be in some m of them. */
static const double nearly_even = .9;
enum { EVEN_LEAST = 16 };
static int is_even(const auto_run *run, const auto_space *space,
                   const auto_forest *f, double cut_sds)
{
    double boxes = 0, sum = 0, square = 0;
    uint32_t deepest = 0;
    if (!run->pure || space->blind || run->shells || run->plan > 0)
        return 0;
    for (uint32_t n = 0; n < f->nodes; n++) {
        const auto_count *rows = &f->rows[n];
        if (f->node[n].child >= 0)
            continue;
        if (!rows->bulk && rows->count > cut_sds * sqrt(rows->variance))
            return 0;
        boxes += rows->bulk;
        deepest = rows->depth > deepest ? rows->depth : deepest;
        sum += rows->count;
        square += rows->count * rows->count - rows->variance;
    }
    return deepest <= f->q && boxes >= fmax(EVEN_LEAST, 2 * (double)run->k) &&
           square > 0 && sum * sum > nearly_even * boxes * square;
}

/* Cut before anything is counted: so often that an average box keeps 40 sd of
 * one count; shells once along each of a few axes. */
static kith_status cut_first(const auto_run *run, double sd, auto_forest *f,
                             kith_error *err)
{
    double depth = floor(log2(fmax(2, run->n_hat / (FOREST_BOX * sd))));
    uint32_t first = (uint32_t)fmin(FOREST_DEPTH, depth);
    uint32_t shell = f->q < SHELL_HALVINGS ? f->q : SHELL_HALVINGS;
    kith_status status = KITH_OK;
    for (uint32_t root = 0; !status && root < f->roots; root++)
        status = cut(f, root, root < FOREST_NEAR ? first : shell, err);
    return status;
}

/* Whether a leaf has rows enough to be cut; of a shell's box three times as
 * many: half of them, counted less often, must still be seen. */
static int is_large(const auto_forest *f, uint32_t n, double least)
{
    const auto_count *rows = &f->rows[n];
    return f->node[n].child < 0 &&
           rows->count > (rows->far ? 3 * least : least);
}

/* Grow until nothing is worth cutting, or nothing will be seen; returns the
 * unspent part of the tree's share in *rest. */
static kith_status grow(auto_run *run, const auto_space *space, double tree,
                        auto_forest *f, double *rest, kith_error *err)
{
    auto_tree_recipe r =
        kith_i_auto_tree_recipe(run->pure, space->blind, run->shells > 0);
    double share = tree / r.levels, sd = kith_i_auto_count_sd(run, share);
    kith_status status = cut_first(run, sd, f, err);
    *rest = tree;
    for (uint32_t level = 1; !status && level <= r.levels; level++) {
        status = count_level(run, space, f, level, share, err);
        *rest -= share;
        f->even = is_even(run, space, f, r.cut_sds);
        uint32_t boxes = f->nodes;
        for (uint32_t n = 0; !status && level < r.levels && n < boxes; n++)
            if (is_large(f, n, r.cut_sds * sd))
                status = cut(f, n, r.halvings, err);
        if (boxes == f->nodes || f->even)
            break;
    }
    kith_i_auto_fit_sizes(f);
    return status;
}

kith_status kith_i_auto_grow(auto_run *run, const auto_space *space,
                             auto_shares *shares, auto_coreset *out,
                             kith_error *err)
{
    auto_forest f = {0};
    double rest = 0;
    kith_status status = plant(run, &f, space, err);
    if (!status)
        status = grow(run, space, shares->tree, &f, &rest, err);
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
