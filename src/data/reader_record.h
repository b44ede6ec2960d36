/* Records of a CSV or TSV file: its lines, joined where a quoted field goes on
 * after the newline. */
#ifndef KITH_READER_RECORD_H
#define KITH_READER_RECORD_H

#include "reader_field.h"
#include "stream.h"

typedef struct kith_i_records {
    kith_i_stream *stream;
    const kith_i_dialect *dialect;
    int fixed;      /* every line must be a record (I41)     */
    uint64_t line;  /* number of the next line, from 1       */
    uint64_t blank; /* the first line, if it is blank; else 0 */
} kith_i_records;

/* A record that has been found, not yet stepped over. */
typedef struct kith_i_record {
    const char *begin, *end; /* NULL: no more records */
    size_t bytes;            /* with the line end     */
    uint64_t line;           /* number of its first line */
    uint64_t lines;          /* with newlines in quoted fields */
} kith_i_record;

/* The next record. keep_blank: a blank line is one; else it is skipped, or a
 * fault where every line must be a record. */
kith_status kith_i_record_find(kith_i_records *records, int keep_blank,
                               kith_i_record *out, kith_error *err);
void kith_i_record_step_over(kith_i_records *records,
                             const kith_i_record *record);

/* "file: line N: problem" */
kith_status kith_i_record_fail(const kith_i_records *records, uint64_t line,
                               const char *problem, kith_error *err);

#endif
