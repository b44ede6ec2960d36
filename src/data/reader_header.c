/* The header line of a CSV or TSV file: is there one, its names, and whether
 * the shards of a dataset agree. */
#include "reader_header.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "reader_value.h"

static int is_value(const kith_i_dialect *dialect, const kith_i_field *field)
{
    double value;
    return kith_i_field_value(dialect, field, &value) != KITH_I_VALUE_NEITHER;
}

/* Begins like a number. */
static int is_like_number(const kith_i_field *field)
{
    char c = field->begin < field->end ? *field->begin : 0;
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

kith_i_header kith_i_header_find(const kith_source_options *opt,
                                 const kith_i_dialect *dialect,
                                 const char *begin, const char *end)
{
    if (opt->header != KITH_HEADER_AUTO)
        return opt->header == KITH_HEADER_YES ? KITH_I_HEADER_PRESENT
                                              : KITH_I_HEADER_NONE;
    int words = 0, numbers = 0;
    for (const char *p = begin;; p++) {
        kith_i_field field;
        p = kith_i_field_cut(dialect, p, end, &field);
        words = words || !is_value(dialect, &field);
        numbers = numbers || is_like_number(&field);
        if (p == end)
            break;
    }
    if (!words)
        return KITH_I_HEADER_NONE;
    return numbers ? KITH_I_HEADER_UNCLEAR : KITH_I_HEADER_PRESENT;
}

/* Append the field's text to the names; there is room for it. */
static size_t copy_name(const kith_i_field *field, char *to)
{
    size_t n = 0;
    for (const char *p = field->begin; p < field->end; p++) {
        to[n++] = *p;
        if (field->quoted && *p == '"' && p + 1 < field->end && p[1] == '"')
            p++;
    }
    to[n++] = 0;
    return n;
}

kith_status kith_i_header_names(const kith_i_dialect *dialect,
                                const char *begin, const char *end,
                                const char *file, kith_i_names *out,
                                kith_error *err)
{
    size_t count = kith_i_field_count(dialect, begin, end);
    kith_i_names names = {.count = (uint32_t)count};
    names.text_bytes = (size_t)(end - begin) + count;
    names.text = kith_i_alloc(names.text_bytes, 1);
    names.at = kith_i_alloc(count + 1, sizeof *names.at);
    if (!names.text || !names.at) {
        kith_i_names_clear(&names);
        return kith_i_fail_memory(err);
    }
    const char *p = begin;
    for (size_t i = 0; i < count; i++, p++) {
        kith_i_field field;
        p = kith_i_field_cut(dialect, p, end, &field);
        if (field.broken) {
            kith_i_names_clear(&names);
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%s: header line: column %zu: something "
                               "follows its closing quote",
                               file, i + 1);
        }
        names.at[i + 1] =
            names.at[i] + copy_name(&field, names.text + names.at[i]);
    }
    *out = names;
    return KITH_OK;
}

/* The names of the chosen columns, in order, each ended by a NUL. */
static char *chosen_names(const kith_i_columns *columns,
                          const kith_i_names *names, size_t *bytes)
{
    size_t total = 0;
    for (uint32_t j = 0; j < columns->count; j++) {
        uint32_t c = columns->column[j];
        total += names->at[c + 1] - names->at[c];
    }
    char *text = kith_i_alloc(total, 1);
    if (!text)
        return NULL;
    *bytes = total;
    total = 0;
    for (uint32_t j = 0; j < columns->count; j++) {
        uint32_t c = columns->column[j];
        size_t n = names->at[c + 1] - names->at[c];
        memcpy(text + total, names->text + names->at[c], n);
        total += n;
    }
    return text;
}

