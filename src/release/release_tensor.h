/* release_tensor.c: the symmetric tensor of fourth moments. */
#ifndef KITH_RELEASE_TENSOR_H
#define KITH_RELEASE_TENSOR_H

#include "dp/dp_i.h"
#include "kernel/quartic.h"
#include "noise/trace_noise.h"

typedef struct kith_i_tensor_spec {
    const char *what;
    const kith_i_view *view; /* NULL: the records; at most 64 dimensions */
    uint32_t bits;           /* rows are cut to length 2^bits; at most 10 */
    kith_i_loss charge;
} kith_i_tensor_spec;

typedef struct kith_i_tensor {
    double step; /* of the rows' entries, in lattice steps of the view */
    double sd;   /* of the noise on an entry that occurs once (aaaa); one that
                  * occurs g times has sd / sqrt(g) */
} kith_i_tensor;

/* out: kith_i_quartic_size(width) distinct entries of the sum of t (x) t (x) t
 * (x) t, t = trunc(y / step), with noise that is isotropic for the Frobenius
 * norm of the whole tensor: Gaussian; in pure DP K-norm, or (of the same
 * variances) a Wishart difference, whichever is smaller. Exact up to 2^62 /
 * 16^bits records; beyond that modulo 2^64. Dense rows only. */
kith_status kith_i_release_tensor(kith_session *session,
                                  const kith_i_tensor_spec *spec, int64_t *out,
                                  kith_i_tensor *about, kith_error *err);

#endif
