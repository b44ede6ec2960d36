/* CSV and TSV: records to rows of doubles. The common case (a plain number)
 * is one call of kith_i_number_scan; everything else goes to odd_field. Blank
 * lines are skipped, but for files of one column, where they are rows without
 * their value. A file may have no rows: a header, --columns or --dimension
 * then tells the number of features. */
#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "base/domain.h"
#include "reader_columns.h"
#include "reader_header.h"
#include "reader_number.h"
#include "reader_record.h"
#include "reader_shard.h"
#include "reader_value.h"
#include "users.h"

enum {
    PADDING = 16,        /* after the rows: numbers are read in words        */
    TAKE_BYTES = 4 << 20 /* of rows at a time, when lines are long          */
};

static const kith_i_dialect csv = {.separator = ',', .blank = '\t'};
static const kith_i_dialect tsv = {.separator = '\t', .blank = ' '};

#define MISSING                                                                \
    "has no value; fill it in, or leave such rows out with --missing drop"

typedef struct {
    kith_i_records records;
    kith_i_layout *layout;
    kith_i_dialect own; /* of the records */
    int plain; /* numbers with a point, no words of its own: the fast way */
    kith_i_columns columns;
    kith_i_names names;
    int has_names;
    kith_status held; /* a failure after rows that were taken */
    kith_error why;
} text_shard;

static kith_status fail_nul(const text_shard *shard, const kith_i_record *rec,
                            kith_error *err)
{
    return kith_i_record_fail(
        &shard->records, rec->line,
        "there is a NUL byte; save the file as UTF-8 text", err);
}

static kith_status fail_ragged(const text_shard *shard,
                               const kith_i_record *rec, size_t found,
                               kith_error *err)
{
    return kith_i_fail(
        err, KITH_ERR_INPUT, "%s: line %llu: expected %u fields, found %zu",
        kith_i_stream_name(shard->records.stream),
        (unsigned long long)rec->line, shard->columns.file_count, found);
}

static kith_status fail_column(const text_shard *shard,
                               const kith_i_record *rec, uint32_t column,
                               const char *problem, kith_error *err)
{
    /* A header that nobody vouched for may be a row. */
    int named =
        shard->has_names && shard->layout->opt.header == KITH_HEADER_YES;
    char text[KITH_I_COLUMN_TEXT];
    kith_i_columns_describe(column, named ? &shard->names : NULL, text);
    return kith_i_fail(err, KITH_ERR_INPUT, "%s: line %llu: %s %s",
                       kith_i_stream_name(shard->records.stream),
                       (unsigned long long)rec->line, text, problem);
}

/* A field that is not just a number: quoted, missing, skipped or wrong.
 * *at: where it begins, then its separator. Leaves *value alone when nobody
 * asked or it is missing. */
static kith_status odd_field(const text_shard *shard, const kith_i_record *rec,
                             uint32_t column, const char **at, double *value,
                             int *missing, kith_error *err)
{
    kith_i_field field;
    *at = kith_i_field_cut(shard->records.dialect, *at, rec->end, &field);
    if (field.broken)
        return fail_column(shard, rec, column,
                           "has something after its closing quote", err);
    if (shard->columns.slot[column] == KITH_I_NO_SLOT || !value)
        return KITH_OK;
    size_t length = (size_t)(field.end - field.begin);
    kith_i_value kind =
        kith_i_field_value(shard->records.dialect, &field, value);
    *missing = kind == KITH_I_VALUE_MISSING;
    if (kind != KITH_I_VALUE_NEITHER)
        return KITH_OK;
    /* A shifted row shows up as a wrong value first: name the real trouble. */
    size_t found =
        kith_i_field_count(shard->records.dialect, rec->begin, rec->end);
    if (found != shard->columns.file_count)
        return fail_ragged(shard, rec, found, err);
    if (memchr(field.begin, 0, length))
        return fail_nul(shard, rec, err);
    return fail_column(shard, rec, column,
                       "is not a number; choose numeric columns with "
                       "--columns, or say with --missing-values which words "
                       "mean that there is no value",
                       err);
}

/* One row into out; *keep: 0 when a value is missing and such rows are
 * dropped. user: NULL when nobody asks whose it is. */
