/* kith-mpi: the kith command as ranks of an MPI job. Rank 0 alone prints and
 * writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli.h>
#include <commands.h>
#include <output.h>
#include <ranks.h>
#include <shards.h>

#include "team_mpi.h"

static void print_help(void)
{
    puts("Usage: mpirun -n RANKS kith-mpi COMMAND [OPTION]... INPUT...\n\n"
         "The kith command for rows that one machine cannot hold: each rank "
         "reads a part\nof the files, and the model is that of a single "
         "process, bit for bit.\n\n"
         "Commands\n"
         "  kmeans, kmedian, subspace, evaluate, assign\n"
         "  as of kith: kith COMMAND --help tells their options\n\n"
         "Other\n"
         "  --rank-timeout S  end the run when a rank has waited S seconds "
         "for another\n"
         "                    (default: 600)\n"
         "  --shards-local    INPUT means files of each rank's own machine; "
         "patterns are\n"
         "                    matched there (in quotes: '/data/*.npy')\n"
         "  --help            print this and exit\n"
         "  --version         print the version and what it was built with\n\n"
         "The manual: man kith-mpi");
}

/* Takes --rank-timeout S out of argv. Exit code. */
static int take_patience(int *argc, char **argv, kith_team *team)
{
    static const char name[] = "--rank-timeout";
    size_t length = strlen(name);
    for (int i = 1; i < *argc; i++) {
        int alone = !strcmp(argv[i], name);
        if (!strcmp(argv[i], "--"))
            break;
        if (!alone &&
            (strncmp(argv[i], name, length) != 0 || argv[i][length] != '='))
            continue;
        int words = alone ? 2 : 1;
        if (i + words > *argc)
            return cli_usage("--rank-timeout needs a number of seconds");
        const char *text = alone ? argv[i + 1] : argv[i] + length + 1;
        double seconds;
        if (cli_number(text, &seconds) || !(seconds >= 1 && seconds <= 1e7))
            return cli_usage("--rank-timeout: '%s' is not a number of seconds "
                             "from 1 to 10000000",
                             text);
        team_mpi_set_patience(team, seconds);
        memmove(argv + i, argv + i + words,
                (size_t)(*argc - i - words + 1) * sizeof *argv);
        *argc -= words;
        i--;
    }
    return CLI_OK;
}

/* Takes --shards-local out of argv. */
static void take_local(int *argc, char **argv)
{
    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--shards-local")) {
            shards_set_local();
            memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv);
            --*argc;
            i--;
        }
}

static int is_offered(const char *word)
{
    static const char *const offered[] = {"kmeans",   "kmedian", "subspace",
                                          "evaluate", "assign",  "--version"};
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++)
        if (!strcmp(word, offered[i]))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    kith_team *team = team_mpi_open(&argc, &argv);
    if (!team) {
        fprintf(stderr, "kith-mpi: MPI cannot be started\n");
        return CLI_FAILED;
    }
    ranks_set(team);
    team_mpi_set_farewell(team, output_abandon);
    /* the others have nothing to say */
    if (team->rank > 0 && !freopen("/dev/null", "w", stdout))
        team_mpi_close(team, 1, CLI_FAILED);
    int code = take_patience(&argc, argv, team);
    take_local(&argc, argv);
    if (!code && argc > 1 && !strcmp(argv[1], "--help"))
        print_help();
    else if (!code && (argc < 2 || !is_offered(argv[1])))
        code = cli_usage("kith-mpi runs kmeans, kmedian, subspace, evaluate "
                         "and assign; for all else use kith");
    else if (!code)
        code = command_main(argc, argv);
    code = ranks_agree(code);
    team_mpi_close(team, 0, code);
    return code;
}
