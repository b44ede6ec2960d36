/* The option parser: long options with "--opt value" and "--opt=value", short
 * ones with "-o value" and "-ovalue", "--" ends them, inputs may stand
 * anywhere. An option given twice is refused: which epsilon was meant? */
#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- the table ----------------------------------------------------------- */

static const arg_option *option_at(const arg_command *command, size_t i)
{
    for (size_t g = 0; g < command->group_count; g++) {
        if (i < command->groups[g].count)
            return &command->groups[g].options[i];
        i -= command->groups[g].count;
    }
    return NULL;
}

/* Position of the option with this name (length bytes) or letter; -1. */
static int find_option(const arg_command *command, const char *name,
                       size_t length, char letter)
{
    const arg_option *o;
    for (size_t i = 0; (o = option_at(command, i)); i++)
        if (name ? strlen(o->name) == length && !memcmp(o->name, name, length)
                 : o->letter == letter)
            return (int)i;
    return -1;
}

const char *args_value(const args *a, const char *name)
{
    int i = find_option(a->command, name, strlen(name), 0);
    if (i < 0 || i >= ARGS_MAX_OPTIONS)
        abort(); /* a typing error in this program */
    return a->values[i];
}

int args_given(const args *a, const char *name)
{
    int i = find_option(a->command, name, strlen(name), 0);
    return i >= 0 && i < ARGS_MAX_OPTIONS && a->values[i];
}

/* ---- suggestions --------------------------------------------------------- */

/* Levenshtein distance; words longer than the buffer are far from all. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best < change ? best : change;
        }
    }
    return row[lb];
}

const char *args_closest(const char *word, const char *const *list)
{
    size_t n = strlen(word);
    size_t nearest = n < 3 ? 2 : n < 9 ? 3 : n / 3 + 1;
    const char *best = NULL;
    for (; *list; list++) {
        size_t d = edit_distance(word, *list);
        if (n >= 3 && d > 1 && !strncmp(word, *list, n))
            d = 1; /* an abbreviation */
        if (d < nearest) {
            nearest = d;
            best = *list;
        }
    }
    return best;
}

static int unknown_long(const arg_command *command, const char *name,
                        size_t length)
{
    const char *list[ARGS_MAX_OPTIONS + 2];
    char word[64];
    size_t n = 0;
    const arg_option *o;
    for (; (o = option_at(command, n)); n++)
        list[n] = o->name;
    list[n++] = "help";
    list[n] = NULL;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *close = args_closest(word, list);
    if (close)
        return cli_usage("unknown option --%s; did you mean --%s?", word,
                         close);
    return cli_usage("unknown option --%s", word);
}

/* ---- parsing ------------------------------------------------------------- */

/* "a" and then "b" is "a,b". A command has one such option. */
static int add_name(args *out, size_t i, const char *value)
{
    char list[sizeof out->names];
    int n = snprintf(list, sizeof list, "%s,%s", out->values[i], value);
    if (n < 0 || (size_t)n >= sizeof list)
        return cli_usage("--%s: too many", option_at(out->command, i)->name);
    memcpy(out->names, list, sizeof list);
    out->values[i] = out->names;
    return CLI_OK;
}

static int store(args *out, size_t i, const char *value)
{
    const arg_option *o = option_at(out->command, i);
    if (out->values[i] && o->value && !strcmp(o->value, "NAMES"))
        return add_name(out, i, value);
    if (out->values[i])
        return cli_usage("--%s is given twice; which one is meant?", o->name);
    if (o->value && !*value)
        return cli_usage("--%s needs a value (%s)", o->name, o->value);
    out->values[i] = value;
    return CLI_OK;
}

/* One argument that starts with '-'. *next: the argument after it, set to
 * NULL when it was used up. */
static int parse_option(args *out, const char *arg, const char **next)
{
    const arg_command *command = out->command;
    int is_long = arg[1] == '-';
    const char *attached = NULL;
    int i;
    if (is_long) {
        size_t length = strcspn(arg + 2, "=");
        attached = arg[2 + length] ? arg + 2 + length + 1 : NULL;
        i = find_option(command, arg + 2, length, 0);
        if (i < 0)
            return unknown_long(command, arg + 2, length);
    } else {
        attached = arg[2] ? arg + 2 : NULL;
        i = find_option(command, NULL, 0, arg[1]);
        if (i < 0)
            return cli_usage("unknown option -%c", arg[1]);
    }
    const arg_option *o = option_at(command, (size_t)i);
    if (!o->value) {
        if (attached)
            return cli_usage("--%s takes no value", o->name);
        return store(out, (size_t)i, "");
    }
    if (attached)
        return store(out, (size_t)i, attached);
    if (!*next)
        return cli_usage("--%s needs a value (%s)", o->name, o->value);
    int code = store(out, (size_t)i, *next);
    *next = NULL;
    return code;
}

int args_parse(const arg_command *command, int argc, char **argv, args *out)
{
    *out = (args){.command = command, .operands = (const char *const *)argv};
    int options_over = 0;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (!arg)
            break;
        if (!options_over && !strcmp(arg, "--")) {
            options_over = 1;
        } else if (options_over || arg[0] != '-' || !arg[1]) {
            /* Never ahead of i: operands are gathered in place. */
            argv[out->operand_count++] = arg;
        } else {
            const char *next = i + 1 < argc ? argv[i + 1] : NULL;
            const char *before = next;
            int code = parse_option(out, arg, &next);
            if (code)
                return code;
            i += before && !next;
        }
    }
    return CLI_OK;
}

int args_help_wanted(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return 1;
    return 0;
}

/* ---- typed values -------------------------------------------------------- */

int args_whole(const args *a, const char *name, uint64_t min, uint64_t max,
               uint64_t *out)
{
    const char *text = args_value(a, name);
    if (!text)
        return CLI_OK;
    char *end = NULL;
    errno = 0;
    unsigned long long value =
        isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno || value < min || value > max)
        return cli_usage("--%s: '%s' is not a whole number from %llu to %llu",
                         name, text, (unsigned long long)min,
                         (unsigned long long)max);
    *out = value;
    return CLI_OK;
}

int args_count(const args *a, const char *name, uint32_t min, uint32_t max,
               uint32_t *out)
{
    uint64_t value = *out;
    int code = args_whole(a, name, min, max, &value);
    if (!code)
        *out = (uint32_t)value;
    return code;
}

int args_real(const args *a, const char *name, double *out)
{
    const char *text = args_value(a, name);
    if (text && cli_number(text, out))
        return cli_usage("--%s: '%s' is not a finite number", name, text);
    return CLI_OK;
}

int args_choice(const args *a, const char *name, const char *const *choices,
                unsigned *out)
{
    const char *text = args_value(a, name);
    if (!text)
        return CLI_OK;
    char list[256] = "";
    size_t used = 0;
    for (unsigned i = 0; choices[i]; i++) {
        if (!strcmp(text, choices[i])) {
            *out = i;
            return CLI_OK;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                         choices[i]);
        used += n > 0 && used + (size_t)n < sizeof list ? (size_t)n : 0;
    }
    return cli_usage("--%s: '%s' is not known; this version has: %s", name,
                     text, list);
}
