/* The options that say how INPUT is read, shared by three commands. */
#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "output.h"
#include "ranks.h"
#include "shards.h"

const arg_option source_options[] = {
    {"format", 0, "FORMAT",
     "csv, tsv, npy or svm (or svmlight); default: by the file's name, where "
     ".gz "
     "and .zst are looked through; needed for standard input (-)"},
    {"columns", 0, "A,B,C",
     "use these columns only: names of the header, or numbers from 1"},
    {"header", 0, NULL,
     "the first line of a csv or tsv file names the columns"},
    {"no-header", 0, NULL,
     "it does not (default: it does when there are only words in it; a line "
     "that mixes words and numbers is refused)"},
    {"delimiter", 0, "C",
     "what stands between values in csv and tsv files: , ; : | or tab"},
    {"decimal", 0, "C",
     "the decimal mark in csv and tsv files: . (default) or , (then with "
     "another --delimiter)"},
    {"missing-values", 0, "A,B",
     "words for 'no value' besides the usual ones, such as '?,.,-999'; "
     "--missing says what happens to such rows"},
    {"user-column", 0, "NAME",
     "this column of csv and tsv files, any text, says whose row it is: one "
     "row "
     "of each person is kept, and people are protected, not rows"},
    {"rows-per-user", 0, "M",
     "with --user-column: draw M rows of each person (default: 1), each for "
     "its part of the budget"},
    {"missing", 0, "POLICY",
     "error (default): refuse a file with a missing value; drop: leave its "
     "rows out"},
    {"dimension", 0, "D",
     "number of features; required for svm, checked for other formats"},
    {"threads", 0, "T",
     "worker threads (default: all processors); changes the speed only"},
    {"allow-repeat", 0, NULL,
     "take a file that is named twice (also by a link) twice: its rows lose "
     "twice as much"},
};
const size_t source_option_count =
    sizeof source_options / sizeof *source_options;

/* "a,b,c" into *count words, which point into *copy. Exit code. */
static int split_words(const char *option, const char *text, char **copy,
                       const char ***words, size_t *count)
{
    size_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == ',';
    *copy = strdup(text);
    *words = calloc(n, sizeof **words);
    if (!*copy || !*words)
        return cli_no_memory();
    char *rest = *copy;
    for (size_t i = 0; i < n; i++) {
        (*words)[i] = strsep(&rest, ",");
        if (!*(*words)[i])
            return cli_usage("--%s: an empty name in '%s'", option, text);
        json_t *json = json_string((*words)[i]); /* it will be in the model */
        json_decref(json);
        if (!json)
            return cli_usage("--%s: a name is not UTF-8", option);
    }
    *count = n;
    return CLI_OK;
}

static int parse_columns(source *out, const char *text)
{
    int code = split_words("columns", text, &out->column_text, &out->columns,
                           &out->options.column_count);
    out->options.columns = out->columns;
    return code;
}

static int parse_missing(source *out, const char *text)
{
    int code = split_words("missing-values", text, &out->missing_text,
                           &out->missing, &out->options.missing_value_count);
    out->options.missing_values = out->missing;
    return code;
}

/* --delimiter and --decimal: one character each. */
static int parse_marks(kith_source_options *opt, const args *a)
{
    const char *delimiter = args_value(a, "delimiter");
    const char *decimal = args_value(a, "decimal");
    if (delimiter && (!strcmp(delimiter, "tab") || !strcmp(delimiter, "\\t")))
        delimiter = "\t";
    if (delimiter && (delimiter[1] || !strchr(",;:|\t", delimiter[0])))
        return cli_usage("--delimiter: '%s' is none of , ; : | and tab",
                         delimiter);
    if (decimal && strcmp(decimal, ".") != 0 && strcmp(decimal, ",") != 0)
        return cli_usage("--decimal: '%s' is neither . nor ,", decimal);
    opt->delimiter = delimiter ? delimiter[0] : 0;
    opt->decimal = decimal ? decimal[0] : 0;
    return CLI_OK;
}

