/* choose_number.c: how many clusters a released summary has. */
#ifndef KITH_CHOOSE_NUMBER_H
#define KITH_CHOOSE_NUMBER_H

#include "kernel/kernel_i.h"
#include "kith/cluster.h"

/* Weighted points that stand for rows, and the noise that is in them. */
typedef struct kith_i_noisy_points {
    kith_i_points at;     /* weights: numbers of rows */
    const double *noise;  /* n: sd of one coordinate of a point */
    const double *unsure; /* n: variance of its weight */
    double inside;        /* squared distances of all rows from their points */
    /* What the noise of a run with k clusters adds to its cost: this times k^2
     * of it. */
    double blur;
    double unit; /* of squared distances, in the caller's units */
} kith_i_noisy_points;

/* choice: from and to are given. curve: two places for each k; its cost and
 * noise are there afterwards. */
kith_status kith_i_choose_number(const kith_i_noisy_points *points,
                                 kith_i_coins *coins, double *curve,
                                 kith_choice *choice, kith_error *err);

#endif
