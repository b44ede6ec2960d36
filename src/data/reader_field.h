/* Fields of a CSV or TSV record: where they begin and end. */
#ifndef KITH_READER_FIELD_H
#define KITH_READER_FIELD_H

#include <stddef.h>

/* How a text file is cut up. Blanks around a field do not belong to it; a
 * field whose first byte is '"' goes on to the next lone '"' and may hold
 * separators and newlines. */
typedef struct kith_i_dialect {
    char separator;
    char blank;   /* besides the space; a space when there is no other */
    char decimal; /* '.' or ','                        */
    const char *const *missing; /* words for "no value", besides the */
    size_t missing_count;       /* usual ones                        */
} kith_i_dialect;

static inline const char *kith_i_field_trim(const kith_i_dialect *dialect,
                                            const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == dialect->blank))
        p++;
    return p;
}

typedef struct kith_i_field {
    const char *begin, *end; /* without blanks and outer quotes    */
    int quoted;              /* '""' inside stands for one '"'     */
    int broken;              /* something follows the closing '"'  */
} kith_i_field;

/* Cut the field that begins at p. Returns its separator, or end. */
const char *kith_i_field_cut(const kith_i_dialect *dialect, const char *p,
                             const char *end, kith_i_field *out);

/* Fields in a whole record. */
size_t kith_i_field_count(const kith_i_dialect *dialect, const char *p,
                          const char *end);

/* Where a piece of a record ends: inside quotes, a newline is text. */
typedef enum kith_i_quoting {
    KITH_I_FIELD_START = 0, /* and blanks after it            */
    KITH_I_FIELD_PLAIN,
    KITH_I_FIELD_QUOTED,
    KITH_I_FIELD_QUOTE /* a '"' after quoted text: the end, or the first of
                          two */
} kith_i_quoting;

kith_i_quoting kith_i_field_follow(const kith_i_dialect *dialect, const char *p,
                                   size_t length, kith_i_quoting state);

#endif
