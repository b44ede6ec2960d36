/* A6 and A7: a forest of boxes over the data, finer where there is more of it,
 * and the mean of each leaf. Two roots, one for the bulk and one for outliers;
 * every level splits the active boxes at the middle of their widest side and
 * releases the sizes of the halves. */
#include "cluster/auto_i.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FOREST_MOST_LEVELS = 20,
    FOREST_COUNTED = 12,
    FOREST_COUNTED_PURE = 6,
    FOREST_DEPTH = 8,
    FOREST_NEAR = 2, /* roots that are always there */
    FOREST_ROOTS = 12,
    SHELL_HALVINGS = 3 /* of a shell, each along another axis */
};

/* rms distance of evenly spread rows from the middle of their box, in half
 * diagonals: 1 / sqrt 3. */
static const double even_box = .6;
/* A tail (likely_part): so many times as many rows before a shell as in it;
 * they are so far out, of its inner edge; and their mean must stand out by this
 * many times the noise's square. */
static const double many_more = 2, beyond_edge = 1.3, dear_mean = 4;

typedef struct {
    int32_t middle; /* of its box, rounded down: whole numbers are to the
                       right of it if they are larger */
    uint32_t axis;
    int32_t child;    /* the first of two, side by side; -1: none */
    uint32_t cell;    /* in the release at hand */
    double count, sd; /* of the last release; in a shell, of all of them */
    uint8_t far;      /* below the far root */
} forest_node;

typedef struct auto_forest {
    uint32_t q, nodes, room;
    uint32_t roots;
    uint32_t shells, shells_end; /* boxes of the shells */
    double wide[FOREST_ROOTS];   /* half width of a root's box, in spreads */
    forest_node *node;           /* first the roots, from the inside out */
    double *box;                 /* node x 2 x q: lower, upper corner */
    double *inverse;             /* 1 / spread^2 */
    int even;                    /* its boxes are all as full as each other */
} auto_forest;

/* Rows that are looked at side by side: one alone would wait for each addition
 * and for each node. */
enum { ABREAST = 4 };

/* The root of the outliers or of a shell, by the largest squared coordinate in
 * units of the spread. */
static uint32_t shell_at(const auto_forest *f, double most)
{
    uint32_t root = 1;
    while (root + 1 < f->roots && most > f->wide[root] * f->wide[root])
        root++;
    return root;
}

static uint32_t shell_of(const auto_forest *f, const int16_t *y)
{
    double most = 0;
    for (uint32_t i = 0; i < f->q; i++) {
        double square = (double)(y[i] * y[i]) * f->inverse[i];
        most = square > most ? square : most;
    }
    return shell_at(f, most);
}

/* By squared distances in units of the spread, added up in a fixed order: a
 * function of the row alone. */
static void find_roots(const auto_forest *f, const int16_t *const *y,
                       uint32_t *node)
{
    double sum[ABREAST] = {0};
    for (uint32_t i = 0; i < f->q; i++)
        for (int t = 0; t < ABREAST; t++)
            sum[t] += (double)(y[t][i] * y[t][i]) * f->inverse[i];
    for (int t = 0; t < ABREAST; t++) {
        uint32_t root = f->roots > FOREST_NEAR ? shell_of(f, y[t]) : 1;
        node[t] = root == 1 ? sum[t] > 4.0 * f->q : root;
    }
}

void auto_forest_cells(const auto_forest *f, const int16_t *rows,
                       uint32_t count, uint32_t *cell)
{
    for (uint32_t r = 0; r < count; r += ABREAST) {
        const int16_t *y[ABREAST];
        uint32_t node[ABREAST], moved;
        for (uint32_t t = 0; t < ABREAST; t++) /* the last row may repeat */
            y[t] = rows + (size_t)(r + t < count ? r + t : r) * f->q;
        find_roots(f, y, node);
        do {
            moved = 0;
            for (int t = 0; t < ABREAST; t++) {
                const forest_node *n = &f->node[node[t]];
                uint32_t side = y[t][n->axis] > n->middle;
                uint32_t inner = n->child >= 0;
                node[t] = inner ? (uint32_t)n->child + side : node[t];
                moved |= inner;
            }
        } while (moved);
        for (uint32_t t = 0; t < ABREAST && r + t < count; t++)
            cell[r + t] = f->node[node[t]].cell;
    }
}

