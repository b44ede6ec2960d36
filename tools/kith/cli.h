/* cli: what every command of the front end shares: exit codes, messages on
 * standard error, and the bridge from library errors to both. */
#ifndef KITH_TOOL_CLI_H
#define KITH_TOOL_CLI_H

#include <stddef.h>

#include <kith/kith.h>

/* The contract's exit codes. A function that returns `int` and is documented
 * as "exit code" returns one of these, and has printed its message. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* internal error, no memory, output not written */
    CLI_USAGE = 2,
    CLI_BUDGET = 3,
    CLI_INPUT = 4,
    CLI_STORE = 5,
    CLI_ENTROPY = 6,
    CLI_TEAM = 7 /* kith-mpi: ranks differ, or one is gone */
};

/* Name that messages start with: "kith" or "kith COMMAND". */
void cli_set_command(const char *command);

/* Print "kith COMMAND: message" and return code. Control characters are
 * printed as '?': names of files come from others. */
int cli_fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with code CLI_USAGE and a pointer to --help. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_no_memory(void);

/* Print a library error; its exit code. */
int cli_status(kith_status status, const kith_error *err);

/* Strict number: all of text, finite, decimal. 0 when it is one. */
int cli_number(const char *text, double *out);

/* program_blas.c: the first thing a program does. */
void cli_prepare_blas(void);

/* program_memory.c: before it, so that all blocks follow the rule. */
void cli_prepare_memory(void);

#endif
