/* moments.c: what second and fourth moments cost. */
#ifndef KITH_MOMENTS_H
#define KITH_MOMENTS_H

#include "dp/dp_private.h"

/* A row adds v v' (or v^4), of Frobenius norm, and trace, at most `square`, to
 * one of the cells. */
typedef struct kith_i_moments {
    const char *what;
    uint64_t square;
    uint32_t cells;
    int by_trace;   /* pure: a Wishart difference in each cell, not K-norm */
    size_t degrees; /* pure: as in price.h */
    double unit;    /* of a moment in the data's units */
    kith_i_loss charge;
} kith_i_moments;

/* Pay; scale and standard deviation of the noise. */
kith_status kith_i_moments_pay(kith_session *session, const kith_i_moments *m,
                               kith_i_scale *scale, double *sd,
                               kith_error *err);

#endif
