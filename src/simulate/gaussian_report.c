/* The Gaussian vector of LDP-AVG (Stemmer 2021, Appendix A), for the reference
 * mode: v = (x - centre) / radius on a lattice, plus round(sigma N) in every
 * coordinate. Such reports exist in
 * simulations only.
 *
 * Claim: (epsilon, delta)-LDP with the question's parameters.
 * Needs: sigma at least that of mechanism_make.c for a sensitivity of 2 units;
 *   kith_i_limits_flaw compares it with the user's own.
 * Because: what is sent is an integer vector of length <= UNIT, with a public
 *   sign, or 0 for a user in no region (E4); any two of them are within
 *   2 UNIT. Integers plus rounded Gaussians are the rounding of a continuous
 *   Gaussian mechanism (R1). E3: the centre is subtracted, so the noise may
 *   scale with the region; added to x itself it could not. */
#include "user_respond.h"

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

void kith_i_gaussian_respond(const kith_i_asked *asked, const double *x,
                             kith_i_entropy *e, void *scratch, uint8_t *bytes)
{
    const kith_i_mechanism *m = asked->mechanism;
    const uint8_t *nonce = asked->ticket->nonce;
    float *vector = scratch;
    void *room = vector + m->width + 8;
    int32_t *noisy = room;
    kith_i_report_write_header(m->kind, asked->ticket, bytes);
    uint64_t place = kith_i_encode(asked->question, asked->d, x,
                                   kith_i_entropy_word(e), vector);
    int sign = kith_i_bucket_sign(kith_i_load64(nonce),
                                  kith_i_load64(nonce + 8), place);
    kith_i_gaussian_vector(m, vector, sign, e, noisy);
    for (uint32_t i = 0; i < m->kept; i++)
        kith_i_store((uint32_t)noisy[i], bytes + KITH_I_HEADER_BYTES + 4 * i,
                     4);
    kith_i_forget(scratch, kith_i_respond_scratch(m));
}
