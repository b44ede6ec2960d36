/* What second and fourth moments cost: one bill, whose sensitivity and scale
 * come from the same numbers. */
#include "moments.h"

#include <math.h>

kith_status kith_i_moments_pay(kith_session *s, const kith_i_moments *m,
                               kith_i_scale *scale, double *sd, kith_error *err)
{
    int pure = s->measure == KITH_PURE_DP;
    kith_status status = pure ? kith_i_session_scale_knorm(
                                    s, m->l2, m->degrees, m->charge, scale, err)
                              : kith_i_session_scale(s, m->l2_squared, m->l2,
                                                     m->charge, scale, err);
    if (status)
        return status;
    double moves = pure ? (double)m->l2 : sqrt((double)m->l2_squared);
    kith_i_bill bill = {.what = m->what,
                        .mechanism = m->by_trace ? "wishart"
                                     : pure      ? "k-norm"
                                                 : kith_i_session_mechanism(s),
                        .norm = m->by_trace ? "trace" : "l2",
                        .sensitivity = m->unit * moves,
                        .scale = m->unit * kith_i_scale_value(*scale),
                        .loss = m->charge};
    *sd =
        kith_i_scale_value(*scale) * (pure ? sqrt((double)m->degrees + 1) : 1);
    return kith_i_session_pay(s, &bill, 1, err);
}
