/* Numbers in text, correctly rounded: the double nearest to what is written,
 * ties to even, whatever the locale. Three ways, from fast to slow:
 *  1. mantissa <= 2^53 and |power of ten| <= 22: both are exact doubles and
 *     one multiplication or division rounds once (Clinger 1990);
 *  2. up to 19 digits and |power of ten| <= 27: 5^27 < 2^63, so the product
 *     is exact in 128 bits, and the quotient with its remainder is too;
 *  3. the rest: strtod in the C locale. */
#include "reader_number.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { FAST_TEN = 22, WIDE_TEN = 27, MAX_DIGITS = 19, HUGE_TEN = 1000000 };

static const double powers_of_ten[FAST_TEN + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t powers_of_five[WIDE_TEN + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

static int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* top * 2^power, plus something less than one unit of top when sticky, as a
 * double; bit 63 of top is set and the result is a normal number. */
static double round_to_double(uint64_t top, int sticky, int power)
{
    uint64_t kept = top >> 11, rest = top & 0x7ff;
    if (rest > 0x400 || (rest == 0x400 && (sticky || (kept & 1))))
        kept++; /* 2^53 is fine: the exponent below moves by itself */
    /* kept has its leading bit at 52: adding it to the exponent field makes
     * up for the hidden bit (and for a carry to 2^53). */
    uint64_t bits = ((uint64_t)(power + 11 + 52 + 1023 - 1) << 52) + kept;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* mantissa * 10^ten, mantissa > 0, |ten| <= WIDE_TEN. */
static double scale_exactly(uint64_t mantissa, int ten)
{
    int shift = __builtin_clzll(mantissa);
    uint64_t m = mantissa << shift; /* value = m * 2^-shift * 10^ten */
    if (ten >= 0) {
        uint64_t five = powers_of_five[ten];
        int five_shift = __builtin_clzll(five);
        uint128 product = (uint128)m * (five << five_shift);
        int power = ten - shift - five_shift + 64;
        if (!(product >> 127)) {
            product <<= 1;
            power--;
        }
        return round_to_double((uint64_t)(product >> 64),
                               (uint64_t)product != 0, power);
    }
    uint64_t five = powers_of_five[-ten];
    int five_shift = __builtin_clzll(five);
    five <<= five_shift;
    /* 2^62 <= quotient < 2^64; when bit 63 is missing, one more step of the
     * long division brings it. */
    uint128 numerator = (uint128)m << 63;
    uint128 quotient = numerator / five;
    uint64_t remainder = (uint64_t)(numerator - quotient * five);
    int power = ten - shift + five_shift - 63;
    uint64_t top = (uint64_t)quotient;
    if (!(top >> 63)) {
        uint128 twice = (uint128)remainder * 2;
        int bit = twice >= five;
        top = top << 1 | (uint64_t)bit;
        remainder = (uint64_t)(bit ? twice - five : twice);
        power--;
    }
    return round_to_double(top, remainder != 0, power);
}

static double parse_slowly(const char *p)
{
    /* glibc's "C" locale is a constant: this allocates nothing. */
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(p, NULL, locale);
    freelocale(locale);
    return value;
}

/* Eight digits at once: 0 when the bytes are not all digits. */
static int take_eight(const char *p, uint64_t *mantissa)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t v;
    memcpy(&v, p, sizeof v);
    uint64_t low = v - 0x3030303030303030u;
    if (((v + 0x4646464646464646u) | low) & 0x8080808080808080u)
        return 0;
    low = low * 10 + (low >> 8);
    low = (((low & 0x000000ff000000ffu) * 0x000f424000000064u) +
           (((low >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
          32;
    *mantissa = *mantissa * 100000000u + (uint32_t)low;
    return 1;
#else
    (void)p;
    (void)mantissa;
    return 0;
#endif
}

/* Digits at p into *mantissa, which wraps when there are too many. */
static const char *take_digits(const char *p, uint64_t *mantissa)
{
    uint64_t m = *mantissa;
    while (take_eight(p, &m))
        p += 8;
    for (; is_digit(*p); p++)
        m = m * 10 + (uint64_t)(*p - '0');
    *mantissa = m;
    return p;
}

/* The exponent after 'e', or NULL; *ten stays small enough to add to. */
static const char *take_exponent(const char *p, int64_t *ten)
{
    int minus = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return NULL;
    int64_t e = 0;
    for (; is_digit(*p); p++)
        if (e < HUGE_TEN)
            e = e * 10 + (*p - '0');
    *ten += minus ? -e : e;
    return p;
}

/* Leading zeros do not count; digits are those from p to end. */
static int has_few_digits(const char *p, const char *end, size_t digits)
{
    for (; p < end && (*p == '0' || *p == '.'); p++)
        digits -= *p == '0';
    return digits <= MAX_DIGITS;
}

const char *kith_i_number_scan(const char *p, double *out)
{
    const char *start = p;
    int minus = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    const char *first = p;
    uint64_t mantissa = 0;
    int64_t ten = 0;
    while (is_digit(*p)) /* mostly one or two digits */
        mantissa = mantissa * 10 + (uint64_t)(*p++ - '0');
    size_t digits = (size_t)(p - first);
    if (*p == '.') {
        const char *point = ++p;
        p = take_digits(p, &mantissa);
        digits += (size_t)(p - point);
        ten = -(int64_t)(p - point);
    }
    if (digits == 0)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        p = take_exponent(p + 1, &ten);
        if (!p)
            return NULL;
    }
    double value;
    if (digits > MAX_DIGITS && !has_few_digits(first, p, digits)) {
        *out = parse_slowly(start);
        return p;
    }
    if (mantissa <= (uint64_t)1 << 53 && ten >= -FAST_TEN && ten <= FAST_TEN) {
        value = (double)mantissa;
        value =
            ten < 0 ? value / powers_of_ten[-ten] : value * powers_of_ten[ten];
    } else if (mantissa && ten >= -WIDE_TEN && ten <= WIDE_TEN) {
        value = scale_exactly(mantissa, (int)ten);
    } else {
        *out = parse_slowly(start);
        return p;
    }
    *out = minus ? -value : value;
    return p;
}

/* ASCII only, whatever the locale. word is in lower case. */
static int same_word(const char *p, size_t length, const char *word)
{
    if (strlen(word) != length)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 32) : p[i];
        if (c != word[i])
            return 0;
    }
    return 1;
}

int kith_i_number_is_missing(const char *p, size_t length)
{
    static const char *const words[] = {"na",   "n/a", "nan",     "null",
                                        "none", "inf", "infinity"};
    if (length == 0)
        return 1;
    if (*p == '-' || *p == '+') {
        p++;
        length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_word(p, length, words[i]))
            return 1;
    return 0;
}
