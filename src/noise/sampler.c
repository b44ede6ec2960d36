/* Exact samplers, fast paths. No floating point: this file is compiled
 * without floating-point registers, and a test looks at the object code. */
#include "sampler.h"

/* Claim: uniform in [0, limit).
 * Needs: limit > 0.
 * Because: words masked to the next power of two are uniform there; those
 *   outside are drawn again (fewer than two tries on average). */
uint64_t kith_i_sample_below(kith_i_entropy *e, uint64_t limit)
{
    if (limit == 1)
        return 0;
    uint64_t mask = UINT64_MAX >> __builtin_clzll(limit - 1);
    uint64_t r;
    do {
        r = kith_i_entropy_word(e) & mask;
    } while (r >= limit);
    return r;
}

/* Claim: 1 with probability exactly p/q.
 * Needs: p <= q, q > 0.
 * Because: the result is [u < p/q] for a uniform real u with digits w in base
 *   2^64. After the first digit, u < p/q iff the rest u' of u satisfies
 *   u' < (p 2^64 - w q) / q: certainly false when that is <= 0, certainly true
 *   when it is >= 1, else the same question again with a new p < q. */
int kith_i_sample_bernoulli(kith_i_entropy *e, uint64_t p, uint64_t q)
{
    if (p >= q)
        return 1;
    while (p > 0) {
        kith_i_u128 have = (kith_i_u128)kith_i_entropy_word(e) * q;
        kith_i_u128 want = (kith_i_u128)p << 64;
        if (have >= want)
            return 0;
        want -= have;
        if (want >= q)
            return 1;
        p = (uint64_t)want;
    }
    return 0;
}

/* Claim: 1 with probability exp(-p/q) for 0 <= p <= q.
 * Needs: q > 0.
 * Because (Canonne, Kamath, Steinke 2020, Alg. 1): with coins of probability
 *   g/1, g/2, g/3, ..., the first failure comes at an odd place with
 *   probability 1 - g + g^2/2! - ... = exp(-g). Where q K would not fit a
 *   word, a coin p/(qK) is the product of the independent p/q and 1/K. */
static int bernoulli_exp_below_one(kith_i_entropy *e, uint64_t p, uint64_t q)
{
    for (uint64_t k = 1;; k++) {
        uint64_t qk;
        int heads;
        if (!__builtin_mul_overflow(q, k, &qk))
            heads = kith_i_sample_bernoulli(e, p, qk);
        else
            heads = kith_i_sample_bernoulli(e, p, q) &&
                    kith_i_sample_bernoulli(e, 1, k);
        if (!heads)
            return (int)(k & 1);
    }
}

/* Claim: 1 with probability exp(-p/q).
 * Because: exp(-p/q) = exp(-1)^floor(p/q) * exp(-(p mod q)/q), independent
 *   coins; stopping at the first failure does not change the law. */
int kith_i_sample_bernoulli_exp(kith_i_entropy *e, kith_i_u128 p, uint64_t q)
{
    while (p > q) {
        if (!bernoulli_exp_below_one(e, 1, 1))
            return 0;
        p -= q;
    }
    return bernoulli_exp_below_one(e, (uint64_t)p, q);
}

/* Claim: Pr[x] = (1 - a) a^x with a = exp(-1/t), t = num / 2^shift.
 * Needs: num > 0.
 * Because (CKS 2020, Alg. 2): u + num v with u accepted with probability
 *   exp(-u/num) and v geometric with ratio exp(-1) is geometric with ratio
 *   exp(-1/num); 2^shift of its values in a row make one x. */
int64_t kith_i_sample_geometric(kith_i_entropy *e, kith_i_scale t)
{
    uint64_t u;
    do {
        u = kith_i_sample_below(e, t.num);
    } while (!bernoulli_exp_below_one(e, u, t.num));
    uint64_t v = 0;
    while (bernoulli_exp_below_one(e, 1, 1))
        v++;
    kith_i_u128 x = u + (kith_i_u128)t.num * v;
    return (int64_t)(x >> t.shift);
}

/* Claim: Pr[x] proportional to exp(-|x|/t).
 * Because (CKS 2020, Alg. 2): a random sign on a geometric magnitude, with
 *   "minus zero" drawn again so that zero is not counted twice. */
int64_t kith_i_sample_laplace(kith_i_entropy *e, kith_i_scale t)
{
    for (;;) {
        int negative = (int)(kith_i_entropy_word(e) & 1);
        int64_t x = kith_i_sample_geometric(e, t);
        if (!negative)
            return x;
        if (x != 0)
            return -x;
    }
}

/* u < x (2k + x) / m for a fresh uniform real u. The 64-bit digits X of x and
 * U of u bracket both sides (in units of 2^-64):
 *   U m <= u m < (U + 1) m,
 *   2kX + floor(X^2 / 2^64) <= x (2k + x) < that + 2k + 3. */
