/* Public bounds: the options, the bounds file, and why they are required. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "source.h"

const arg_option bounds_options[] = {
    {"bounds", 0, "LO:HI",
     "every feature lies between LO and HI; private[:SHARE] (kmeans, kmedian): "
     "find bounds first, for a part of the budget (default 0.05)"},
    {"bounds-file", 0, "FILE",
     "csv file with one line lo,hi per feature, in their order, or name,lo,hi, "
     "matched by name (then it also says which columns are used)"},
    {"radius", 0, "R",
     "rows lie in a ball of radius R (Euclidean), besides or instead of a box"},
    {"center", 0, "C",
     "centre of that ball: one number for all features, or a list with commas, "
     "one each (default: 0)"},
    {"normalize", 0, NULL,
     "map each feature's bounds to [0,1] first; --radius and --center are then "
     "in these units, and centres are reported in the original ones"},
};
const size_t bounds_option_count =
    sizeof bounds_options / sizeof *bounds_options;
const size_t bounds_option_count_plain =
    sizeof bounds_options / sizeof *bounds_options - 1;

static const char WHY_BOUNDS[] =
    "public bounds are required\n"
    "The noise must hide any row that could be in the data, so its size "
    "follows from\nbounds known beforehand. Bounds taken from the data would "
    "give away its extreme\nrows: kith takes none without noise. Give them "
    "from the meaning of the features:\n"
    "  --bounds LO:HI      every feature lies between LO and HI\n"
    "  --bounds-file FILE  one line lo,hi or name,lo,hi per feature\n"
    "  --radius R          all rows lie within distance R of the origin (or "
    "--center)\n"
    "Rows outside are clipped, so generous guesses are safe but cost accuracy. "
    "Nobody\nknows any? See man kith-bounds.";

/* Append a number to a growing array; capacity is always a power of two. */
static int append(double **array, size_t count, double value)
{
    if ((count & (count - 1)) == 0) {
        size_t capacity = count ? 2 * count : 1;
        double *grown = realloc(*array, capacity * sizeof **array);
        if (!grown)
            return cli_no_memory();
        *array = grown;
    }
    (*array)[count] = value;
    return CLI_OK;
}

/* "a<separator>b" into two numbers; text is changed. */
static int split_pair(char *text, char separator, double *lo, double *hi)
{
    char *middle = strchr(text, separator);
    if (!middle)
        return -1;
    *middle = '\0';
    int bad = cli_number(text, lo) || cli_number(middle + 1, hi);
    *middle = separator;
    return bad || !(*lo < *hi) ? -1 : 0;
}

static int parse_box(bounds *out, const char *text)
{
    char copy[256];
    double lo, hi;
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy ||
        split_pair(copy, ':', &lo, &hi))
        return cli_usage("--bounds: '%s' is not LO:HI with two finite numbers, "
                         "LO below HI",
                         text);
    int code = append(&out->lower, 0, lo);
    if (!code)
        code = append(&out->upper, 0, hi);
    out->view.box_count = 1;
    return code;
}

/* Without the blanks and the line end around it, in place. */
static char *trim(char *text)
{
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r\n", end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t");
}

/* A name without the quotes of a csv file, in place. */
static char *unquote(char *name)
{
    size_t length = strlen(name);
    if (length < 2 || name[0] != '"' || name[length - 1] != '"')
        return name;
    char *to = name;
    for (char *p = name + 1; p < name + length - 1; p++) {
        *to++ = *p;
        if (*p == '"' && p[1] == '"')
            p++;
    }
    *to = '\0';
    return name;
}

typedef struct box_line {
    char *name; /* NULL: none */
    double lower, upper;
    int unknown; /* "?,?": kith bounds did not find them */
} box_line;

/* "lo,hi" or "name,lo,hi" into its parts; text is changed. Nonzero: it is
 * neither. */
static int split_line(char *text, box_line *out)
{
    *out = (box_line){0};
    char *last = strrchr(text, ',');
    if (!last)
        return -1;
    *last = '\0';
    char *middle = strrchr(text, ',');
    char *lower = middle ? middle + 1 : text;
    if (middle) {
        *middle = '\0';
        out->name = unquote(trim(text));
        if (!*out->name)
            return -1;
    }
    lower = trim(lower);
    char *upper = trim(last + 1);
    out->unknown = !strcmp(lower, "?") && !strcmp(upper, "?");
    if (out->unknown)
        return 0;
    return cli_number(lower, &out->lower) || cli_number(upper, &out->upper) ||
                   !(out->lower < out->upper)
               ? -1
               : 0;
}

static int keep_name(bounds *out, size_t count, const char *name)
{
    char **grown = realloc(out->names, (count + 1) * sizeof *grown);
    if (!grown)
        return cli_no_memory();
    out->names = grown;
    grown[count] = strdup(name);
    return grown[count] ? CLI_OK : cli_no_memory();
}

static int keep_line(bounds *out, const box_line *box, const char *path,
                     size_t number)
{
    size_t count = out->view.box_count;
    if (box->unknown)
        return cli_fail(CLI_INPUT,
                        "%s: line %zu: the bounds of this feature were not "
                        "found: put in what you know of it",
                        path, number);
    if (count > 0 && !!out->names != !!box->name)
        return cli_fail(CLI_INPUT,
                        "%s: line %zu: either every feature has a name or "
                        "none has",
                        path, number);
    if (count == UINT32_MAX)
        return cli_fail(CLI_INPUT, "%s: too many lines", path);
    int code = append(&out->lower, count, box->lower);
    if (!code)
        code = append(&out->upper, count, box->upper);
    if (!code && box->name)
        code = keep_name(out, count, box->name);
    out->view.box_count += !code;
    return code;
}

