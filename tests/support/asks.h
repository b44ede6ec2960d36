/* Everything that can be asked of a row: each place with each value, and the
 * numbers they need, drawn at random. Points, origins and edges lie among the
 * rows, so that a wrong bit would change an answer. */
#ifndef KITH_TEST_ASKS_H
#define KITH_TEST_ASKS_H

#include <math.h>
#include <stdio.h>

#include "dp/dp_i.h"
#include "kernel/planes.h"
#include "support/kernel_naive.h"

enum {
    ASK_CELLS = 24, /* of all that is asked */
    ASK_BY = 2,     /* dimension of the view that a place may look at */
    ASK_PICKS = 3,  /* features of a cell */
    ASK_BINS = 5,
    ASK_NODES = 64,
    ASK_ONE = 1 << 20,
    ASK_MOST = 200
};

typedef struct {
    uint32_t q, nodes, leaves;
    double edge[4], inverse[64];
    kith_i_box node[ASK_NODES];
    kith_i_forest face;
} ask_forest;

typedef struct {
    uint32_t d, k, q;
    int sparse;
    kith_i_centers near, near_by;
    kith_i_axes planes;
    ask_forest forest, forest_by;
    int32_t *origins; /* ASK_CELLS x d */
    uint32_t features[ASK_CELLS * ASK_PICKS];
    kith_i_pull pull;
    uint32_t *slot;
    double *part, limits[ASK_CELLS * (ASK_BINS - 1)];
    kith_i_distance_bins bins[4];
} ask_world;

typedef struct {
    char name[64];
    kith_i_ask ask;
    uint32_t width; /* 0: counts only */
    uint32_t cells;
} ask_case;

/* ---- numbers ------------------------------------------------------------- */

/* Four roots, each halved twice; the children of a node side by side. */
static inline void grow_forest(ask_forest *f, kith_i_coins *coins, uint32_t q,
                               double reach)
{
    f->q = q;
    f->leaves = 0;
    f->nodes = 4;
    uint32_t from = 0, to = 4;
    for (uint32_t i = 0; i < q; i++)
        f->inverse[i] =
            (double)q / (reach * reach) * (1 + kith_i_coins_unit(coins));
    for (int i = 0; i < 4; i++)
        f->edge[i] = 1 + .3 * i;
    for (int level = 0; level < 3; level++) {
        for (uint32_t n = from; n < to; n++) {
            kith_i_box *box = &f->node[n];
            *box = (kith_i_box){.child = -1};
            if (level == 2 || kith_i_coins_below(coins, 5) == 0) {
                box->cell = f->leaves++;
                continue;
            }
            box->axis = (uint32_t)kith_i_coins_below(coins, q);
            box->middle =
                (int32_t)(reach * (kith_i_coins_unit(coins) - .5) * .5);
            box->child = (int32_t)f->nodes;
            f->nodes += 2;
        }
        from = to;
        to = f->nodes;
    }
    f->face = (kith_i_forest){.q = q,
                              .roots = 4,
                              .edge = f->edge,
                              .inverse = f->inverse,
                              .node = f->node,
                              .nodes = f->nodes};
}

static inline kith_i_centers some_centers(kith_i_coins *coins, uint32_t k,
                                          uint32_t d, int sparse, double reach)
{
    double *real = malloc((size_t)k * d * sizeof *real);
    for (size_t i = 0; i < (size_t)k * d; i++)
        real[i] = kith_i_coins_below(coins, 4) || !sparse
                      ? rint(reach * (2 * kith_i_coins_unit(coins) - 1))
                      : 0;
    kith_i_centers c = naive_centers_new(k, d, sparse, real);
    free(real);
    return c;
}

static inline void set_pull(ask_world *w)
{
    uint32_t width = w->sparse ? w->d - w->d / 3 : 0;
    w->slot = malloc(w->d * sizeof *w->slot);
    w->part = malloc((size_t)w->k * (width + 1) * sizeof *w->part);
    for (uint32_t i = 0; i < w->d; i++)
        w->slot[i] = i < width ? i : width;
    for (uint32_t j = 0; w->sparse && j < w->k; j++)
        for (uint32_t i = 0; i < width; i++)
            w->part[j * width + i] = w->near.coords[i * w->k + j];
    w->pull = (kith_i_pull){.centers = &w->near,
                            .tau = 3.7,
                            .unit = 0x1p20,
                            .inverse = 0x1p19,
                            .slot = w->sparse ? w->slot : NULL,
                            .part = w->sparse ? w->part : NULL,
                            .width = width};
}

