/* The header line of a CSV or TSV file. */
#ifndef KITH_READER_HEADER_H
#define KITH_READER_HEADER_H

#include "reader_columns.h"
#include "reader_field.h"
#include "reader_shard.h"

enum { KITH_I_NAME_BYTES = 1000 }; /* longer names are not shown */

typedef enum kith_i_header {
    KITH_I_HEADER_NONE = 0,
    KITH_I_HEADER_PRESENT,
    KITH_I_HEADER_UNCLEAR
} kith_i_header;

/* Is this first record a header? What opt says. By itself: no when every field
 * is a number or a word for "no value"; yes when none begins like a number;
 * unclear otherwise, for a row with a mistake must not pass for a header. */
kith_i_header kith_i_header_find(const kith_source_options *opt,
                                 const kith_i_dialect *dialect,
                                 const char *begin, const char *end);

kith_status kith_i_header_names(const kith_i_dialect *dialect,
                                const char *begin, const char *end,
                                const char *file, kith_i_names *out,
                                kith_error *err);

/* Text shards have the same columns: all have a header or none; with one, the
 * chosen columns have the same names in the same order (they may stand
 * elsewhere in the file); without, lines have the same number of fields. */
kith_status kith_i_header_agree(kith_i_layout *layout,
                                const kith_i_dialect *dialect, const char *file,
                                const kith_i_columns *columns,
                                const kith_i_names *names, kith_error *err);

#endif
