/* What second and fourth moments cost, from the table of moves.c: one bill.
 *
 * Because: Gaussian noise is on all cells together. K-norm noise is on each: a
 *   record that moves between two is paid for in both (one cell: sqrt 2 of a
 *   square does, rounded up), and so are the traces of what comes and what
 *   goes, in one cell or two. */
#include "moments.h"

kith_status kith_i_moments_pay(kith_session *s, const kith_i_moments *m,
                               kith_i_scale *scale, double *sd, kith_error *err)
{
    kith_i_moves moves = kith_i_session_moves(s, KITH_I_MOMENTS),
                 traces = kith_i_session_moves(s, KITH_I_TRACES);
    kith_i_moved moved = {
        .l1 = m->by_trace     ? m->square * traces.l1
              : m->cells == 1 ? kith_i_root_times(m->square, moves.l2_squared)
                              : m->square * moves.l1,
        .l2_squared = (kith_i_u128)m->square * m->square * moves.l2_squared,
        .degrees = m->degrees,
        .unit = m->unit};
    kith_i_bill bill = {.what = m->what, .loss = m->charge};
    kith_status status = kith_i_session_price(s, &moved, &bill, scale, err);
    if (status)
        return status;
    if (m->by_trace) {
        bill.mechanism = "wishart";
        bill.norm = "trace";
    }
    *sd = kith_i_session_sd(s, *scale, m->degrees);
    return kith_i_session_pay(s, &bill, 1, err);
}
