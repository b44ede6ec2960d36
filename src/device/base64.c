/* Base64 (RFC 4648), one spelling only: padded, no line ends, unused bits
 * zero. */
#include "base64.h"

static const char DIGITS[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t kith_i_base64_length(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

void kith_i_base64_write(const uint8_t *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t v = (uint32_t)bytes[i] << 16;
        v |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        v |= left > 2 ? (uint32_t)bytes[i + 2] : 0;
        *out++ = DIGITS[v >> 18];
        *out++ = DIGITS[v >> 12 & 63];
        *out++ = left > 1 ? DIGITS[v >> 6 & 63] : '=';
        *out++ = left > 2 ? DIGITS[v & 63] : '=';
    }
}

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t kith_i_base64_read(const char *text, size_t length, uint8_t *out)
{
    size_t made = 0;
    if (length % 4)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i += 4) {
        size_t digits = 4;
        if (i + 4 == length && text[i + 3] == '=')
            digits = text[i + 2] == '=' ? 2 : 3;
        uint32_t v = 0;
        for (size_t j = 0; j < 4; j++) {
            int value = j < digits ? digit_value(text[i + j]) : 0;
            if (value < 0)
                return SIZE_MAX;
            v = v << 6 | (uint32_t)value;
        }
        if ((digits == 2 && v & 0xffff) || (digits == 3 && v & 0xff))
            return SIZE_MAX;
        for (size_t j = 0; j + 1 < digits; j++, made++)
            if (out)
                out[made] = (uint8_t)(v >> (16 - 8 * j));
    }
    return made;
}
