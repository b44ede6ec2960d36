/* The Gaussian reports of the reference mode: how much noise a user demands,
 * and what the server lets one report count for. No device sends them:
 * they exist to be compared with. */
#include "collect_i.h"

/* a < b as they are, num / 2^shift; shifts below 64. */
static int scale_less(kith_i_scale a, kith_i_scale b)
{
    return (kith_i_u128)a.num << b.shift < (kith_i_u128)b.num << a.shift;
}

static const char *noise_flaw(const kith_i_mechanism *m,
                              const kith_i_question *q,
                              const kith_i_limits *limits)
{
    if (limits->sigma.num == 0 || limits->sigma.shift >= 64)
        return "this device does not send Gaussian reports";
    if (!(q->delta > 0 && q->delta <= limits->delta))
        return "delta is more than this device allows";
    if (m->sigma.shift >= 56 || m->sigma.num >= UINT64_C(1) << 62 ||
        m->sigma.num >> m->sigma.shift >= UINT64_C(1) << 26 ||
        m->sigma.num >> m->sigma.shift == 0)
        return "the noise makes no sense";
    return scale_less(m->sigma, limits->sigma)
               ? "the noise hides less than this device demands"
               : NULL;
}

const char *kith_i_limits_flaw(const kith_i_mechanism *m,
                               const kith_i_question *q, uint32_t d,
                               const kith_i_limits *limits)
{
    if (m->kind != KITH_I_RANDOMIZER_GAUSSIAN)
        return kith_i_mechanism_flaw(m, q, d, limits->odds);
    const char *flaw = kith_i_mechanism_shape(m, q, d);
    return flaw ? flaw : noise_flaw(m, q, limits);
}

int32_t kith_i_gaussian_clip(const kith_i_mechanism *m)
{
    /* 8 sigma: not reached once in 10^15 honest coordinates. */
    uint64_t sigma = (m->sigma.num >> m->sigma.shift) + 1;
    uint64_t limit = KITH_I_GAUSSIAN_UNIT + 8 * sigma;
    return limit < INT32_MAX / 2 ? (int32_t)limit : INT32_MAX / 2;
}
