/* What the printed constants of weighted-centers ask for.
 *
 * A cluster is large when it has t users. Each step of CentersProcedure sets a
 * least t; with Theorem 2.2's 3/epsilon, Claim A.2's 36 and a box of diameter
 * 6cr sqrt(ln(dn/beta)), beta = .05, delta = n^-2, epsilon / 4R for each of the
 * R = floor(log2 n) + 1 radii (E6), a quarter of it for each step (E2), M =
 * 4 n^a ln(1/beta) repetitions on n/M users each, beta / 7M for each:
 *   step 2  a heavy cell is told from t/32 to t/16 (n^-b): error t/64; all n^3
 *           keys (E12)
 *   step 4  t/8d users of n/d in an interval: error t/16d
 *   step 7  the mean of t/2 users within cr (E8), T = 32 k n^b regions
 *   step 8  t/2 is told from t/4: error t/8; n cells
 * and t is 2M times what one repetition needs. The result is as good as empty
 * while k t > n. */
#include <math.h>

#include "weighted.h"

static const double BETA = 0.05;

double kith_i_wc_paper_share(double log10_n, double epsilon, uint32_t d,
                             uint32_t k, double a, double b)
{
    double ln = log(10) * log10_n, dim = d;
    double radii = floor(ln / log(2)) + 1;
    double per_step = epsilon / (16 * radii);
    double repetitions = 4 * exp(a * ln) * log(1 / BETA);
    double beta = BETA / (7 * repetitions);
    double logs = log(4 / beta);
    /* Users of a repetition over n: factors n^(1/2) are taken out. */
    double root = exp(-ln / 2) / sqrt(repetitions);
    double histogram = 3 / per_step * root * exp(b * ln);
    double list = 64 * histogram * sqrt(logs + 3 * ln);
    double boxes = 16 * histogram * sqrt(dim * (logs + 3 * ln));
    double filter = 8 * histogram * sqrt(logs + ln);
    double regions = log(32 * (double)k) + b * ln;
    double mean = 2 * exp(b * ln) * 36 / per_step * root * sqrt(dim) *
                  (log(8 * dim / beta) + regions + 2 * ln) * 6 *
                  sqrt(log(dim / beta) + ln);
    return 2 * repetitions * fmax(fmax(list, boxes), fmax(mean, filter));
}

double kith_i_wc_paper_users(double epsilon, uint32_t d, uint32_t k, double a,
                             double b)
{
    double low = 1, high = 300;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double t = kith_i_wc_paper_share(middle, epsilon, d, k, a, b);
        if (t * k <= 1)
            high = middle;
        else
            low = middle;
    }
    return high;
}
