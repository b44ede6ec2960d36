/* The options of `kith local simulate`, `plan` and `lower-bound`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "local_cli.h"

/* Above this a request is a typing error, not a plan. */
enum { MAX_CLUSTERS = 100000, MAX_TRIALS = 1000000, MAX_INTERVALS = 4096 };

static const arg_option privacy_options[] = {
    {"clusters", 'k', "K", "number of centres (required)"},
    {"epsilon", 'e', "EPS",
     "privacy budget of a user (required): smaller is more private; 1 is "
     "usual, 4 is common where devices report"},
    {"delta", 0, "D",
     "0 (default) for pure local privacy; above it --method weighted-centers "
     "sends Gaussian vectors as in the paper, all others spend none"},
};

static const arg_option seed_options[] = {
    {"insecure-seed", 0, "N",
     "draw the users' coins from a seed, for tests; voids every guarantee"},
    {"law", 0, NULL,
     "draw the server's sums from their law, not report by report: quick, for "
     "studies; voids every guarantee"},
};

static const arg_option task_options[] = {
    {"task", 0, "FILE",
     "a task file marked as a test, instead of -k, -e, bounds and method: the "
     "model that a service would publish; needs --insecure-seed"},
};

static const arg_option method_options[] = {
    {"method", 0, "M",
     "auto (default): the recommended one; one-round: no interaction; "
     "weighted-centers: the paper's, repaired; mean: one centre"},
    {"objective", 0, "O",
     "kmeans (default): squared distances; kmedian: distances"},
    {"radii", 0, "J", "weighted-centers: how many radii (default: its own)"},
    {"repetitions", 0, "M",
     "weighted-centers: repetitions of each radius (default: 1)"},
    {"hash", 0, "H",
     "weighted-centers: grid (default): a randomly shifted grid; e2lsh"},
    {"boxes", 0, NULL,
     "weighted-centers: find a box in each cell (steps 3 to 6 of the paper; "
     "always with e2lsh)"},
    {"weights", 0, "W",
     "weighted-centers: prefer (default); nearest: Kaplan and Stemmer 2018"},
    {"split-epsilon", 0, NULL,
     "weighted-centers: everybody answers everything with a part of epsilon, "
     "as printed; by default users are split and answer once"},
    {"paper-constants", 0, NULL,
     "weighted-centers: the constants as printed; refused, with the numbers "
     "that make the result vacuous"},
    {"seed", 0, "N", "public coins, printed in the model (default: 0)"},
};

