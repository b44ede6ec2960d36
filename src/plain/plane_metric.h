/* Inside plain/ only: distances between real-valued rows and planes, and
 * between sets of planes. */
#ifndef KITH_PLANE_METRIC_H
#define KITH_PLANE_METRIC_H

#include <stdint.h>

#include "kith/plain.h"
#include "kith/status.h"

typedef struct kith_i_plane_metric {
    uint32_t k, d, q;
    int unit_rows;
    double *axes; /* kq x d: orthonormal rows of each plane */
} kith_i_plane_metric;

/* Call kith_i_plane_metric_free in any case. KITH_ERR_ARGUMENT when a basis is
 * not orthonormal. */
kith_status kith_i_plane_metric_init(kith_i_plane_metric *m,
                                     const kith_model_view *model,
                                     kith_error *err);
void kith_i_plane_metric_free(kith_i_plane_metric *m);

/* Doubles that one call needs for so many rows. */
size_t kith_i_plane_scratch(const kith_i_plane_metric *m, uint32_t rows);

/* The nearest plane of each of count dense rows and its squared distance.
 * Neither depends on how rows are put into calls. */
void kith_i_plane_nearest(const kith_i_plane_metric *m, const double *rows,
                          uint32_t count, double *scratch, uint32_t *labels,
                          double *squared);

#endif
