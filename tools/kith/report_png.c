/* A small grey PNG as a data URI: a tenth of the size of SVG rectangles. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report.h"

static void big_endian(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Append a chunk; the number of bytes. */
static size_t add_chunk(unsigned char *out, const char *type,
                        const unsigned char *data, size_t size)
{
    big_endian(out, (uint32_t)size);
    memcpy(out + 4, type, 4);
    if (size)
        memcpy(out + 8, data, size);
    big_endian(out + 8 + size, (uint32_t)crc32(0, out + 4, (uInt)size + 4));
    return size + 12;
}

static void print_base64(FILE *file, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)data[i] << 16;
        word |= i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0;
        word |= i + 2 < size ? data[i + 2] : 0;
        putc(digits[word >> 18], file);
        putc(digits[word >> 12 & 63], file);
        putc(i + 1 < size ? digits[word >> 6 & 63] : '=', file);
        putc(i + 2 < size ? digits[word & 63] : '=', file);
    }
}

void report_image(FILE *file, const unsigned char *grey, uint32_t width,
                  uint32_t height, const char *alt)
{
    size_t raw = ((size_t)width + 1) * height;
    uLongf packed = compressBound(raw);
    unsigned char head[13] = {0};
    unsigned char *lines = calloc(raw, 1), *data = malloc(packed),
                  *png = malloc(packed + 100);
    for (uint32_t y = 0; lines && y < height; y++) /* filter 0: as it is */
        memcpy(lines + y * ((size_t)width + 1) + 1, grey + (size_t)y * width,
               width);
    if (lines && data && png &&
        compress2(data, &packed, lines, raw, 9) == Z_OK) {
        size_t n = 8;
        memcpy(png, "\x89PNG\r\n\x1a\n", 8);
        big_endian(head, width);
        big_endian(head + 4, height);
        head[8] = 8; /* bits; grey */
        n += add_chunk(png + n, "IHDR", head, sizeof head);
        n += add_chunk(png + n, "IDAT", data, packed);
        n += add_chunk(png + n, "IEND", NULL, 0);
        fprintf(file, "<img alt=\"%s\" src=\"data:image/png;base64,", alt);
        print_base64(file, png, n);
        fputs("\">", file);
    }
    free(lines);
    free(data);
    free(png);
}
