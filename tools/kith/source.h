/* source: the options that say how INPUT is read, and what lies in it:
 * format, columns, header, missing values; and the public bounds. */
#ifndef KITH_TOOL_SOURCE_H
#define KITH_TOOL_SOURCE_H

#include <kith/kith.h>

#include "args.h"

extern const arg_option source_options[];
extern const size_t source_option_count;

typedef struct source {
    kith_source_options options; /* columns: borrowed from below, or a model */
    char *column_text;           /* owned copy that columns points into      */
    const char **columns;
    char *missing_text; /* the same for missing_values */
    const char **missing;
    uint32_t threads;
} source;

/* Exit code; free in any case. */
int source_parse(source *out, const args *a);
/* Use these columns (copied) and no others. Exit code. */
int source_set_columns(source *s, const char *const *names, size_t count);
/* A file that is given twice, under whatever names, would count every row in
 * it twice and double what the run gives away of it. Exit code. */
int source_check_repeat(const char *const *inputs, size_t count);
/* What the name of an input says of its format; KITH_FORMAT_AUTO: nothing. */
kith_format source_format_of(const char *path);
/* Where the number of rows is public (replace-one) no row may change it:
 * refuse options that let it. Exit code. */
int source_fix_rows(source *s, int fixed);
/* The name of feature i of d; NULL: it has a number only. */
const char *source_name(const kith_source_options *opt, uint32_t d, uint32_t i);
/* source_guess.c: what stands between the values of this text file; 0: it is
 * none. */
char source_delimiter(const char *path, const kith_source_options *opt);
/* Say so if a text file looks as if something else stood
 * between its values. */
void source_advise_delimiter(const char *path, const kith_source_options *opt);
void source_free(source *s);

/* ---- bounds.c ------------------------------------------------------------ */

extern const arg_option bounds_options[];
extern const size_t bounds_option_count;
/* The options before --normalize, for a command that has no use for it. */
extern const size_t bounds_option_count_plain;

typedef struct bounds {
    kith_bounds view; /* points into the arrays below */
    double *lower, *upper, *center;
    int by_feature; /* from a file */
    double share;   /* of the budget, to find them privately; 0: given */
    char **names;   /* of the features in the file; NULL: it has none */
} bounds;

/* Exit code; free in any case. A box or a radius is required, and a message
 * explains why. */
int bounds_parse(bounds *out, const args *a);
/* A file has one line per feature. Exit code. */
int bounds_check(const bounds *b, uint32_t dimension);
/* A file with names says which columns are used; with --columns its lines are
 * put in their order. Exit code. */
int bounds_match(bounds *b, source *s);
void bounds_free(bounds *b);

#endif
