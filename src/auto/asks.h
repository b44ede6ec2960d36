/* asks.c: what the gate is asked: where a row is (its cell and its residual),
 * and the releases that are made of it. All of it is a function of the one row
 * and of released values (R2). */
#ifndef KITH_AUTO_ASKS_H
#define KITH_AUTO_ASKS_H

#include "auto/radii.h"
#include "kernel/forest.h"

/* A row's cell is its nearest centre, or its leaf of a forest, as seen in the
 * view `by` (NULL: the rows); its residual is taken from the cell's origin in
 * the space of `view` (NULL: the rows). */
typedef struct auto_place {
    const kith_i_centers *centers; /* or */
    const kith_i_forest *forest;
    const kith_i_view *view, *by;
    const kith_i_view *labels; /* cells, once they are kept */
    uint32_t cells, width;
    int taxicab;          /* distances and radii are in L1: Laplace noise */
    const double *origin; /* cells x width, rounded to the lattice */
    int32_t *origins;     /* likewise: kith_i_auto_place_open makes them */
} auto_place;

/* k centres in R^d as the gate wants them, from the run's pool (which says if
 * it has failed). */
kith_i_centers kith_i_auto_lattice(auto_run *run, uint32_t k, uint32_t d,
                                   const double *coords);

/* Rounds the origins and, if label, finds every row's cell once for all
 * releases that follow. Opened or not: close it. */
kith_status kith_i_auto_place_open(auto_run *run, auto_place *place, int label);
void kith_i_auto_place_close(auto_run *run, auto_place *place);

/* Noisy number of rows in each cell. */
kith_status kith_i_auto_counts(auto_run *run, const auto_place *place,
                               const char *what, double share,
                               kith_i_cells *out);

/* Noisy sums of residuals, each clipped to its cell's radius. */
kith_status kith_i_auto_residuals(auto_run *run, const auto_place *place,
                                  const char *what, const double *radius,
                                  double share, kith_i_cells *out);

/* Distances to the cell's origin in units of scale[cell], from lo to hi. */
typedef struct auto_look {
    const char *what;
    const double *scale;
    double lo, hi, prior; /* prior: assumed where nothing is seen */
    double share;
} auto_look;
kith_status kith_i_auto_histogram(auto_run *run, const auto_place *place,
                                  const auto_look *look, auto_hist *out);

#endif
