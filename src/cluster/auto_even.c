/* Pure DP, when the forest shows nothing (A6): rows spread alike over all of
 * its boxes. Leaves and fine cells would be bought for nothing; what such rows
 * need is not a start but rounds. */
#include "cluster/auto_i.h"

#include <math.h>

/* Rounds at most, and what the last step gets (docs/auto.md). */
enum { EVEN_ROUNDS = 8, EVEN_POINTS = 400, EVEN_EACH = 3 };
static const double last = .3;

kith_status kith_i_auto_assume_even(auto_run *run, const auto_space *space,
                                    double pool, auto_shares *shares,
                                    auto_coreset *out, kith_error *err)
{
    uint32_t q = space->q, k = run->k;
    uint32_t n = (uint32_t)fmax(EVEN_POINTS, EVEN_EACH * (double)k);
    /* histograms: for all rounds one, and one for the last step */
    double left = pool - 2 * shares->hist;
    shares->leaf = shares->over = 0;
    shares->over_steps = 0;
    shares->rec = last * left;
    shares->lloyd = left - shares->rec;
    /* as many rounds as leave each noise below .02 of the variance */
    double noise = sqrt(q) * kith_i_auto_sum_sd(run, shares->lloyd, q) * k;
    double rounds = floor(sqrt(.02) * run->n_hat / noise);
    shares->rounds = (uint32_t)fmax(1, fmin(EVEN_ROUNDS, rounds));
    if (run->opt->rounds)
        shares->rounds = run->opt->rounds;
    shares->hists = 1;
    /* the coreset: rows without structure that spread like these */
    kith_status status = kith_i_auto_coreset_new(out, n, q, err);
    for (uint32_t j = 0; !status && j < n; j++) {
        out->size[j] = out->weight[j] = run->n_hat / n;
        out->unsure[j] = HUGE_VAL;
        for (uint32_t i = 0; i < q; i++)
            out->points[(size_t)j * q + i] =
                space->spread[i] * kith_i_coins_normal(&run->coins);
    }
    return status;
}
