/* `kith local respond`: one real device for each row, over HTTP. Enrols them,
 * reads rounds as they are published, answers, saves, sends; can be killed and
 * started again. Whoever runs it holds the rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "responder.h"

static int open_players(responder *r, const args *a)
{
    kith_error err = {0};
    kith_bounds box;
    kith_players_options opt;
    uint8_t key[32];
    uint64_t seed = 0;
    kith_task_get_bounds(r->net.task, &box);
    int code = source_parse(&r->source, a);
    if (!code)
        code = source_fix_rows(&r->source, 1);
    if (!code)
        code = args_whole(a, "insecure-seed", 0, INT64_MAX, &seed);
    if (!code)
        code = cli_status(kith_dataset_open(a->operands, a->operand_count,
                                            &r->source.options, &box, &r->data,
                                            &err),
                          &err);
    if (code)
        return code;
    kith_players_options_init(&opt, sizeof opt);
    opt.insecure = args_value(a, "insecure-seed") != NULL;
    opt.insecure_seed = seed;
    opt.threads = r->source.threads;
    /* How many rows is known when they are open: open, then look. */
    code = cli_status(
        kith_players_open(r->net.task, r->data, &opt, &r->players, &err), &err);
    if (!code)
        code = device_file_open(&r->file, args_value(a, "state"), r->net.id,
                                kith_players_count(r->players));
    if (!code && !r->file.fresh) {
        kith_players_close(r->players);
        r->players = NULL;
        opt.key = r->file.key;
        code = cli_status(
            kith_players_open(r->net.task, r->data, &opt, &r->players, &err),
            &err);
        return code ? code : device_file_load(&r->file, r->players);
    }
    if (code)
        return code;
    kith_players_key(r->players, key);
    return device_file_begin(&r->file, r->net.id,
                             kith_players_count(r->players), key);
}

static int parse(responder *r, const args *a)
{
    r->connections = 8;
    r->batch = 1000;
    r->quiet = args_value(a, "quiet") != NULL;
    if (!a->operand_count)
        return cli_usage("no input file: whose devices?");
    int code = args_count(a, "connections", 1, 4096, &r->connections);
    if (!code)
        code = args_count(a, "batch", 1, 10000, &r->batch);
    const char *codes = args_value(a, "invitations");
    if (!code && codes && !(r->codes = fopen(codes, "r")))
        code = cli_fail(CLI_INPUT, "%s: cannot be read", codes);
    return code;
}

static int respond_main(const args *a)
{
    responder r = {0};
    net_status at = {.round = -1};
    r.times = calloc(RESPOND_TIMES, sizeof *r.times);
    int code = parse(&r, a);
    if (!code)
        code = net_open(&r.net, a);
    if (!code)
        code = respond_patiently(&r, respond_fetch_task, NULL);
    if (!code)
        code = open_players(&r, a);
    if (!code)
        code = respond_patiently(&r, respond_fetch_status, &at);
    if (!code && args_value(a, "operate"))
        code = http_open(&r.operate, args_value(a, "operate"),
                         args_value(a, "token-file"));
    if (!code)
        code = respond_enrol(&r, &at);
    if (!code && r.operate.server && !args_value(a, "enrol-only") &&
        strcmp(at.state, "enrolling") == 0) {
        code =
            respond_patiently(&r, respond_operate, (void *)(uintptr_t) "start");
        if (!code)
            code = respond_patiently(&r, respond_fetch_status, &at);
    }
    if (!code && args_value(a, "again"))
        code = respond_send_again(&r, -1);
    else if (!code && !args_value(a, "enrol-only")) {
        code = respond_resume(&r, &at);
        if (!code)
            code = respond_play(&r, &at);
    }
    if (!code)
        respond_print(&r);
    device_file_close(&r.file);
    kith_players_close(r.players);
    kith_dataset_free(r.data);
    source_free(&r.source);
    net_close(&r.net);
    http_close(&r.operate);
    if (r.codes)
        fclose(r.codes);
    free(r.times);
    return code;
}

static const arg_option respond_options[] = {
    {"state", 0, "F",
     "keep the devices here, so that a run that was killed can go on"},
    {"connections", 0, "C", "at a time (default: 8)"},
    {"batch", 0, "B", "reports in one body (default: 1000; 1: each alone)"},
    {"invitations", 0, "F", "a file with one code a line, one for each row"},
    {"enrol-only", 0, NULL, "enrol and stop; go on later with --state"},
    {"operate", 0, "URL",
     "the operator's address, with --token-file: start when all have enrolled, "
     "close each round when all have answered"},
    {"again", 0, NULL, "send all that was answered once more, and stop"},
    {"insecure-seed", 0, "S",
     "draw the devices' coins from a seed; for tasks marked as tests"},
    {"quiet", 0, NULL, "print errors and the figures only"},
};

static arg_group respond_groups[] = {
    {"Service", net_options, 0},
    {"Devices", respond_options,
     sizeof respond_options / sizeof *respond_options},
    {"Input", source_options, 0},
};

void local_net_prepare(void)
{
    respond_groups[0].count = net_option_count;
    respond_groups[2].count = source_option_count;
}

const arg_command local_respond_command = {
    .name = "local respond",
    .summary = "Play one real device for each row, over HTTP.",
    .usage = "--server URL --task ID [OPTION]... INPUT...",
    .notes = "Enrols every row, answers rounds as they are published, and ends "
             "with the task.\nWhoever runs this holds the rows: it is for "
             "tests, kiosks and load. Prints figures\nas JSON.\n",
    .groups = respond_groups,
    .group_count = 3,
    .run = respond_main,
};
