/* The options of `kith kmeans` and `kith kmedian`: tables, checks, and how they
 * exclude each other. */
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "kmeans_run.h"
#include "output.h"

/* Above this a request is a typing error, not a plan. */
enum { MAX_CLUSTERS = 1000000, MAX_ROUNDS = 10000 };

static const arg_option cluster_options[] = {
    {"clusters", 'k', "K",
     "number of centres (required); LO:HI chooses one of these numbers inside "
     "the budget, auto is 2:20"},
};
static const arg_option median_cluster_options[] = {
    {"clusters", 'k', "K", "number of centres (required)"},
};

static const arg_option plain_options[] = {
    {"non-private", 0, NULL,
     "run from k-means++ to convergence without noise, for comparison"},
    {"starts", 0, "S", "with --non-private: best of S starts (default: 1)"},
};

static const arg_option sparsity_options[] = {
    {"sparsity", 0, "S",
     "each row keeps its S entries farthest from 0, the others become "
     "0: less noise for sparse rows (default: all entries)"},
};

static const arg_option median_options[] = {
    {"method", 0, "M",
     "auto (default): from a private k-means run; balcan: from candidates of a "
     "random projection and swaps"},
    {"recovery", 0, "R",
     "steps (default): noisy steps to the medians; sampling: draw them by a "
     "Markov chain, whose guarantee holds in the limit only (asymptotic)"},
};

/* The first ONLY_KMEANS are not for kmedian. */
enum { ONLY_KMEANS = 3 };
static const arg_option method_options[] = {
    {"method", 0, "M",
     "auto (default): the recommended one; lloyd: Lloyd iterations on noisy "
     "sums; balcan: candidates from a random projection, swaps, recovery; "
     "sulq, grid, kvariates, sample-aggregate: baselines of papers, to compare "
     "with"},
    {"paper-constants", 0, NULL,
     "with --method balcan: the constants as printed in the paper, which make "
     "the result vacuous: the numbers are shown first, and the run is refused "
     "where they cannot be represented"},
    {"as-published", 0, NULL,
     "with --method balcan: as many partitions, levels and rounds as in the "
     "paper's experiments, and the last draw of its Algorithm 3, repaired"},
    {"rounds", 0, "T",
     "number of iterations (default: the method's own, printed in the model); "
     "with --non-private the most that are made (default: 300)"},
    {"seed", 0, "N", "public coins, printed in the model (default: 0)"},
};

static const arg_option center_options[] = {
    {"centers", 0, "FILE", "write the centres alone too: .npy or .csv"},
};

/* Groups without a title go on under the one before. Counts of tables that
 * live elsewhere are filled in by fill_groups. */
#define BOUNDS_TITLE "Bounds (public; a box or a ball or both are required)"
static arg_group kmeans_groups[] = {
    {"Clusters", cluster_options, 1},
    {"Privacy", run_privacy_options, 0},
    {NULL, plain_options, 2},
    {BOUNDS_TITLE, bounds_options, 0},
    {NULL, sparsity_options, 1},
    {"Method", method_options, sizeof method_options / sizeof *method_options},
    {"Input", source_options, 0},
    {"Output", run_output_options, 0},
    {NULL, center_options, 1},
    {"Ledger", payer_options, PAYER_OPTIONS},
};

static arg_group kmedian_groups[] = {
    {"Clusters", median_cluster_options, 1},
    {"Privacy", run_privacy_options, 0},
    {NULL, plain_options, 2},
    {BOUNDS_TITLE, bounds_options, 0},
    {NULL, sparsity_options, 1},
    {"Method", median_options, 2},
    {NULL, method_options + ONLY_KMEANS,
     sizeof method_options / sizeof *method_options - ONLY_KMEANS},
    {"Input", source_options, 0},
    {"Output", run_output_options, 0},
    {NULL, center_options, 1},
    {"Ledger", payer_options, PAYER_OPTIONS},
};

static void fill_groups(arg_group *groups)
{
    groups[1].count = run_privacy_count;
    groups[3].count = bounds_option_count;
    for (arg_group *g = groups; g->options != center_options; g++)
        if (g->options == source_options)
            g->count = source_option_count;
        else if (g->options == run_output_options)
            g->count = run_output_count;
}

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
    fill_groups(kmeans_groups);
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
    fill_groups(kmedian_groups);
    return &command;
}

