/* A small crowd in the plane, two clusters a little beside two public points,
 * and questions about it: for tests of collectors. */
#ifndef KITH_TEST_LOCAL_ROWS_H
#define KITH_TEST_LOCAL_ROWS_H

#include "simulate/crowd.h"
#include "support/cmocka_all.h"

enum { CROWD_D = 2, CROWD_K = 2, CROWD_MOST = 30000 };
static const double CROWD_POINTS[] = {-.5, -.5, .5, .5};
static const double CROWD_RADII[] = {.5, .25};

static inline kith_dataset *crowd_rows(size_t rows)
{
    static double x[CROWD_MOST * CROWD_D];
    assert_true(rows <= CROWD_MOST);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (size_t i = 0; i < rows; i++)
        for (size_t t = 0; t < CROWD_D; t++)
            x[i * CROWD_D + t] =
                (i % 3 ? -.5 : .5) + .1 + .05 * kith_i_coins_normal(&coins);
    double low = -1, high = 1;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_dataset *data = NULL;
    assert_int_equal(
        kith_dataset_from_rows(x, rows, CROWD_D, &bounds, &data, NULL),
        KITH_OK);
    return data;
}

static inline kith_i_question crowd_question(kith_i_report_kind report,
                                             double share)
{
    return (kith_i_question){.what = "test",
                             .share = share,
                             .epsilon = 2,
                             .report = report,
                             .place = {.kind = KITH_I_PLACE_NEAREST,
                                       .places = CROWD_K,
                                       .lens = {.q = CROWD_D, .d = CROWD_D},
                                       .points = CROWD_POINTS},
                             .bands = 5,
                             .top = 1,
                             .centers = CROWD_POINTS,
                             .radii = CROWD_RADII};
}

#endif
