/* Reading a file that anybody may have made, and noting what is wrong. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "verify_i.h"

char *verify_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t used = 0, capacity = 0;
    int bad = !file;
    while (!bad) {
        if (used == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *grown = realloc(data, capacity);
            bad = !grown;
            data = grown ? grown : data;
        }
        size_t n = bad ? 0 : fread(data + used, 1, capacity - used, file);
        used += n;
        if (n == 0)
            break;
    }
    bad = bad || ferror(file);
    if (file)
        fclose(file);
    if (bad) {
        free(data);
        return NULL;
    }
    *size = used;
    return data;
}

static int too_deep(const json_t *value, int left)
{
    const json_t *inside;
    const char *key;
    size_t i;
    if (left == 0)
        return 1;
    json_array_foreach(value, i, inside)
    {
        if ((json_is_array(inside) || json_is_object(inside)) &&
            too_deep(inside, left - 1))
            return 1;
    }
    if (!json_is_object(value))
        return 0;
    json_object_foreach((json_t *)value, key, inside)
    {
        if ((json_is_array(inside) || json_is_object(inside)) &&
            too_deep(inside, left - 1))
            return 1;
    }
    return 0;
}

void verify_read(finding *f, const char *path)
{
    size_t size = 0;
    json_error_t error = {0};
    char *data = verify_load(path, &size);
    if (!data) {
        f->fatal = "the file cannot be read";
        return;
    }
    f->json = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
    free(data);
    enum json_error_code why = json_error_code(&error);
    if (!f->json && why == json_error_duplicate_key)
        f->fatal = "a field is given twice";
    else if (!f->json && why != json_error_stack_overflow)
        f->fatal = "it is not JSON";
    else if (!f->json || too_deep(f->json, MOST_DEPTH))
        f->fatal = "it is nested too deeply";
    else if (!json_is_integer(json_object_get(f->json, "kith")))
        f->fatal = "no field 'kith'";
    else if (!json_is_object(json_object_get(f->json, "privacy")))
        f->fatal = "no field 'privacy'";
}

int verify_number(const json_t *value, double least, double most, double *out)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= least && number <= most))
        return 0;
    *out = number;
    return 1;
}

int verify_usual(const json_t *value, double *out)
{
    return verify_number(value, 1e-60, 1e60, out);
}

void verify_clean(const char *text, size_t length, char *out, size_t size)
{
    size_t n = length < size - 1 ? length : size - 1;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        out[i] = c >= 32 && c < 127 && c != '"' && c != '\\' ? c : '?';
    }
    out[n] = 0;
}

static void append(finding *f, problem_list *list, const char *where,
                   char *words)
{
    size_t n = list->count;
    if ((n & (n - 1)) == 0) { /* a power of two, or none: it is full */
        problem *grown =
            realloc(list->items, (n ? 2 * n : 1) * sizeof *list->items);
        if (!grown) {
            f->no_memory = 1;
            free(words);
            return;
        }
        list->items = grown;
    }
    char *copy = strdup(where);
    f->no_memory |= !copy || !words;
    problem *last = &list->items[list->count++];
    last->where = copy;
    last->words = words;
}

static char *format_words(const char *format, va_list list)
{
    char *words;
    return vasprintf(&words, format, list) < 0 ? NULL : words;
}

void verify_bad(finding *f, const char *where, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(f, &f->wrong, where, format_words(format, list));
    va_end(list);
}

void verify_strange(finding *f, const char *where, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(f, &f->unknown, where, format_words(format, list));
    va_end(list);
}

void verify_beyond(finding *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(f, &f->beyond, "file", format_words(format, list));
    va_end(list);
}
