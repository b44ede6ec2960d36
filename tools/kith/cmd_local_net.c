/* `kith local status`, `advance`, `result`, `archive`, `invite`: an operator's
 * hands; `replay` and `verify`: anybody's eyes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "local_net.h"
#include "local_simulate_task.h"
#include "output.h"

/* GET something and write it. */
static int fetch(const args *a, const char *tail)
{
    net_task t;
    http_answer answer = {0};
    int code = net_open(&t, a);
    if (!code)
        code = net_get(&t, tail, &answer);
    if (!code)
        code = local_write_file(args_value(a, "output"), answer.body,
                                answer.count);
    http_answer_free(&answer);
    net_close(&t);
    return code;
}

static int result_main(const args *a)
{
    return fetch(a, "/result");
}

static int archive_main(const args *a)
{
    return fetch(a, "/archive");
}

/* With a token the operator's view, else what everybody sees. */
static int status_main(const args *a)
{
    net_task t;
    http_answer answer = {0};
    int code = net_open(&t, a);
    if (!code)
        code = net_get(&t, t.service.token ? "/operator" : "/status", &answer);
    json_t *json = code ? NULL : json_loadb(answer.body, answer.count, 0, NULL);
    if (!code)
        code = print_json(stdout, json);
    http_answer_free(&answer);
    net_close(&t);
    return code;
}

/* ---- advance ------------------------------------------------------------- */

static json_t *change_body(const args *a)
{
    json_t *body = json_object();
    const char *extend = args_value(a, "extend");
    const char *reason = args_value(a, "abort");
    uint64_t invited = 0;
    if (extend)
        json_object_set_new(body, "seconds",
                            json_integer((json_int_t)net_seconds(extend)));
    if (reason)
        json_object_set_new(body, "reason", json_string(reason));
    if (!args_whole(a, "invited", 1, UINT64_C(1) << 40, &invited) && invited)
        json_object_set_new(body, "invited", json_integer((json_int_t)invited));
    return body;
}

static int advance_main(const args *a)
{
    static const char *const actions[] = {
        "start", "close", "publish", "extend", "resume", "abort", NULL};
    const char *action = NULL;
    net_task t;
    for (int i = 0; actions[i]; i++)
        if (args_value(a, actions[i])) {
            if (action)
                return cli_usage("--%s and --%s exclude each other", action,
                                 actions[i]);
            action = actions[i];
        }
    if (!action)
        return cli_usage("what is to be done? --start, --close, --publish, "
                         "--extend TIME, --resume or --abort REASON");
    if (args_value(a, "extend") && !net_seconds(args_value(a, "extend")))
        return cli_usage("--extend: '%s' is not a time such as 2d or 12h",
                         args_value(a, "extend"));
    int code = net_open(&t, a);
    if (!code)
        code = net_operate(&t, action, change_body(a));
    if (!code)
        cli_note("%s: done", action);
    net_close(&t);
    return code;
}

static int invite_main(const args *a)
{
    net_task t;
    http_answer answer = {0};
    char body[64], path[128];
    uint64_t count = 1;
    int code = args_whole(a, "count", 1, 10000, &count);
    if (!code)
        code = net_open(&t, a);
    else
        return code;
    snprintf(body, sizeof body, "{\"count\": %llu}", (unsigned long long)count);
    http_call call = {.method = "POST",
                      .path = net_path(&t, "/invitations", path, sizeof path),
                      .type = "application/json",
                      .body = body,
                      .bytes = strlen(body)};
    if (!code)
        code = http_do(&t.service, &call, &answer);
    if (!code && answer.code != 200)
        code = http_refused(&answer);
    json_t *json = code ? NULL : json_loadb(answer.body, answer.count, 0, NULL),
           *item;
    size_t i;
    json_array_foreach(json_object_get(json, "codes"), i, item)
        printf("%s\n", json_string_value(item));
    json_decref(json);
    http_answer_free(&answer);
    net_close(&t);
    return code;
}

/* ---- replay -------------------------------------------------------------- */

