/* The kith command: finds the command, checks that its output arrived. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <kith/kith.h>

#include "cli.h"
#include "commands.h"
#include "completions.h"
#include "output.h"
#include "shards.h"

enum { COMMANDS = 15 };

static void print_help(const arg_command *const *commands)
{
    puts("Usage: kith COMMAND [OPTION]... [INPUT]...\n\n"
         "Cluster sensitive data under differential privacy.\n\nCommands");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-10s%s\n", commands[i]->name, commands[i]->summary);
    puts("\nOther\n"
         "  -h, --help     print this and exit; kith COMMAND --help and kith "
         "help COMMAND\n                 tell more\n"
         "  -V, --version  print the version and what it was built with\n\n"
         "Example: kith kmeans -k 8 -e 1 --bounds 0:100 -o model.json "
         "rows.csv\n\n"
         "The manual: man kith");
}

static int run_one(const arg_command *command, int argc, char **argv)
{
    cli_set_command(command->name);
    if (args_help_wanted(argc, argv)) {
        args_print_help(command);
        return CLI_OK;
    }
    args a;
    int code = args_parse(command, argc, argv, &a);
    if (!code)
        code = shards_expand(&a);
    return code ? code : command->run(&a);
}

/* "kith local plan ...": the word after the command says which part. */
static int run_part(const arg_command *command, int argc, char **argv)
{
    enum { PARTS = 16 };
    const char *names[PARTS + 1] = {0};
    size_t prefix = strlen(command->name) + 1, count = 0;
    cli_set_command(command->name);
    if (argc == 0 || argv[0][0] == '-') {
        if (!args_help_wanted(argc, argv))
            return cli_usage("a command is needed after '%s'", command->name);
        args_print_help(command);
        return CLI_OK;
    }
    for (; count < PARTS && command->parts[count]; count++) {
        names[count] = command->parts[count]->name + prefix;
        if (!strcmp(names[count], argv[0]))
            return run_one(command->parts[count], argc - 1, argv + 1);
    }
    const char *close = args_closest(argv[0], names);
    if (close)
        return cli_usage("unknown command '%s'; did you mean %s?", argv[0],
                         close);
    return cli_usage("unknown command '%s'", argv[0]);
}

static int run_command(const arg_command *const *commands, int argc,
                       char **argv)
{
    const char *names[COMMANDS + 1] = {0};
    for (int i = 0; i < COMMANDS; i++) {
        const arg_command *command = commands[i];
        names[i] = command->name;
        if (strcmp(command->name, argv[0]) != 0)
            continue;
        return command->parts ? run_part(command, argc - 1, argv + 1)
                              : run_one(command, argc - 1, argv + 1);
    }
    const char *close = args_closest(argv[0], names);
    const char *what = argv[0][0] == '-' ? "option" : "command";
    if (close)
        return cli_usage("unknown %s '%s'; did you mean %s?", what, argv[0],
                         close);
    return cli_usage("unknown %s '%s'", what, argv[0]);
}

static int is_one_of(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

/* "kith help COMMAND [PART]" is "kith COMMAND [PART] --help". */
static int run_help(const arg_command *const *commands, int argc, char **argv)
{
    enum { MOST = 3 };
    static char help[] = "--help";
    char *words[MOST];
    if (argc >= MOST)
        return cli_usage("help is for one command");
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    words[argc] = help;
    return run_command(commands, argc + 1, words);
}

int command_main(int argc, char **argv)
{
    cli_prepare_memory();
    cli_prepare_blas();
    output_prepare();
    const arg_command *commands[COMMANDS] = {
        command_kmeans(),   command_kmedian(),  command_subspace(),
        command_local(),    command_evaluate(), command_assign(),
        command_generate(), command_verify(),   command_sign(),
        command_report(),   command_budget(),   command_sweep(),
        command_audit(),    command_check(),    command_bounds()};
    int code = CLI_OK;
    if (argc < 2) {
        code = cli_usage("a command is needed: kmeans, kmedian, subspace, "
                         "local, evaluate, assign, generate, verify, sign, "
                         "report, budget, sweep, audit, check or bounds");
    } else if (is_one_of(argv[1], "--help", "-h") ||
               (argc == 2 && !strcmp(argv[1], "help"))) {
        print_help(commands);
    } else if (!strcmp(argv[1], "help")) {
        code = run_help(commands, argc - 2, argv + 2);
    } else if (!strcmp(argv[1], "completions")) {
        code =
            completions_print(commands, COMMANDS, argc == 3 ? argv[2] : NULL);
    } else if (is_one_of(argv[1], "--version", "-V")) {
        printf("kith %s\n%s\n", kith_version(), kith_build_info());
    } else {
        code = run_command(commands, argc - 1, argv + 1);
    }
    if (fclose(stdout) && code == CLI_OK)
        code = cli_fail(CLI_FAILED, "cannot write to standard output: %s",
                        strerror(errno));
    return code;
}
