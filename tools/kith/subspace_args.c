/* The options of `kith subspace`: tables, checks, and how they exclude each
 * other. */
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "subspace_run.h"

/* Above this a request is a typing error, not a plan. */
enum { MAX_PLANES = 65536, MAX_ROUNDS = 10000000, PLAIN_STARTS = 20 };

static const arg_option plane_options[] = {
    {"clusters", 'k', "K", "number of planes (required)"},
    {"subspace-dimension", 'q', "Q", "dimension of each plane (required)"},
    {"scale", 0, "HOW",
     "unit (default): after clipping, scale each row to length 1; clip: leave "
     "it as the bounds left it"},
};

static const arg_option plain_options[] = {
    {"non-private", 0, NULL, "run --solver without noise, for comparison"},
    {"starts", 0, "S",
     "with --non-private --solver kplane: best of S starts (default: 20)"},
};

static const arg_option method_options[] = {
    {"method", 0, "M",
     "auto (default): the recommended one; sulq: k-subspaces on noisy Gram "
     "matrices; bingham: the same for delta 0, planes drawn at random "
     "(asymptotic); gibbs: the paper's sampler (asymptotic); mincost: its "
     "repaired objective (asymptotic); "
     "sample-aggregate: the paper's Algorithm 1, repaired"},
    {"rounds", 0, "T",
     "iterations or sweeps (default: the method's own, printed in the model); "
     "with --non-private the most that are made"},
    {"composition", 0, "C",
     "sulq: gdp (default): exact Gaussian composition; basic: epsilon/T and "
     "delta/T a round, as in the paper"},
    {"solver", 0, "S",
     "sample-aggregate, --non-private-start and --non-private: kplane "
     "(default), tsc, tsc-components, ssc or lrr"},
    {"block-rows", 0, "B",
     "sample-aggregate: rows of a block (default: the method's own)"},
    {"overlap", 0, NULL,
     "sample-aggregate: blocks that overlap, as the paper draws them"},
    {"ignore-conditions", 0, NULL,
     "sample-aggregate: run although its conditions fail; voids every "
     "guarantee"},
    {"non-private-start", 0, NULL,
     "gibbs, mincost: start at the solution of --solver, as the paper does; "
     "voids every guarantee"},
    {"debug-diagnostics", 0, NULL,
     "gibbs, mincost: run several chains and print how they agree; NOT "
     "private, voids every guarantee"},
    {"seed", 0, "N", "public coins, printed in the model (default: 0)"},
};

/* Counts of tables that live elsewhere are filled in by command_subspace. */
static arg_group groups[] = {
    {"Planes", plane_options, sizeof plane_options / sizeof *plane_options},
    {"Privacy", run_privacy_options, 0},
    {NULL, plain_options, 2},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     0},
    {"Method", method_options, sizeof method_options / sizeof *method_options},
    {"Input", source_options, 0},
    {"Output", run_output_options, 0},
    {"Ledger", payer_options, PAYER_OPTIONS},
};

const arg_command *command_subspace(void)
{
    static const arg_command command = {
        .name = "subspace",
        .summary = "Publish k planes near the rows under differential privacy.",
        .usage = "-k K -q Q -e EPS [--delta D] BOUNDS [OPTION]... INPUT...",
        .notes =
            "Planes pass through the origin. INPUT is one or more files (.csv "
            ".tsv .npy, also\n.gz or .zst), shards of one dataset; - is "
            "standard input. Whoever reads the model\nlearns almost nothing "
            "about any single row; the bounds, the options and the\nnumber of "
            "features are public.\n"
            "Example: kith subspace -k 3 -q 2 -e 1 --delta 1e-6 --radius 1 -o "
            "model.json rows.csv\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = subspace_main,
    };
    groups[1].count = run_privacy_count;
    groups[3].count = bounds_option_count_plain;
    groups[5].count = source_option_count;
    groups[6].count = run_output_count;
    return &command;
}

/* ---- checks ---- */