static kith_status parse_row(const text_shard *shard, const kith_i_record *rec,
                             double *out, kith_i_user *user, int *keep,
                             kith_error *err)
{
    const kith_i_dialect *dialect = shard->records.dialect;
    const kith_i_columns *columns = &shard->columns;
    const char *p = rec->begin, *end = rec->end, *stop = end;
    uint32_t gap = KITH_I_NO_SLOT, column = 0;
    for (;; p = stop + 1, column++) {
        if (column == columns->file_count)
            return fail_ragged(
                shard, rec, kith_i_field_count(dialect, rec->begin, end), err);
        uint32_t slot = columns->slot[column];
        double *value = NULL;
        if (slot != KITH_I_NO_SLOT) {
            value = out + slot;
            p = kith_i_field_trim(dialect, p, end);
            stop = shard->plain ? kith_i_number_scan(p, value) : NULL;
            if (stop)
                stop = kith_i_field_trim(dialect, stop, end);
        }
        if (!value || !stop || !isfinite(*value) ||
            (stop != end && *stop != dialect->separator)) {
            int missing = 0;
            stop = p;
            kith_status status =
                odd_field(shard, rec, column, &stop, value, &missing, err);
            if (status)
                return status;
            if (column == columns->user)
                missing = kith_i_user_find(dialect, p, end, user);
            if (missing && gap == KITH_I_NO_SLOT)
                gap = column;
        }
        if (stop == end)
            break;
    }
    if (column + 1 != columns->file_count)
        return fail_ragged(shard, rec, column + 1, err);
    if (!columns->all && memchr(rec->begin, 0, (size_t)(end - rec->begin)))
        return fail_nul(shard, rec, err);
    *keep = gap == KITH_I_NO_SLOT;
    if (!*keep && shard->layout->opt.missing == KITH_MISSING_ERROR)
        return fail_column(shard, rec, gap, MISSING, err);
    return KITH_OK;
}

/* Behind `used` bytes of raw, as row raw->rows. */
static kith_status keep_record(kith_i_raw *raw, const kith_i_record *rec,
                               size_t used, kith_error *err)
{
    kith_status status =
        kith_i_raw_reserve(raw, used, used + rec->bytes + PADDING, err);
    if (status)
        return status;
    memcpy(raw->bytes + used, rec->begin, rec->bytes);
    raw->lines[raw->rows++] =
        (kith_i_raw_line){.begin = used,
                          .end = used + (size_t)(rec->end - rec->begin),
                          .number = rec->line};
    return KITH_OK;
}

/* A failure is kept back until the rows before it have been converted: they
 * may be at fault as well, and then come first. */
static kith_status text_take(void *state, uint32_t want, kith_i_raw *raw,
                             kith_error *err)
{
    text_shard *shard = state;
    size_t used = 0;
    if (raw->line_room < want) {
        kith_i_free(raw->lines);
        raw->lines = kith_i_alloc(want, sizeof *raw->lines);
        raw->line_room = raw->lines ? want : 0;
        if (!raw->lines)
            return kith_i_fail_memory(err);
    }
    while (!shard->held && raw->rows < want && used < TAKE_BYTES) {
        kith_i_record rec;
        shard->held = kith_i_record_find(
            &shard->records, shard->columns.file_count == 1, &rec, &shard->why);
        if (shard->held || !rec.begin)
            break;
        shard->held = keep_record(raw, &rec, used, &shard->why);
        if (shard->held)
            break;
        used += rec.bytes;
        kith_i_record_step_over(&shard->records, &rec);
    }
    if (raw->rows > 0)
        memset(raw->bytes + used, 0, PADDING);
    else if (shard->held && err)
        *err = shard->why;
    return raw->rows > 0 ? KITH_OK : shard->held;
}

static kith_status text_convert(const void *state, kith_i_raw *raw,
                                uint32_t most, double *out, uint32_t *kept,
                                kith_error *err)
{
    const text_shard *shard = state;
    size_t d = shard->layout->dimension;
    for (*kept = 0; most > 0 && raw->done < raw->rows; most--, raw->done++) {
        const kith_i_raw_line *line = &raw->lines[raw->done];
        kith_i_record rec = {.begin = raw->bytes + line->begin,
                             .end = raw->bytes + line->end,
                             .line = line->number};
        int keep = 0;
        kith_status status =
            parse_row(shard, &rec, out + *kept * d,
                      raw->users ? raw->users + *kept : NULL, &keep, err);
        if (status)
            return status;
        *kept += keep ? 1 : 0;
    }
    return KITH_OK;
}

static void text_close(void *state)
{
    text_shard *shard = state;
    if (!shard)
        return;
    kith_i_columns_clear(&shard->columns);
    kith_i_names_clear(&shard->names);
    kith_i_free(shard);
}

/* A blank line at the beginning that is a row without its only value. */
static kith_status check_blank(const text_shard *shard, kith_error *err)
{
    if (shard->layout->opt.missing == KITH_MISSING_DROP)
        return KITH_OK;
    kith_i_record blank = {.line = shard->records.blank};
    return fail_column(shard, &blank, 0, MISSING, err);
}