/* Well-formed UTF-8 without control characters: it will stand in a model. */
static int is_printable(const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p;) {
        int more = *p < 0x80 ? 0 : *p >> 5 == 6 ? 1 : *p >> 4 == 14 ? 2 : 3;
        uint32_t code = more ? *p & (0x3fu >> more) : *p;
        if (*p < 0x20 || *p == 0x7f || (*p >= 0x80 && *p < 0xc2) || *p > 0xf4)
            return 0;
        p++;
        for (int i = 0; i < more; i++, p++) {
            if (*p >> 6 != 2)
                return 0;
            code = code << 6 | (*p & 0x3fu);
        }
        if ((more == 2 && code < 0x800) || (more == 3 && code < 0x10000) ||
            code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return 0;
    }
    return 1;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* *differ: no two columns of the file share a name. */
static kith_status compare_all(const kith_i_names *names, int *differ,
                               kith_error *err)
{
    const char **sorted = kith_i_alloc(names->count, sizeof *sorted);
    if (!sorted)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < names->count; i++)
        sorted[i] = names->text + names->at[i];
    qsort(sorted, names->count, sizeof *sorted, compare_text);
    *differ = 1;
    for (uint32_t i = 1; *differ && i < names->count; i++)
        *differ = strcmp(sorted[i - 1], sorted[i]) != 0;
    kith_i_free(sorted);
    return KITH_OK;
}

/* May the names of the chosen columns be published? Claim: then the line that
 * holds them is no row, so they are nobody's. Because: each chosen field of a
 * row is a number or a word for "no value", and none of these fields is. */
static int may_show(const kith_i_dialect *dialect,
                    const kith_i_columns *columns, const kith_i_names *names)
{
    for (uint32_t j = 0; j < columns->count; j++) {
        char text[KITH_I_NAME_BYTES + 16] = "";
        uint32_t c = columns->column[j];
        const char *name = names->text + names->at[c];
        size_t length = strlen(name);
        if (length == 0 || length > KITH_I_NAME_BYTES || !is_printable(name))
            return 0;
        memcpy(text, name, length);
        kith_i_field field = {.begin = text, .end = text + length};
        if (is_value(dialect, &field))
            return 0;
    }
    return 1;
}

static kith_status compare_names(const kith_i_layout *layout, const char *file,
                                 const kith_i_columns *columns,
                                 const kith_i_names *names, kith_error *err)
{
    const char *expected = layout->names;
    const char *stop = expected + layout->names_bytes;
    for (uint32_t j = 0; j < columns->count && expected < stop; j++) {
        uint32_t c = columns->column[j];
        if (strcmp(expected, names->text + names->at[c]) != 0)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%s: header line: column %u has another name "
                               "than in %s; choose columns by name with "
                               "--columns",
                               file, c + 1, layout->first);
        expected += strlen(expected) + 1;
    }
    return KITH_OK;
}

kith_status kith_i_header_agree(kith_i_layout *layout,
                                const kith_i_dialect *dialect, const char *file,
                                const kith_i_columns *columns,
                                const kith_i_names *names, kith_error *err)
{
    if (!layout->text_seen) {
        if (names) {
            layout->names = chosen_names(columns, names, &layout->names_bytes);
            if (!layout->names)
                return kith_i_fail_memory(err);
            int differ = 0; /* names that are not told apart are of no use */
            kith_status status = compare_all(names, &differ, err);
            if (status)
                return status;
            layout->names_shown = differ && may_show(dialect, columns, names);
        }
        layout->text_seen = 1;
        layout->has_header = names != NULL;
        layout->field_count = columns->file_count;
        return KITH_OK;
    }
    if (layout->has_header != (names != NULL))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: line 1: %s header line, unlike %s; if this "
                           "is wrong, say --header or --no-header",
                           file, names ? "has a" : "has no", layout->first);
    if (!names && layout->field_count != columns->file_count)
        return kith_i_fail(
            err, KITH_ERR_INPUT, "%s: line 1: has %u fields, but %s has %u",
            file, columns->file_count, layout->first, layout->field_count);
    return names ? compare_names(layout, file, columns, names, err) : KITH_OK;
}
