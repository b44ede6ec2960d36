/* The place of an ask: which of a few points of the lattice is nearest. On
 * ties it is the first one, so that two points part the rows by a sign. */
#ifndef KITH_TEST_NEAR_POINTS_H
#define KITH_TEST_NEAR_POINTS_H

#include "dp/dp_i.h"
#include "support/cmocka_all.h"

enum { NEAR_NUMBERS = 64, NEAR_MOST = 8 };

typedef struct near_points {
    kith_i_centers centers;
    double coords[NEAR_NUMBERS], squares[NEAR_MOST];
} near_points;

/* points: k x d, dense. */
static inline kith_i_place near_place(near_points *n, const double *points,
                                      uint32_t k, uint32_t d)
{
    assert_true(k <= NEAR_MOST && k * d <= NEAR_NUMBERS);
    n->centers = (kith_i_centers){
        .k = k, .d = d, .coords = n->coords, .squares = n->squares};
    kith_i_centers_set(&n->centers, points);
    return (kith_i_place){.kind = KITH_I_PLACE_NEAREST, .centers = &n->centers};
}

/* k cells by the first coordinate alone: the nearest of these numbers. */
static inline kith_i_place near_first(near_points *n, const double *at,
                                      uint32_t k, uint32_t d)
{
    double points[NEAR_NUMBERS] = {0};
    assert_true(k * d <= NEAR_NUMBERS);
    for (uint32_t j = 0; j < k; j++)
        points[j * d] = at[j];
    return near_place(n, points, k, d);
}

/* Two cells: 1 if the first coordinate is positive. */
static inline kith_i_place near_sign(near_points *n, uint32_t d)
{
    return near_first(n, (const double[]){-1, 1}, 2, d);
}

#endif