/* Find the columns in the first record, and the header if it is one. */
static kith_status read_first(text_shard *shard, const kith_i_record *rec,
                              kith_error *err)
{
    kith_i_layout *layout = shard->layout;
    const char *name = kith_i_stream_name(shard->records.stream);
    if (memchr(rec->begin, 0, (size_t)(rec->end - rec->begin)))
        return fail_nul(shard, rec, err);
    size_t count =
        kith_i_field_count(shard->records.dialect, rec->begin, rec->end);
    if (count > KITH_I_MAX_DIMENSION)
        return kith_i_fail(
            err, KITH_ERR_INPUT, "%s: line %llu: more than %u fields", name,
            (unsigned long long)shard->records.line, KITH_I_MAX_DIMENSION);
    kith_status status = KITH_OK;
    kith_i_header header = kith_i_header_find(
        &layout->opt, shard->records.dialect, rec->begin, rec->end);
    if (header == KITH_I_HEADER_UNCLEAR)
        return kith_i_record_fail(
            &shard->records, rec->line,
            "neither numbers nor the names of columns; if it is "
            "a header say --header, if not --no-header",
            err);
    if (header == KITH_I_HEADER_PRESENT) {
        status = kith_i_header_names(shard->records.dialect, rec->begin,
                                     rec->end, name, &shard->names, err);
        shard->has_names = !status;
    }
    const kith_i_names *names = shard->has_names ? &shard->names : NULL;
    if (!status)
        status = kith_i_columns_choose(&layout->opt, name, (uint32_t)count,
                                       names, &shard->columns, err);
    if (!status)
        status = kith_i_header_agree(layout, shard->records.dialect, name,
                                     &shard->columns, names, err);
    if (!status)
        status = kith_i_layout_settle(layout, shard->columns.count, name, err);
    if (status)
        return status;
    if (!names && shard->records.blank && count == 1)
        return check_blank(shard, err);
    if (names)
        kith_i_record_step_over(&shard->records, rec);
    return KITH_OK;
}

/* A file without a single record tells nothing; the options may. */
static kith_status read_none(text_shard *shard, kith_error *err)
{
    kith_i_layout *layout = shard->layout;
    const kith_source_options *opt = &layout->opt;
    if (shard->records.blank && opt->dimension == 1 && opt->column_count == 0) {
        kith_status status = check_blank(shard, err);
        if (status)
            return status;
    }
    size_t d = opt->column_count ? opt->column_count : opt->dimension;
    return d ? kith_i_layout_settle(
                   layout, d, kith_i_stream_name(shard->records.stream), err)
             : KITH_OK;
}

static kith_status skip_byte_order_mark(kith_i_stream *stream, kith_error *err)
{
    kith_i_window window;
    kith_status status = kith_i_stream_need(stream, 3, &window, err);
    if (!status && window.count >= 3 &&
        memcmp(window.data, "\xef\xbb\xbf", 3) == 0)
        kith_i_stream_skip(stream, 3);
    return status;
}

/* What the first line holds must not decide whether it is a row (I41). */
static kith_status check_header_known(const text_shard *shard, kith_error *err)
{
    const kith_source_options *opt = &shard->layout->opt;
    if (!opt->fixed_rows || opt->header != KITH_HEADER_AUTO)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "%s: say --header or --no-header: replace-one takes "
                       "the number of rows for public, so nobody may guess "
                       "from its contents whether the first line is one",
                       kith_i_stream_name(shard->records.stream));
}

static kith_status text_open(const kith_i_dialect *base, kith_i_stream *stream,
                             kith_i_layout *layout, void **out, kith_error *err)
{
    text_shard *shard = kith_i_alloc(1, sizeof *shard);
    if (!shard)
        return kith_i_fail_memory(err);
    *shard = (text_shard){.layout = layout,
                          .records = {.stream = stream,
                                      .fixed = layout->opt.fixed_rows != 0,
                                      .line = 1}};
    shard->records.dialect = &shard->own;
    kith_i_record rec = {0};
    kith_status status = kith_i_dialect_make(
        base, &layout->opt, kith_i_stream_name(stream), &shard->own, err);
    shard->plain = shard->own.decimal == '.' && shard->own.missing_count == 0;
    if (!status)
        status = skip_byte_order_mark(stream, err);
    if (!status)
        status = check_header_known(shard, err);
    if (!status)
        status = kith_i_record_find(&shard->records,
                                    shard->columns.file_count == 1, &rec, err);
    if (!status)
        status =
            rec.begin ? read_first(shard, &rec, err) : read_none(shard, err);
    if (status) {
        text_close(shard);
        return status;
    }
    *out = shard;
    return KITH_OK;
}

static kith_status csv_open(kith_i_stream *stream, kith_i_layout *layout,
                            void **out, kith_error *err)
{
    return text_open(&csv, stream, layout, out, err);
}

static kith_status tsv_open(kith_i_stream *stream, kith_i_layout *layout,
                            void **out, kith_error *err)
{
    return text_open(&tsv, stream, layout, out, err);
}

static kith_status text_cut(void *state, uint32_t part, uint32_t parts,
                            kith_error *err)
{
    text_shard *shard = state;
    return kith_i_stream_cut(shard->records.stream, part, parts, err);
}

const kith_i_shard_ops kith_i_shard_csv = {.open = csv_open,
                                           .cut = text_cut,
                                           .take = text_take,
                                           .convert = text_convert,
                                           .close = text_close};
const kith_i_shard_ops kith_i_shard_tsv = {.open = tsv_open,
                                           .cut = text_cut,
                                           .take = text_take,
                                           .convert = text_convert,
                                           .close = text_close};