static kith_status forest_reserve(auto_forest *f, uint32_t more,
                                  kith_error *err)
{
    if (f->nodes + more <= f->room)
        return KITH_OK;
    uint32_t room = 2 * (f->nodes + more);
    forest_node *node = kith_i_resize(f->node, f->nodes, room, sizeof *node);
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
    f->wide[0] = space->blind ? 2 : 3;
    f->wide[1] = 12;
    f->roots = FOREST_NEAR;
    /* bounds far beyond that: shells, the last as wide as a row can be */
    double most = space->reach / space->spread[0], next = f->wide[1];
    double closer = may_be_far(space) ? 1 : 4;
    while (!space->blind && f->roots < FOREST_ROOTS && next < most / closer) {
        next = 4 * next < most / 4 ? 4 * next : most;
        closer = 4;
        f->wide[f->roots++] = next;
    }
    run->shells = f->roots - FOREST_NEAR;
    for (uint32_t i = 0; i < SHELL_HALVINGS && i < f->q; i++)
        run->shells *= 2;
    for (uint32_t root = 0; root < f->roots; root++) {
        double *box = f->box + (size_t)root * 2 * f->q;
        for (uint32_t i = 0; i < f->q; i++) {
            double half = fmin(space->reach, f->wide[root] * space->spread[i]);
            box[i] = -half;
            box[f->q + i] = half;
            f->inverse[i] = 1 / (space->spread[i] * space->spread[i]);
        }
        f->node[root] = (forest_node){
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
        f->node[child] = (forest_node){
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
static void join_count(forest_node *node, double count, double sd)
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
    kith_status status = auto_counts(run, &l, what, share, &cells, err);
    if (status)
        return status;
    for (uint32_t n = 0; n < f->nodes; n++) {
        forest_node *node = &f->node[n];
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
static int is_large(const forest_node *node, double sds, double sd)
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
    double sd = auto_count_sd(run, shares->tree / levels);
    double depth = floor(log2(fmax(2, run->n_hat / (enough * sd))));
    uint32_t first = (uint32_t)fmax(1, fmin(FOREST_DEPTH, depth));
    uint32_t counted =
        run->pure && !space->blind ? FOREST_COUNTED_PURE : FOREST_COUNTED;
    uint32_t last = first + counted < FOREST_MOST_LEVELS ? first + counted
                                                         : FOREST_MOST_LEVELS;
    double active = run->pure && !space->blind ? 3.5 : 6;
    double share = shares->tree / (last - first + 1);
    sd = auto_count_sd(run, share);
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

/* ---- A7: leaves -----------------------------------------------------------
 */

typedef struct {
    uint32_t n;
    double *center; /* n x q */
    double *half;   /* half diagonal */
    double *size, *sd;
    uint8_t *far; /* of the far root */
} leaf_list;

static void leaves_free(leaf_list *l)
{
    kith_i_free(l->center);
    kith_i_free(l->half);
    kith_i_free(l->size);
    kith_i_free(l->sd);
    kith_i_free(l->far);
}

static kith_status list_leaves(auto_forest *f, leaf_list *out, kith_error *err)
{
    uint32_t q = f->q;
    out->n = 0;
    for (uint32_t n = 0; n < f->nodes; n++)
        if (f->node[n].child < 0)
            f->node[n].cell = out->n++;
    if (out->n == 0)
        return kith_i_fail(err, KITH_ERR_INTERNAL, "a forest without leaves");
    out->center = kith_i_alloc((size_t)out->n * q, sizeof *out->center);
    out->half = kith_i_alloc(out->n, sizeof *out->half);
    out->size = kith_i_alloc(out->n, sizeof *out->size);
    out->sd = kith_i_alloc(out->n, sizeof *out->sd);
    out->far = kith_i_alloc(out->n, sizeof *out->far);
    if (!out->center || !out->half || !out->size || !out->sd || !out->far)
        return kith_i_fail_memory(err);
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (f->node[n].child >= 0)
            continue;
        uint32_t c = f->node[n].cell;
        const double *box = f->box + (size_t)n * 2 * q;
        double square = 0;
        for (uint32_t i = 0; i < q; i++) {
            double half = (box[q + i] - box[i]) / 2;
            out->center[(size_t)c * q + i] = nearbyint(box[i] + half);
            square += half * half;
        }
        out->half[c] = fmax(sqrt(square), 1);
        out->size[c] = f->node[n].count;
        out->sd[c] = f->node[n].sd;
        out->far[c] = f->node[n].far;
    }
    return KITH_OK;
}

/* Leaves that stand out of the noise (at least the largest), compacted into
 * kept; returns their number. */
static uint32_t keep_leaves(const auto_run *run, const leaf_list *l,
                            uint32_t *kept)
{
    uint32_t n = 0, largest = 0;
    double far = auto_far_stands(run) - 1; /* A8 looks again */
    for (uint32_t c = 0; c < l->n; c++) {
        largest = l->size[c] > l->size[largest] ? c : largest;
        double stands = l->far[c] ? far : 2;
        if (l->size[c] > stands * l->sd[c] && l->size[c] >= 1)
            kept[n++] = c;
    }
    if (n == 0)
        kept[n++] = largest;
    return n;
}

/* Radii of all leaves (radius: l->n, wide: their classes) by one release; they
 * are balanced over those that are kept. */
static kith_status leaf_radii(auto_run *run, auto_locator *at, double hist,
                              double share, const leaf_list *l,
                              const uint32_t *kept, const auto_coreset *out,
                              uint8_t *wide, double *radius, auto_radii *radii,
                              kith_error *err)
{
    auto_hist hists[AUTO_CLASSES];
    double *scale = kith_i_alloc(out->n, sizeof *scale);
    uint8_t *class = kith_i_alloc(out->n, sizeof *class);
    kith_status status = scale && class ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        at->wide = auto_find_wide(l->half, l->size, l->n, wide);
        status = auto_histogram(run, at, l->half, "leaf radii,", .05, 20, 60,
                                hist, hists, err);
    }
    if (!status) {
        for (uint32_t j = 0; j < out->n; j++) {
            scale[j] = l->half[kept[j]];
            class[j] = wide[kept[j]];
        }
        auto_radius(run, hists, at->wide ? class : NULL, scale, out->size,
                    out->n, share, out->q, even_box, radii);
        for (uint32_t c = 0; c < l->n; c++)
            radius[c] = radii->rho[wide[c]] * l->half[c];
    }
    at->wide = NULL;
    kith_i_free(scale);
    kith_i_free(class);
    return status;
}

/* Rows below each root, as the leaves have them. */
static void root_sizes(const auto_forest *f, const leaf_list *l, double *sizes)
{
    for (uint32_t c = 0; c < l->n; c++) {
        const double *y = l->center + (size_t)c * f->q;
        double sum = 0, most = 0;
        for (uint32_t i = 0; i < f->q; i++) {
            double square = y[i] * y[i] * f->inverse[i];
            sum += square;
            most = fmax(most, square);
        }
        uint32_t near = sum > 4.0 * f->q;
        sizes[l->far[c] ? shell_at(f, most) : near] += fmax(l->size[c], 0);
    }
}

/* Where the rows of a leaf are before its sum is looked at, as a part of the
 * way from the mean to its middle. A shell with many more rows on the way to it
 * is the end of a tail: its rows are near its inner edge. Else they are a lump,
 * anywhere in the box. */
static double likely_part(const auto_forest *f, const leaf_list *l, uint32_t c,
                          const double *sizes)
{
    const double *y = l->center + (size_t)c * f->q;
    double most = 0;
    for (uint32_t i = 0; i < f->q; i++)
        most = fmax(most, y[i] * y[i] * f->inverse[i]);
    uint32_t root = shell_at(f, most);
    if (!l->far[c] || sizes[root - 1] < many_more * sizes[root])
        return 1;
    return fmin(1, beyond_edge * f->wide[root - 1] / sqrt(most));
}

static kith_status leaf_means(auto_run *run, const auto_space *space,
                              const auto_shares *shares, auto_forest *f,
                              const leaf_list *l, const uint32_t *kept,
                              auto_coreset *out, kith_error *err)
{
    uint32_t q = f->q, n = out->n;
    auto_locator at = {.forest = f,
                       .view = space->view,
                       .by = space->view,
                       .cells = l->n,
                       .width = q};
    double *radius = kith_i_alloc(l->n, sizeof *radius);
    uint8_t *wide = kith_i_alloc(l->n, sizeof *wide);
    auto_radii radii = {0};
    kith_i_cells cells = {0};
    double sizes[FOREST_ROOTS] = {0};
    root_sizes(f, l, sizes);
    kith_status status = radius && wide ? auto_locator_set(&at, l->center, err)
                                        : kith_i_fail_memory(err);
    for (uint32_t j = 0; j < n; j++)
        out->size[j] = fmax(l->size[kept[j]], 1);
    if (!status)
        status = auto_locator_label(run, &at, err);
    if (!status)
        status = leaf_radii(run, &at, shares->hist, shares->leaf, l, kept, out,
                            wide, radius, &radii, err);
    if (!status)
        status =
            auto_residuals(run, &at, "leaf", radius, shares->leaf, &cells, err);
    for (uint32_t j = 0; !status && j < n; j++) {
        uint32_t c = kept[j];
        out->unsure[j] = l->far[c] ? pow(l->sd[c], 2) : HUGE_VAL;
        double w = out->size[j], square = 0, moved = 0;
        double noise = q * pow(cells.sum_sd[c] / w, 2);
        double part = likely_part(f, l, c, sizes);
        double *to = out->points + (size_t)j * q;
        for (uint32_t i = 0; i < q; i++) {
            double move = (double)cells.sums[(size_t)c * q + i] / w;
            to[i] = (1 - part) * l->center[(size_t)c * q + i] + move;
            moved += move * move;
            square += to[i] * to[i];
        }
        double dear = part < 1 ? dear_mean * noise : noise;
        double keep = square > dear ? 1 - dear / square : 0;
        for (uint32_t i = 0; i < q; i++)
            to[i] = part * l->center[(size_t)c * q + i] + keep * to[i];
        out->within[j] = pow(radii.kappa[wide[c]] * l->half[c], 2);
        if (l->far[c]) /* about its mean, not about its box */
            out->within[j] =
                fmax(out->within[j] - keep * keep * moved, out->within[j] / 16);
        out->weight[j] = w * (1 - noise / (noise + out->within[j]) + .001);
    }
    kith_i_cells_free(&cells);
    auto_locator_free(run, &at);
    kith_i_free(radius);
    kith_i_free(wide);
    return status;
}

kith_status auto_grow(auto_run *run, const auto_space *space,
                      auto_shares *shares, auto_coreset *out, kith_error *err)
{
    auto_forest f = {0};
    leaf_list leaves = {0};
    uint32_t *kept = NULL;
    double rest = 0;
    kith_status status = plant(run, &f, space, err);
    if (!status)
        status = grow(run, space, shares, &f, &rest, err);
    double later = shares->leaf + shares->over + shares->lloyd + shares->rec +
                   shares->hist * (2 + shares->over_steps + shares->hists);
    if (!status && f.even) {
        forest_free(&f);
        return auto_assume_even(run, space, later + rest, shares, out, err);
    }
    if (!status) { /* what the tree did not need goes to the later stages */
        double more = (later + rest) / later;
        shares->leaf *= more;
        shares->over *= more;
        shares->lloyd *= more;
        shares->rec *= more;
        shares->hist *= more;
        status = list_leaves(&f, &leaves, err);
    }
    if (!status && !(kept = kith_i_alloc(leaves.n, sizeof *kept)))
        status = kith_i_fail_memory(err);
    if (!status)
        status =
            auto_coreset_new(out, keep_leaves(run, &leaves, kept), f.q, err);
    if (!status)
        status = leaf_means(run, space, shares, &f, &leaves, kept, out, err);
    kith_i_free(kept);
    leaves_free(&leaves);
    forest_free(&f);
    return status;
}