static int parse_user(kith_source_options *opt, const args *a)
{
    opt->user_column = args_value(a, "user-column");
    if (!opt->user_column)
        return args_value(a, "rows-per-user")
                   ? cli_usage("--rows-per-user needs a --user-column: whose "
                               "rows are they?")
                   : CLI_OK;
    int code = args_count(a, "rows-per-user", 1, KITH_MOST_ROWS_PER_USER,
                          &opt->rows_per_user);
    if (code)
        return code;
    json_t *json = json_string(opt->user_column); /* it will be in the model */
    json_decref(json);
    if (!json || !*opt->user_column)
        return cli_usage("--user-column: not the name of a column in UTF-8");
    return CLI_OK;
}

int source_set_columns(source *s, const char *const *names, size_t count)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i]) + 1;
    char *text = calloc(bytes, 1);
    const char **columns = calloc(count, sizeof *columns);
    if (!text || !columns) {
        free(text);
        free(columns);
        return cli_no_memory();
    }
    char *to = text;
    for (size_t i = 0; i < count; i++) {
        columns[i] = to;
        to = stpcpy(to, names[i]) + 1;
    }
    free(s->column_text);
    free(s->columns);
    s->column_text = text;
    s->options.columns = s->columns = columns;
    s->options.column_count = count;
    return CLI_OK;
}

const char *source_name(const kith_source_options *opt, uint32_t d, uint32_t i)
{
    double number;
    return opt && opt->column_count == d && cli_number(opt->columns[i], &number)
               ? opt->columns[i]
               : NULL;
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
    if (ranks_team() && !shards_local()) {
        opt->part = ranks_team()->rank;
        opt->parts = ranks_team()->ranks;
    }
    opt->format = (kith_format)format;
    opt->missing = (kith_missing)missing;
    if (args_value(a, "header") && args_value(a, "no-header"))
        return cli_usage("--header and --no-header exclude each other");
    if (args_value(a, "header"))
        opt->header = KITH_HEADER_YES;
    if (args_value(a, "no-header"))
        opt->header = KITH_HEADER_NO;
    code = parse_marks(opt, a);
    if (!code)
        code = parse_user(opt, a);
    const char *columns = args_value(a, "columns");
    const char *missing_values = args_value(a, "missing-values");
    if (!code && columns)
        code = parse_columns(out, columns);
    if (!code && missing_values)
        code = parse_missing(out, missing_values);
    return code;
}

kith_format source_format_of(const char *path)
{
    char name[4096];
    if ((size_t)snprintf(name, sizeof name, "%s", path) >= sizeof name)
        return KITH_FORMAT_AUTO;
    if (output_has_suffix(name, ".gz"))
        name[strlen(name) - 3] = '\0';
    else if (output_has_suffix(name, ".zst"))
        name[strlen(name) - 4] = '\0';
    return output_has_suffix(name, ".csv")   ? KITH_FORMAT_CSV
           : output_has_suffix(name, ".tsv") ? KITH_FORMAT_TSV
           : output_has_suffix(name, ".npy") ? KITH_FORMAT_NPY
           : output_has_suffix(name, ".svm") ||
                   output_has_suffix(name, ".svmlight") ||
                   output_has_suffix(name, ".libsvm")
               ? KITH_FORMAT_SVMLIGHT
               : KITH_FORMAT_AUTO;
}

/* The file behind a name, for comparison; nonzero: it is not a regular one. */
static int identify(const char *path, struct stat *st)
{
    return !strcmp(path, "-") || stat(path, st) || !S_ISREG(st->st_mode);
}

int source_check_repeat(const char *const *inputs, size_t count)
{
    struct stat *seen = calloc(count + 1, sizeof *seen);
    size_t i = 0, j = 0;
    for (; seen && i < count; i++) {
        if (identify(inputs[i], &seen[i]))
            seen[i].st_ino = 0; /* of no regular file */
        for (j = 0; j < i; j++)
            if (seen[i].st_ino && seen[i].st_ino == seen[j].st_ino &&
                seen[i].st_dev == seen[j].st_dev)
                break;
        if (j < i)
            break;
    }
    int memory = seen != NULL;
    free(seen);
    if (!memory)
        return cli_no_memory();
    return i == count
               ? CLI_OK
               : cli_usage("%s and %s are one file: its rows would count "
                           "twice, and everybody in it would lose twice as "
                           "much as promised; name it once, or say "
                           "--allow-repeat",
                           inputs[j], inputs[i]);
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
    free(s->missing_text);
    free(s->missing);
    *s = (source){0};
}
