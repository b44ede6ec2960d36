/* Which noise a Gram matrix or a tensor gets in pure DP, from public values
 * only: one rule for the gate that draws it and for those who plan with it.
 *
 * For a charge of epsilon = 1 and records of length 1: K-norm noise in a space
 * of m dimensions has sd = D sqrt(m + 1), D the L2 sensitivity, and as a p x p
 * matrix the edge of the semicircle, sd sqrt(2 p). A Wishart difference has
 * sd = T sqrt(p + 1), T the trace that is paid for, 1 or 2. Its spectrum is
 * that of the free difference of two Marchenko-Pastur laws, R-transform
 * 2 a^2 z / (1 - a^2 z^2), a = p T / 2: the edge is at 1.177 sd sqrt(2 p). */
#include "trace_noise.h"

#include <math.h>

#include "kernel/quartic.h"
#include "sampler_wishart.h"

#define HEAVY 1.177 /* 3.330 / sqrt 8 */

/* The smaller one. part: of the variance, left when it was made symmetric: a
 * third for a tensor. */
static kith_i_trace_noise smaller(double l2, double m, double trace, uint32_t p,
                                  int by_trace, double part)
{
    kith_i_trace_noise n = {.sd = l2 * sqrt(m + 1)};
    double sd = trace * sqrt(p + 1.0);
    if (by_trace && p <= KITH_I_WISHART_MOST && sd < n.sd) {
        n.by_trace = 1;
        n.sd = sd;
    }
    n.edge = n.sd * sqrt(2 * part * p) * (n.by_trace ? HEAVY : 1);
    return n;
}

kith_i_trace_noise kith_i_gram_noise(kith_neighbors neighbors, uint32_t cells,
                                     uint32_t width, int by_trace)
{
    int replace = neighbors == KITH_REPLACE_ONE;
    double l2 = !replace ? 1 : cells > 1 ? 2 : sqrt(2), w = width;
    return smaller(l2, w * (w + 1) / 2, replace ? 2 : 1, width, by_trace, 1);
}

kith_i_trace_noise kith_i_tensor_noise(kith_neighbors neighbors, uint32_t width)
{
    int replace = neighbors == KITH_REPLACE_ONE;
    return smaller(replace ? sqrt(2) : 1, (double)kith_i_quartic_size(width),
                   replace ? 2 : 1, width * (width + 1) / 2, 1, 1 / 3.0);
}
