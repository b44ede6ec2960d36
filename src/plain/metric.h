/* Inside plain/ only: distances between real-valued rows and the centres of a
 * model. */
#ifndef KITH_METRIC_H
#define KITH_METRIC_H

#include <stdint.h>

#include "kith/plain.h"
#include "kith/status.h"

/* Centres in the units that distances are measured in. With a box these are
 * (x - low) / (high - low); sparse rows are not shifted, which changes no
 * distance and keeps zeros zero. */
typedef struct kith_i_metric {
    uint32_t k, d;
    int sparse;
    double *coords;  /* k x d, or d x k when sparse */
    double *squares; /* |c|^2, */
    double *rests;   /* and what rounding it left over */
    double largest;  /* of squares */
    const double *low, *high;
} kith_i_metric;

/* One row in those units: all coordinates, or count of them with indices. */
typedef struct kith_i_row_view {
    const double *value;
    const uint32_t *index;
    uint32_t count;
} kith_i_row_view;

/* Call kith_i_metric_free in any case. model: its bounds are borrowed. */
kith_status kith_i_metric_init(kith_i_metric *m, const kith_model_view *model,
                               int sparse, kith_error *err);
void kith_i_metric_free(kith_i_metric *m);

/* Coordinate i of a row, in the metric's units. */
double kith_i_metric_units(const kith_i_metric *m, size_t i, double x);

/* The nearest centre and its squared distance. scores: |c|^2 - 2 x.c of every
 * centre in ordinary arithmetic. */
uint32_t kith_i_metric_nearest(const kith_i_metric *m, const kith_i_row_view *x,
                               const double *scores, double *squared);

#endif
