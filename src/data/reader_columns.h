/* Which columns of a dense file become which coordinates. */
#ifndef KITH_READER_COLUMNS_H
#define KITH_READER_COLUMNS_H

#include <stdint.h>

#include "kith/data.h"
#include "kith/status.h"

/* The names in a header line. */
typedef struct kith_i_names {
    char *text; /* each ended by a NUL                 */
    size_t text_bytes;
    size_t *at; /* count + 1 offsets into text         */
    uint32_t count;
} kith_i_names;

#define KITH_I_NO_SLOT UINT32_MAX

typedef struct kith_i_columns {
    uint32_t file_count; /* columns in the file                              */
    uint32_t count;      /* chosen ones: the dimension                       */
    int all;             /* every column, in the file's order                */
    uint32_t *slot;      /* file column -> coordinate, or KITH_I_NO_SLOT     */
    uint32_t *column;    /* coordinate -> file column                        */
    uint32_t user;       /* whose row it is, or KITH_I_NO_SLOT               */
} kith_i_columns;

/* Resolve opt->columns and opt->user_column: a name when there is a header that
 * has it, otherwise a number from 1. names: NULL without a header. file: for
 * messages. */
kith_status kith_i_columns_choose(const kith_source_options *opt,
                                  const char *file, uint32_t file_count,
                                  const kith_i_names *names,
                                  kith_i_columns *out, kith_error *err);
void kith_i_columns_clear(kith_i_columns *columns);

void kith_i_names_clear(kith_i_names *names);

/* "column 3" or "column 3 (age)" for messages; column from 0, names may be
 * NULL. What a terminal might act on is shown as '?'. */
enum { KITH_I_COLUMN_TEXT = 80 };
void kith_i_columns_describe(uint32_t column, const kith_i_names *names,
                             char text[KITH_I_COLUMN_TEXT]);

#endif
