/* `kith local plan` and `kith local lower-bound`: neither reads any data. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "local_cli.h"
#include "output.h"

/* ---- plan ---- */

static int write_plan(const local_cli *cli, output *o,
                      const kith_local_forecast *forecast,
                      const kith_local_summary *summary, double trial)
{
    kith_run description;
    kith_error err = {0};
    char *text = NULL;
    local_describe(cli, &description);
    description.summary = summary;
    description.forecast = forecast;
    description.trial_error = trial;
    int code = cli_status(kith_plan_text(NULL, &description, cli->common.rows,
                                         cli->dimension, &text, &err),
                          &err);
    if (!code)
        fputs(text, o->file);
    kith_text_free(text);
    return output_save(o, code);
}

int local_plan_main(const args *a)
{
    local_cli cli;
    output o = {0};
    kith_error err = {0};
    kith_local_forecast forecast;
    kith_local_summary *summary = NULL;
    double trial = 0;
    int code = local_cli_parse(&cli, a);
    cli.options.progress = progress_step;
    cli.options.progress_arg = &cli.common.progress;
    if (!code)
        code = output_open(&o, cli.common.output);
    if (!code)
        code = cli_status(
            kith_local_plan(&(kith_shape){cli.common.rows, cli.dimension, 0, 0},
                            &cli.common.bounds.view, &cli.options, &forecast,
                            &trial, &summary, &err),
            &err);
    progress_clear(&cli.common.progress);
    if (!code)
        code = write_plan(&cli, &o, &forecast, summary, trial);
    if (!code && !cli.common.quiet) {
        local_print_groups(summary);
        local_print_forecast(&cli, &forecast);
        cli_note("in a trial on clear clusters in these bounds the centres "
                 "found were off by %.3g",
                 trial);
    }
    output_discard(&o);
    kith_local_summary_free(summary);
    local_cli_free(&cli);
    return code;
}

/* ---- lower bound ---- */

static int one_cell(const local_cli *cli, double n, double s, double *out)
{
    kith_error err = {0};
    uint32_t right = 0;
    uint64_t users = (uint64_t)n, ones = (uint64_t)lrint(s * sqrt(n));
    if (ones > users)
        ones = users;
    int code = cli_status(kith_local_lower_bound(users, ones, cli->intervals,
                                                 cli->trials, &cli->options,
                                                 &right, &err),
                          &err);
    *out = right / (double)cli->trials;
    return code;
}

static json_t *number_list(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(list, json_real(values[i]))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static int make_table(local_cli *cli, json_t *rows)
{
    int code = CLI_OK, loud = !cli->common.quiet;
    if (loud)
        fprintf(stderr, "%10s", "users \\ s");
    for (size_t j = 0; loud && j < cli->size_count; j++)
        fprintf(stderr, " %6.4g", cli->sizes[j]);
    for (size_t i = 0; !code && i < cli->row_count; i++) {
        json_t *line = json_array();
        if (loud)
            fprintf(stderr, "\n%10.6g", cli->rows[i]);
        for (size_t j = 0; !code && j < cli->size_count; j++) {
            double share = 0;
            code = one_cell(cli, cli->rows[i], cli->sizes[j], &share);
            if (!code && loud)
                fprintf(stderr, " %6.2f", share);
            if (!code && json_array_append_new(line, json_real(share)))
                code = cli_no_memory();
        }
        if (json_array_append_new(rows, line) && !code)
            code = cli_no_memory();
    }
    if (loud)
        fputc('\n', stderr);
    return code;
}

int local_bound_main(const args *a)
{
    local_cli cli;
    output o = {0};
    json_t *table = json_array();
    int code = local_cli_parse(&cli, a);
    if (!code)
        code = table ? output_open(&o, cli.common.output) : cli_no_memory();
    if (!code)
        code = make_table(&cli, table);
    if (!code)
        code = print_json(
            o.file,
            json_pack("{s:s, s:f, s:s, s:I, s:I, s:s, s:o, s:o, s:O}",
                      "protocol", "B", "epsilon", cli.options.epsilon, "method",
                      local_method_name(&cli), "trials", (json_int_t)cli.trials,
                      "intervals", (json_int_t)cli.intervals, "simulated",
                      cli.options.law ? "law" : "reports", "users",
                      number_list(cli.rows, cli.row_count), "s",
                      number_list(cli.sizes, cli.size_count), "success",
                      table));
    if (!code)
        code = output_save(&o, code);
    if (!code && !cli.common.quiet)
        cli_note(
            "each figure: the share of %u runs that told s root n users at "
            "a secret place from none\n(s = 0: that said there are none). "
            "What happens at one s happens at every n: the\nsmallest "
            "cluster that any such method can see grows like the root of "
            "n",
            cli.trials);
    output_discard(&o);
    json_decref(table);
    local_cli_free(&cli);
    return code;
}
