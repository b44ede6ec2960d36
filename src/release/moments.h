/* moments.c: what second and fourth moments cost. */
#ifndef KITH_MOMENTS_H
#define KITH_MOMENTS_H

#include "dp/dp_private.h"

/* How far one row moves them. */
typedef struct kith_i_moments {
    const char *what;
    int by_trace;           /* pure: a Wishart difference, l2 is a trace */
    uint64_t l2;            /* pure */
    kith_i_u128 l2_squared; /* Gaussian */
    size_t degrees;         /* sd^2 = (degrees + 1) scale^2 when pure */
    double unit;            /* of a moment in the data's units */
    kith_i_loss charge;
} kith_i_moments;

/* Pay; scale and standard deviation of the noise. */
kith_status kith_i_moments_pay(kith_session *session, const kith_i_moments *m,
                               kith_i_scale *scale, double *sd,
                               kith_error *err);

#endif
