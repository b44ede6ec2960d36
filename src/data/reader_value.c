/* Values of fields: numbers with a point or a comma, words for "no value". */
#include "reader_value.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "reader_number.h"

enum { LONGEST = 480, PADDING = 16 }; /* of a number with a comma */

/* The number in a field with a decimal comma; nonzero: it is none. A point in
 * it groups digits, or is a mistake: refused, for 1.234 is not 1.234 here. */
static int comma_number(const kith_i_field *field, double *out)
{
    char text[LONGEST + PADDING] = "";
    size_t length = (size_t)(field->end - field->begin);
    if (length == 0 || length > LONGEST || memchr(field->begin, '.', length))
        return -1;
    memcpy(text, field->begin, length);
    char *comma = memchr(text, ',', length);
    if (comma)
        *comma = '.';
    const char *stop = kith_i_number_scan(text, out);
    int bad = stop != text + length;
    kith_i_wipe(text, sizeof text);
    return bad;
}

static int plain_number(const kith_i_field *field, double *out)
{
    const char *stop = kith_i_number_scan(field->begin, out);
    return !stop || stop != field->end;
}

static int field_number(const kith_i_dialect *dialect,
                        const kith_i_field *field, double *out)
{
    return dialect->decimal == ',' ? comma_number(field, out)
                                   : plain_number(field, out);
}

/* Is the word a number, written with a point, and this one? */
static int word_is_number(const char *word, double value)
{
    char text[LONGEST + PADDING] = "";
    double number;
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST)
        return 0;
    memcpy(text, word, length);
    const char *stop = kith_i_number_scan(text, &number);
    return stop == text + length && !(number < value) && !(number > value);
}

kith_i_value kith_i_field_value(const kith_i_dialect *dialect,
                                const kith_i_field *field, double *out)
{
    double value = 0;
    size_t length = (size_t)(field->end - field->begin);
    int number = !field_number(dialect, field, &value);
    for (size_t i = 0; i < dialect->missing_count; i++) {
        const char *word = dialect->missing[i];
        if ((strlen(word) == length && !memcmp(word, field->begin, length)) ||
            (number && word_is_number(word, value)))
            return KITH_I_VALUE_MISSING;
    }
    if (number && isfinite(value)) {
        *out = value;
        return KITH_I_VALUE_NUMBER;
    }
    return number || kith_i_number_is_missing(field->begin, length)
               ? KITH_I_VALUE_MISSING
               : KITH_I_VALUE_NEITHER;
}

int kith_i_field_is_missing(const kith_i_dialect *dialect,
                            const kith_i_field *field)
{
    size_t length = (size_t)(field->end - field->begin);
    for (size_t i = 0; i < dialect->missing_count; i++)
        if (strlen(dialect->missing[i]) == length &&
            !memcmp(dialect->missing[i], field->begin, length))
            return 1;
    return kith_i_number_is_missing(field->begin, length);
}

kith_status kith_i_dialect_make(const kith_i_dialect *base,
                                const kith_source_options *opt,
                                const char *file, kith_i_dialect *out,
                                kith_error *err)
{
    *out = *base;
    if ((opt->delimiter && !strchr(",;:|\t", opt->delimiter)) ||
        (opt->decimal && opt->decimal != '.' && opt->decimal != ','))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the delimiter is one of , ; : | and tab, the "
                           "decimal mark is . or ,");
    for (size_t i = 0; i < opt->missing_value_count; i++)
        if (!opt->missing_values || !opt->missing_values[i])
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "a word of missing_values is NULL");
    if (opt->delimiter) {
        out->separator = opt->delimiter;
        out->blank = opt->delimiter == '\t' ? ' ' : '\t';
    }
    out->decimal = opt->decimal ? opt->decimal : '.';
    out->missing = opt->missing_values;
    out->missing_count = opt->missing_value_count;
    if (out->decimal == out->separator)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%s: a decimal comma needs another character "
                           "between values; say --delimiter ';' or what it is",
                           file);
    return KITH_OK;
}
