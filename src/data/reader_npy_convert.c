/* Items of an NPY array to doubles: one tight loop per width and kind. The
 * bytes are loaded by memcpy because nothing promises their alignment. */
#include "reader_npy_convert.h"

#include <string.h>

/* A constant size makes memcpy one instruction. */
void kith_i_npy_gather(const char *from, ptrdiff_t stride, char *to,
                       size_t to_stride, size_t count, size_t item)
{
    for (size_t i = 0; i < count; i++, from += stride, to += to_stride)
        switch (item) {
        case 1:
            *to = *from;
            break;
        case 2:
            memcpy(to, from, 2);
            break;
        case 4:
            memcpy(to, from, 4);
            break;
        default:
            memcpy(to, from, 8);
            break;
        }
}

static uint16_t load16(const char *from, int swapped)
{
    uint16_t v;
    memcpy(&v, from, sizeof v);
    return swapped ? __builtin_bswap16(v) : v;
}

static uint32_t load32(const char *from, int swapped)
{
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return swapped ? __builtin_bswap32(v) : v;
}

static uint64_t load64(const char *from, int swapped)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return swapped ? __builtin_bswap64(v) : v;
}

/* IEEE half precision, exactly: move the fields into a double. */
static double half_to_double(uint16_t h)
{
    uint64_t sign = (uint64_t)(h >> 15) << 63, fraction = h & 0x3ff;
    unsigned exponent = h >> 10 & 0x1f;
    double value;
    if (exponent == 0) { /* zero or subnormal: a multiple of 2^-24 */
        value = (double)fraction * 0x1p-24;
        return sign ? -value : value;
    }
    uint64_t wide = exponent == 0x1f ? 0x7ff : exponent + (1023 - 15);
    uint64_t bits = sign | wide << 52 | fraction << 42;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void convert_float(const kith_i_npy *npy, const char *from, size_t count,
                          double *to)
{
    int swapped = npy->swapped;
    if (npy->item == 2) {
        for (size_t i = 0; i < count; i++)
            to[i] = half_to_double(load16(from + 2 * i, swapped));
    } else if (npy->item == 4) {
        for (size_t i = 0; i < count; i++) {
            uint32_t bits = load32(from + 4 * i, swapped);
            float value;
            memcpy(&value, &bits, sizeof value);
            to[i] = (double)value;
        }
    } else if (!swapped) {
        memcpy(to, from, count * sizeof *to);
    } else {
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = load64(from + 8 * i, 1);
            memcpy(&to[i], &bits, sizeof bits);
        }
    }
}

static void convert_signed(const kith_i_npy *npy, const char *from,
                           size_t count, double *to)
{
    int swapped = npy->swapped;
    if (npy->item == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)(int8_t)from[i];
    else if (npy->item == 2)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)(int16_t)load16(from + 2 * i, swapped);
    else if (npy->item == 4)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)(int32_t)load32(from + 4 * i, swapped);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = (double)(int64_t)load64(from + 8 * i, swapped);
}

static void convert_unsigned(const kith_i_npy *npy, const char *from,
                             size_t count, double *to)
{
    int swapped = npy->swapped;
    if (npy->item == 1)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)(uint8_t)from[i];
    else if (npy->item == 2)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)load16(from + 2 * i, swapped);
    else if (npy->item == 4)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)load32(from + 4 * i, swapped);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = (double)load64(from + 8 * i, swapped);
}

void kith_i_npy_convert(const kith_i_npy *npy, const char *from, size_t count,
                        double *to)
{
    if (npy->kind == 'f')
        convert_float(npy, from, count, to);
    else if (npy->kind == 'i')
        convert_signed(npy, from, count, to);
    else if (npy->kind == 'u')
        convert_unsigned(npy, from, count, to);
    else
        for (size_t i = 0; i < count; i++)
            to[i] = from[i] ? 1 : 0;
}

/* An exponent of ones, plus one, carries into the sign. */
int kith_i_npy_all_finite(const double *values, size_t count)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52, one = (uint64_t)1 << 52;
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bad |= (bits & exponent) + one;
    }
    return !(bad >> 63);
}