/* Of the distance to the nearest centre, or to origins: in L2 for all cells,
 * in L1 with edges of each cell, in L2 likewise. */
static inline void set_bins(ask_world *w, double reach)
{
    for (int c = 0; c < ASK_CELLS; c++)
        for (int b = 0; b < ASK_BINS - 1; b++)
            w->limits[c * (ASK_BINS - 1) + b] =
                pow(reach * sqrt(w->d) * (.2 + .3 * b + .01 * c), 2);
    w->bins[0] = (kith_i_distance_bins){.bins = ASK_BINS, .limits = w->limits};
    w->bins[1] = w->bins[0];
    w->bins[1].origins = w->origins;
    w->bins[2] = w->bins[1];
    w->bins[2].taxicab = w->bins[2].by_cell = 1;
    w->bins[3] = w->bins[1];
    w->bins[3].by_cell = 1;
}

/* reach: about the largest entry of a row. */
static inline ask_world *ask_world_new(kith_i_coins *coins, uint32_t d,
                                       int sparse, double reach)
{
    ask_world *w = calloc(1, sizeof *w);
    w->d = d;
    w->sparse = sparse;
    w->k = 2 + (uint32_t)kith_i_coins_below(coins, 10);
    w->q = 1 + (uint32_t)kith_i_coins_below(coins, d / 2);
    w->near = some_centers(coins, w->k, d, sparse, reach);
    w->near_by = some_centers(coins, w->k, ASK_BY, 0, reach);
    double *planes = malloc((size_t)w->k * w->q * d * sizeof *planes);
    for (uint32_t p = 0; p < w->k; p++)
        kith_i_plane_random(planes + (size_t)p * w->q * d, w->q, d, coins);
    w->planes = (kith_i_axes){1, w->k, w->q, d,
                              malloc((size_t)w->k * w->q * d * sizeof(double))};
    kith_i_axes_set(&w->planes, planes);
    free(planes);
    grow_forest(&w->forest, coins, d, reach);
    grow_forest(&w->forest_by, coins, ASK_BY, reach);
    w->origins = malloc((size_t)ASK_CELLS * d * sizeof *w->origins);
    for (uint32_t i = 0; i < ASK_CELLS * d; i++)
        w->origins[i] =
            (int32_t)kith_i_coins_below(coins, 4)
                ? (int32_t)(reach * (2 * kith_i_coins_unit(coins) - 1))
                : 131071 - (int32_t)kith_i_coins_below(coins, 2) * 262142;
    for (int i = 0; i < ASK_CELLS * ASK_PICKS; i++) /* some do not exist */
        w->features[i] = (uint32_t)kith_i_coins_below(coins, d + 1);
    set_pull(w);
    set_bins(w, reach);
    return w;
}

static inline void ask_world_free(ask_world *w)
{
    naive_centers_free(&w->near);
    naive_centers_free(&w->near_by);
    free(w->planes.coords);
    free(w->origins);
    free(w->slot);
    free(w->part);
    free(w);
}

/* ---- what is asked ------------------------------------------------------- */

