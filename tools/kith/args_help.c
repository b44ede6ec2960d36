/* --help of a command, printed from its option table. */
#include <stdio.h>
#include <string.h>

#include "args.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 79 };

/* Print words of text from the current column on, wrapped. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > HELP_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_option(const arg_option *o)
{
    char left[80];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int n = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name,
                     o->value ? " " : "", o->value ? o->value : "");
    fputs(left, stdout);
    if (n + 2 > HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - n, "");
    print_wrapped(o->help, HELP_COLUMN, HELP_COLUMN);
}

/* A command of commands: each with its options. */
static void print_parts(const arg_command *command)
{
    printf("Usage: kith %s %s\n\n", command->name, command->usage);
    print_wrapped(command->summary, 0, 0);
    puts("\nCommands");
    for (const arg_command *const *part = command->parts; *part; part++)
        printf("  %-18s%s\n", (*part)->name, (*part)->summary);
    for (const arg_command *const *part = command->parts; *part; part++) {
        printf("\n");
        args_print_help(*part);
    }
    printf("\n%s", command->notes);
}

void args_print_help(const arg_command *command)
{
    if (command->parts) {
        print_parts(command);
        return;
    }
    static const arg_option help = {"help", 'h', NULL, "print this and exit"};
    printf("Usage: kith %s %s\n\n", command->name, command->usage);
    print_wrapped(command->summary, 0, 0);
    for (size_t g = 0; g < command->group_count; g++) {
        const arg_group *group = &command->groups[g];
        if (group->title)
            printf("\n%s\n", group->title);
        for (size_t i = 0; i < group->count; i++)
            print_option(&group->options[i]);
    }
    puts("\nOther");
    print_option(&help);
    if (command->notes)
        printf("\n%s", command->notes);
    printf("\nExit status: 0 done; 1 failed or output not written; 2 usage; "
           "3 budget refused;\n4 bad input; 5 ledger unavailable; 6 no secure "
           "randomness.\nThe manual: man kith-%.*s\n",
           (int)strcspn(command->name, " "), command->name);
}
