/* Binomial numbers from public coins, for the law. */
#include "draw_binomial.h"

#include <math.h>

/* Gamma with shape a >= 1 (Marsaglia, Tsang 2000). */
static double draw_gamma(kith_i_coins *coins, double a)
{
    double d = a - 1 / 3.0, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = kith_i_coins_normal(coins), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = kith_i_coins_unit(coins);
        if (log(u > 0 ? u : 0x1p-60) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

/* The middle of n uniform numbers has a Beta law; those on its far
 * side of p are decided by it, and half of the trials are left (Devroye 1986,
 * X.4.3). */
uint64_t kith_i_draw_binomial(kith_i_coins *coins, uint64_t n, double p)
{
    uint64_t successes = 0;
    if (p >= 1)
        return n;
    while (n > 32 && p > 0) {
        uint64_t middle = n / 2 + 1;
        double a = draw_gamma(coins, (double)middle);
        double b = draw_gamma(coins, (double)(n + 1 - middle));
        double at = a / (a + b);
        if (at <= p) {
            successes += middle;
            n -= middle;
            p = (p - at) / (1 - at);
        } else {
            n = middle - 1;
            p /= at;
        }
    }
    for (uint64_t i = 0; i < n; i++)
        successes += kith_i_coins_unit(coins) < p;
    return successes;
}
