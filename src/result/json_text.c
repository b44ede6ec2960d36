/* JSON that people can read: jansson prints either everything on one line or
 * every number on its own, so the outer layers are laid out here. */
#include "json_text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/base_i.h"
#include "kith/model.h"

enum { FLAGS = JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY };

/* ---- a text that grows --------------------------------------------------- */

typedef struct {
    char *start; /* NULL: nothing yet */
    size_t used, room;
} growing;

/* jansson's callback; nonzero when memory is short. */
static int append(const char *bytes, size_t count, void *arg)
{
    growing *text = arg;
    if (count >= text->room - text->used) {
        size_t room = 2 * text->room + count + 4096;
        char *more = text->start
                         ? kith_i_resize(text->start, text->room, room, 1)
                         : kith_i_alloc(room, 1);
        if (!more)
            return -1;
        text->start = more;
        text->room = room;
    }
    memcpy(text->start + text->used, bytes, count);
    text->used += count;
    return 0;
}

static int append_words(growing *text, const char *words)
{
    return append(words, strlen(words), text);
}

/* words, then a new line that begins with so many spaces. */
static int append_line(growing *text, const char *words, int indent)
{
    static const char spaces[] = "                ";
    size_t most = sizeof spaces - 1, count = (size_t)indent;
    return append_words(text, words) || append("\n", 1, text) ||
           append(spaces, count < most ? count : most, text);
}

/* ---- numbers ------------------------------------------------------------- */

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

static int print_flat(growing *text, const json_t *value)
{
    return json_dump_callback(value, append, text, FLAGS);
}

/* Many numbers: jansson would take a good part of a run's time. */
static int print_numbers(growing *text, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        char digits[32];
        const char *known = json_is_real(value)
                                ? real_text(json_real_value(value), digits)
                                : NULL;
        if (append_words(text, i ? ", " : "["))
            return -1;
        if (known ? append_words(text, known) : print_flat(text, value))
            return -1;
    }
    return append("]", 1, text);
}

/* ---- layers -------------------------------------------------------------- */

static int is_container(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

static int print_value(growing *text, const json_t *value, int indent);

static int print_object(growing *text, const json_t *object, int indent)
{
    const char *key, *separator = "{";
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        json_t *name = json_string(key);
        int bad = append_line(text, separator, indent + 2) || !name ||
                  print_flat(text, name);
        json_decref(name);
        if (bad || append_words(text, ": ") ||
            print_value(text, value, indent + 2))
            return -1;
        separator = ",";
    }
    return append_line(text, "", indent) || append("}", 1, text);
}

static int print_rows(growing *text, const json_t *array, int indent)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *row = json_array_get(array, i);
        int numbers = json_is_real(json_array_get(row, 0));
        if (append_line(text, i ? "," : "[", indent + 2) ||
            (numbers ? print_numbers(text, row) : print_flat(text, row)))
            return -1;
    }
    return append_line(text, "", indent) || append("]", 1, text);
}

static int print_value(growing *text, const json_t *value, int indent)
{
    if (json_is_object(value) && json_object_size(value))
        return print_object(text, value, indent);
    if (json_is_array(value) && is_container(json_array_get(value, 0)))
        return print_rows(text, value, indent);
    return print_flat(text, value);
}

kith_status kith_i_json_text(json_t *value, char **out, kith_error *err)
{
    growing text = {0};
    int bad = !value || print_value(&text, value, 0) || append("\n", 2, &text);
    json_decref(value);
    if (bad) {
        kith_i_free(text.start);
        return kith_i_fail_memory(err);
    }
    *out = text.start;
    return KITH_OK;
}

/* ---- building ------------------------------------------------------------ */

int kith_i_json_put(json_t *object, const char *key, json_t *value, int *failed)
{
    if (!json_object_set_new(object, key, value))
        return 0;
    *failed = 1;
    return -1;
}

json_t *kith_i_json_done(json_t *object, int failed)
{
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* ---- public ---- */

kith_status kith_json_layout(const char *json, char **out, kith_error *err)
{
    json_error_t error;
    if (!json || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "kith_json_layout: json and out are required");
    json_t *value = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!value && json_error_code(&error) == json_error_out_of_memory)
        return kith_i_fail_memory(err);
    if (!value)
        return kith_i_fail(err, KITH_ERR_INPUT, "line %d: not a JSON object",
                           error.line);
    return kith_i_json_text(value, out, err);
}

void kith_text_free(char *text)
{
    kith_i_free(text);
}