static int is_title(const char *text)
{
    return !strcasecmp(text, "lo,hi") || !strcasecmp(text, "name,lo,hi");
}

static int read_box_lines(bounds *out, FILE *file, const char *path)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    int code = CLI_OK;
    errno = 0;
    while (!code && getline(&line, &capacity, file) >= 0) {
        box_line box;
        number++;
        char *text = trim(line);
        if (!*text || (number == 1 && is_title(text)))
            continue;
        code = split_line(text, &box)
                   ? cli_fail(CLI_INPUT,
                              "%s: line %zu: expected lo,hi or name,lo,hi with "
                              "two finite numbers, lo below hi",
                              path, number)
                   : keep_line(out, &box, path, number);
    }
    if (!code && ferror(file))
        code = cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    if (!code && out->view.box_count == 0)
        code = cli_fail(CLI_INPUT, "%s: no bounds in this file", path);
    free(line);
    return code;
}

static int parse_box_file(bounds *out, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    out->by_feature = 1;
    int code = read_box_lines(out, file, path);
    fclose(file);
    return code;
}

static int parse_center(bounds *out, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return cli_no_memory();
    char *rest = copy;
    int code = CLI_OK;
    uint32_t count = 0;
    while (!code && rest) {
        double value;
        if (cli_number(strsep(&rest, ","), &value))
            code = cli_usage("--center: '%s' is not a number or a list of "
                             "numbers with commas",
                             text);
        else
            code = append(&out->center, count++, value);
    }
    free(copy);
    out->view.center_count = count;
    return code;
}

int bounds_parse(bounds *out, const args *a)
{
    *out = (bounds){0};
    const char *box = args_value(a, "bounds");
    const char *file = args_value(a, "bounds-file");
    const char *radius = args_value(a, "radius");
    const char *center = args_value(a, "center");
    int normalize = args_given(a, "normalize");
    if (!box && !file && !radius)
        return cli_usage("%s", WHY_BOUNDS);
    if (box && file)
        return cli_usage("--bounds and --bounds-file exclude each other");
    if (center && !radius)
        return cli_usage("--center is the centre of the ball of --radius: "
                         "give both");
    if (normalize && !box && !file)
        return cli_usage("--normalize needs --bounds or --bounds-file");
    int code = args_real(a, "radius", &out->view.radius);
    if (!code && radius && out->view.radius <= 0)
        code = cli_usage("--radius: '%s' is not above 0", radius);
    if (!code && box)
        code = parse_box(out, box);
    if (!code && file)
        code = parse_box_file(out, file);
    if (!code && center)
        code = parse_center(out, center);
    out->view.lower = out->lower;
    out->view.upper = out->upper;
    out->view.center = out->center;
    out->view.normalize = normalize;
    return code;
}

static void free_names(bounds *b)
{
    for (uint32_t i = 0; b->names && i < b->view.box_count; i++)
        free(b->names[i]);
    free(b->names);
    b->names = NULL;
}

int bounds_check(const bounds *b, uint32_t dimension)
{
    if (!b->by_feature || b->view.box_count == dimension)
        return CLI_OK;
    return cli_usage("--bounds-file: bounds are given for %u features, the "
                     "data has %u; give one line for each feature, pick "
                     "features with --columns, or say --bounds if all have the "
                     "same",
                     b->view.box_count, dimension);
}

/* The line with this name; box_count: there is none. */
static uint32_t find_name(const bounds *b, const char *name)
{
    uint32_t i = 0;
    while (i < b->view.box_count && strcmp(b->names[i], name) != 0)
        i++;
    return i;
}

/* Lines in the order of the columns. */
static int reorder(bounds *b, const kith_source_options *opt)
{
    size_t count = opt->column_count;
    double *lower = calloc(count, sizeof *lower);
    double *upper = calloc(count, sizeof *upper);
    int code = lower && upper ? CLI_OK : cli_no_memory();
    for (size_t j = 0; !code && j < count; j++) {
        uint32_t i = find_name(b, opt->columns[j]);
        if (i == b->view.box_count) {
            code = cli_usage("--bounds-file: there is no line for column '%s'",
                             opt->columns[j]);
        } else {
            lower[j] = b->lower[i];
            upper[j] = b->upper[i];
        }
    }
    if (code) {
        free(lower);
        free(upper);
        return code;
    }
    free_names(b);
    free(b->lower);
    free(b->upper);
    b->view.lower = b->lower = lower;
    b->view.upper = b->upper = upper;
    b->view.box_count = (uint32_t)count;
    return CLI_OK;
}

int bounds_match(bounds *b, source *s)
{
    if (!b->names)
        return CLI_OK;
    for (uint32_t i = 0; i < b->view.box_count; i++)
        if (find_name(b, b->names[i]) != i)
            return cli_usage("--bounds-file: two lines are for '%s'",
                             b->names[i]);
    return s->options.column_count
               ? reorder(b, &s->options)
               : source_set_columns(s, (const char *const *)b->names,
                                    b->view.box_count);
}

void bounds_free(bounds *b)
{
    free_names(b);
    free(b->lower);
    free(b->upper);
    free(b->center);
    *b = (bounds){0};
}
