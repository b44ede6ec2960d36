/* Fields of a CSV or TSV record: quotes, blanks, separators. cut and
 * follow must agree on what is quoted: cut sees whole records that follow has
 * delimited. */
#include "reader_field.h"

#include <string.h>

static const char *trim_right(const kith_i_dialect *dialect, const char *begin,
                              const char *end)
{
    while (end > begin && (end[-1] == ' ' || end[-1] == dialect->blank))
        end--;
    return end;
}

static const char *find_separator(const kith_i_dialect *dialect, const char *p,
                                  const char *end)
{
    const char *hit =
        p < end ? memchr(p, dialect->separator, (size_t)(end - p)) : NULL;
    return hit ? hit : end;
}

const char *kith_i_field_cut(const kith_i_dialect *dialect, const char *p,
                             const char *end, kith_i_field *out)
{
    *out = (kith_i_field){0};
    p = kith_i_field_trim(dialect, p, end);
    const char *stop;
    if (p == end || *p != '"') {
        stop = find_separator(dialect, p, end);
        out->begin = p;
        out->end = trim_right(dialect, p, stop);
        return stop;
    }
    const char *close = ++p;
    while (close < end) {
        close = memchr(close, '"', (size_t)(end - close));
        if (!close)
            close = end;
        else if (close + 1 < end && close[1] == '"')
            close += 2;
        else
            break;
    }
    out->quoted = 1;
    out->begin = kith_i_field_trim(dialect, p, close);
    out->end = trim_right(dialect, out->begin, close);
    const char *after =
        close < end ? kith_i_field_trim(dialect, close + 1, end) : end;
    stop = find_separator(dialect, after, end);
    out->broken = close == end || stop != after;
    return stop;
}

size_t kith_i_field_count(const kith_i_dialect *dialect, const char *p,
                          const char *end)
{
    kith_i_field field;
    size_t count = 1;
    while ((p = kith_i_field_cut(dialect, p, end, &field)) != end) {
        p++;
        count++;
    }
    return count;
}

kith_i_quoting kith_i_field_follow(const kith_i_dialect *dialect, const char *p,
                                   size_t length, kith_i_quoting state)
{
    for (const char *end = p + length; p < end; p++) {
        char c = *p;
        if (state == KITH_I_FIELD_QUOTED) {
            p = memchr(p, '"', (size_t)(end - p));
            if (!p)
                return state;
            state = KITH_I_FIELD_QUOTE;
        } else if (state == KITH_I_FIELD_QUOTE && c == '"') {
            state = KITH_I_FIELD_QUOTED;
        } else if (c == dialect->separator) {
            state = KITH_I_FIELD_START;
        } else if (state == KITH_I_FIELD_START && c == '"') {
            state = KITH_I_FIELD_QUOTED;
        } else if (state != KITH_I_FIELD_START ||
                   (c != ' ' && c != dialect->blank)) {
            state = KITH_I_FIELD_PLAIN;
        }
    }
    return state;
}
