/* search_points.c: k-means of weighted points that were released. */
#ifndef KITH_SEARCH_POINTS_H
#define KITH_SEARCH_POINTS_H

#include "kernel/kernel_i.h"

typedef struct kith_i_search {
    uint32_t k;
    uint32_t repeats; /* searches; the best one counts              */
    uint32_t starts;  /* seedings of a search, of which the best is improved */
    int swaps;        /* by swaps too */
    uint32_t threads;
} kith_i_search;

/* centers: k x d of the points. Fewer points than k: some are repeated. */
kith_status kith_i_search_points(const kith_i_points *points,
                                 const kith_i_search *search,
                                 kith_i_coins *coins, double *centers,
                                 kith_error *err);

#endif
