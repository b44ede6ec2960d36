/* `kith local`: its parts, and `kith local simulate`: read the rows, run the
 * protocol on them, write what it published. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "local_cli.h"
#include "local_simulate_task.h"
#include "quality_out.h"
#ifdef KITH_SERVICE
#include "local_net.h"
#endif

const arg_command *command_local(void)
{
    static const arg_command *const parts[] = {&local_simulate_command,
                                               &local_plan_command,
                                               &local_bound_command,
#ifdef KITH_SERVICE
                                               &local_create_command,
                                               &local_serve_command,
                                               &local_respond_command,
                                               &local_status_command,
                                               &local_advance_command,
                                               &local_invite_command,
                                               &local_result_command,
                                               &local_archive_command,
                                               &local_replay_command,
                                               &local_verify_command,
#endif
                                               NULL};
    static const arg_command command = {
        .name = "local",
        .summary = "Cluster what nobody holds: each user sends one noisy "
                   "report.",
        .usage = "COMMAND [OPTION]...",
        .notes = "kith local COMMAND --help tells more.\n",
        .parts = parts,
    };
    local_tables_prepare();
#ifdef KITH_SERVICE
    local_net_prepare();
#endif
    return &command;
}

static void warn_void(const local_cli *cli)
{
    run_warn(&cli->common);
    if (cli->options.law)
        cli_note("warning: --law: nobody's report is in this, only the law of "
                 "their sums; guarantee: none");
    if (cli->options.delta > 0 &&
        cli->options.method != KITH_LOCAL_WEIGHTED_CENTERS)
        cli_note("note: --method %s is pure and will spend no delta",
                 local_method_name(cli));
}

static int run_on_data(local_cli *cli, const args *a,
                       kith_local_forecast *forecast, kith_result **result,
                       kith_local_summary **summary)
{
    kith_error err = {0};
    kith_dataset *data;
    run_common *c = &cli->common;
    cli->options.progress = progress_step;
    cli->options.progress_arg = &c->progress;
    int code = run_data_open(c, a, &data);
    if (code)
        return code;
    kith_status status =
        kith_local_predict_data(data, &cli->options, forecast, &err);
    if (!status && !c->quiet)
        local_print_forecast(cli, forecast);
    if (!status)
        status =
            kith_local_simulate(data, &cli->options, result, summary, &err);
    progress_clear(&c->progress);
    kith_dataset_free(data);
    return cli_status(status, &err);
}

/* Fewer than asked for is never silent: `auto` says so in its quality. */
static void warn_fewer(const local_cli *cli, const kith_result *result)
{
    uint32_t k = 0;
    kith_quality q = {.size = sizeof q};
    kith_result_centers(result, &k, NULL);
    kith_result_quality(result, &q);
    if (k < cli->options.clusters && !q.asked)
        cli_note("warning: only %u of %u centres could be told from noise", k,
                 cli->options.clusters);
}

static void print_summary(const local_cli *cli,
                          const kith_local_summary *summary)
{
    local_print_groups(summary);
    if (cli->common.output)
        cli_note("the model was written to %s", cli->common.output);
    if (cli->options.law || cli->options.insecure)
        cli_note("guarantee: none");
    else
        cli_note("guarantee: nothing that a user sends is more than e^%g = "
                 "%.3g times likelier or less\nlikely depending on what is in "
                 "her row%s",
                 cli->options.epsilon, exp(cli->options.epsilon),
                 cli->options.delta > 0 ? ", apart from a chance of delta"
                                        : "");
}

/* A ledger of somebody who holds no rows has nothing to refuse. */
static void note_ledger(void)
{
    const char *uri = getenv("KITH_LEDGER");
    if (uri && *uri && strcmp(uri, "none") != 0)
        cli_note("note: KITH_LEDGER does not pay for local runs: each user's "
                 "device keeps its own budget.\nTo count a simulation on rows "
                 "that you hold: kith budget adopt MODEL");
}

int local_simulate_main(const args *a)
{
    local_cli cli;
    output model_out = {0}, centers = {0};
    kith_local_forecast forecast;
    kith_result *result = NULL;
    kith_local_summary *summary = NULL;
    if (args_value(a, "task"))
        return local_simulate_task(a);
    int code = local_cli_parse(&cli, a);
    if (!code) {
        note_ledger();
        warn_void(&cli);
        code = output_replace(&model_out, cli.common.output);
    }
    if (!code && cli.centers)
        code = output_replace(&centers, cli.centers);
    if (!code)
        code = run_on_data(&cli, a, &forecast, &result, &summary);
    kith_run description;
    local_describe(&cli, &description);
    description.summary = summary;
    description.forecast = &forecast;
    if (!code)
        code = run_write(&cli.common, result, &description, &model_out,
                         cli.centers, &centers);
    if (!code)
        warn_fewer(&cli, result);
    if (!code && cli.options.method == KITH_LOCAL_AUTO)
        code = quality_warn(result, NULL, 0);
    if (!code && !cli.common.quiet)
        print_summary(&cli, summary);
    output_discard(&model_out);
    output_discard(&centers);
    kith_local_summary_free(summary);
    kith_result_free(result);
    local_cli_free(&cli);
    return code;
}
