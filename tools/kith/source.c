/* The options that say how INPUT is read, shared by three commands. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

const arg_option source_options[] = {
    {"format", 0, "FORMAT",
     "csv, tsv, npy or svm (svmlight); default: by the file's name, where .gz "
     "and .zst are looked through; needed for standard input (-)"},
    {"columns", 0, "A,B,C",
     "use these columns only: names of the header, or numbers from 1"},
    {"header", 0, NULL,
     "the first line of a csv or tsv file names the columns"},
    {"no-header", 0, NULL,
     "it does not (default: it does when there are only words in it; a line "
     "that mixes words and numbers is refused)"},
    {"missing", 0, "POLICY",
     "error (default): refuse a file with a missing value; drop: leave its "
     "rows out"},
    {"dimension", 0, "D",
     "number of features; required for svm, checked for other formats"},
    {"threads", 0, "T",
     "worker threads (default: all processors); changes the speed only"},
};
const size_t source_option_count =
    sizeof source_options / sizeof *source_options;

static int parse_columns(source *out, const char *text)
{
    size_t count = 1;
    for (const char *p = text; *p; p++)
        count += *p == ',';
    out->column_text = strdup(text);
    out->columns = calloc(count, sizeof *out->columns);
    if (!out->column_text || !out->columns)
        return cli_no_memory();
    char *rest = out->column_text;
    for (size_t i = 0; i < count; i++) {
        out->columns[i] = strsep(&rest, ",");
        if (!*out->columns[i])
            return cli_usage("--columns: an empty name in '%s'", text);
    }
    out->options.columns = out->columns;
    out->options.column_count = count;
    return CLI_OK;
}

int source_parse(source *out, const args *a)
{
    *out = (source){0};
    kith_source_options *opt = &out->options;
    kith_source_options_init(opt, sizeof *opt);
    int format = KITH_FORMAT_AUTO, missing = KITH_MISSING_ERROR;
    int code = args_word(a, "format", KITH_WORDS_FORMAT, &format);
    if (!code)
        code = args_word(a, "missing", KITH_WORDS_MISSING, &missing);
    if (!code)
        code = args_count(a, "dimension", 1, UINT32_MAX, &opt->dimension);
    if (!code)
        code = args_count(a, "threads", 1, 1024, &out->threads);
    if (code)
        return code;
    opt->threads = out->threads;
    opt->format = (kith_format)format;
    opt->missing = (kith_missing)missing;
    if (args_value(a, "header") && args_value(a, "no-header"))
        return cli_usage("--header and --no-header exclude each other");
    if (args_value(a, "header"))
        opt->header = KITH_HEADER_YES;
    if (args_value(a, "no-header"))
        opt->header = KITH_HEADER_NO;
    const char *columns = args_value(a, "columns");
    return columns ? parse_columns(out, columns) : CLI_OK;
}

int source_fix_rows(source *s, int fixed)
{
    s->options.fixed_rows = fixed;
    if (fixed && s->options.missing == KITH_MISSING_DROP)
        return cli_usage("--missing drop changes the number of rows, which "
                         "replace-one takes for public: fill the values in, "
                         "or use --adjacency add-remove");
    return CLI_OK;
}

void source_free(source *s)
{
    free(s->column_text);
    free(s->columns);
    *s = (source){0};
}