static inline kith_i_place place_named(const ask_world *w, int which,
                                       const kith_i_view *by,
                                       const kith_i_view *labels,
                                       const char **name)
{
    static const char *names[] = {
        "one",          "nearest",    "plane",       "tree",
        "nearest by",   "tree by",    "label",       "nearest, bins",
        "nearest, far", "tree, bins", "label, bins", "nearest by, bins"};
    const kith_i_place nearest = {.kind = KITH_I_PLACE_NEAREST,
                                  .centers = &w->near},
                       nearest_by = {.kind = KITH_I_PLACE_NEAREST,
                                     .centers = &w->near_by,
                                     .by = by},
                       tree = {.kind = KITH_I_PLACE_TREE,
                               .places = w->forest.leaves - 1,
                               .forest = &w->forest.face},
                       label = {.kind = KITH_I_PLACE_LABEL,
                                .places = w->k,
                                .by = labels};
    kith_i_place p = {0};
    *name = names[which];
    switch (which) {
    case 1:
        return nearest;
    case 2:
        return (kith_i_place){.kind = KITH_I_PLACE_PLANE, .planes = &w->planes};
    case 3:
        return tree;
    case 4:
        return nearest_by;
    case 5:
        return (kith_i_place){.kind = KITH_I_PLACE_TREE,
                              .places = w->forest_by.leaves,
                              .forest = &w->forest_by.face,
                              .by = by};
    case 6:
        return label;
    case 7:
        p = nearest, p.bins = &w->bins[0];
        break;
    case 8:
        p = nearest, p.bins = &w->bins[2];
        break;
    case 9:
        p = tree, p.bins = &w->bins[3];
        break;
    case 10:
        p = label, p.bins = &w->bins[1];
        break;
    case 11:
        p = nearest_by, p.bins = &w->bins[2];
        break;
    default:
        break;
    }
    return p;
}

enum { ASK_PLACES = 12, ASK_VALUES = 8 };

/* The width that goes with it; 0: none. */
static inline uint32_t value_named(const ask_world *w, int which,
                                   kith_i_value *out, const char **name)
{
    static const char *names[] = {
        "counts",          "record",  "residual", "residual by cell",
        "halved residual", "entries", "pull",     "lengths"};
    *name = names[which];
    *out = (kith_i_value){0};
    if (which >= 2 && which <= 4)
        *out = (kith_i_value){.kind = KITH_I_VALUE_RESIDUAL,
                              .origins = w->origins,
                              .by_cell = which > 2,
                              .halvings = which == 4 ? 3 : 0};
    if (which == 5)
        *out = (kith_i_value){.kind = KITH_I_VALUE_ENTRIES,
                              .features = w->features};
    if (which == 6)
        *out = (kith_i_value){.kind = KITH_I_VALUE_PULL, .pull = &w->pull};
    if (which == 7)
        *out = (kith_i_value){.kind = KITH_I_VALUE_LENGTHS, .one = ASK_ONE};
    return which == 0   ? 0
           : which == 5 ? ASK_PICKS
           : which == 6 ? (w->sparse ? w->pull.width : w->d) + 1
           : which == 7 ? 2
                        : w->d;
}

/* What the words of ask.h allow together. */
static inline int goes_together(const ask_world *w, const ask_case *c)
{
    const kith_i_place *p = &c->ask.place;
    kith_i_value_kind v = c->ask.value.kind;
    if (w->sparse &&
        (((p->kind == KITH_I_PLACE_PLANE || p->kind == KITH_I_PLACE_TREE) &&
          !p->by) ||
         (p->bins && p->bins->origins)))
        return 0;
    if (c->width == 0)
        return 1;
    if (w->sparse && (v == KITH_I_VALUE_RESIDUAL || v == KITH_I_VALUE_LENGTHS))
        return 0;
    if (p->bins && v != KITH_I_VALUE_LENGTHS)
        return 0;
    return v != KITH_I_VALUE_PULL ||
           (p->kind == KITH_I_PLACE_NEAREST && !p->by && !p->bins);
}

/* All of them, into out (ASK_MOST). by: a view of ASK_BY dimensions; labels: at
 * most w->k of them. */
static inline size_t ask_cases(const ask_world *w, const kith_i_view *by,
                               const kith_i_view *labels, ask_case *out)
{
    size_t n = 0;
    for (int p = 0; p < ASK_PLACES; p++)
        for (int v = 0; v < ASK_VALUES; v++) {
            const char *place, *value;
            ask_case c = {.cells = ASK_CELLS};
            c.ask.place = place_named(w, p, by, labels, &place);
            c.width = value_named(w, v, &c.ask.value, &value);
            snprintf(c.name, sizeof c.name, "%s%s: %s",
                     w->sparse ? "sparse, " : "", place, value);
            if (goes_together(w, &c))
                out[n++] = c;
        }
    return n;
}

#endif
