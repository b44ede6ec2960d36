/* Losses and noise scales as exact integers: everything that turns a share of
 * the budget into a scale, or a loss into a number to print. No rounding here
 * is left to a floating-point unit: GMP integers, then one directed step,
 * always toward more loss or more noise (I25). */
#include "budget_i.h"

#include <gmp.h>
#include <math.h>

#include "base/base_i.h"

enum {
    SCALE_BITS = 39,  /* a scale's num is at least 2^39 unless shift is 0 */
    NUM_BITS = 62,    /* and below 2^62                                   */
    DOUBLE_BITS = 53, /* significand of a double                          */
};

static void set_u64(mpz_t z, uint64_t value)
{
    mpz_import(z, 1, 1, sizeof value, 0, 0, &value);
}

static uint64_t get_u64(const mpz_t z) /* z < 2^64 */
{
    uint64_t value = 0;
    mpz_export(&value, NULL, -1, sizeof value, 0, 0, z);
    return value;
}

static void set_u128(mpz_t z, kith_i_u128 value)
{
    uint64_t words[2] = {(uint64_t)(value >> 64), (uint64_t)value};
    mpz_import(z, 2, 1, sizeof words[0], 0, 0, words);
}

/* z = ceil(sqrt(z)). */
static void ceil_sqrt(mpz_t z)
{
    mpz_t rest;
    mpz_init(rest);
    mpz_sqrtrem(z, rest, z);
    if (mpz_sgn(rest) != 0)
        mpz_add_ui(z, z, 1);
    mpz_clear(rest);
}

/* Number of bits of z > 0, as a signed number for exponent arithmetic. */
static long bit_length(const mpz_t z)
{
    return (long)mpz_sizeinbase(z, 2);
}

static long floor_half(long n)
{
    return n >= 0 ? n / 2 : -((1 - n) / 2);
}

/* quotient = ceil(numerator * 2^power / loss). */
static void scaled_quotient(mpz_t quotient, const mpz_t numerator, long power,
                            const mpz_t loss)
{
    mpz_mul_2exp(quotient, numerator, (mp_bitcnt_t)power);
    mpz_cdiv_q(quotient, quotient, loss);
}

static kith_status check_scale(const mpz_t sensitivity, kith_i_loss loss,
                               kith_error *err)
{
    if (loss == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a release was given no budget at all: raise "
                           "epsilon or ask for fewer releases");
    if (mpz_sgn(sensitivity) == 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a release has sensitivity zero: its bounds "
                           "leave no room for any data");
    return KITH_OK;
}

static kith_status put_scale(const mpz_t num, long shift, kith_i_scale *out,
                             kith_error *err)
{
    if (bit_length(num) > NUM_BITS)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the noise for this budget would exceed every "
                           "64-bit sum: raise epsilon or narrow the bounds");
    out->num = get_u64(num);
    out->shift = (uint32_t)shift;
    return KITH_OK;
}

/* Claim: on success sigma = num / 2^shift has sensitivity_squared / sigma^2
 *   <= loss / 2^50 exactly, and num - 1 has not; num < 2^62, and num >= 2^39
 *   unless shift is 0, so sigma is within a factor 1 + 2^-38 of the optimum
 *   whenever shift > 0.
 * Needs: nothing.
 * Because: with L = loss, S = sensitivity_squared the condition reads
 *   num^2 >= S 2^(50 + 2 shift) / L. The left side is an integer, so the
 *   right one may be rounded up, and num = ceil(sqrt(.)) is the smallest
 *   solution. With e = bits(S) + 50 - bits(L) the ratio v = S 2^50 / L is in
 *   (2^(e-1), 2^(e+1)), hence shift = 39 - floor((e-1)/2) puts
 *   sqrt(v) 2^shift in (2^39, 2^40.5). */
kith_status kith_i_scale_gaussian(kith_i_u128 sensitivity_squared,
                                  kith_i_loss loss, kith_i_scale *out,
                                  kith_error *err)
{
    mpz_t sens, cost, num;
    mpz_inits(sens, cost, num, NULL);
    set_u128(sens, sensitivity_squared);
    set_u64(cost, loss);
    kith_status status = check_scale(sens, loss, err);
    if (status == KITH_OK) {
        long e = bit_length(sens) + KITH_I_LOSS_BITS - bit_length(cost);
        long shift = SCALE_BITS - floor_half(e - 1);
        if (shift < 0)
            shift = 0;
        scaled_quotient(num, sens, KITH_I_LOSS_BITS + 2 * shift, cost);
        ceil_sqrt(num);
        status = put_scale(num, shift, out, err);
    }
    mpz_clears(sens, cost, num, NULL);
    return status;
}

/* Claim: on success t = num / 2^shift has sensitivity / t <= loss / 2^50
 *   exactly, and num - 1 has not; the same size of num as above.
 * Needs: nothing.
 * Because: num >= sensitivity 2^(50 + shift) / loss, rounded up; with e as
 *   above shift = 40 - e puts num in (2^39, 2^41]. */