static int replay_main(const args *a)
{
    char *bytes = NULL, *model = NULL;
    size_t count = 0;
    uint32_t threads = 0;
    kith_error err = {0};
    if (a->operand_count != 1)
        return cli_usage("which archive?");
    int code = args_count(a, "threads", 1, 1024, &threads);
    if (!code)
        code = local_read_file(a->operands[0], &bytes, &count);
    if (!code)
        code = cli_status(
            kith_archive_replay(bytes, count, threads, &model, &err), &err);
    if (!code)
        code = local_write_file(args_value(a, "output"), model, strlen(model));
    kith_text_free(model);
    free(bytes);
    return code;
}

/* ---- verify -------------------------------------------------------------- */

/* The chain as a service tells it. */
static int fetch_chain(const net_task *t, json_t **out)
{
    http_answer answer = {0};
    int code = net_get(t, "/chain", &answer);
    *out = code ? NULL : json_loadb(answer.body, answer.count, 0, NULL);
    http_answer_free(&answer);
    if (!code && !json_is_array(*out))
        code = cli_fail(CLI_INPUT, "the service's chain makes no sense");
    return code;
}

/* Every round reads as a device reads it, and follows the one before. */
static int check_rounds(const net_task *t, json_t *chain)
{
    size_t i;
    json_t *entry;
    uint8_t previous[32] = {0}, digest[32], named[32];
    int code = CLI_OK;
    json_array_foreach(chain, i, entry)
    {
        char tail[32];
        http_answer answer = {0};
        kith_round_facts facts;
        kith_error err = {0};
        snprintf(tail, sizeof tail, "/rounds/%zu", i);
        code = net_get(t, tail, &answer);
        if (!code)
            code = cli_status(
                kith_round_describe(answer.body, answer.count, &facts, &err),
                &err);
        http_answer_free(&answer);
        if (code)
            return code;
        memcpy(digest, facts.digest, 32);
        if (!net_hex(json_string_value(json_object_get(entry, "digest")),
                     named) ||
            memcmp(named, digest, 32) != 0 ||
            memcmp(facts.previous, previous, 32) != 0 ||
            memcmp(facts.task, t->id, 16) != 0 || facts.number != i)
            return cli_fail(CLI_INPUT,
                            "round %zu is not the one of the chain: do not "
                            "trust this service",
                            i);
        memcpy(previous, digest, 32);
    }
    return CLI_OK;
}

static int compare_heads(const net_task *t, const char *other, json_t *chain)
{
    net_task there = *t;
    json_t *theirs = NULL;
    size_t i;
    json_t *entry;
    there.service.server = other;
    int code = fetch_chain(&there, &theirs);
    json_array_foreach(chain, i, entry)
    {
        json_t *same = json_array_get(theirs, i);
        if (!code && same &&
            !json_equal(json_object_get(entry, "digest"),
                        json_object_get(same, "digest")))
            code = cli_fail(CLI_INPUT,
                            "the two services published different rounds %zu: "
                            "the chain was forked",
                            i);
    }
    json_decref(theirs);
    return code;
}

static int verify_main(const args *a)
{
    net_task t;
    json_t *chain = NULL;
    int code = net_open(&t, a);
    if (!code)
        code = net_fetch_task(&t);
    if (!code)
        code = fetch_chain(&t, &chain);
    if (!code)
        code = check_rounds(&t, chain);
    if (!code && args_value(a, "against"))
        code = compare_heads(&t, args_value(a, "against"), chain);
    if (!code)
        printf("task %s: the file has its digest, and %zu rounds follow each "
               "other\n",
               t.name, json_array_size(chain));
    json_decref(chain);
    net_close(&t);
    return code;
}

