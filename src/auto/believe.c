/* Noisy means of many clusters in full space, when each is known well in a few
 * axes: most of what the noise hides is a smooth function of that place. */
#include "auto/stages.h"

/* The weighted mean of all (out: d), shortened as a whole. What is left of the
 * means is in units of their noise. */
static void common_mean(const auto_belief *b, double *out)
{
    double total = 0, noise = 0;
    for (uint32_t j = 0; j < b->k; j++)
        total += fmax(b->size[j], 1);
    for (uint32_t j = 0; j < b->k; j++) {
        double w = fmax(b->size[j], 1) / total;
        noise += b->d * pow(w * b->noise[j], 2);
        kith_i_add_scaled(out, w, b->means + (size_t)j * b->d, b->d);
    }
    for (uint32_t j = 0; j < b->k; j++)
        for (uint32_t i = 0; i < b->d; i++)
            b->means[(size_t)j * b->d + i] =
                (b->means[(size_t)j * b->d + i] - out[i]) / b->noise[j];
    kith_i_multiply_by(out, kith_i_shrink(kith_i_dot(out, out, b->d), noise),
                       b->d);
}

/* Orthonormal directions of the k clusters that their places span, each in
 * units of its noise (out: rank x k). Returns the rank. */
static uint32_t find_directions(auto_run *run, const auto_belief *b,
                                double *out)
{
    uint32_t k = b->k, q = b->q, most = q < k - 1 ? q : k - 1, rank = 0;
    double *y = kith_i_pool_reals(&run->pool, (size_t)k * q);
    double *gram = kith_i_pool_reals(&run->pool, (size_t)q * q);
    double *axes = kith_i_pool_reals(&run->pool, (size_t)q * q);
    double *values = kith_i_pool_reals(&run->pool, q);
    double *mean = kith_i_pool_reals(&run->pool, q);
    double total = 0;
    if (kith_i_auto_failed(run))
        return 0;
    for (uint32_t j = 0; j < k; j++)
        total += 1 / pow(b->noise[j], 2);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t a = 0; a < q; a++)
            mean[a] +=
                b->places[(size_t)j * q + a] / pow(b->noise[j], 2) / total;
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t a = 0; a < q; a++)
            y[(size_t)j * q + a] =
                (b->places[(size_t)j * q + a] - mean[a]) / b->noise[j];
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t a = 0; a < q; a++)
            kith_i_add_scaled(gram + (size_t)a * q, y[(size_t)j * q + a],
                              y + (size_t)j * q, q);
    run->status = kith_i_eigen_alone(gram, q, most, values, axes, run->err);
    while (rank < most && values[rank] > 1e-9 * values[0]) {
        for (uint32_t j = 0; j < k; j++)
            out[(size_t)rank * k + j] =
                kith_i_dot(axes + rank * q, y + (size_t)j * q, q) /
                sqrt(values[rank]);
        rank++;
    }
    return rank;
}

/* Take the fit out of the means: fit[r] = direction r . means (rank x d). */
static void project(const auto_belief *b, uint32_t rank, const double *u,
                    double *fit)
{
    uint32_t k = b->k, d = b->d;
    for (uint32_t r = 0; r < rank; r++) {
        double *to = fit + (size_t)r * d;
        for (uint32_t j = 0; j < k; j++)
            kith_i_add_scaled(to, u[(size_t)r * k + j],
                              b->means + (size_t)j * d, d);
        for (uint32_t j = 0; j < k; j++)
            kith_i_add_scaled(b->means + (size_t)j * d, -u[(size_t)r * k + j],
                              to, d);
    }
}

/* Signal of a direction and of a feature, above noise of variance 1, multiply;
 * so much of an entry of the fit is believed. feature: d. */
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
        double signal = 0, *row = fit + (size_t)r * d;
        for (uint32_t i = 0; i < d; i++)
            signal += row[i] * row[i] / d;
        signal = fmax(0, signal - 1) / fmax(average, 1e-300);
        for (uint32_t i = 0; i < d; i++)
            row[i] *= signal * feature[i] / (1 + signal * feature[i]);
    }
}

/* The rest, feature by feature. */
static void shorten_rest(const auto_belief *b, uint32_t rank)
{
    double spare = fmax(1, (double)b->k - 1 - rank);
    for (uint32_t i = 0; i < b->d; i++) {
        double square = 0;
        for (uint32_t j = 0; j < b->k; j++)
            square += pow(b->means[(size_t)j * b->d + i], 2);
        double keep = kith_i_shrink(square, spare);
        for (uint32_t j = 0; j < b->k; j++)
            b->means[(size_t)j * b->d + i] *= keep;
    }
}

void kith_i_auto_believe(auto_run *run, const auto_belief *b)
{
    uint32_t k = b->k, d = b->d;
    double *mean = kith_i_pool_reals(&run->pool, d);
    double *feature = kith_i_pool_reals(&run->pool, d);
    double *u = kith_i_pool_reals(&run->pool, (size_t)b->q * k);
    double *fit = kith_i_pool_reals(&run->pool, (size_t)b->q * d);
    if (kith_i_auto_failed(run))
        return;
    common_mean(b, mean);
    uint32_t rank = k > 1 ? find_directions(run, b, u) : 0;
    project(b, rank, u, fit);
    shorten_fit(rank, d, fit, feature);
    shorten_rest(b, rank);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t i = 0; i < d; i++) {
            double *to = b->means + (size_t)j * d + i;
            for (uint32_t r = 0; r < rank; r++)
                *to += u[(size_t)r * k + j] * fit[(size_t)r * d + i];
            *to = *to * b->noise[j] + mean[i];
        }
}
