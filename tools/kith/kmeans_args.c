/* The options of `kith kmeans` and `kith kmedian`: tables, checks, and how they
 * exclude each other. */
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "kmeans_run.h"
#include "output.h"

/* Above this a request is a typing error, not a plan. */
enum { MAX_CLUSTERS = 1000000, MAX_ROUNDS = 10000, MAX_STARTS = 10000 };

static const arg_option privacy_options[] = {
    {"clusters", 'k', "K", "number of centres (required)"},
    {"epsilon", 'e', "EPS",
     "privacy budget (required): smaller is more private; 1 is usual"},
    {"delta", 0, "D",
     "0 (default) for pure differential privacy; a small number such as 1e-6, "
     "well below one over the number of rows, allows less noise"},
    {"adjacency", 0, "A",
     "add-remove (default): hides whether a row is there, and so the number "
     "of rows; replace-one: hides what is in a row"},
    {"ledger", 0, "URI",
     "charge a durable ledger; this version has none and exits with 5"},
    {"account", 0, "NAME", "the ledger's account to charge"},
    {"insecure-seed", 0, "N",
     "draw the noise from a seed, for tests; voids every guarantee"},
    {"non-private", 0, NULL,
     "run from k-means++ to convergence without noise, for comparison"},
    {"starts", 0, "S", "with --non-private: best of S starts (default: 1)"},
};

/* The first ONLY_KMEANS are not for kmedian. */
enum { ONLY_KMEANS = 2 };
static const arg_option method_options[] = {
    {"method", 0, "M",
     "auto (default): the recommended one; lloyd: Lloyd iterations on noisy "
     "sums; balcan: candidates from a random projection, swaps, recovery"},
    {"paper-constants", 0, NULL,
     "with --method balcan: the constants as printed in the paper; refused, "
     "with the numbers that make the result vacuous"},
    {"rounds", 0, "T",
     "number of iterations (default: the method's own, printed in the model); "
     "with --non-private the most that are made (default: 300)"},
    {"seed", 0, "N", "public coins, printed in the model (default: 0)"},
};

