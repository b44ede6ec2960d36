/* A6: a forest of boxes over the view, finer where there are more rows. The
 * first root holds the bulk, each further one a shell four times as wide as the
 * one before. All boxes are counted at every level, also those that are not cut
 * again: a row is in one box, so that costs nothing more, and least squares
 * joins what all levels know. */
#include "auto/stages.h"

#include <stdio.h>

/* Room for so many more boxes: 0 if memory is short. */
static int reserve(auto_run *run, auto_tree *t, uint32_t more)
{
    if (t->nodes + more <= t->room)
        return 1;
    uint32_t room = 2 * (t->nodes + more), q = t->face.q;
    size_t old = (size_t)t->leaves * 2 * q, boxes = room / 2 + AUTO_ROOTS;
    kith_i_box *node = kith_i_resize(t->node, t->nodes, room, sizeof *node);
    t->node = node ? node : t->node;
    auto_count *rows = kith_i_resize(t->rows, t->nodes, room, sizeof *rows);
    t->rows = rows ? rows : t->rows;
    double *box = kith_i_resize(t->box, old, boxes * 2 * q, sizeof *box);
    t->box = box ? box : t->box;
    run->pool.failed |= !node || !rows || !box;
    t->room = run->pool.failed ? t->room : room;
    return !run->pool.failed;
}

void kith_i_auto_tree_trim(auto_tree *t)
{
    kith_i_free(t->rows);
    kith_i_free(t->box);
    t->rows = NULL;
    t->box = NULL;
}

void kith_i_auto_tree_free(auto_tree *t)
{
    kith_i_auto_tree_trim(t);
    kith_i_free(t->node);
}

static void plant(auto_run *run, auto_tree *t)
{
    const auto_frame *frame = &run->frame;
    const auto_recipe *r = run->recipe;
    uint32_t q = frame->q, roots = 2;
    double shell = r->shell;
    double *inverse = kith_i_pool_reals(&run->pool, q);
    t->face.q = q;
    if (!reserve(run, t, 0x800)) /* untouched memory is free */
        return;
    t->edge[0] = r->bulk;
    t->edge[1] = r->outliers;
    double most = frame->reach / frame->spread[0], next = r->outliers;
    /* shells begin at once where noise may hide, beyond what is seen, three sd
     * of rows that would double the variance */
    const auto_hist *norms = &run->scout.norms;
    double hidden = r->hidden * norms->sd * pow(run->scout.reach, 2);
    double closer = hidden > norms->total * norms->square ? 1 : shell;
    while (!frame->blind && roots < AUTO_ROOTS && next < most / closer) {
        next = shell * next < most / shell ? shell * next : most;
        closer = shell;
        t->edge[roots++] = next;
    }
    for (uint32_t i = 0; i < q; i++)
        inverse[i] = 1 / (frame->spread[i] * frame->spread[i]);
    for (uint32_t root = 0; root < roots; root++) {
        double *box = t->box + (size_t)root * 2 * q;
        for (uint32_t i = 0; i < q; i++) {
            box[q + i] = fmin(frame->reach, t->edge[root] * frame->spread[i]);
            box[i] = -box[q + i];
        }
        t->node[root] = (kith_i_box){.child = -1, .cell = KITH_I_NO_CELL};
        t->rows[root] =
            (auto_count){.variance = HUGE_VAL, .near = root == 0, .box = root};
    }
    t->nodes = t->leaves = t->face.roots = roots;
    t->face.inverse = inverse;
    t->face.edge = t->edge;
}

/* Halve node n at the middle of its widest side (the first on ties). */
static void split(auto_run *run, auto_tree *t, uint32_t n)
{
    if (!reserve(run, t, 2))
        return;
    uint32_t q = t->face.q, axis = 0, at[2] = {t->rows[n].box, t->leaves++};
    double *box = t->box + (size_t)at[0] * 2 * q;
    double *second = t->box + (size_t)at[1] * 2 * q;
    for (uint32_t i = 1; i < q; i++)
        if (box[q + i] - box[i] > box[q + axis] - box[axis])
            axis = i;
    double middle = (box[axis] + box[q + axis]) / 2;
    memcpy(second, box, 2 * q * sizeof *box);
    box[q + axis] = second[axis] = middle;
    for (uint32_t side = 0; side < 2; side++) {
        t->node[t->nodes] = (kith_i_box){.child = -1, .cell = KITH_I_NO_CELL};
        t->rows[t->nodes++] = (auto_count){
            .variance = HUGE_VAL, .near = t->rows[n].near, .box = at[side]};
    }
    t->node[n].child = (int32_t)t->nodes - 2;
    t->node[n].axis = axis;
    t->node[n].middle = (int32_t)floor(fmax(-0x1p30, fmin(0x1p30, middle)));
}

/* Halve node n so many times. */
static void cut(auto_run *run, auto_tree *t, uint32_t n, uint32_t halvings)
{
    uint32_t from = n, to = n + 1;
    for (uint32_t h = 0; h < halvings; h++) {
        uint32_t next = t->nodes;
        for (uint32_t i = from; i < to; i++)
            split(run, t, i);
        from = next;
        to = t->nodes;
    }
}

