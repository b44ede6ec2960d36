/* What a field of a text file says: a number, nothing, or neither. */
#ifndef KITH_READER_VALUE_H
#define KITH_READER_VALUE_H

#include "kith/data.h"
#include "kith/status.h"
#include "reader_field.h"

typedef enum kith_i_value {
    KITH_I_VALUE_NUMBER = 0,
    KITH_I_VALUE_MISSING, /* a word for "no value", or not finite */
    KITH_I_VALUE_NEITHER
} kith_i_value;

/* As the dialect writes numbers, its words for "no value" included. A word
 * that is a number stands for that number however it is written. *out: set for
 * a number only. */
kith_i_value kith_i_field_value(const kith_i_dialect *dialect,
                                const kith_i_field *field, double *out);

/* Is it empty or a word for "no value", whatever the column holds? */
int kith_i_field_is_missing(const kith_i_dialect *dialect,
                            const kith_i_field *field);

/* base as the options change it. file: for messages. */
kith_status kith_i_dialect_make(const kith_i_dialect *base,
                                const kith_source_options *opt,
                                const char *file, kith_i_dialect *out,
                                kith_error *err);

#endif
