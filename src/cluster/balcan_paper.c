/* The constants of Balcan et al. 2017 as printed, and what becomes of them.
 *
 * Algorithm 4 makes ceil(2 ln 1/d) trials, d the chance that all fail, and
 * gives each candidate() epsilon / (6 trials). Algorithm 2 divides that among
 * T = 27 k ln(n/d) partitions, each at d/T. Algorithm 1 divides again by
 * 2 ln(n) levels: epsilon', and activates a cube of about
 * gamma = 20/epsilon' ln(n T/d) records. All logarithms are natural.
 *
 * They are refused for every n, before anything is spent. For small n no cube
 * can be activated: gamma > n. For large n the projection has p = 8 ln n
 * dimensions and a cube 2^p children, which 64 bits cannot number from
 * n = 2322 on. Since gamma > 2322 for every k >= 1 and epsilon <= 4096 (the
 * most that can be declared) there is no n between. */
#include "balcan_i.h"

#include <math.h>

static const double FAILURE = 0.1; /* d; not the delta of privacy */

kith_i_paper_constants kith_i_paper_constants_of(double n, uint32_t k,
                                                 double epsilon)
{
    kith_i_paper_constants c = {.n = n};
    c.trials = ceil(2 * log(1 / FAILURE));
    c.partitions = ceil(27 * k * log(n / FAILURE));
    c.swaps = ceil(100 * k * log(n / FAILURE));
    c.dimension = ceil(8 * log(n));
    c.epsilon = epsilon / (6 * c.trials) / c.partitions / (2 * log(n));
    c.gamma = 20 / c.epsilon * log(n * c.partitions / FAILURE);
    return c;
}

kith_status kith_i_refuse_paper_constants(double rows, uint32_t k,
                                          double epsilon, kith_error *err)
{
    double n = rows > 3 ? rows : 3;
    kith_i_paper_constants c = kith_i_paper_constants_of(n, k, epsilon);
    /* The true n is private: look for the first at which a cube could show. */
    while (rows == 0 && c.gamma > c.n)
        c = kith_i_paper_constants_of(c.n * 1.01, k, epsilon);
    const char *why =
        c.gamma > c.n
            ? "so no cube can be activated and the candidates are random points"
            : "and with fewer rows none; but then a cube has 2^p children";
    return kith_i_fail(
        err, KITH_ERR_PRIVACY,
        "the constants as printed make the result vacuous, nothing was spent: "
        "k = %u, epsilon = %g, n = %.3g: %.0f trials of %.0f partitions, "
        "epsilon' = %.2g for a level, %.0f swaps, p = %.0f; a cube needs about "
        "gamma = %.3g rows, %s: leave --paper-constants out",
        k, epsilon, c.n, c.trials, c.partitions, c.epsilon, c.swaps,
        c.dimension, c.gamma, why);
}