/* Number the boxes that are not cut; returns how many are of the bulk. */
static uint32_t number_leaves(auto_tree *t)
{
    uint32_t near = t->leaves = 0;
    for (uint32_t n = 0; n < t->nodes; n++) {
        int leaf = t->node[n].child < 0;
        t->node[n].cell = leaf ? t->leaves++ : KITH_I_NO_CELL;
        near += leaf && t->rows[n].near;
    }
    t->face.node = t->node;
    t->face.nodes = t->nodes;
    return near;
}

/* Another count of all boxes that are not cut, joined with those before by
 * precision. A plan takes the bulk to be evenly full. */
static void count_level(auto_run *run, auto_tree *t, uint32_t level,
                        double share)
{
    char what[48];
    size_t mark = run->pool.count;
    uint32_t near = number_leaves(t);
    snprintf(what, sizeof what, "tree level %u, box", level);
    auto_place place = {
        .forest = &t->face, .view = run->frame.view, .cells = t->leaves};
    kith_i_cells cells = kith_i_auto_counts(run, &place, what, share);
    double mine = cells.count_sd * cells.count_sd;
    for (uint32_t n = 0; !kith_i_auto_failed(run) && n < t->nodes; n++) {
        auto_count *rows = &t->rows[n];
        if (t->node[n].cell == KITH_I_NO_CELL)
            continue;
        double count = run->plan > 0 ? rows->near * run->plan / near
                                     : (double)cells.counts[t->node[n].cell];
        kith_i_auto_join(&rows->count, &rows->variance, count, mine);
    }
    kith_i_pool_drop(&run->pool, mark);
}

/* Up the tree the counts of a box and of its halves are joined by precision;
 * down the tree the surplus of a box is dealt out to its halves, the more to
 * the less sure one. */
void kith_i_auto_fit_sizes(auto_tree *t)
{
    for (uint32_t n = t->nodes; n-- > 0;) {
        auto_count *rows = &t->rows[n];
        rows->size = rows->count;
        rows->unsure = rows->variance;
        if (t->node[n].child < 0)
            continue;
        const auto_count *half = &t->rows[t->node[n].child];
        kith_i_auto_join(&rows->size, &rows->unsure,
                         half[0].size + half[1].size,
                         half[0].unsure + half[1].unsure);
    }
    for (uint32_t n = 0; n < t->nodes; n++) {
        auto_count *rows = &t->rows[n];
        if (n < t->face.roots)
            rows->size = fmax(rows->size, 0);
        if (t->node[n].child < 0)
            continue;
        auto_count *half = &t->rows[t->node[n].child];
        double surplus = rows->size - half[0].size - half[1].size;
        double part = half[0].unsure / (half[0].unsure + half[1].unsure);
        double first = half[0].size + part * surplus;
        half[0].size = fmax(0, fmin(rows->size, first));
        half[1].size = rows->size - half[0].size;
    }
}

/* Halvings before anything is counted, with so many levels: an average box
 * keeps some sd of one count. The tree is no deeper below than that. */
static uint32_t first_halvings(const auto_run *run, uint32_t levels)
{
    double sd = kith_i_auto_count_sd(run, run->shares.tree / levels);
    double boxes = fmax(2, run->n / (run->recipe->first * sd));
    return (uint32_t)fmin(run->recipe->most_first, floor(log2(boxes)));
}

void kith_i_auto_grow(auto_run *run, auto_tree *t)
{
    const auto_recipe *r = run->recipe;
    auto_shares *shares = &run->shares;
    uint32_t levels = r->levels, far = run->frame.q;
    while (levels > r->least_levels &&
           (levels - 2) * r->halvings >= first_halvings(run, levels))
        levels--;
    double share = shares->tree / levels, rest = shares->tree;
    double sd = kith_i_auto_count_sd(run, share);
    uint32_t first = first_halvings(run, levels);
    far = far < r->shells_first ? far : r->shells_first;
    plant(run, t);
    for (uint32_t root = 0; root < t->face.roots; root++)
        cut(run, t, root, root < 2 ? first : far);
    for (uint32_t level = 1; level <= levels; level++) {
        count_level(run, t, level, share);
        rest -= share;
        uint32_t boxes = t->nodes;
        for (uint32_t n = 0; level < levels && n < boxes; n++)
            if (t->node[n].child < 0 && t->rows[n].count > r->cut * sd)
                cut(run, t, n, r->halvings);
        if (boxes == t->nodes && run->plan <= 0) /* else rows lie in heaps */
            break;
    }
    kith_i_auto_fit_sizes(t);
    double more = 1 + rest / (shares->leaf + shares->cells + shares->steps +
                              shares->last);
    shares->leaf *= more;
    shares->cells *= more;
    shares->steps *= more;
    shares->last *= more;
}