static int coin_less(kith_i_entropy *e, uint64_t m, kith_i_lazy *x, uint64_t k)
{
    kith_i_lazy u;
    u.digit[0] = kith_i_entropy_word(e);
    u.count = 1;
    uint64_t digit = x->digit[0];
    kith_i_u128 right = 2 * (kith_i_u128)k * digit +
                        (uint64_t)(((kith_i_u128)digit * digit) >> 64);
    kith_i_u128 left = (kith_i_u128)u.digit[0] * m;
    if (left + m <= right)
        return 1;
    if (left >= right + 2 * k + 3)
        return 0;
    return kith_i_wide_less(e, &u, m, x, k);
}

/* 1 with probability exp(-x (2k + x) / (2k + 2)); the exponent is below 1. */
static int coin_exp(kith_i_entropy *e, kith_i_lazy *x, uint64_t k)
{
    for (uint64_t n = 1;; n++)
        if (!coin_less(e, (2 * k + 2) * n, x, k))
            return (int)(n & 1);
}

/* A uniform x, accepted with probability exp(-x (2k + x) / 2). */
static int accept_fraction(kith_i_entropy *e, kith_i_lazy *x, uint64_t k)
{
    x->digit[0] = kith_i_entropy_word(e);
    x->count = 1;
    for (uint64_t i = 0; i <= k; i++)
        if (!coin_exp(e, x, k))
            return 0;
    return 1;
}

static int64_t round_scaled(kith_i_entropy *e, kith_i_scale sigma, uint64_t k,
                            kith_i_lazy *x)
{
    if (k < 64 && sigma.num < (uint64_t)1 << 54 && sigma.shift < 56) {
        kith_i_u128 real = ((kith_i_u128)k << 64) | x->digit[0];
        kith_i_u128 half = (kith_i_u128)1 << (63 + sigma.shift);
        kith_i_u128 low = real * sigma.num + half;
        kith_i_u128 high = low + (sigma.num - 1);
        unsigned cut = 64 + sigma.shift;
        if (low >> cut == high >> cut)
            return (int64_t)(low >> cut);
    }
    return kith_i_wide_round(e, sigma, k, x);
}

/* Claim: k + x is |N|, N standard normal.
 * Because (Karney 2016, Algorithm N): k is drawn with weight exp(-k/2) and
 *   kept with probability exp(-k(k-1)/2), i.e. with weight exp(-k^2/2); a
 *   uniform x is kept with probability exp(-x(2k+x)/2); so k + x has density
 *   proportional to exp(-(k+x)^2/2), the half normal. */
uint64_t kith_i_sample_half_normal(kith_i_entropy *e, kith_i_lazy *x)
{
    for (;;) {
        uint64_t k = 0;
        while (bernoulli_exp_below_one(e, 1, 2))
            k++;
        uint64_t coins = k * (k - (k > 0));
        while (coins > 0 && bernoulli_exp_below_one(e, 1, 2))
            coins--;
        if (coins == 0 && accept_fraction(e, x, k))
            return k;
    }
}

/* Claim: round(sigma N), N standard normal.
 * Needs: sigma = num / 2^shift > 0.
 * Because: the sign is a fair bit; x is known by its digits, and more are
 *   drawn until the rounding is decided. */
int64_t kith_i_sample_gaussian(kith_i_entropy *e, kith_i_scale sigma)
{
    kith_i_lazy x;
    uint64_t k = kith_i_sample_half_normal(e, &x);
    int negative = (int)(kith_i_entropy_word(e) & 1);
    int64_t rounded = round_scaled(e, sigma, k, &x);
    return negative ? -rounded : rounded;
}

/* Claim: the law of round(sigma N) given that it is >= least.
 * Needs: least >= 1.
 * Because: rounding to >= least means |N| >= a = (least - 1/2) / sigma and a
 *   plus sign. With k0 = floor(a), k = k0 + j is drawn with weight
 *   exp(-k0 j) (geometric; for k0 = 0 exp(-j/2)) and kept with the rest of
 *   exp(-((k0+j)^2 - k0^2)/2); x as above; values that round below least are
 *   drawn again. */
int64_t kith_i_sample_gaussian_tail(kith_i_entropy *e, kith_i_scale sigma,
                                    int64_t least)
{
    kith_i_u128 twice = (kith_i_u128)(2 * (uint64_t)least - 1) << sigma.shift;
    uint64_t k0 = (uint64_t)(twice / (2 * (kith_i_u128)sigma.num));
    for (;;) {
        uint64_t j = 0;
        kith_i_lazy x;
        if (k0 > 0) {
            while (kith_i_sample_bernoulli_exp(e, k0, 1))
                j++;
            if (!kith_i_sample_bernoulli_exp(e, (kith_i_u128)j * j, 2))
                continue;
        } else {
            while (bernoulli_exp_below_one(e, 1, 2))
                j++;
            if (!kith_i_sample_bernoulli_exp(e, (kith_i_u128)j * (j - (j > 0)),
                                             2))
                continue;
        }
        if (!accept_fraction(e, &x, k0 + j))
            continue;
        int64_t rounded = round_scaled(e, sigma, k0 + j, &x);
        if (rounded >= least)
            return rounded;
    }
}
