/* Column selection for CSV, TSV and NPY. */
#include "reader_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/base_i.h"

enum { SHOWN = 48 };

static const char *name_of(const kith_i_names *names, uint32_t column)
{
    return names->text + names->at[column];
}

/* Text that may be shown: cut, without control bytes. */
static void make_printable(const char *name, char shown[SHOWN + 4])
{
    size_t n = 0;
    for (; n < SHOWN && name[n]; n++) {
        unsigned char c = (unsigned char)name[n];
        shown[n] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
    }
    if (name[n]) {
        while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
            n--; /* not in the middle of a UTF-8 character */
        memcpy(shown + n, "...", 3);
        n += 3;
    }
    shown[n] = 0;
}

void kith_i_columns_describe(uint32_t column, const kith_i_names *names,
                             char text[KITH_I_COLUMN_TEXT])
{
    char shown[SHOWN + 4];
    if (names && *name_of(names, column)) {
        make_printable(name_of(names, column), shown);
        snprintf(text, KITH_I_COLUMN_TEXT, "column %u (%s)", column + 1, shown);
    } else {
        snprintf(text, KITH_I_COLUMN_TEXT, "column %u", column + 1);
    }
}

/* A number from 1 as an index from 0; KITH_I_NO_SLOT when it is not one. */
static uint32_t parse_number(const char *text, uint32_t file_count)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && n <= file_count; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    if (*p || n == 0 || n > file_count)
        return KITH_I_NO_SLOT;
    return (uint32_t)(n - 1);
}

static kith_status find_column(const char *wanted, const char *file,
                               uint32_t file_count, const kith_i_names *names,
                               uint32_t *out, kith_error *err)
{
    char shown[SHOWN + 4];
    make_printable(wanted, shown);
    uint32_t found = KITH_I_NO_SLOT;
    for (uint32_t i = 0; names && i < names->count; i++) {
        if (strcmp(name_of(names, i), wanted) != 0)
            continue;
        if (found != KITH_I_NO_SLOT)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%s: line 1: more than one column is named "
                               "\"%s\"; choose it by number",
                               file, shown);
        found = i;
    }
    if (found == KITH_I_NO_SLOT)
        found = parse_number(wanted, file_count);
    if (found == KITH_I_NO_SLOT)
        return kith_i_fail(
            err, KITH_ERR_INPUT, "%s: there is no column \"%s\"%s", file, shown,
            names ? "; use a name from its header or a number from 1"
                  : "; without a header use numbers from 1 in --columns");
    *out = found;
    return KITH_OK;
}

/* A column that has one of the expected names, and not at its place: rows would
 * be held against the wrong features. */
static kith_status check_place(const kith_source_options *opt, const char *file,
                               const kith_i_names *names, uint32_t column,
                               uint32_t place, kith_error *err)
{
    char shown[KITH_I_COLUMN_TEXT];
    if (!names || opt->expected_count != opt->column_count)
        return KITH_OK;
    size_t own = 0;
    while (own < opt->expected_count &&
           strcmp(opt->expected[own], name_of(names, column)) != 0)
        own++;
    if (own == opt->expected_count || own == place)
        return KITH_OK;
    kith_i_columns_describe(column, names, shown);
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "%s: %s is feature %zu of the model and stands at place "
                       "%u of --columns: give the columns in the model's "
                       "order, or leave --columns out",
                       file, shown, own + 1, place + 1);
}

static kith_status choose_some(const kith_source_options *opt, const char *file,
                               const kith_i_names *names, kith_i_columns *out,
                               kith_error *err)
{
    for (uint32_t i = 0; i < out->file_count; i++)
        out->slot[i] = KITH_I_NO_SLOT;
    for (uint32_t j = 0; j < out->count; j++) {
        uint32_t column = 0;
        if (!opt->columns[j])
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "columns[%u] is NULL: give a name or a number",
                               j);
        kith_status status = find_column(opt->columns[j], file, out->file_count,
                                         names, &column, err);
        if (status)
            return status;
        if (column == out->user)
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "%s: column %u is --user-column, so it is no "
                               "feature: leave it out of --columns",
                               file, column + 1);
        if (out->slot[column] != KITH_I_NO_SLOT)
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "%s: column %u is chosen twice; name each "
                               "column once in --columns",
                               file, column + 1);
        status = check_place(opt, file, names, column, j, err);
        if (status)
            return status;
        out->slot[column] = j;
        out->column[j] = column;
    }
    return KITH_OK;
}

/* Every column but the one that says whose row it is, in the file's order. */
static void choose_all(kith_i_columns *out)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < out->file_count; i++) {
        out->slot[i] = i == out->user ? KITH_I_NO_SLOT : j;
        if (i != out->user)
            out->column[j++] = i;
    }
}

kith_status kith_i_columns_choose(const kith_source_options *opt,
                                  const char *file, uint32_t file_count,
                                  const kith_i_names *names,
                                  kith_i_columns *out, kith_error *err)
{
    kith_i_columns chosen = {
        .file_count = file_count, .count = file_count, .user = KITH_I_NO_SLOT};
    kith_status status = KITH_OK;
    if (opt->user_column)
        status = find_column(opt->user_column, file, file_count, names,
                             &chosen.user, err);
    if (status)
        return status;
    chosen.count -= opt->user_column ? 1 : 0;
    chosen.all = opt->column_count == 0 && !opt->user_column;
    if (opt->column_count > 0) {
        if (opt->column_count > file_count)
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "%s: has %u column%s, fewer than the %zu that "
                               "are wanted (by --columns, by names in a "
                               "bounds file, or by a model)",
                               file, file_count, file_count == 1 ? "" : "s",
                               opt->column_count);
        chosen.count = (uint32_t)opt->column_count;
    }
    chosen.slot = kith_i_alloc(file_count, sizeof *chosen.slot);
    chosen.column = kith_i_alloc(chosen.count, sizeof *chosen.column);
    if (!chosen.slot || !chosen.column)
        status = kith_i_fail_memory(err);
    else if (opt->column_count > 0)
        status = choose_some(opt, file, names, &chosen, err);
    else
        choose_all(&chosen);
    if (status) {
        kith_i_columns_clear(&chosen);
        return status;
    }
    *out = chosen;
    return KITH_OK;
}

void kith_i_columns_clear(kith_i_columns *columns)
{
    kith_i_free(columns->slot);
    kith_i_free(columns->column);
    *columns = (kith_i_columns){0};
}

void kith_i_names_clear(kith_i_names *names)
{
    if (names->text)
        kith_i_wipe_free(names->text, names->text_bytes);
    kith_i_free(names->at);
    *names = (kith_i_names){0};
}
