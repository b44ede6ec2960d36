/* What is asked of a row, as data: its place (which cell is it in?) and its
 * value (what does it add there?), with the numbers they need. The gate
 * interprets the description row by row (ask.c); no function of an algorithm
 * ever sees a row (I34). The words are those of the local model's questions
 * (device/question.h).
 *
 * All numbers are public or already released, and borrowed for the call. */
#ifndef KITH_ASK_H
#define KITH_ASK_H

#include <stdint.h>

#include "base/block.h"
#include "kernel/cube_tree.h"
#include "kernel/forest.h"
#include "kernel/kernel_i.h"
#include "kernel/plane_rows.h"
#include "kernel/row_losses.h"
#include "kernel/row_values.h"

/* The rows through a public linear map, or their labels: computed once and
 * kept inside the gate (view.c, labels.c). */
typedef struct kith_i_view kith_i_view;

/* ---- place ---- */

typedef enum kith_i_place_kind {
    KITH_I_PLACE_ONE = 0, /* everybody is in cell 0                    */
    KITH_I_PLACE_NEAREST, /* the nearest of the centres                */
    KITH_I_PLACE_PLANE,   /* the nearest of the planes (first set)     */
    KITH_I_PLACE_TREE,    /* the leaf of a forest of boxes             */
    KITH_I_PLACE_LABEL    /* as kept earlier: `by` is the labels       */
} kith_i_place_kind;

typedef struct kith_i_place {
    kith_i_place_kind kind;
    uint32_t places; /* TREE, LABEL: cells from here on count as none */
    const kith_i_centers *centers;
    const kith_i_axes *planes;
    const kith_i_forest *forest;
    const kith_i_view *by; /* the rows to look at; NULL: those of the ask */
    const kith_i_distance_bins *bins; /* NULL: the cell itself */
} kith_i_place;

/* ---- value ---- */

typedef enum kith_i_value_kind {
    KITH_I_VALUE_RECORD = 0, /* the row, within the bounds of its domain    */
    KITH_I_VALUE_RESIDUAL,   /* the row less the origin of its cell         */
    KITH_I_VALUE_ENTRIES,    /* the row's entries in its cell's features    */
    KITH_I_VALUE_PULL,       /* the unit pull of k-median at its centre     */
    KITH_I_VALUE_LENGTHS     /* powers 2 and 4 of its length                */
} kith_i_value_kind;

typedef struct kith_i_value {
    kith_i_value_kind kind;
    const int32_t *origins; /* RESIDUAL: one, or cells x dimension           */
    int by_cell;            /* origins are one for each cell                 */
    int halvings;           /* RESIDUAL: divided by 2^halvings               */
    const uint32_t *features; /* ENTRIES: cells x width                      */
    const kith_i_pull *pull;  /* PULL: its centres are those of the place    */
    uint32_t one;             /* LENGTHS: what the domain's radius counts as */
} kith_i_value;

typedef struct kith_i_ask {
    const kith_i_view *view; /* the rows that are asked; NULL: the records */
    kith_i_place place;
    kith_i_value value; /* looked at where sums are released */
} kith_i_ask;

/* ---- losses ---- */

/* The losses of a row: squared distances to the nearest centre, or plane, of
 * each of several sets, in units of 2^shift; clamped to [0, bound]. */
typedef struct kith_i_losses {
    const kith_i_view *view;        /* NULL: the records */
    const kith_i_center_sets *sets; /* or */
    const kith_i_axes *planes;      /* with */
    int shift;                      /* of planes */
} kith_i_losses;

#endif
