/* Noisy means of many clusters in full space, when each is known well in a few
 * axes: most of what the noise hides is a smooth function of that place. All of
 * it in units of the noise, whose variance is 1 then. */
#include "auto/stages.h"

#include "kernel/planes.h"

/* Orthonormal directions of the k clusters: the mean of all, and what is left
 * of each coordinate of their places (out: rank x k). Returns the rank. */
static uint32_t find_directions(uint32_t k, uint32_t q, const double *noise,
                                const double *places, double *out)
{
    uint32_t rank = 0;
    for (uint32_t a = 0; a <= q && rank < k; a++) {
        double *row = out + (size_t)rank * k;
        for (uint32_t j = 0; j < k; j++)
            row[j] = (a ? places[(size_t)j * q + a - 1] : 1) / noise[j];
        double before = sqrt(kith_i_dot(row, row, k));
        double after = kith_i_orthogonal_row(out, rank, k);
        if (after > 1e-6 * before) {
            kith_i_multiply_by(row, 1 / after, k);
            rank++;
        }
    }
    return rank;
}

/* Take the fit along a direction out of the means: fit = direction . means. */
static void take_out(uint32_t k, uint32_t d, const double *direction,
                     double *means, double *fit)
{
    for (uint32_t j = 0; j < k; j++)
        kith_i_add_scaled(fit, direction[j], means + (size_t)j * d, d);
    for (uint32_t j = 0; j < k; j++)
        kith_i_add_scaled(means + (size_t)j * d, -direction[j], fit, d);
}

/* Signal of a direction and of a feature, above the noise, multiply; so much of
 * an entry of the fit is believed. feature: d. */
static void shorten_fit(uint32_t rank, uint32_t d, double *fit, double *feature)
{
    double average = 0;
    for (size_t i = 0; i < (size_t)rank * d; i++)
        feature[i % d] += fit[i] * fit[i] / rank;
    for (uint32_t i = 0; i < d; i++) {
        feature[i] = fmax(0, feature[i] - 1);
        average += feature[i] / d;
    }
    for (uint32_t r = 0; r < rank; r++) {
        double *row = fit + (size_t)r * d, signal = kith_i_dot(row, row, d) / d;
        signal = fmax(0, signal - 1) / fmax(average, 1e-300);
        for (uint32_t i = 0; i < d; i++)
            row[i] *= signal * feature[i] / (1 + signal * feature[i]);
    }
}

/* The rest, feature by feature; noise is left in so many directions of it. */
static void shorten_rest(uint32_t k, uint32_t d, double left, double *means)
{
    for (uint32_t i = 0; i < d; i++) {
        double square = 0;
        for (uint32_t j = 0; j < k; j++)
            square += pow(means[(size_t)j * d + i], 2);
        double keep = kith_i_shrink(square, left);
        for (uint32_t j = 0; j < k; j++)
            means[(size_t)j * d + i] *= keep;
    }
}

void kith_i_auto_believe(auto_run *run, uint32_t k, const double *noise,
                         const double *places, double *means)
{
    uint32_t d = run->d, q = run->frame.q;
    double *feature = kith_i_pool_reals(&run->pool, d);
    double *u = kith_i_pool_reals(&run->pool, ((size_t)q + 1) * k);
    double *fit = kith_i_pool_reals(&run->pool, ((size_t)q + 1) * d);
    if (kith_i_auto_failed(run))
        return;
    for (uint32_t j = 0; j < k; j++)
        kith_i_multiply_by(means + (size_t)j * d, 1 / noise[j], d);
    uint32_t rank = find_directions(k, q, noise, places, u);
    for (uint32_t r = 0; r < rank; r++)
        take_out(k, d, u + (size_t)r * k, means, fit + (size_t)r * d);
    /* the mean of all as a whole */
    kith_i_multiply_by(fit, kith_i_shrink(kith_i_dot(fit, fit, d), d), d);
    shorten_fit(rank - 1, d, fit + d, feature);
    shorten_rest(k, d, fmax(1, (double)k - rank), means);
    for (uint32_t j = 0; j < k; j++) {
        double *mean = means + (size_t)j * d;
        for (uint32_t r = 0; r < rank; r++)
            kith_i_add_scaled(mean, u[(size_t)r * k + j], fit + (size_t)r * d,
                              d);
        kith_i_multiply_by(mean, noise[j], d);
    }
}
