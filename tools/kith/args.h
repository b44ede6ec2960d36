/* args: a small parser of GNU options, driven by one table per command. The
 * same table prints --help, so that the two cannot differ. */
#ifndef KITH_TOOL_ARGS_H
#define KITH_TOOL_ARGS_H

#include <kith/kith.h>
#include <stddef.h>
#include <stdint.h>

typedef struct arg_option {
    const char *name;  /* without the dashes                          */
    char letter;       /* short form, or 0                            */
    const char *value; /* name of its argument; NULL: a flag; "NAMES":
                        * may be given again, which adds to the list  */
    const char *help;
} arg_option;

typedef struct arg_group {
    const char *title; /* NULL: goes on under the one before */
    const arg_option *options;
    size_t count;
} arg_group;

struct args;

typedef struct arg_command {
    const char *name;    /* as typed after "kith"                       */
    const char *summary; /* one line                                    */
    const char *usage;   /* lines after "Usage: kith NAME "             */
    const char *notes;   /* printed after the options                   */
    const arg_group *groups;
    size_t group_count;
    int (*run)(const struct args *args); /* exit code */
    /* Commands of the command, NULL-terminated, with names like "local plan";
     * NULL: none. It has no options and no run of its own then. */
    const struct arg_command *const *parts;
} arg_command;

enum { ARGS_MAX_OPTIONS = 64 };

typedef struct args {
    const arg_command *command;
    const char *values[ARGS_MAX_OPTIONS]; /* by position in the groups */
    const char *const *operands;          /* what is not an option     */
    size_t operand_count;
    char names[1024]; /* of an option that was given again */
} args;

/* Parse argv (without the command's name; it is reordered and borrowed).
 * Exit code. */
int args_parse(const arg_command *command, int argc, char **argv, args *out);

/* Was --help or -h asked for? */
int args_help_wanted(int argc, char **argv);
void args_print_help(const arg_command *command);

/* The text given to an option ("" for a flag), NULL when it was not given.
 * name must be in the command's table. */
const char *args_value(const args *a, const char *name);

/* Is the option in the command's table, and was it given? */
int args_given(const args *a, const char *name);

/* Typed access. *out is left alone when the option was not given. Exit code;
 * messages name the option. */
int args_whole(const args *a, const char *name, uint64_t min, uint64_t max,
               uint64_t *out);
int args_count(const args *a, const char *name, uint32_t min, uint32_t max,
               uint32_t *out);
int args_real(const args *a, const char *name, double *out);
/* vocab_args.c: one of the library's words; *out is what it stands for. */
int args_word(const args *a, const char *name, kith_vocabulary vocabulary,
              int *out);
/* One of the words in choices (NULL-terminated); *out is its position. */
int args_choice(const args *a, const char *name, const char *const *choices,
                unsigned *out);

/* The word of a NULL-terminated list that is closest to a mistyped one; NULL
 * when none is close. */
const char *args_closest(const char *word, const char *const *list);

#endif
