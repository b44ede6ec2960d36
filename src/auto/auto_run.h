/* One run of `auto`, and what all of its stages use. */
#ifndef KITH_AUTO_RUN_H
#define KITH_AUTO_RUN_H

#include <math.h>

#include "auto/recipe.h"
#include "base/pool.h"
#include "kernel/kernel_i.h"
#include "run/run.h"

typedef struct auto_run {
    kith_session *session;
    const kith_kmeans_options *opt;
    const kith_i_domain *domain;
    kith_result *result;
    const auto_recipe *recipe;
    uint32_t k, d; /* k: the most, until it is chosen */
    kith_i_loss total;
    int pure;      /* the currency: epsilon, else mu^2 */
    double budget; /* the whole of it: epsilon, or mu */
    double used;   /* shares so far */
    double plan;   /* rows that a plan assumes; 0 in a real run */
    double n;      /* rows, as far as they are known */
    unsigned done, steps;
    kith_i_coins coins;
    kith_i_pool pool; /* all memory of the run */
    kith_error *err;  /* of whoever asked for it */
} auto_run;

/* The charge of a share, and progress by one release. */
kith_status kith_i_auto_charge(auto_run *run, double share,
                               kith_i_loss *charge);
kith_status kith_i_auto_tick(auto_run *run);

/* Noise that a share buys: the standard deviation of a count, and of one
 * coordinate of a sum of vectors in the unit ball of R^dim. All rules are
 * written with these two, so that they are the same for both currencies. */
double kith_i_auto_count_sd(const auto_run *run, double share);
double kith_i_auto_sum_sd(const auto_run *run, double share, double dim);

/* Squared distance that this noise moves the centre of one of k equal clusters
 * in R^dim, if rows are clipped to the unit ball. */
double kith_i_auto_center_noise(const auto_run *run, double share, double dim,
                                double k);

/* Join what is known of a number, and its variance (HUGE_VAL: nothing is), with
 * another estimate, by precision. */
static inline void kith_i_auto_join(double *known, double *variance,
                                    double other, double its_variance)
{
    double part =
        *variance < HUGE_VAL ? *variance / (*variance + its_variance) : 1;
    *known += part * (other - *known);
    *variance = part * its_variance;
}

/* What is left of the budget. */
static inline double kith_i_auto_left(const auto_run *run)
{
    return 1 - 1e-9 - run->used;
}

#endif
