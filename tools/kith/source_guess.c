/* What stands between the values of a text file, by its first line. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "source.h"

char source_delimiter(const char *path, const kith_source_options *opt)
{
    kith_format format = opt->format ? opt->format : source_format_of(path);
    if (format == KITH_FORMAT_NPY || format == KITH_FORMAT_SVMLIGHT)
        return 0;
    return opt->delimiter              ? opt->delimiter
           : format == KITH_FORMAT_TSV ? '\t'
                                       : ',';
}

/* The delimiter that the first line has most of, if it is not the one in use;
 * 0: nothing to say. */
static char guess_delimiter(const char *path, const kith_source_options *opt)
{
    static const char candidates[] = ";\t|,"; /* commas may be in numbers */
    char line[65536] = "";
    size_t most = 0;
    char best = 0;
    FILE *file = strcmp(path, "-") != 0 ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    if (!strncmp(line, "\x1f\x8b", 2) || !strncmp(line, "\x28\xb5\x2f\xfd", 4))
        return 0; /* compressed */
    for (const char *c = candidates; *c && (*c != ',' || !best); c++) {
        size_t count = 0;
        for (const char *p = line; *p; p++)
            count += *p == *c;
        if (count > most) {
            most = count;
            best = *c;
        }
    }
    return best == source_delimiter(path, opt) ? 0 : best;
}

void source_advise_delimiter(const char *path, const kith_source_options *opt)
{
    kith_format format = opt->format ? opt->format : source_format_of(path);
    if (format == KITH_FORMAT_NPY || format == KITH_FORMAT_SVMLIGHT)
        return;
    char guess = guess_delimiter(path, opt);
    if (guess == '\t')
        cli_note("the first line of %s looks as if tabs stood between values: "
                 "try --delimiter tab",
                 path);
    else if (guess)
        cli_note("the first line of %s looks as if '%c' stood between values: "
                 "try --delimiter '%c', and --decimal , if numbers have commas",
                 path, guess, guess);
}
