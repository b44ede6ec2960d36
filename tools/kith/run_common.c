/* What private runs share; see run_common.h. */
#include "run_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "ranks.h"

enum { MAX_STARTS = 10000 };

const arg_option run_privacy_options[] = {
    {"epsilon", 'e', "EPS",
     "privacy budget (required): smaller is more private; 1 is usual"},
    {"delta", 0, "D",
     "0 (default) for pure differential privacy; a small number such as 1e-6, "
     "well below one over the number of rows, allows less noise"},
    {"adjacency", 0, "A",
     "add-remove (default): hides whether a row is there, and so the number "
     "of rows; replace-one: hides what is in a row"},
    {"insecure-seed", 0, "N",
     "draw the noise from a seed, for tests; voids every guarantee"},
};
const size_t run_privacy_count =
    sizeof run_privacy_options / sizeof *run_privacy_options;

const arg_option run_output_options[] = {
    {"output", 'o', "FILE",
     "write the model here, not to standard output; a file that exists is kept "
     "unless --force"},
    {"force", 0, NULL, "replace files that exist"},
    {"dry-run", 0, NULL,
     "read no data: price this run for --rows rows and predict its noise; "
     "a run may replace the plan in FILE, a plan replaces plans only (else it "
     "goes to standard output); "
     "inputs may be named and are not opened, and the number of features is "
     "--dimension, or what --columns or the bounds file tell"},
    {"rows", 0, "N",
     "with --dry-run: a public guess of the number of rows, or of people with "
     "--user-column"},
    {"spill", 0, "DIR",
     "keep the rows in this local folder, quantised and encrypted, not in "
     "memory"},
    {"progress", 0, "WHEN", "auto (default: on a terminal), always or never"},
    {"strict", 0, NULL,
     "exit with 1, after writing, when the result is noise or doubtful"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};
const size_t run_output_count =
    sizeof run_output_options / sizeof *run_output_options;

/* ---- checks -------------------------------------------------------------- */

int run_refuse_with(const args *a, const char *name, const char *const *others)
{
    for (; others && *others; others++)
        if (args_value(a, *others))
            return cli_usage("--%s has no meaning with --%s", *others, name);
    return CLI_OK;
}

static int check_exclusions(const run_common *run, const args *a,
                            const run_limits *limits)
{
    static const char *const not_plain[] = {
        "epsilon",          "delta",    "adjacency",      "insecure-seed",
        "ledger",           "account",  "once",           "analyst",
        "purpose",          "convert",  "dry-run",        "spill",
        "ledger-unsafe-fs", "sign-key", "bounds-receipt", NULL};
    int code = CLI_OK;
    if (run->non_private && ranks_team())
        return cli_usage("--non-private needs all rows in one place: run kith "
                         "instead of kith-mpi");
    if (args_value(a, "user-column") && ranks_team())
        return cli_usage("--user-column needs all rows of a person in one "
                         "place: run kith instead of kith-mpi");
    if (run->non_private) {
        code = run_refuse_with(a, "non-private", not_plain);
        if (!code)
            code = run_refuse_with(a, "non-private", limits->not_plain);
    }
    return code;
}

static int check_mode(const run_common *run, const args *a,
                      const run_limits *limits)
{
    int dry = run->dry_run, code = check_exclusions(run, a, limits);
    if (code)
        return code;
    if (args_value(a, "starts") && !run->non_private)
        return cli_usage("--starts needs --non-private: each start of a "
                         "private run would cost budget");
    if (args_value(a, "rows") && !dry)
        return cli_usage("--rows needs --dry-run: the number of rows is "
                         "private and is never asked for otherwise");
    if (dry && !args_value(a, "rows"))
        return cli_usage("--dry-run needs --rows N, a guess of the number of "
                         "rows: it opens no input");
    if (!dry && !a->operand_count)
        return cli_usage("no input file (use - and --format for standard "
                         "input)");
    return CLI_OK;
}

int run_privacy_parse(run_common *run, const args *a)
{
    kith_privacy *p = &run->privacy;
    int adjacency = KITH_ADD_REMOVE;
    if (run->non_private)
        return CLI_OK;
    if (!args_value(a, "epsilon"))
        return cli_usage("-e EPS (--epsilon) is required: the privacy budget "
                         "has no default");
    int code = args_real(a, "epsilon", &p->epsilon);
    if (!code)
        code = args_real(a, "delta", &p->delta);
    if (!code)
        code = args_word(a, "adjacency", KITH_WORDS_ADJACENCY, &adjacency);
    if (code)
        return code;
    p->neighbors = (kith_neighbors)adjacency;
    if (!(p->epsilon > 0 && p->epsilon <= 4096))
        return cli_usage("--epsilon: '%s' is not above 0 and at most 4096",
                         args_value(a, "epsilon"));
    if (!(p->delta >= 0 && p->delta < 1))
        return cli_usage("--delta: '%s' is not from 0 to below 1",
                         args_value(a, "delta"));
    return CLI_OK;
}

/* -k K, or LO:HI, or auto. */
static int parse_clusters(run_common *run, const args *a,
                          const run_limits *limits)
{
    const char *text = args_value(a, "clusters");
    const char *colon = strchr(text, ':');
    unsigned low = 2, high = 20;
    char rest = 0;
    int is_auto = !strcmp(text, "auto");
    if (!is_auto && !colon)
        return args_count(a, "clusters", 1, limits->clusters, &run->clusters);
    if (!limits->range || run->non_private)
        return cli_usage("-k: '%s': choosing a number is for private kmeans; "
                         "say how many %s there shall be",
                         text, limits->things);
    if (!is_auto && (strspn(text, "0123456789:") != strlen(text) ||
                     sscanf(text, "%9u:%9u%c", &low, &high, &rest) != 2))
        return cli_usage("-k: '%s' is neither a number nor LO:HI nor auto",
                         text);
    if (low < 1 || low >= high || high > 256)
        return cli_usage("-k: '%s' is not LO:HI with 1 <= LO < HI <= 256",
                         text);
    run->clusters_from = low;
    run->clusters = high;
    return CLI_OK;
}

static int parse_numbers(run_common *run, const args *a,
                         const run_limits *limits)
{
    if (!args_value(a, "clusters"))
        return cli_usage("-k K (--clusters) is required: how many %s?",
                         limits->things);
    int code = parse_clusters(run, a, limits);
    if (!code)
        code = run_privacy_parse(run, a);
    if (!code)
        code = args_count(a, "rounds", 1, limits->rounds, &run->rounds);
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

/* What a run would learn from its inputs, from the options alone. */
static int settle_shape(run_common *run, const args *a)
{
    kith_source_options *opt = &run->source.options;
    if (!opt->dimension)
        opt->dimension = opt->column_count        ? (uint32_t)opt->column_count
                         : run->bounds.by_feature ? run->bounds.view.box_count
                                                  : 0;
    if (!opt->dimension)
        return cli_usage("--dry-run opens no input: say how many features "
                         "there are with --dimension D");
    if (opt->format == KITH_FORMAT_AUTO && a->operand_count)
        opt->format = source_format_of(a->operands[0]);
    return bounds_check(&run->bounds, opt->dimension);
}

static int parse_bounds(run_common *run, const args *a,
                        const run_limits *limits)
{
    double share = 0;
    int code = run_bounds_share(a, &share);
    if (code || share <= 0)
        return code ? code : bounds_parse(&run->bounds, a);
    run->bounds.share = share;
    run->bounds.view.normalize = args_given(a, "normalize");
    if (!limits->find_bounds || run->non_private || ranks_team())
        return cli_usage("--bounds private is for private kmeans and kmedian "
                         "in one process");
    if (run->dry_run)
        return cli_usage("--dry-run reads no data: guess the bounds, LO:HI");
    static const char *const others[] = {"bounds-file", "radius", "center",
                                         "spill", NULL};
    return run_refuse_with(a, "bounds private", others);
}

/* Before anything is paid. */
static int check_files(const run_common *run, const args *a)
{
    int force = args_given(a, "force");
    int code = output_check_new(run->output, force);
    if (!code && run->output && args_value(a, "sign-key"))
        code = output_check_signature(run->output, force);
    return code;
}

int run_common_parse(run_common *run, const args *a, const run_limits *limits)
{
    *run = (run_common){
        .starts = limits->starts,
        .insecure = args_value(a, "insecure-seed") != NULL,
        .non_private = args_value(a, "non-private") != NULL,
        .dry_run = args_value(a, "dry-run") != NULL,
        .quiet = args_value(a, "quiet") != NULL,
        .strict = args_given(a, "strict"),
        .output = args_value(a, "output"),
    };
    if (run->output && !strcmp(run->output, "-"))
        run->output = NULL; /* standard output */
    int code = check_mode(run, a, limits);
    if (!code)
        code = parse_numbers(run, a, limits);
    if (!code)
        code = progress_parse(&run->progress, a);
    if (!code)
        code = source_parse(&run->source, a);
    if (!code)
        code = source_fix_rows(&run->source,
                               run->privacy.neighbors == KITH_REPLACE_ONE);
    run->source.options.user_seed = run->seed;
    run->source.options.spill = args_value(a, "spill");
    run->source.options.spill_anywhere = args_given(a, "force");
    if (!code)
        code = parse_bounds(run, a, limits);
    if (!code)
        code = bounds_match(&run->bounds, &run->source);
    if (!code && run->dry_run)
        code = settle_shape(run, a);
    if (!code)
        code = output_check_inputs(run->output, a->operands, a->operand_count);
    if (!code && run->dry_run)
        run->output = output_of_plan(run->output);
    else if (!code)
        code = check_files(run, a);
    if (!code && !run->dry_run && !args_given(a, "allow-repeat"))
        code = source_check_repeat(a->operands, a->operand_count);
    if (!code && !run->dry_run)
        code = payer_parse(&run->payer, a, !run->non_private && !run->insecure);
    return code;
}

void run_common_free(run_common *run)
{
    source_free(&run->source);
    bounds_free(&run->bounds);
    payer_free(&run->payer);
}

/* ---- running ------------------------------------------------------------- */

/* What the rows cannot change is refused before it is paid for (T8, T19).
 * *text: the public options, and how strong a promise they make; free it. */
static kith_status check_charge(const run_common *run, const kith_dataset *data,
                                char **text, kith_error *err)
{
    const char *guarantee = NULL;
    kith_status status =
        kith_fit_check(data, run->description, &run->privacy, &guarantee, err);
    if (status) {
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used,
                 "; nothing was charged");
    } else if (asprintf(text, "%sguarantee=%s\n", run->payer.parameters,
                        guarantee) < 0) {
        *text = NULL; /* the session needs memory too, and will say so */
    }
    return status;
}

kith_status run_session_open(const run_common *run, kith_dataset **data,
                             kith_session **out, kith_error *err)
{
    char *parameters = NULL;
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = run->privacy;
    so.threads = run->source.threads;
    so.insecure = run->insecure;
    so.insecure_seed = run->insecure_seed;
    so.team = ranks_team();
    payer_fill(&run->payer, &so);
    kith_status status = run->payer.ledger && run->description && !run->insecure
                             ? check_charge(run, *data, &parameters, err)
                             : KITH_OK;
    if (parameters)
        so.parameters = parameters;
    if (!status)
        status = kith_session_open(*data, &so, out, err);
    free(parameters);
    ranks_over(status != KITH_OK);
    if (!status)
        *data = NULL;
    return status;
}

void run_warn(const run_common *run)
{
    if (run->insecure)
        cli_note("warning: --insecure-seed: the noise can be drawn again by "
                 "anybody; this output is NOT private");
    if (run->non_private) {
        cli_note("warning: --non-private: no noise is added; this output is "
                 "NOT private");
        return;
    }
    if (run->privacy.epsilon > 10)
        cli_note("warning: weak guarantee: epsilon above 10 hides next to "
                 "nothing; usual values are 0.1 to 3");
    if (run->privacy.delta >= 1e-3)
        cli_note("warning: weak guarantee: delta should be well below one "
                 "over the number of rows, such as 1e-6");
}

void run_print_guarantee(const run_common *run, const kith_result *result)
{
    const char *guarantee = kith_result_guarantee(result);
    payer_print(&run->payer, result);
    if (run->non_private || run->insecure || !strcmp(guarantee, "none")) {
        cli_note("guarantee: none");
        return;
    }
    const kith_privacy *p = &run->privacy;
    int user = kith_result_unit(result) == KITH_UNIT_USER;
    int replace = p->neighbors == KITH_REPLACE_ONE;
    const char *secret = user && replace
                             ? "what all rows of any one person hold"
                         : user    ? "whether any one person is in the data, "
                                     "with all rows"
                         : replace ? "what is in any one row"
                                   : "whether any one row is in the data";
    char chance[80] = "";
    if (p->delta > 0)
        snprintf(chance, sizeof chance, ", apart from a chance of %g",
                 p->delta);
    if (!strcmp(guarantee, "asymptotic"))
        cli_note("guarantee: asymptotic: the model was drawn by a sampler that "
                 "reaches its law in\nthe limit only (a Markov chain, in "
                 "floating point); no test can tell how close\nthis run came "
                 "to it. In that limit:");
    char factor[40] = "";
    if (exp(p->epsilon) < 1e15) /* what lies beyond tells nobody anything */
        snprintf(factor, sizeof factor, " = %.3g", exp(p->epsilon));
    cli_note("guarantee: nothing that the model shows is more than e^%g%s "
             "times likelier or\nless likely depending on %s%s",
             p->epsilon, factor, secret, chance);
    double total = kith_result_total_loss(result);
    if (isnan(total)) {
        cli_note("%zu noisy releases; they do not add up with other runs' as "
                 "mu (Gaussian DP)",
                 kith_result_receipt_count(result));
        return;
    }
    size_t count = kith_result_receipt_count(result);
    cli_note("%zu noisy release%s, total loss %s = %.6g", count,
             count == 1 ? "" : "s",
             p->delta > 0 ? "mu (Gaussian DP)" : "epsilon", total);
}
