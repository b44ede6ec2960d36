/* Noise for pure DP in an L2 ball: the K-norm mechanism (Hardt, Talwar 2010).
 *
 * Claim: integer vector + result is post-processing of adding a vector z with
 *   density proportional to exp(-|z|_2 / b), so it is (D/b)-DP for sums of L2
 *   sensitivity D. In d dimensions E|z|^2 = d (d+1) b^2: half of what Laplace
 *   noise for the same ball needs, whose L1 sensitivity is sqrt(d) D.
 *   With several scales: the same after stretching some coordinates.
 * Needs: b = num / 2^shift > 0.
 * Because: z = b |h| g with h ~ N(0, I_{d+1}) and g ~ N(0, I_d) has that
 *   density: given s = |h|^2 it is N(0, b^2 s), and
 *     int s^{(d+1)/2 - 1} e^{-s/2} s^{-d/2} e^{-r^2 / (2s)} ds
 *       = int s^{-1/2} e^{-(s + r^2/s) / 2} ds = sqrt(2 pi) e^{-r},  r = |z|/b.
 *   All deviates are known by their digits (Karney); |h| and each product are
 *   enclosed by integers, and digits are added until the rounding of the
 *   coordinate is decided. No floating point. */
#include "sampler.h"

#include <gmp.h>

enum { KNORM_FIRST_DIGITS = 2 };

struct kith_i_deviate {
    kith_i_lazy x;
    uint64_t k;
};

size_t kith_i_knorm_scratch(size_t width)
{
    return (width + 1) * sizeof(struct kith_i_deviate);
}

static void refine(kith_i_entropy *e, kith_i_lazy *x, uint32_t digits)
{
    while (x->count < digits && !e->failed)
        kith_i_lazy_extend(e, x);
}

/* out = floor((k + x) 2^(64 digits)) */
static void to_integer(mpz_t out, uint64_t k, const kith_i_lazy *x,
                       uint32_t digits)
{
    mpz_t whole;
    mpz_init(whole);
    mpz_import(whole, 1, 1, sizeof k, 0, 0, &k);
    mpz_mul_2exp(whole, whole, (mp_bitcnt_t)64 * digits);
    mpz_import(out, digits, 1, sizeof(uint64_t), 0, 0, x->digit);
    mpz_add(out, out, whole);
    mpz_clear(whole);
}

/* low <= |h| 2^(64 digits) < high */
static void enclose_length(kith_i_entropy *e, struct kith_i_deviate *h,
                           size_t count, uint32_t digits, mpz_t low, mpz_t high)
{
    mpz_t v;
    mpz_init(v);
    mpz_set_ui(low, 0);
    mpz_set_ui(high, 0);
    for (size_t i = 0; i < count; i++) {
        refine(e, &h[i].x, digits);
        to_integer(v, h[i].k, &h[i].x, digits);
        mpz_addmul(low, v, v);
        mpz_add_ui(v, v, 1);
        mpz_addmul(high, v, v);
    }
    mpz_sqrt(low, low);
    mpz_sqrt(high, high);
    mpz_add_ui(high, high, 1);
    mpz_clear(v);
}

/* out = floor(num length value / 2^(shift + 128 digits) + 1/2); just = 1: of
 * the numbers just below that product. */
static void round_product(mpz_t out, kith_i_scale b, const mpz_t length,
                          const mpz_t value, uint32_t digits, int just)
{
    mpz_t t;
    mpz_init(t);
    mpz_import(t, 1, 1, sizeof b.num, 0, 0, &b.num);
    mpz_mul(out, length, value);
    mpz_mul(out, out, t);
    if (just)
        mpz_sub_ui(out, out, 1);
    mp_bitcnt_t cut = (mp_bitcnt_t)128 * digits + b.shift;
    mpz_set_ui(t, 1);
    mpz_mul_2exp(t, t, cut - 1);
    mpz_add(out, out, t);
    mpz_fdiv_q_2exp(out, out, cut);
    mpz_clear(t);
}

void kith_i_sample_knorm(kith_i_entropy *e, const kith_i_scale b[2],
                         size_t split, size_t width, struct kith_i_deviate *h,
                         int64_t *values)
{
    const size_t end[2] = {split, width};
    kith_i_sample_knorm_parts(e, b, end, width, h, values);
}

void kith_i_sample_knorm_parts(kith_i_entropy *e, const kith_i_scale *b,
                               const size_t *end, size_t width,
                               struct kith_i_deviate *h, int64_t *values)
{
    mpz_t low, high, value, below, above;
    mpz_inits(low, high, value, below, above, NULL);
    uint32_t digits = KNORM_FIRST_DIGITS;
    for (size_t i = 0; i <= width; i++)
        h[i].k = kith_i_sample_half_normal(e, &h[i].x);
    enclose_length(e, h, width + 1, digits, low, high);
    for (size_t i = 0, part = 0; i < width && !e->failed; i++) {
        while (i >= end[part])
            part++;
        kith_i_scale scale = b[part];
        kith_i_lazy x;
        uint64_t k = kith_i_sample_half_normal(e, &x);
        int negative = (int)(kith_i_entropy_word(e) & 1);
        for (;;) {
            refine(e, &x, digits);
            to_integer(value, k, &x, digits);
            round_product(below, scale, low, value, digits, 0);
            mpz_add_ui(value, value, 1);
            round_product(above, scale, high, value, digits, 1);
            if (mpz_cmp(below, above) == 0 || e->failed)
                break;
            if (digits == KITH_I_LAZY_DIGITS) { /* probability < 2^-400 */
                e->failed = 1;
                break;
            }
            digits++;
            enclose_length(e, h, width + 1, digits, low, high);
        }
        if (!mpz_fits_slong_p(below)) { /* never a saturated noise */
            e->failed = 1;
            break;
        }
        int64_t z = mpz_get_si(below);
        if (__builtin_add_overflow(values[i], negative ? -z : z, &values[i]))
            e->failed = 1;
    }
    mpz_clears(low, high, value, below, above, NULL);
}