/* Options that belong to some methods only. */
static int check_method_options(const subspace_run *run, const args *a)
{
    static const struct {
        const char *name, *needs;
        kith_subspace_method one, other;
    } rules[] = {
        {"composition", "sulq", KITH_SUBSPACE_SULQ, KITH_SUBSPACE_SULQ},
        {"block-rows", "sample-aggregate", KITH_SUBSPACE_SAMPLE_AGGREGATE,
         KITH_SUBSPACE_SAMPLE_AGGREGATE},
        {"overlap", "sample-aggregate", KITH_SUBSPACE_SAMPLE_AGGREGATE,
         KITH_SUBSPACE_SAMPLE_AGGREGATE},
        {"ignore-conditions", "sample-aggregate",
         KITH_SUBSPACE_SAMPLE_AGGREGATE, KITH_SUBSPACE_SAMPLE_AGGREGATE},
        {"non-private-start", "gibbs or mincost", KITH_SUBSPACE_GIBBS,
         KITH_SUBSPACE_MINCOST},
        {"debug-diagnostics", "gibbs or mincost", KITH_SUBSPACE_GIBBS,
         KITH_SUBSPACE_MINCOST},
    };
    kith_subspace_method method = run->options.method;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (args_value(a, rules[i].name) && method != rules[i].one &&
            method != rules[i].other)
            return cli_usage("--%s needs --method %s", rules[i].name,
                             rules[i].needs);
    if (args_value(a, "solver") && !run->common.non_private &&
        !run->options.non_private_start &&
        method != KITH_SUBSPACE_SAMPLE_AGGREGATE)
        return cli_usage("--solver needs --method sample-aggregate, "
                         "--non-private-start or --non-private");
    if (args_value(a, "starts") && run->options.solver != KITH_SOLVER_KPLANE)
        return cli_usage("--starts needs --solver kplane");
    return CLI_OK;
}

static int parse_words(subspace_run *run, const args *a)
{
    static const char *const scales[] = {"unit", "clip", NULL};
    static const char *const compositions[] = {"gdp", "basic", NULL};
    int method = KITH_SUBSPACE_AUTO, solver = KITH_SOLVER_KPLANE;
    unsigned clip = 0, basic = 0;
    int code = args_word(a, "method", KITH_WORDS_SUBSPACE_METHOD, &method);
    if (!code)
        code = args_word(a, "solver", KITH_WORDS_SOLVER, &solver);
    if (!code)
        code = args_choice(a, "scale", scales, &clip);
    if (!code)
        code = args_choice(a, "composition", compositions, &basic);
    run->options.method = (kith_subspace_method)method;
    run->options.solver = (kith_subspace_solver)solver;
    run->common.bounds.view.unit_rows = !clip;
    run->options.basic_composition = basic != 0;
    return code;
}

/* What both kinds of options have. */
static void fill_options(subspace_run *run)
{
    run_common *c = &run->common;
    kith_subspace_options *o = &run->options;
    kith_plain_subspace_options *p = &run->plain;
    o->clusters = p->clusters = c->clusters;
    o->rounds = p->max_rounds = c->rounds;
    o->public_seed = p->seed = c->seed;
    o->progress = p->progress = progress_step;
    o->progress_arg = p->progress_arg = &c->progress;
    p->subspace_dimension = o->subspace_dimension;
    p->solver = o->solver;
    p->starts = c->starts;
    p->threads = c->source.threads;
}

int subspace_run_parse(subspace_run *run, const args *a)
{
    static const char *const not_plain[] = {"method",
                                            "composition",
                                            "block-rows",
                                            "overlap",
                                            "ignore-conditions",
                                            "non-private-start",
                                            "debug-diagnostics",
                                            NULL};
    static const run_limits limits = {.things = "planes",
                                      .clusters = MAX_PLANES,
                                      .rounds = MAX_ROUNDS,
                                      .starts = PLAIN_STARTS,
                                      .not_plain = not_plain};
    kith_subspace_options *o = &run->options;
    kith_subspace_options_init(o, sizeof *o);
    kith_plain_subspace_options_init(&run->plain, sizeof run->plain);
    o->overlap = args_value(a, "overlap") != NULL;
    o->force = args_value(a, "ignore-conditions") != NULL;
    o->non_private_start = args_value(a, "non-private-start") != NULL;
    o->diagnostics = args_value(a, "debug-diagnostics") != NULL;
    int code = run_common_parse(&run->common, a, &limits);
    if (!code && !args_value(a, "subspace-dimension"))
        code = cli_usage("-q Q (--subspace-dimension) is required: of which "
                         "dimension are the planes?");
    if (!code)
        code = args_count(a, "subspace-dimension", 1, UINT32_MAX,
                          &o->subspace_dimension);
    if (!code)
        code = args_count(a, "block-rows", 1, UINT32_MAX, &o->block_rows);
    if (!code)
        code = parse_words(run, a);
    if (!code)
        code = check_method_options(run, a);
    fill_options(run);
    return code;
}
