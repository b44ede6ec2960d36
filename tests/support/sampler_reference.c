/* See sampler_reference.h. Written from the papers' listings: Canonne, Kamath,
 * Steinke 2020 (Algorithms 1 and 2); Karney 2016 (Algorithm N). */
#include "sampler_reference.h"

#include <gmp.h>

enum { MOST = 8 };

/* A real in [0,1) known by its first digits, as a GMP interval. */
typedef struct {
    mpz_t digits;
    unsigned count;
} real;

static void real_init(real *x)
{
    mpz_init(x->digits);
    x->count = 0;
}

static void real_more(kith_i_entropy *e, real *x)
{
    uint64_t w = kith_i_entropy_word(e);
    mpz_mul_2exp(x->digits, x->digits, 64);
    mpz_t t;
    mpz_init(t);
    mpz_import(t, 1, 1, 8, 0, 0, &w);
    mpz_add(x->digits, x->digits, t);
    mpz_clear(t);
    x->count++;
}

/* low = digits / 2^(64 count), high = (digits + 1) / 2^(64 count) */
static void real_ends(const real *x, mpq_t low, mpq_t high)
{
    mpz_t scale, up;
    mpz_init_set_ui(scale, 1);
    mpz_mul_2exp(scale, scale, 64ul * x->count);
    mpz_init(up);
    mpz_add_ui(up, x->digits, 1);
    mpq_set_num(low, x->digits);
    mpq_set_den(low, scale);
    mpq_canonicalize(low);
    mpq_set_num(high, up);
    mpq_set_den(high, scale);
    mpq_canonicalize(high);
    mpz_clears(scale, up, NULL);
}

static void set_ratio(mpq_t r, uint64_t p, uint64_t q)
{
    mpz_import(mpq_numref(r), 1, 1, 8, 0, 0, &p);
    mpz_import(mpq_denref(r), 1, 1, 8, 0, 0, &q);
    mpq_canonicalize(r);
}

int reference_bernoulli(kith_i_entropy *e, uint64_t p, uint64_t q)
{
    if (p >= q)
        return 1;
    if (p == 0)
        return 0;
    mpq_t ratio, low, high;
    mpq_inits(ratio, low, high, NULL);
    set_ratio(ratio, p, q);
    real u;
    real_init(&u);
    int answer = -1;
    while (answer < 0) {
        real_more(e, &u);
        real_ends(&u, low, high);
        if (mpq_cmp(high, ratio) <= 0)
            answer = 1;
        else if (mpq_cmp(low, ratio) >= 0)
            answer = 0;
    }
    mpz_clear(u.digits);
    mpq_clears(ratio, low, high, NULL);
    return answer;
}

int reference_bernoulli_exp(kith_i_entropy *e, uint64_t p, uint64_t q)
{
    while (p > q) {
        if (!reference_bernoulli_exp(e, 1, 1))
            return 0;
        p -= q;
    }
    for (uint64_t k = 1;; k++) {
        uint64_t qk;
        int heads =
            !__builtin_mul_overflow(q, k, &qk)
                ? reference_bernoulli(e, p, qk)
                : reference_bernoulli(e, p, q) && reference_bernoulli(e, 1, k);
        if (!heads)
            return (int)(k % 2);
    }
}

int64_t reference_laplace(kith_i_entropy *e, kith_i_scale t)
{
    for (;;) {
        int negative = (int)(kith_i_entropy_word(e) & 1);
        uint64_t u, v = 0, mask = 1;
        while (mask < t.num)
            mask = mask << 1;
        do {
            do {
                u = t.num == 1 ? 0 : kith_i_entropy_word(e) & (mask - 1);
            } while (u >= t.num);
        } while (!reference_bernoulli_exp(e, u, t.num));
        while (reference_bernoulli_exp(e, 1, 1))
            v++;
        mpz_t x, n;
        mpz_inits(x, n, NULL);
        mpz_import(n, 1, 1, 8, 0, 0, &t.num);
        mpz_mul_ui(n, n, v);
        mpz_import(x, 1, 1, 8, 0, 0, &u);
        mpz_add(x, x, n);
        mpz_fdiv_q_2exp(x, x, t.shift);
        int64_t result = mpz_get_si(x);
        mpz_clears(x, n, NULL);
        if (!negative)
            return result;
        if (result != 0)
            return -result;
    }
}

/* value = x (2k + x) / m */
static void hill(mpq_t value, const mpq_t x, uint64_t k, uint64_t m)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_ui(t, 2 * k, 1);
    mpq_add(t, t, x);
    mpq_mul(value, t, x);
    mpq_set_ui(t, m, 1);
    mpq_div(value, value, t);
    mpq_clear(t);
}

static int coin(kith_i_entropy *e, real *x, uint64_t k, uint64_t m)
{
    mpq_t ul, uh, xl, xh;
    mpq_inits(ul, uh, xl, xh, NULL);
    real u;
    real_init(&u);
    real_more(e, &u);
    int answer = -1;
    for (;;) {
        real_ends(&u, ul, uh);
        real_ends(x, xl, xh);
        hill(xl, xl, k, m);
        hill(xh, xh, k, m);
        if (mpq_cmp(uh, xl) <= 0)
            answer = 1;
        else if (mpq_cmp(ul, xh) >= 0)
            answer = 0;
        if (answer >= 0)
            break;
        real_more(e, u.count <= x->count ? &u : x);
    }
    mpz_clear(u.digits);
    mpq_clears(ul, uh, xl, xh, NULL);
    return answer;
}

static int coin_exp(kith_i_entropy *e, real *x, uint64_t k)
{
    for (uint64_t n = 1;; n++)
        if (!coin(e, x, k, (2 * k + 2) * n))
            return (int)(n % 2);
}

int64_t reference_gaussian(kith_i_entropy *e, kith_i_scale sigma)
{
    real x;
    uint64_t k;
    real_init(&x);
    for (;;) {
        int ok = 1;
        for (k = 0; reference_bernoulli_exp(e, 1, 2);)
            k++;
        for (uint64_t i = 0; k > 1 && ok && i < k * (k - 1); i++)
            ok = reference_bernoulli_exp(e, 1, 2);
        if (!ok)
            continue;
        mpz_set_ui(x.digits, 0);
        x.count = 0;
        real_more(e, &x);
        for (uint64_t i = 0; ok && i <= k; i++)
            ok = coin_exp(e, &x, k);
        if (ok)
            break;
    }
    int negative = (int)(kith_i_entropy_word(e) & 1);
    mpq_t low, high, s, t;
    mpq_inits(low, high, s, t, NULL);
    set_ratio(s, sigma.num, 1);
    mpq_div_2exp(s, s, sigma.shift);
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (;;) {
        real_ends(&x, low, high);
        mpq_set_ui(t, k, 1);
        mpq_add(low, low, t);
        mpq_add(high, high, t);
        mpq_mul(low, low, s);
        mpq_mul(high, high, s);
        mpq_set_ui(t, 1, 2);
        mpq_add(low, low, t);
        mpq_add(high, high, t);
        mpz_fdiv_q(a, mpq_numref(low), mpq_denref(low));
        mpz_cdiv_q(b, mpq_numref(high), mpq_denref(high));
        mpz_sub_ui(b, b, 1); /* the end itself is not in the interval */
        if (mpz_cmp(a, b) == 0)
            break;
        real_more(e, &x);
    }
    int64_t result = mpz_get_si(a);
    mpz_clears(a, b, x.digits, NULL);
    mpq_clears(low, high, s, t, NULL);
    return negative ? -result : result;
}
