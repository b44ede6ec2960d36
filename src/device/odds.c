/* e^epsilon from below, in 128-bit integers.
 *
 * Claim: num / den <= e^(loss / 2^50), and num + 1 would be too much unless
 *   den e^(loss / 2^50) exceeds a whole number by less than 2^-60.
 * Needs: loss <= 20 * 2^50.
 * Because: write x = n ln 2 + r. ln 2 is rounded up, so r is too small, by at
 *   most 29 units of 2^-120. Every term of the series for e^r is positive and
 *   is rounded down: a product drops less than 4 units, a division less than
 *   one, and an error is multiplied by r / k < 1 from term to term, so that
 *   35 terms lose less than 35 * 10 units and the rest of the series less
 *   than one. All in all e^r in [1, 2) is too small by less than 2^9 units,
 *   never too large; the last shift rounds down again. In units of num,
 *   which is below 2^48, the error is below 2^(9 - 120 + 47) = 2^-64. */
#include "odds.h"

#include "base/wide.h"

enum { MAX_SHIFT = 32, NUM_BITS = 48, FRACTION = 120, TERMS = 35 };

/* ceil(2^120 ln 2) */
static const kith_i_u128 LN2 = (kith_i_u128)UINT64_C(0xb17217f7d1cf79) << 64 |
                               UINT64_C(0xabc9e3b39803f2f7);

/* a b / 2^120, or up to 4 less; both below 2^121. */
static kith_i_u128 multiply(kith_i_u128 a, kith_i_u128 b)
{
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64);
    uint64_t b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    return ((kith_i_u128)a1 * b1 << 8) + ((kith_i_u128)a1 * b0 >> 56) +
           ((kith_i_u128)a0 * b1 >> 56);
}

/* a / k rounded down; k is small. By hand, because not every target has a
 * division of 128 bits without a library. */
static kith_i_u128 divide(kith_i_u128 a, uint32_t k)
{
    kith_i_u128 out = 0;
    uint64_t rest = 0;
    for (int at = 96; at >= 0; at -= 32) {
        rest = rest << 32 | (uint32_t)(a >> at);
        out = out << 32 | rest / k;
        rest %= k;
    }
    return out;
}

kith_i_odds kith_i_odds_floor(uint64_t loss)
{
    kith_i_u128 one = (kith_i_u128)1 << FRACTION;
    kith_i_u128 x = (kith_i_u128)loss << (FRACTION - KITH_I_REPORT_LOSS_BITS);
    uint32_t doublings = 0;
    for (uint32_t half = 16; half; half /= 2) /* long division: below 32 */
        if (x >= LN2 * half) {
            x -= LN2 * half;
            doublings += half;
        }
    kith_i_u128 term = one, sum = one;
    for (uint32_t k = 1; k <= TERMS; k++) {
        term = divide(multiply(term, x), k);
        sum += term;
    }
    /* e^x < 2^(doublings + 1) */
    uint32_t bits = doublings + 1;
    uint32_t shift = bits + MAX_SHIFT > NUM_BITS ? NUM_BITS - bits : MAX_SHIFT;
    return (kith_i_odds){.num =
                             (uint64_t)(sum >> (FRACTION - doublings - shift)),
                         .den = UINT64_C(1) << shift};
}
