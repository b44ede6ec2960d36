/* Records of a CSV or TSV file. Where the number of rows is public (I41) a line
 * is a record, whatever it and its neighbours hold: a quote that goes on would
 * let one row swallow the next. */
#include "reader_record.h"

#include <string.h>

#include "base/base_i.h"
#include "reader_shard.h"

kith_status kith_i_record_fail(const kith_i_records *records, uint64_t line,
                               const char *problem, kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT, "%s: line %llu: %s",
                       kith_i_stream_name(records->stream),
                       (unsigned long long)line, problem);
}

/* A line with a quote in it may go on after the newline. */
static kith_status extend(const kith_i_records *records, kith_i_line *line,
                          uint64_t *lines, kith_error *err)
{
    kith_i_quoting state = kith_i_field_follow(
        records->dialect, line->data, line->length, KITH_I_FIELD_START);
    while (state == KITH_I_FIELD_QUOTED) {
        if (kith_i_stream_is_cut(records->stream)) /* perhaps in such a row */
            return kith_i_record_fail(
                records, records->line,
                "a row of several lines, in a file that is cut at line ends: "
                "give at least as many files as ranks, or compress it",
                err);
        if (!line->newline)
            return kith_i_record_fail(records, records->line,
                                      "a quote is opened and never closed",
                                      err);
        if (records->fixed)
            return kith_i_record_fail(
                records, records->line,
                "a quoted field goes on in the next line: replace-one takes "
                "the number of rows for public, so every line must be one; "
                "take newlines out of fields, or use --adjacency add-remove",
                err);
        size_t from = line->length + 1;
        kith_status status =
            kith_i_stream_line(records->stream, from, records->line, line, err);
        if (status)
            return status;
        state = kith_i_field_follow(records->dialect, line->data + from,
                                    line->length - from, state);
        ++*lines;
    }
    return KITH_OK;
}

void kith_i_record_step_over(kith_i_records *records,
                             const kith_i_record *record)
{
    kith_i_stream_skip(records->stream, record->bytes);
    records->line += record->lines;
}

kith_status kith_i_record_find(kith_i_records *records, int keep_blank,
                               kith_i_record *out, kith_error *err)
{
    for (;;) {
        kith_i_line line;
        kith_status status =
            kith_i_stream_line(records->stream, 0, records->line, &line, err);
        if (status)
            return status;
        kith_i_record rec = {.line = records->line, .lines = 1};
        if (line.length > 0 || line.newline) {
            if (line.length && memchr(line.data, '"', line.length))
                status = extend(records, &line, &rec.lines, err);
            if (status)
                return status;
            rec.bytes = line.length + (line.newline ? 1 : 0);
            rec.begin = line.data;
            rec.end = line.data + line.length;
            if (rec.end > rec.begin && rec.end[-1] == '\r')
                rec.end--;
            if (!keep_blank && kith_i_field_trim(records->dialect, rec.begin,
                                                 rec.end) == rec.end) {
                if (records->fixed)
                    return kith_i_record_fail(records, records->line,
                                              KITH_I_BLANK_ROW, err);
                records->blank = records->blank ? records->blank : rec.line;
                kith_i_record_step_over(records, &rec);
                continue;
            }
        }
        *out = rec;
        return KITH_OK;
    }
}
