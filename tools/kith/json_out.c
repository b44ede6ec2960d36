/* JSON that people can read: jansson prints either everything on one line or
 * every number on its own, so the outer layers are laid out here. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "model.h"

enum { FLAGS = JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY };

static int is_container(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

static int print_flat(FILE *file, const json_t *value)
{
    char *text = json_dumps(value, FLAGS);
    if (!text)
        return -1;
    fputs(text, file);
    free(text);
    return 0;
}

/* The text of a number as jansson has it (%.17g, and always a point), exactly:
 * x = m 2^-s, and 17 digits are m 10^p 2^-s, rounded to even, in integers. NULL
 * outside of .0001 to 1e15, where that might not fit. */
static const char *real_text(double x, char text[32])
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t least = 10000000000000000u; /* 17 digits */
    int exponent, scale = 0;
    double size = fabs(x);
    if (x == 0)
        return signbit(x) ? "-0.0" : "0.0";
    if (!(size >= 1e-4 && size < 1e15))
        return NULL;
    uint64_t m = (uint64_t)ldexp(frexp(size, &exponent), 53), digits = 0;
    int s = 53 - exponent, fits = 0;
    double power = 10;
    while (power <= size) { /* size is about 10^scale, or less */
        power *= 10;
        scale++;
    }
    while (!fits) {
        wide product = m;
        for (int p = 0; p < 16 - scale; p++)
            product *= 10;
        wide rest = product & (((wide)1 << s) - 1), half = (wide)1 << (s - 1);
        digits = (uint64_t)(product >> s);
        digits += rest > half || (rest == half && (digits & 1));
        fits = digits >= least && digits < 10 * least;
        scale += fits ? 0 : digits < least ? -1 : 1;
    }
    char *end = text + 31, *at = end;
    *end = 0;
    for (int place = scale - 16; place <= 0 || digits > 0; place++) {
        int digit = (int)(digits % 10);
        digits /= 10;
        if (place == 0 && at == end) /* nothing behind the point */
            *--at = '0';
        if (place == 0)
            *--at = '.';
        if (place >= 0 || digit || at < end)
            *--at = (char)('0' + digit);
    }
    if (x < 0)
        *--at = '-';
    return at;
}

/* Many numbers: jansson would take a good part of a run's time. */
static int print_numbers(FILE *file, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        char text[32];
        const char *known = json_is_real(value)
                                ? real_text(json_real_value(value), text)
                                : NULL;
        fputs(i ? ", " : "[", file);
        if (known)
            fputs(known, file);
        else if (print_flat(file, value))
            return -1;
    }
    putc(']', file);
    return 0;
}

static int print_value(FILE *file, const json_t *value, int indent);

static int print_object(FILE *file, const json_t *object, int indent)
{
    const char *key, *separator = "{";
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        json_t *name = json_string(key);
        fprintf(file, "%s\n%*s", separator, indent + 2, "");
        int bad = !name || print_flat(file, name);
        json_decref(name);
        fputs(": ", file);
        if (bad || print_value(file, value, indent + 2))
            return -1;
        separator = ",";
    }
    fprintf(file, "\n%*s}", indent, "");
    return 0;
}

static int print_rows(FILE *file, const json_t *array, int indent)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        fprintf(file, "%s\n%*s", i ? "," : "[", indent + 2, "");
        const json_t *row = json_array_get(array, i);
        int numbers = json_is_real(json_array_get(row, 0));
        if (numbers ? print_numbers(file, row) : print_flat(file, row))
            return -1;
    }
    fprintf(file, "\n%*s]", indent, "");
    return 0;
}

static int print_value(FILE *file, const json_t *value, int indent)
{
    if (json_is_object(value) && json_object_size(value))
        return print_object(file, value, indent);
    if (json_is_array(value) && is_container(json_array_get(value, 0)))
        return print_rows(file, value, indent);
    return print_flat(file, value);
}

int json_out(FILE *file, const json_t *value)
{
    int bad = print_value(file, value, 0);
    putc('\n', file);
    return bad;
}