static const arg_option output_options[] = {
    {"output", 'o', "FILE", "write the model here, not to standard output"},
    {"centers", 0, "FILE", "write the centres alone too: .npy or .csv"},
    {"dry-run", 0, NULL,
     "read no data: price a run of --rows rows and --dimension features, and "
     "predict its noise"},
    {"rows", 0, "N", "with --dry-run: a public guess of the number of rows"},
    {"progress", 0, "WHEN", "auto (default: on a terminal), always or never"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static arg_group kmeans_groups[] = {
    {"Privacy", privacy_options,
     sizeof privacy_options / sizeof *privacy_options},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Method", method_options, sizeof method_options / sizeof *method_options},
    {"Input", source_options, 0},
    {"Output", output_options, sizeof output_options / sizeof *output_options},
};

static arg_group kmedian_groups[] = {
    {"Privacy", privacy_options,
     sizeof privacy_options / sizeof *privacy_options},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Method", method_options + ONLY_KMEANS,
     sizeof method_options / sizeof *method_options - ONLY_KMEANS},
    {"Input", source_options, 0},
    {"Output", output_options, sizeof output_options / sizeof *output_options},
};

#define USAGE "-k K -e EPS [--delta D] BOUNDS [OPTION]... INPUT..."
#define NOTES(example)                                                         \
    "INPUT is one or more files (.csv .tsv .npy .svm, also .gz or .zst), "     \
    "shards of\none dataset; - is standard input. Whoever reads the model "    \
    "learns almost nothing\nabout any single row; the bounds, the options "    \
    "and the number of features are\npublic.\n"                                \
    "Example: kith " example " -k 8 -e 1 --bounds 0:100 -o model.json "        \
    "rows.csv\n"

const arg_command *command_kmeans(void)
{
    static const arg_command command = {
        .name = "kmeans",
        .summary = "Publish k centres of the rows under differential privacy.",
        .usage = USAGE,
        .notes = NOTES("kmeans"),
        .groups = kmeans_groups,
        .group_count = sizeof kmeans_groups / sizeof *kmeans_groups,
        .run = kmeans_main,
    };
    kmeans_groups[1].count = bounds_option_count;
    kmeans_groups[3].count = source_option_count;
    return &command;
}

const arg_command *command_kmedian(void)
{
    static const arg_command command = {
        .name = "kmedian",
        .summary = "Publish k medians of the rows, which outliers hardly "
                   "move.",
        .usage = USAGE,
        .notes = NOTES("kmedian"),
        .groups = kmedian_groups,
        .group_count = sizeof kmedian_groups / sizeof *kmedian_groups,
        .run = kmeans_main,
    };
    kmedian_groups[1].count = bounds_option_count;
    kmedian_groups[3].count = source_option_count;
    return &command;
}

/* ---- checks -------------------------------------------------------------- */

/* Options that have no meaning next to the one named first. */
static int refuse_with(const args *a, const char *name,
                       const char *const *others)
{
    for (; *others; others++)
        if (args_value(a, *others))
            return cli_usage("--%s has no meaning with --%s", *others, name);
    return CLI_OK;
}

static int check_mode(const kmeans_run *run, const args *a)
{
    static const char *const not_plain[] = {
        "epsilon", "delta",   "adjacency", "insecure-seed",
        "ledger",  "account", "dry-run",   NULL};
    static const char *const no_method[] = {"method", "paper-constants", NULL};
    static const char *const not_dry[] = {
        "insecure-seed", "centers", "format", "columns", "header",
        "no-header",     "missing", "ledger", "account", NULL};
    int dry = args_value(a, "dry-run") != NULL;
    int plain = args_value(a, "non-private") != NULL;
    int code = plain ? refuse_with(a, "non-private", not_plain) : CLI_OK;
    if (!code && plain && !run->median)
        code = refuse_with(a, "non-private", no_method);
    if (!code && dry)
        code = refuse_with(a, "dry-run", not_dry);
    if (code)
        return code;
    if (args_value(a, "starts") && !plain)
        return cli_usage("--starts needs --non-private: each start of a "
                         "private run would cost budget");
    if (args_value(a, "rows") && !dry)
        return cli_usage("--rows needs --dry-run: the number of rows is "
                         "private and is never asked for otherwise");
    if (dry && a->operand_count)
        return cli_usage("--dry-run reads no data: drop the input files");
    if (dry && (!args_value(a, "rows") || !args_value(a, "dimension")))
        return cli_usage("--dry-run needs --rows N and --dimension D");
    if (!dry && !a->operand_count)
        return cli_usage("no input file (use - and --format for standard "
                         "input)");
    if (args_value(a, "account") && !args_value(a, "ledger"))
        return cli_usage("--account is an account of a --ledger: give both");
    if (args_value(a, "ledger"))
        return cli_fail(CLI_STORE, "this version has no durable ledger: leave "
                                   "--ledger out and keep account yourself");
    return CLI_OK;
}

static int parse_privacy(kmeans_run *run, const args *a)
{
    static const char *const words[] = {"add-remove", "replace-one", NULL};
    kith_privacy *p = &run->privacy;
    unsigned adjacency = 0;
    if (run->non_private)
        return CLI_OK;
    if (!args_value(a, "epsilon"))
        return cli_usage("-e EPS (--epsilon) is required: the privacy budget "
                         "has no default");
    int code = args_real(a, "epsilon", &p->epsilon);
    if (!code)
        code = args_real(a, "delta", &p->delta);
    if (!code)
        code = args_choice(a, "adjacency", words, &adjacency);
    if (code)
        return code;
    p->neighbors = adjacency ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
    if (!(p->epsilon > 0 && p->epsilon <= 4096))
        return cli_usage("--epsilon: '%s' is not above 0 and at most 4096",
                         args_value(a, "epsilon"));
    if (!(p->delta >= 0 && p->delta < 1))
        return cli_usage("--delta: '%s' is not from 0 to below 1",
                         args_value(a, "delta"));
    return CLI_OK;
}

/* The first is the default. */
static const char *const method_names[] = {"auto", "lloyd", "balcan", NULL};
static const kith_kmeans_method method_values[] = {
    KITH_KMEANS_AUTO, KITH_KMEANS_LLOYD, KITH_KMEANS_BALCAN};

const char *kmeans_method_name(const kmeans_run *run)
{
    enum { METHODS = sizeof method_values / sizeof *method_values };
    if (run->median)
        return "weiszfeld";
    for (unsigned i = 0; i < METHODS; i++)
        if (method_values[i] == run->method)
            return method_names[i];
    return method_names[0];
}

static int parse_numbers(kmeans_run *run, const args *a)
{
    unsigned method = 0;
    if (!args_value(a, "clusters"))
        return cli_usage("-k K (--clusters) is required: how many centres?");
    int code = args_count(a, "clusters", 1, MAX_CLUSTERS, &run->clusters);
    if (!code)
        code = parse_privacy(run, a);
    if (!code && !run->median)
        code = args_choice(a, "method", method_names, &method);
    run->method = method_values[method];
    if (!code && run->paper_constants && run->method != KITH_KMEANS_BALCAN)
        return cli_usage("--paper-constants needs --method balcan");
    if (!code)
        code = args_count(a, "rounds", 1, MAX_ROUNDS, &run->rounds);
    if (!code)
        code = args_count(a, "starts", 1, MAX_STARTS, &run->starts);
    if (!code)
        code = args_whole(a, "seed", 0, INT64_MAX, &run->seed);
    if (!code)
        code =
            args_whole(a, "insecure-seed", 0, INT64_MAX, &run->insecure_seed);
    if (!code)
        code = args_whole(a, "rows", 1, INT64_MAX, &run->rows);
    return code;
}

static int check_outputs(const kmeans_run *run, const args *a)
{
    const char *f = run->centers;
    if (f && !output_has_suffix(f, ".npy") && !output_has_suffix(f, ".csv"))
        return cli_usage("--centers: '%s' ends neither in .npy nor in .csv", f);
    if (f && run->output && !strcmp(f, run->output))
        return cli_usage("-o and --centers name the same file");
    int code = output_check_inputs(run->output, a->operands, a->operand_count);
    if (!code)
        code = output_check_inputs(f, a->operands, a->operand_count);
    return code;
}

int kmeans_run_parse(kmeans_run *run, const args *a)
{
    *run = (kmeans_run){
        .starts = 1,
        .insecure = args_value(a, "insecure-seed") != NULL,
        .non_private = args_value(a, "non-private") != NULL,
        .dry_run = args_value(a, "dry-run") != NULL,
        .quiet = args_value(a, "quiet") != NULL,
        .median = !strcmp(a->command->name, "kmedian"),
        .output = args_value(a, "output"),
        .centers = args_value(a, "centers"),
    };
    if (run->output && !strcmp(run->output, "-"))
        run->output = NULL; /* standard output */
    run->paper_constants =
        !run->median && args_value(a, "paper-constants") != NULL;
    int code = check_mode(run, a);
    if (!code)
        code = parse_numbers(run, a);
    if (!code)
        code = progress_parse(&run->progress, a);
    if (!code)
        code = source_parse(&run->source, a);
    if (!code)
        code = bounds_parse(&run->bounds, a);
    if (!code)
        code = check_outputs(run, a);
    return code;
}

void kmeans_run_free(kmeans_run *run)
{
    source_free(&run->source);
    bounds_free(&run->bounds);
}