/* ---- checks -------------------------------------------------------------- */

static int parse_median(kmeans_run *run, const args *a)
{
    int method = KITH_KMEDIAN_AUTO, recovery = KITH_RECOVERY_STEPS;
    int code = args_word(a, "method", KITH_WORDS_KMEDIAN_METHOD, &method);
    if (!code)
        code = args_word(a, "recovery", KITH_WORDS_RECOVERY, &recovery);
    run->medians.method = (kith_kmedian_method)method;
    run->medians.recovery = (kith_kmedian_recovery)recovery;
    if (!code && recovery == KITH_RECOVERY_SAMPLING && args_value(a, "rounds"))
        return cli_usage("--recovery sampling makes no rounds: drop --rounds");
    return code;
}

static int parse_method(kmeans_run *run, const args *a)
{
    int method = KITH_KMEANS_AUTO;
    if (run->median)
        return parse_median(run, a);
    int code = args_word(a, "method", KITH_WORDS_KMEANS_METHOD, &method);
    run->means.method = (kith_kmeans_method)method;
    if (!code && run->means.paper_constants && method != KITH_KMEANS_BALCAN)
        return cli_usage("--paper-constants needs --method balcan");
    if (!code && run->means.as_published && method != KITH_KMEANS_BALCAN)
        return cli_usage("--as-published needs --method balcan");
    if (!code && run->means.as_published && run->means.paper_constants)
        return cli_usage("--as-published and --paper-constants exclude each "
                         "other: the first is what the paper ran, the second "
                         "what it proves");
    return code;
}

/* What all three kinds of options have. */
static void fill_options(kmeans_run *run)
{
    run_common *c = &run->common;
    run->means.clusters = run->medians.clusters = run->plain.clusters =
        c->clusters;
    run->means.clusters_from = c->clusters_from;
    run->means.rounds = run->medians.rounds = run->plain.max_rounds = c->rounds;
    run->means.public_seed = run->medians.public_seed = run->plain.seed =
        c->seed;
    run->means.progress = run->medians.progress = run->plain.progress =
        progress_step;
    run->means.progress_arg = run->medians.progress_arg =
        run->plain.progress_arg = &c->progress;
    run->plain.starts = c->starts;
    run->plain.threads = c->source.threads;
}

static int check_centers(const kmeans_run *run, const args *a)
{
    const char *f = run->centers, *model = run->common.output;
    if (f && !output_has_suffix(f, ".npy") && !output_has_suffix(f, ".csv"))
        return cli_usage("--centers: '%s' ends neither in .npy nor in .csv", f);
    if (f && model && output_is_same(f, model))
        return cli_usage("-o and --centers name the same file");
    int code = output_check_inputs(f, a->operands, a->operand_count);
    if (!code && !run->common.dry_run)
        code = output_check_new(f, args_given(a, "force"));
    return code;
}

int kmeans_run_parse(kmeans_run *run, const args *a)
{
    static const char *const not_plain[] = {"method", "paper-constants",
                                            "as-published", NULL};
    static const char *const median_only[] = {"method", "recovery", NULL};
    *run = (kmeans_run){
        .median = !strcmp(a->command->name, "kmedian"),
        .centers = args_value(a, "centers"),
    };
    kith_kmeans_options_init(&run->means, sizeof run->means);
    kith_kmedian_options_init(&run->medians, sizeof run->medians);
    kith_plain_options_init(&run->plain, sizeof run->plain);
    run->means.paper_constants =
        !run->median && args_value(a, "paper-constants") != NULL;
    run->means.as_published =
        !run->median && args_value(a, "as-published") != NULL;
    run_limits limits = {.things = "centres",
                         .clusters = MAX_CLUSTERS,
                         .rounds = MAX_ROUNDS,
                         .starts = 1,
                         .range = !run->median,
                         .find_bounds = 1,
                         .not_plain = run->median ? median_only : not_plain};
    int code = run_common_parse(&run->common, a, &limits);
    if (!code)
        code = parse_method(run, a);
    if (!code && run->common.clusters_from &&
        run->means.method != KITH_KMEANS_AUTO)
        code = cli_usage("-k: a range is for --method auto");
    if (!code)
        code = args_count(a, "sparsity", 1, UINT32_MAX,
                          &run->common.bounds.view.sparsity);
    if (!code)
        code = check_centers(run, a);
    fill_options(run);
    return code;
}
