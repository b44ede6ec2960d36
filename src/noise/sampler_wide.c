/* When 64 digits do not decide: the same comparisons with GMP integers and as
 * many digits as it takes. Reached about once in 2^60 draws (and for very
 * large scales more often); exact like the fast path. No floating point. */
#include "sampler.h"

#include <gmp.h>

void kith_i_lazy_extend(kith_i_entropy *e, kith_i_lazy *x)
{
    if (x->count == KITH_I_LAZY_DIGITS) {
        e->failed = 1;
        x->digit[KITH_I_LAZY_DIGITS - 1] = kith_i_entropy_word(e);
        return;
    }
    x->digit[x->count++] = kith_i_entropy_word(e);
}

/* out = digits of x as an integer (x 2^(64 count), rounded down). */
static void lazy_to_mpz(mpz_t out, const kith_i_lazy *x)
{
    mpz_import(out, x->count, 1, sizeof(uint64_t), 0, 0, x->digit);
}

static void set_u64(mpz_t out, uint64_t v)
{
    mpz_import(out, 1, 1, sizeof v, 0, 0, &v);
}

/* Both sides as integers over 2^(64 (nu + 2 nx)):
 *   left  = u m 2^(128 nx)            in [U m, (U+1) m) * ...
 *   right = x (2k + x) 2^(64 nu)      increasing in x
 * Returns 1 (less), 0 (not less) or -1 (undecided). */
static int compare(const kith_i_lazy *u, uint64_t m, const kith_i_lazy *x,
                   uint64_t k)
{
    mpz_t left, left_end, right, right_end, t;
    mpz_inits(left, left_end, right, right_end, t, NULL);
    mp_bitcnt_t nu = (mp_bitcnt_t)64 * u->count;
    mp_bitcnt_t nx = (mp_bitcnt_t)64 * x->count;

    set_u64(t, m);
    lazy_to_mpz(left, u);
    mpz_add_ui(left_end, left, 1);
    mpz_mul(left, left, t);
    mpz_mul(left_end, left_end, t);
    mpz_mul_2exp(left, left, 2 * nx);
    mpz_mul_2exp(left_end, left_end, 2 * nx);

    set_u64(t, k);
    mpz_mul_2exp(t, t, nx + 1); /* 2k in units of 2^-nx */
    mpz_t digits;
    mpz_init(digits);
    lazy_to_mpz(digits, x);
    mpz_add(right, digits, t);
    mpz_mul(right, right, digits);
    mpz_add_ui(digits, digits, 1);
    mpz_add(right_end, digits, t);
    mpz_mul(right_end, right_end, digits);
    mpz_mul_2exp(right, right, nu);
    mpz_mul_2exp(right_end, right_end, nu);

    int answer = -1;
    if (mpz_cmp(left_end, right) <= 0)
        answer = 1;
    else if (mpz_cmp(left, right_end) >= 0)
        answer = 0;
    mpz_clears(left, left_end, right, right_end, t, digits, NULL);
    return answer;
}

int kith_i_wide_less(kith_i_entropy *e, kith_i_lazy *u, uint64_t m,
                     kith_i_lazy *x, uint64_t k)
{
    for (;;) {
        int answer = compare(u, m, x, k);
        if (answer >= 0)
            return answer;
        if (e->failed)
            return 0;
        kith_i_lazy_extend(e, u->count <= x->count ? u : x);
    }
}

/* floor(num (k + x) / 2^shift + 1/2) at the low end of x (up = 0), or of the
 * numbers just below its high end (up = 1). */
static void round_end(mpz_t out, kith_i_scale sigma, uint64_t k,
                      const kith_i_lazy *x, int up)
{
    mpz_t t;
    mpz_init(t);
    mp_bitcnt_t nx = (mp_bitcnt_t)64 * x->count;
    lazy_to_mpz(out, x);
    set_u64(t, k);
    mpz_mul_2exp(t, t, nx);
    mpz_add(out, out, t);
    if (up)
        mpz_add_ui(out, out, 1);
    set_u64(t, sigma.num);
    mpz_mul(out, out, t);
    if (up)
        mpz_sub_ui(out, out, 1);
    mpz_set_ui(t, 1);
    mpz_mul_2exp(t, t, nx + sigma.shift);
    mpz_mul_2exp(out, out, 1);
    mpz_add(out, out, t);
    mpz_fdiv_q_2exp(out, out, nx + sigma.shift + 1);
    mpz_clear(t);
}

int64_t kith_i_wide_round(kith_i_entropy *e, kith_i_scale sigma, uint64_t k,
                          kith_i_lazy *x)
{
    mpz_t low, high;
    mpz_inits(low, high, NULL);
    for (;;) {
        round_end(low, sigma, k, x, 0);
        round_end(high, sigma, k, x, 1);
        if (mpz_cmp(low, high) == 0 || e->failed)
            break;
        kith_i_lazy_extend(e, x);
    }
    /* Scales are kept below 2^54 by the gate, so this fits; else fail closed.
     */
    if (!mpz_fits_slong_p(low))
        e->failed = 1;
    int64_t result = mpz_get_si(low);
    mpz_clears(low, high, NULL);
    return result;
}