static const arg_option output_options[] = {
    {"output", 'o', "FILE",
     "write the model here, not to standard output; a file that exists is kept "
     "unless --force"},
    {"force", 0, NULL, "replace files that exist"},
    {"centers", 0, "FILE", "write the centres alone too: .npy or .csv"},
    {"progress", 0, "WHEN", "auto (default: on a terminal), always or never"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static const arg_option shape_options[] = {
    {"rows", 0, "N", "number of users who will be invited (required)"},
    {"dimension", 0, "D", "number of features (required)"},
};

static const arg_option print_options[] = {
    {"output", 'o', "FILE", "write the result here, not to standard output"},
    {"progress", 0, "WHEN", "auto (default: on a terminal), always or never"},
    {"quiet", 0, NULL, "print errors and warnings only"},
    {"threads", 0, "T", "number of worker threads (default: all processors)"},
};

static const arg_option bound_options[] = {
    {"epsilon", 'e', "EPS", "privacy budget of a user (required)"},
    {"rows", 0, "N,N", "numbers of users (default: 10000,100000)"},
    {"sizes", 0, "S,S",
     "numbers s of ones, in units of the root of the number of users (default: "
     "0,2,4,8,16,32)"},
    {"trials", 0, "T", "runs of each cell of the table (default: 24)"},
    {"intervals", 0, "I", "intervals that [0,1] is cut into (default: 16)"},
    {"reports", 0, NULL,
     "report by report; by default the sums are drawn from their law"},
    {"insecure-seed", 0, "N",
     "draw the users' coins from a seed, for tests (default: 0)"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define BOUNDS_TITLE "Bounds (public; a box or a ball or both are required)"

static arg_group simulate_groups[] = {
    {"Privacy", privacy_options, COUNT(privacy_options)},
    {NULL, seed_options, COUNT(seed_options)},
    {NULL, task_options, COUNT(task_options)},
    {BOUNDS_TITLE, bounds_options, 0},
    {"Method", method_options, COUNT(method_options)},
    {"Input", source_options, 0},
    {"Output", output_options, COUNT(output_options)},
};
static arg_group plan_groups[] = {
    {"Users", shape_options, COUNT(shape_options)},
    {"Privacy", privacy_options, COUNT(privacy_options)},
    {"Bounds (public; by default the unit ball)", bounds_options, 0},
    {"Method", method_options, COUNT(method_options)},
    {"Output", print_options, COUNT(print_options)},
};
static arg_group bound_groups[] = {
    {"Table", bound_options, COUNT(bound_options)},
    {"Method", method_options, COUNT(method_options)},
    {"Output", print_options, COUNT(print_options)},
};

void local_tables_prepare(void)
{
    simulate_groups[3].count = bounds_option_count;
    simulate_groups[5].count = source_option_count;
    plan_groups[2].count = bounds_option_count;
}

const arg_command local_simulate_command = {
    .name = "local simulate",
    .summary = "Run the whole protocol in one process, each row a user.",
    .usage = "-k K -e EPS [--delta D] BOUNDS [OPTION]... INPUT...",
    .notes = "Every row answers one question with secret coins of its own, as "
             "its owner's\ndevice would. Whoever runs this holds the rows; "
             "the model is what a server that\nnever holds them would have "
             "learnt.\n"
             "Example: kith local simulate -k 5 -e 2 --radius 1 --no-header "
             "rows.csv\n",
    .groups = simulate_groups,
    .group_count = COUNT(simulate_groups),
    .run = local_simulate_main,
};
const arg_command local_plan_command = {
    .name = "local plan",
    .summary = "Price a deployment: rounds, groups, bytes, expected error.",
    .usage = "--rows N --dimension D -k K -e EPS [BOUNDS] [OPTION]...",
    .notes = "Reads no data. The questions are those of a trial on clear "
             "clusters; the\nforecast says when noise will hide the answer.\n"
             "Example: kith local plan --rows 100000 --dimension 2 -k 5 -e 1\n",
    .groups = plan_groups,
    .group_count = COUNT(plan_groups),
    .run = local_plan_main,
};
const arg_command local_bound_command = {
    .name = "local lower-bound",
    .summary = "Show that clusters below about the root of n are invisible.",
    .usage = "-e EPS [OPTION]...",
    .notes = "Protocol B of the paper's Section 5 with a 2-means method: how "
             "often are s root\nn users at a secret place told from none? "
             "s = 0 is the database without any.\n"
             "Example: kith local lower-bound -e 1 --rows 10000 --trials 12\n",
    .groups = bound_groups,
    .group_count = COUNT(bound_groups),
    .run = local_bound_main,
};

/* ---- checks -------------------------------------------------------------- */

const char *local_method_name(const local_cli *cli)
{
    return kith_word_of(KITH_WORDS_LOCAL_METHOD, (int)cli->options.method);
}

void local_describe(const local_cli *cli, kith_run *out)
{
    run_describe(&cli->common, out);
    out->local = &cli->options;
}

static int parse_method(local_cli *cli, const args *a)
{
    static const char *const objectives[] = {"kmeans", "kmedian", NULL};
    static const char *const hashes[] = {"grid", "e2lsh", NULL};
    static const char *const only_weighted[] = {
        "radii",         "repetitions",     "hash", "boxes", "weights",
        "split-epsilon", "paper-constants", NULL};
    static const char *const weights[] = {"prefer", "nearest", NULL};
    kith_local_options *o = &cli->options;
    unsigned objective = 0, hash = 0, weight = 0;
    int method = KITH_LOCAL_AUTO;
    int code = args_word(a, "method", KITH_WORDS_LOCAL_METHOD, &method);
    if (!code)
        code = args_choice(a, "objective", objectives, &objective);
    if (!code)
        code = args_choice(a, "hash", hashes, &hash);
    if (!code)
        code = args_choice(a, "weights", weights, &weight);
    if (!code)
        code = args_count(a, "radii", 1, 12, &o->radii);
    if (!code)
        code = args_count(a, "repetitions", 1, 64, &o->repetitions);
    if (!code)
        code = args_whole(a, "seed", 0, INT64_MAX, &cli->common.seed);
    o->method = (kith_local_method)method;
    o->objective = objective ? KITH_OBJECTIVE_KMEDIAN : KITH_OBJECTIVE_KMEANS;
    o->e2lsh = hash == 1;
    o->nearest_weights = weight == 1;
    o->boxes = args_value(a, "boxes") != NULL;
    o->split_epsilon = args_value(a, "split-epsilon") != NULL;
    o->paper_constants = args_value(a, "paper-constants") != NULL;
    o->public_seed = cli->common.seed;
    for (int i = 0; !code && only_weighted[i]; i++)
        if (args_value(a, only_weighted[i]) &&
            o->method != KITH_LOCAL_WEIGHTED_CENTERS)
            code = cli_usage("--%s needs --method weighted-centers",
                             only_weighted[i]);
    return code;
}

static int parse_privacy(local_cli *cli, const args *a)
{
    kith_privacy *p = &cli->common.privacy;
    if (!args_value(a, "epsilon"))
        return cli_usage("-e EPS (--epsilon) is required: the privacy budget "
                         "has no default");
    int code = args_real(a, "epsilon", &p->epsilon);
    if (!code && args_given(a, "delta"))
        code = args_real(a, "delta", &p->delta);
    if (code)
        return code;
    if (!(p->epsilon > 0 && p->epsilon <= 20))
        return cli_usage("--epsilon: '%s' is not above 0 and at most 20",
                         args_value(a, "epsilon"));
    if (!(p->delta >= 0 && p->delta < 1))
        return cli_usage("--delta: '%s' is not from 0 to below 1",
                         args_value(a, "delta"));
    p->neighbors = KITH_REPLACE_ONE;
    cli->options.epsilon = p->epsilon;
    cli->options.delta = p->delta;
    return CLI_OK;
}

static int parse_clusters(local_cli *cli, const args *a)
{
    if (!args_value(a, "clusters"))
        return cli_usage("-k K (--clusters) is required: how many centres?");
    int code =
        args_count(a, "clusters", 1, MAX_CLUSTERS, &cli->common.clusters);
    cli->options.clusters = cli->common.clusters;
    return code;
}

/* A list of numbers from 0 on, with commas. */
static int parse_list(const args *a, const char *name, const char *otherwise,
                      double **out, size_t *count)
{
    const char *text = args_value(a, name);
    text = text ? text : otherwise;
    size_t most = 1;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    char *copy = strdup(text), *rest = copy;
    *out = calloc(most, sizeof **out);
    if (!copy || !*out) {
        free(copy);
        return cli_no_memory();
    }
    int code = CLI_OK;
    while (!code && rest) {
        double *value = *out + (*count)++;
        if (cli_number(strsep(&rest, ","), value) || *value < 0)
            code = cli_usage("--%s: '%s' is not a list of numbers from 0 on "
                             "with commas",
                             name, text);
    }
    free(copy);
    return code;
}

static int parse_bound(local_cli *cli, const args *a)
{
    cli->trials = 24;
    cli->intervals = 16;
    cli->options.clusters = cli->common.clusters = 2;
    cli->options.law = args_value(a, "reports") == NULL;
    int code =
        parse_list(a, "rows", "10000,100000", &cli->rows, &cli->row_count);
    for (size_t i = 0; !code && i < cli->row_count; i++)
        if (cli->rows[i] < 1 || cli->rows[i] > 1e8)
            code = cli_usage("--rows: from 1 to 100000000 users");
    if (!code)
        code = parse_list(a, "sizes", "0,2,4,8,16,32", &cli->sizes,
                          &cli->size_count);
    if (!code)
        code = args_count(a, "trials", 1, MAX_TRIALS, &cli->trials);
    if (!code)
        code = args_count(a, "intervals", 2, MAX_INTERVALS, &cli->intervals);
    return code;
}

static int parse_plan(local_cli *cli, const args *a)
{
    if (a->operand_count)
        return cli_usage("a plan reads no data: drop the input files");
    if (!args_value(a, "rows") || !args_value(a, "dimension"))
        return cli_usage("--rows N and --dimension D are required: how many "
                         "users, with how many features?");
    int code =
        args_whole(a, "rows", 1, UINT64_C(1000000000000), &cli->common.rows);
    if (!code)
        code = args_count(a, "dimension", 1, 100000, &cli->dimension);
    if (!code && !args_value(a, "bounds") && !args_value(a, "bounds-file") &&
        !args_value(a, "radius")) {
        if (args_value(a, "center") || args_value(a, "normalize"))
            return cli_usage("--center and --normalize need bounds");
        cli->common.bounds.view.radius = 1;
        return code;
    }
    if (!code)
        code = bounds_parse(&cli->common.bounds, a);
    return code ? code : bounds_check(&cli->common.bounds, cli->dimension);
}

static int parse_simulate(local_cli *cli, const args *a)
{
    const char *f = cli->centers = args_value(a, "centers");
    if (!a->operand_count)
        return cli_usage("no input file (use - and --format for standard "
                         "input)");
    cli->options.law = args_value(a, "law") != NULL;
    int code = source_parse(&cli->common.source, a);
    if (!code) /* how many users there are is public */
        code = source_fix_rows(&cli->common.source, 1);
    if (!code)
        code = bounds_parse(&cli->common.bounds, a);
    if (!code)
        code = bounds_match(&cli->common.bounds, &cli->common.source);
    if (!code && f && !output_has_suffix(f, ".npy") &&
        !output_has_suffix(f, ".csv"))
        code = cli_usage("--centers: '%s' ends neither in .npy nor in .csv", f);
    if (!code && f && cli->common.output &&
        output_is_same(f, cli->common.output))
        code = cli_usage("-o and --centers name the same file");
    if (!code)
        code = output_check_inputs(cli->common.output, a->operands,
                                   a->operand_count);
    if (!code)
        code = output_check_inputs(f, a->operands, a->operand_count);
    int force = args_given(a, "force");
    if (!code)
        code = output_check_new(cli->common.output, force);
    if (!code)
        code = output_check_new(f, force);
    if (!code && !args_given(a, "allow-repeat"))
        code = source_check_repeat(a->operands, a->operand_count);
    return code;
}

int local_cli_parse(local_cli *cli, const args *a)
{
    *cli = (local_cli){0};
    run_common *c = &cli->common;
    int bound = a->command == &local_bound_command;
    int simulate = a->command == &local_simulate_command;
    kith_local_options_init(&cli->options, sizeof cli->options);
    c->quiet = args_value(a, "quiet") != NULL;
    c->output = args_value(a, "output");
    if (c->output && !strcmp(c->output, "-"))
        c->output = NULL;
    int code = bound ? parse_bound(cli, a) : parse_clusters(cli, a);
    if (!code && bound && a->operand_count)
        code = cli_usage("the lower bound reads no data: drop the input files");
    if (!code)
        code = parse_privacy(cli, a);
    if (!code)
        code = parse_method(cli, a);
    if (!code && args_given(a, "insecure-seed")) {
        c->insecure = 1;
        code = args_whole(a, "insecure-seed", 0, INT64_MAX, &c->insecure_seed);
    }
    if (!code)
        code = progress_parse(&c->progress, a);
    if (!code && simulate)
        code = parse_simulate(cli, a);
    else if (!code && !bound)
        code = parse_plan(cli, a);
    if (!code && !simulate)
        code = args_count(a, "threads", 1, 1024, &c->source.threads);
    cli->options.insecure = c->insecure;
    cli->options.insecure_seed = c->insecure_seed;
    cli->options.threads = c->source.threads;
    return code;
}

void local_cli_free(local_cli *cli)
{
    run_common_free(&cli->common);
    free(cli->rows);
    free(cli->sizes);
}
