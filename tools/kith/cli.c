/* Messages, exit codes, numbers: the manners that all commands share. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

static const char *current_command;

void cli_set_command(const char *command)
{
    current_command = command;
}

static void print_message(const char *format, va_list list)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    for (char *p = text; *p; p++)
        if (iscntrl((unsigned char)*p) && *p != '\n')
            *p = '?';
    if (!ranks_lead())
        ranks_keep(text); /* rank 0 speaks for all */
    else if (current_command)
        fprintf(stderr, "kith %s: %s\n", current_command, text);
    else
        fprintf(stderr, "kith: %s\n", text);
}

int cli_fail(int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_message(format, list);
    va_end(list);
    return code;
}

int cli_usage(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_message(format, list);
    va_end(list);
    if (ranks_lead())
        fprintf(stderr, "Try 'kith %s%s--help'.\n",
                current_command ? current_command : "",
                current_command ? " " : "");
    return CLI_USAGE;
}

void cli_note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_message(format, list);
    va_end(list);
}

int cli_no_memory(void)
{
    return cli_fail(CLI_FAILED, "out of memory");
}

int cli_status(kith_status status, const kith_error *err)
{
    int code = CLI_FAILED;
    switch (status) {
    case KITH_OK:
        return CLI_OK;
    case KITH_ERR_ARGUMENT:
    case KITH_ERR_PRIVACY:
        code = CLI_USAGE;
        break;
    case KITH_ERR_BUDGET:
        code = CLI_BUDGET;
        break;
    case KITH_ERR_INPUT:
        code = CLI_INPUT;
        break;
    case KITH_ERR_STORE:
        code = CLI_STORE;
        break;
    case KITH_ERR_ENTROPY:
        code = CLI_ENTROPY;
        break;
    case KITH_ERR_TEAM:
        code = CLI_TEAM;
        break;
    case KITH_ERR_MEMORY:
    case KITH_ERR_CANCELLED:
    case KITH_ERR_INTERNAL:
        break;
    }
    const char *message = err->message;
    return cli_fail(code, "%s", *message ? message : kith_status_name(status));
}

int cli_number(const char *text, double *out)
{
    /* strtod would also take blanks, "nan", "inf" and hexadecimal. */
    for (const char *p = text; *p; p++)
        if (!isdigit((unsigned char)*p) && *p != '.' && *p != '-' &&
            *p != '+' && *p != 'e' && *p != 'E')
            return -1;
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return -1;
    *out = value;
    return 0;
}
