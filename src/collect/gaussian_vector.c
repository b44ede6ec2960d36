/* The Gaussian vector of LDP-AVG (Stemmer 2021, Appendix A), for the reference
 * mode: v = (x - centre) / radius on a lattice, plus round(sigma N) in every
 * coordinate. Client code.
 *
 * Claim: (epsilon, delta)-LDP with the question's parameters.
 * Needs: sigma at least that of mechanism_make.c for a sensitivity of 2 units;
 *   kith_i_mechanism_flaw compares it with the device's own.
 * Because: what is sent is an integer vector of length <= UNIT, with a public
 *   sign, or 0 for a user in no region (E4); any two of them are within
 *   2 UNIT. Integers plus rounded Gaussians are the rounding of a continuous
 *   Gaussian mechanism (R1). E3: the centre is subtracted, so the noise may
 *   scale with the region; added to x itself it could not. */
#include "device/randomize.h"
#include "noise/sampler.h"

/* Toward zero, and no longer than UNIT in integers. */
static void to_lattice(const float *vector, uint32_t count, int32_t *out)
{
    const int64_t unit = KITH_I_GAUSSIAN_UNIT;
    int64_t square = 0;
    for (uint32_t i = 0; i < count; i++) {
        float v = vector[i];
        v = v > 1 ? 1 : v >= -1 ? v : v < -1 ? -1 : 0; /* NaN: 0 */
        out[i] = (int32_t)(v * (float)unit);
        square += (int64_t)out[i] * out[i];
    }
    while (square > unit * unit) {
        square = 0;
        for (uint32_t i = 0; i < count; i++) {
            out[i] -= (out[i] > 0) - (out[i] < 0);
            square += (int64_t)out[i] * out[i];
        }
    }
}

int32_t kith_i_gaussian_clip(const kith_i_mechanism *m)
{
    /* 8 sigma: not reached once in 10^15 honest coordinates. */
    uint64_t sigma = (m->sigma.num >> m->sigma.shift) + 1;
    uint64_t limit = KITH_I_GAUSSIAN_UNIT + 8 * sigma;
    return limit < INT32_MAX / 2 ? (int32_t)limit : INT32_MAX / 2;
}

void kith_i_gaussian_vector(const kith_i_mechanism *m, const float *vector,
                            int sign, kith_i_entropy *e, int32_t *out)
{
    int32_t limit = kith_i_gaussian_clip(m);
    to_lattice(vector, m->kept, out);
    for (uint32_t i = 0; i < m->kept; i++) {
        int64_t noisy = sign * out[i] + kith_i_sample_gaussian(e, m->sigma);
        out[i] = (int32_t)(noisy > limit    ? limit
                           : noisy < -limit ? -limit
                                            : noisy);
    }
}
