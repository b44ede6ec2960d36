/* believe.c: how much of noisy means in full space to believe. */
#ifndef KITH_AUTO_BELIEVE_H
#define KITH_AUTO_BELIEVE_H

#include "auto/noisy_step.h"

/* Noisy vectors of k clusters in R^d, whose places in the view are known. */
typedef struct auto_belief {
    uint32_t k, d, q;
    double *means;        /* k x d; replaced by what is believed of them */
    const double *noise;  /* k: sd of a coordinate */
    const double *size;   /* k */
    const double *places; /* k x q */
} auto_belief;

/* A mean of all, a linear function of the places, and a rest, each shortened to
 * the part that is not noise (empirical Bayes). */
kith_status kith_i_auto_believe(auto_run *run, const auto_belief *belief);

#endif