/* ---- tables -------------------------------------------------------------- */

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const arg_option service_options[] = {
    {"server", 0, "URL", "the service"},
    {"task", 0, "ID", "the task's name: 22 characters"},
};
static const arg_option operator_options[] = {
    {"server", 0, "URL", "the service, at the operator's address"},
    {"task", 0, "ID", "the task's name: 22 characters"},
    {"token-file", 0, "F", "a file with an operator's token"},
};
static const arg_option file_options[] = {
    {"output", 'o', "FILE", "write it here, not to standard output"},
};
static const arg_option replay_options[] = {
    {"output", 'o', "FILE", "write the model here, not to standard output"},
    {"threads", 0, "T", "number of worker threads (default: all processors)"},
};
static const arg_option verify_options[] = {
    {"against", 0, "URL", "another service: its rounds must be the same"},
};
static const arg_option invite_options[] = {
    {"count", 0, "N", "codes to print (default: 1)"},
};
static const arg_option advance_options[] = {
    {"start", 0, NULL, "enrolment is enough: publish the first round"},
    {"invited", 0, "N",
     "with --start: users to plan for (default: who has "
     "enrolled)"},
    {"close", 0, NULL, "the round collects no more, and is counted"},
    {"publish", 0, NULL, "publish a draft (--release manual)"},
    {"extend", 0, "TIME", "the round closes later, by 2d or 12h"},
    {"resume", 0, NULL, "a paused or stuck task goes on"},
    {"abort", 0, "REASON", "the task ends without a result"},
};

static const arg_group status_groups[] = {
    {"Service", operator_options, COUNT(operator_options)}};
static const arg_group advance_groups[] = {
    {"Service", operator_options, COUNT(operator_options)},
    {"One of", advance_options, COUNT(advance_options)}};
static const arg_group result_groups[] = {
    {"Service", service_options, COUNT(service_options)},
    {"Output", file_options, COUNT(file_options)}};
static const arg_group archive_groups[] = {
    {"Service", operator_options, COUNT(operator_options)},
    {"Output", file_options, COUNT(file_options)}};
static const arg_group invite_groups[] = {
    {"Service", operator_options, COUNT(operator_options)},
    {"Codes", invite_options, COUNT(invite_options)}};
static const arg_group replay_groups[] = {
    {"Output", replay_options, COUNT(replay_options)}};
static const arg_group verify_groups[] = {
    {"Service", service_options, COUNT(service_options)},
    {NULL, verify_options, COUNT(verify_options)}};

#define AT "--server URL --task ID"

const arg_command local_status_command = {
    .name = "local status",
    .summary = "Where a task is; with a token, the operator's view.",
    .usage = AT " [--token-file F]",
    .groups = status_groups,
    .group_count = 1,
    .run = status_main};
const arg_command local_advance_command = {
    .name = "local advance",
    .summary = "Start, close, extend, resume or abort a task.",
    .usage = AT " --token-file F ACTION",
    .groups = advance_groups,
    .group_count = 2,
    .run = advance_main};
const arg_command local_result_command = {.name = "local result",
                                          .summary =
                                              "The model of a finished task.",
                                          .usage = AT " [-o FILE]",
                                          .groups = result_groups,
                                          .group_count = 2,
                                          .run = result_main};
const arg_command local_archive_command = {
    .name = "local archive",
    .summary = "Rounds and reports of a task that has ended.",
    .usage = AT " --token-file F -o FILE",
    .groups = archive_groups,
    .group_count = 2,
    .run = archive_main};
const arg_command local_invite_command = {
    .name = "local invite",
    .summary = "Print one-time codes for a task.",
    .usage = AT " --token-file F --count N",
    .groups = invite_groups,
    .group_count = 2,
    .run = invite_main};
const arg_command local_replay_command = {
    .name = "local replay",
    .summary = "Compute the model again from an archive.",
    .usage = "ARCHIVE [-o FILE]",
    .notes = "No seed and no service is needed; the model is the published one "
             "byte for byte.\n",
    .groups = replay_groups,
    .group_count = 1,
    .run = replay_main};
const arg_command local_verify_command = {
    .name = "local verify",
    .summary = "Is a service's chain of rounds sound, and the same elsewhere?",
    .usage = AT " [--against URL]",
    .groups = verify_groups,
    .group_count = 2,
    .run = verify_main};
