/* Canonical JSON, piece by piece. Client code. */
#include "canonical_text.h"

#include <string.h>

#include "base64.h"
#include "little_endian.h"

void kith_i_text_flaw(kith_i_text *t, const char *what)
{
    t->flaw = t->flaw ? t->flaw : what;
}

void *kith_i_text_take(kith_i_text *t, uint64_t count, size_t size)
{
    if (t->flaw)
        return NULL;
    if (count > (t->room & ~(size_t)7) / size) {
        kith_i_text_flaw(t, "it needs more memory than there is");
        return NULL;
    }
    size_t bytes = ((size_t)count * size + 7) & ~(size_t)7;
    void *out = t->arena;
    t->arena += bytes;
    t->room -= bytes;
    return out;
}

/* ---- structure ---- */

int kith_i_text_is(kith_i_text *t, const char *literal)
{
    const char *at = t->at;
    for (; *literal; literal++, at++)
        if (at == t->end || *at != *literal)
            return 0;
    if (t->flaw)
        return 0;
    t->at = at;
    return 1;
}

void kith_i_text_need(kith_i_text *t, const char *literal)
{
    if (!kith_i_text_is(t, literal))
        kith_i_text_flaw(t, "it is not canonical, or something is missing");
}

int kith_i_text_key(kith_i_text *t, int *begun, const char *key)
{
    const char *start = t->at;
    if ((!*begun || kith_i_text_is(t, ",")) && kith_i_text_is(t, "\"") &&
        kith_i_text_is(t, key) && kith_i_text_is(t, "\":")) {
        *begun = 1;
        return 1;
    }
    t->at = start;
    return 0;
}

void kith_i_text_key_needed(kith_i_text *t, int *begun, const char *key)
{
    if (!kith_i_text_key(t, begun, key))
        kith_i_text_flaw(t, "it is not canonical, or something is missing");
}

/* ---- values ---- */

uint64_t kith_i_text_count(kith_i_text *t, uint64_t most)
{
    uint64_t n = 0;
    const char *start = t->at;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        uint64_t digit = (uint64_t)(*t->at - '0');
        if (digit > most || n > (most - digit) / 10 ||
            (t->at > start && *start == '0'))
            kith_i_text_flaw(t, "a number is out of range");
        n = t->flaw ? 0 : 10 * n + digit;
    }
    if (t->at == start)
        kith_i_text_flaw(t, "a number is missing");
    return t->flaw ? 0 : n;
}

/* The inside of a string, which has no escapes. */
static const char *inside(kith_i_text *t, size_t *length)
{
    *length = 0;
    kith_i_text_need(t, "\"");
    const char *start = t->at;
    while (!t->flaw && t->at < t->end && *t->at != '"')
        t->at++;
    *length = (size_t)(t->at - start);
    kith_i_text_need(t, "\"");
    return t->flaw ? NULL : start;
}

/* Bytes of the character that starts here, by UTF-8 without long forms,
 * halves of pairs and controls; 0: there is none. */
static size_t character(const uint8_t *p, size_t left)
{
    if (p[0] < 0x80)
        return p[0] >= 0x20 && p[0] != '"' && p[0] != '\\' && p[0] != 0x7f;
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90))
        return 0;
    if ((p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    /* U+0080 to U+009F are controls too; U+2028 to U+202E and U+2066 to U+2069
     * would turn round what is shown after them, a device's own words. */
    if (p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
                         (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)))
        return 0;
    return p[0] == 0xc2 && p[1] < 0xa0 ? 0 : n;
}

const char *kith_i_text_words(kith_i_text *t, size_t most)
{
    size_t length;
    const char *from = inside(t, &length);
    if (!from)
        return NULL;
    if (length > most)
        kith_i_text_flaw(t, "a text is too long");
    char *out = kith_i_text_take(t, (uint64_t)length + 1, 1);
    for (size_t i = 0, n = 1; out && i < length; i += n) {
        n = character((const uint8_t *)from + i, length - i);
        if (n == 0) {
            kith_i_text_flaw(t, "a text has characters that cannot be shown");
            return NULL;
        }
    }
    if (!out)
        return NULL;
    memcpy(out, from, length);
    out[length] = 0;
    return out;
}

void kith_i_text_bytes(kith_i_text *t, uint8_t *out, size_t count)
{
    size_t length;
    const char *from = inside(t, &length);
    if (!from)
        return;
    if (kith_i_base64_read(from, length, NULL) != count)
        kith_i_text_flaw(t, "a string of bytes has the wrong size");
    else
        kith_i_base64_read(from, length, out);
}

/* A base64 string of values of `size` bytes, decoded to the end of a place for
 * that many of `kept` bytes. */
static uint8_t *values(kith_i_text *t, size_t size, size_t kept,
                       uint64_t *count)
{
    size_t length;
    const char *from = inside(t, &length);
    *count = 0;
    if (!from)
        return NULL;
    size_t bytes = kith_i_base64_read(from, length, NULL);
    if (bytes == SIZE_MAX || bytes % size) {
        kith_i_text_flaw(t, "an array is not base64, or has half a value");
        return NULL;
    }
    uint8_t *out = kith_i_text_take(t, bytes / size, kept);
    if (!out)
        return NULL;
    *count = bytes / size;
    kith_i_base64_read(from, length, out + *count * (kept - size));
    return out;
}

static double checked(kith_i_text *t, double value)
{
    if (!__builtin_isfinite(value))
        kith_i_text_flaw(t, "a number is not finite");
    return value;
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double kith_i_text_real(kith_i_text *t)
{
    uint8_t bytes[8] = {0};
    kith_i_text_bytes(t, bytes, sizeof bytes);
    return checked(t, real_of(kith_i_load64(bytes)));
}

/* Each value is read before its place is written: value i is at or after the
 * end of what has been written so far. */
const double *kith_i_text_f32(kith_i_text *t, uint64_t *count)
{
    uint8_t *out = values(t, 4, 8, count);
    for (uint64_t i = 0; out && i < *count; i++) {
        uint32_t bits = kith_i_load32(out + 4 * (*count + i));
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = checked(t, (double)narrow);
        memcpy(out + 8 * i, &wide, sizeof wide);
    }
    return (const double *)(void *)out;
}

const double *kith_i_text_f64(kith_i_text *t, uint64_t *count)
{
    uint8_t *out = values(t, 8, 8, count);
    for (uint64_t i = 0; out && i < *count; i++) {
        double value = checked(t, real_of(kith_i_load64(out + 8 * i)));
        memcpy(out + 8 * i, &value, sizeof value);
    }
    return (const double *)(void *)out;
}

const uint32_t *kith_i_text_u32(kith_i_text *t, uint64_t *count)
{
    uint8_t *out = values(t, 4, 4, count);
    for (uint64_t i = 0; out && i < *count; i++) {
        uint32_t value = kith_i_load32(out + 4 * i);
        memcpy(out + 4 * i, &value, sizeof value);
    }
    return (const uint32_t *)(void *)out;
}

const uint64_t *kith_i_text_u64(kith_i_text *t, uint64_t *count)
{
    uint8_t *out = values(t, 8, 8, count);
    for (uint64_t i = 0; out && i < *count; i++) {
        uint64_t value = kith_i_load64(out + 8 * i);
        memcpy(out + 8 * i, &value, sizeof value);
    }
    return (const uint64_t *)(void *)out;
}

const uint8_t *kith_i_text_u8(kith_i_text *t, uint64_t *count)
{
    return values(t, 1, 1, count);
}
