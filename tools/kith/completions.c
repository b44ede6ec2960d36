/* What a shell offers after Tab, from the tables that --help prints. */
#include "completions.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SHOWN = 60 }; /* of an option's help */

/* Each option of a command, in the order of --help. */
typedef void option_fn(const arg_command *command, const arg_option *option);

static void each_option(const arg_command *command, option_fn *say)
{
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; i < command->groups[g].count; i++)
            say(command, &command->groups[g].options[i]);
}

/* The command, or each of its parts. */
typedef void command_fn(const arg_command *command);

static void each_command(const arg_command *const *commands, size_t count,
                         command_fn *say)
{
    for (size_t i = 0; i < count; i++) {
        const arg_command *const *part = commands[i]->parts;
        if (!part)
            say(commands[i]);
        for (; part && *part; part++)
            say(*part);
    }
}

/* The words after "kith", or after a command of parts. */
static void print_words(const arg_command *const *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s ", commands[i]->name);
}

static void print_parts(const arg_command *command)
{
    size_t prefix = strlen(command->name) + 1;
    for (size_t i = 0; command->parts[i]; i++)
        printf("%s ", command->parts[i]->name + prefix);
}

/* The beginning of a help text, safe between single quotes and in brackets. */
static void print_help_of(const char *help)
{
    size_t n = 0;
    for (; n < SHOWN && help[n] && help[n] != ';'; n++)
        putchar(strchr("'[]:\\\"$`", help[n]) ? ' ' : help[n]);
    if (n == SHOWN)
        fputs("...", stdout);
}

/* ---- bash ---------------------------------------------------------------- */

static void bash_option(const arg_command *command, const arg_option *option)
{
    (void)command;
    printf("--%s ", option->name);
    if (option->letter)
        printf("-%c ", option->letter);
}

static void bash_command(const arg_command *command)
{
    printf("    '%s') words='", command->name);
    each_option(command, bash_option);
    puts("--help' ;;");
}

static void bash(const arg_command *const *commands, size_t count)
{
    fputs("# bash completion of kith; made by 'kith completions bash'\n"
          "_kith() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
          "    local at=${COMP_WORDS[1]-} part=${COMP_WORDS[2]-}\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words='",
          stdout);
    print_words(commands, count);
    puts("help --help --version'\n    else\n    case $at in");
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->parts)
            continue;
        printf("    '%s') [ \"$COMP_CWORD\" -eq 2 ] && words='",
               commands[i]->name);
        print_parts(commands[i]);
        puts("--help'; at=\"$at $part\" ;;");
    }
    puts("    esac\n    [ -n \"$words\" ] || case $at in");
    each_command(commands, count, bash_command);
    puts(
        "    esac\n    fi\n"
        "    COMPREPLY=()\n"
        "    case $cur in\n"
        "    -*) ;;\n"
        "    *) [ \"$COMP_CWORD\" -gt 1 ] && case $words in -*) return ;; esac "
        ";;\n"
        "    esac\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
        "}\n"
        "complete -o default -F _kith kith");
}

/* ---- fish ---------------------------------------------------------------- */

static void fish_option(const arg_command *command, const arg_option *option)
{
    const char *part = strchr(command->name, ' ');
    printf("complete -c kith -n '__fish_seen_subcommand_from %.*s",
           (int)(part ? (size_t)(part - command->name) : strlen(command->name)),
           command->name);
    if (part)
        printf("; and __fish_seen_subcommand_from %s", part + 1);
    printf("' -l %s", option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    fputs(option->value ? " -r -d '" : " -d '", stdout);
    print_help_of(option->help);
    puts("'");
}

static void fish_command(const arg_command *command)
{
    each_option(command, fish_option);
}

static void fish(const arg_command *const *commands, size_t count)
{
    puts("# fish completion of kith; made by 'kith completions fish'");
    for (size_t i = 0; i < count; i++) {
        printf("complete -c kith -n __fish_use_subcommand -f -a %s -d '",
               commands[i]->name);
        print_help_of(commands[i]->summary);
        puts("'");
        if (!commands[i]->parts)
            continue;
        printf("complete -c kith -n '__fish_seen_subcommand_from %s' -f -a '",
               commands[i]->name);
        print_parts(commands[i]);
        puts("'");
    }
    each_command(commands, count, fish_command);
}

/* ---- zsh ----------------------------------------------------------------- */

static void zsh_option(const arg_command *command, const arg_option *option)
{
    (void)command;
    const char *value = option->value ? option->value : NULL;
    printf("      '--%s%s[", option->name, value ? "=" : "");
    print_help_of(option->help);
    printf("]%s'", value ? ":value:_files" : "");
    if (option->letter)
        printf(" '-%c[--%s]%s'", option->letter, option->name,
               value ? ":value:_files" : "");
    puts(" \\");
}

static void zsh_command(const arg_command *command)
{
    printf("    '%s') _arguments \\\n", command->name);
    each_option(command, zsh_option);
    puts("      '--help[print a summary and exit]' '*:file:_files' ;;");
}

static void zsh(const arg_command *const *commands, size_t count)
{
    fputs("#compdef kith\n# made by 'kith completions zsh'\n"
          "_kith() {\n"
          "  local at=${words[2]-}\n"
          "  if (( CURRENT == 2 )); then compadd ",
          stdout);
    print_words(commands, count);
    puts("help; return; fi\n  case $at in");
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->parts)
            continue;
        printf("    %s) if (( CURRENT == 3 )); then compadd ",
               commands[i]->name);
        print_parts(commands[i]);
        puts("; return; fi; at=\"$at ${words[3]-}\" ;;");
    }
    puts("  esac\n  case $at in");
    each_command(commands, count, zsh_command);
    puts("  esac\n}\n_kith \"$@\"");
}

int completions_print(const arg_command *const *commands, size_t count,
                      const char *shell)
{
    if (shell && !strcmp(shell, "bash"))
        bash(commands, count);
    else if (shell && !strcmp(shell, "zsh"))
        zsh(commands, count);
    else if (shell && !strcmp(shell, "fish"))
        fish(commands, count);
    else
        return cli_usage("completions are for bash, zsh or fish");
    return CLI_OK;
}