kith_status kith_i_scale_laplace(uint64_t sensitivity, kith_i_loss loss,
                                 kith_i_scale *out, kith_error *err)
{
    mpz_t sens, cost, num;
    mpz_inits(sens, cost, num, NULL);
    set_u64(sens, sensitivity);
    set_u64(cost, loss);
    kith_status status = check_scale(sens, loss, err);
    if (status == KITH_OK) {
        long e = bit_length(sens) + KITH_I_LOSS_BITS - bit_length(cost);
        long shift = SCALE_BITS + 1 - e;
        if (shift < 0)
            shift = 0;
        scaled_quotient(num, sens, KITH_I_LOSS_BITS + shift, cost);
        status = put_scale(num, shift, out, err);
    }
    mpz_clears(sens, cost, num, NULL);
    return status;
}

/* Claim: the result is at least scale / sqrt(g), by less than one unit of
 *   2^-shift.
 * Because: ceil(sqrt(ceil(num^2 / g))) is the smallest integer whose square
 *   is at least num^2 / g. */
kith_i_scale kith_i_scale_over_root(kith_i_scale scale, uint32_t g)
{
    mpz_t num;
    mpz_init(num);
    set_u64(num, scale.num);
    mpz_mul(num, num, num);
    mpz_cdiv_q_ui(num, num, g);
    ceil_sqrt(num);
    scale.num = get_u64(num);
    mpz_clear(num);
    return scale;
}

kith_i_scale kith_i_scale_over_sqrt2(kith_i_scale scale)
{
    return kith_i_scale_over_root(scale, 2);
}

/* For people to read. Cut off, not rounded: a printed scale never promises
 * more noise than was drawn. Exact below 2^53. */
double kith_i_scale_value(kith_i_scale scale)
{
    uint64_t num = scale.num;
    unsigned cut = 0;
    while (num >> cut >= (uint64_t)1 << DOUBLE_BITS)
        cut++;
    return ldexp((double)(num >> cut), (int)cut - (int)scale.shift);
}

/* Claim: the smallest double x with x >= loss / 2^50 (pure), or
 *   x^2 >= loss / 2^50 (Gaussian).
 * Because: with 2^(b-1) <= loss < 2^b, loss 2^(53 - b) is in [2^52, 2^53),
 *   and so is sqrt(loss) 2^(53 - ceil(b/2)); both are rounded up to an
 *   integer there, which is rounding up to a double. */
double kith_i_loss_value(kith_i_loss loss, kith_measure measure)
{
    if (loss == 0)
        return 0;
    mpz_t z;
    mpz_init(z);
    set_u64(z, loss);
    long bits = bit_length(z);
    long up; /* the significand is the loss (or its root) times 2^up */
    if (measure == KITH_PURE_DP) {
        up = DOUBLE_BITS - bits;
        if (up >= 0)
            mpz_mul_2exp(z, z, (mp_bitcnt_t)up);
        else
            mpz_cdiv_q_2exp(z, z, (mp_bitcnt_t)-up);
        up += KITH_I_LOSS_BITS;
    } else {
        up = DOUBLE_BITS - (bits + 1) / 2;
        mpz_mul_2exp(z, z, (mp_bitcnt_t)(2 * up));
        ceil_sqrt(z);
        up += KITH_I_LOSS_BITS / 2;
    }
    double value = ldexp((double)get_u64(z), (int)-up);
    mpz_clear(z);
    return value;
}

/* Claim: floor(total * share) with the exact product of the integer and the
 *   double; share is clamped to [0, 1], and NaN gives 0. Hence shares whose
 *   real sum is at most 1 never add up to more than total.
 * Needs: the caller adds shares as real numbers. Doubles that merely print as
 *   if they added up to 1 (ten times 0.1) can exceed it by a few units when
 *   total is near 2^64; the gate compares integer sums and refuses then.
 * Because: sum of floors <= floor of the sum. */
kith_i_loss kith_i_loss_share(kith_i_loss total, double share)
{
    if (!(share > 0))
        return 0;
    if (share >= 1)
        return total;
    int exponent;
    double fraction = frexp(share, &exponent); /* share = fraction 2^exponent */
    mpz_t product, significand;
    mpz_inits(product, significand, NULL);
    set_u64(product, total);
    set_u64(significand, (uint64_t)ldexp(fraction, DOUBLE_BITS));
    mpz_mul(product, product, significand);
    mpz_fdiv_q_2exp(product, product, (mp_bitcnt_t)(DOUBLE_BITS - exponent));
    kith_i_loss result = get_u64(product);
    mpz_clears(product, significand, NULL);
    return result;
}

/* Claim: releases that cost a row no more than this cost a person, who has so
 *   many rows, no more than the total.
 * Because: losses of a group grow like its number: epsilon (pure), and mu
 *   [DRS22, Thm 2.14], of which the total is the square. rows < 2^32. */
kith_i_loss kith_i_loss_of_one(kith_i_loss total, kith_measure measure,
                               uint64_t rows)
{
    if (rows <= 1)
        return total;
    return total / (measure == KITH_PURE_DP ? rows : rows * rows);
}
