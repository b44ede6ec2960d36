/* What the commands that talk to a service share. */
#include "local_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const arg_option net_options[] = {
    {"server", 0, "URL", "the service, as in http://127.0.0.1:8080"},
    {"task", 0, "ID", "the task's name: 22 characters, part of its link"},
    {"token-file", 0, "F", "a file with an operator's token"},
};
const size_t net_option_count = sizeof net_options / sizeof *net_options;

int net_open(net_task *t, const args *a)
{
    const char *name = args_value(a, "task");
    *t = (net_task){0};
    int code = http_open(
        &t->service, args_value(a, "server"),
        args_given(a, "token-file") ? args_value(a, "token-file") : NULL);
    if (code)
        return code;
    if (!name)
        return cli_usage("--task ID is needed: which task?");
    if (!kith_task_named(name, t->id))
        return cli_usage("--task: '%s' is not a task's name, which has 22 "
                         "characters",
                         name);
    memcpy(t->name, name, sizeof t->name);
    return CLI_OK;
}

void net_close(net_task *t)
{
    kith_task_free(t->task);
    http_close(&t->service);
    *t = (net_task){0};
}

char *net_path(const net_task *t, const char *tail, char *out, size_t room)
{
    snprintf(out, room, "/v1/tasks/%s%s", t->name, tail);
    return out;
}

int net_get(const net_task *t, const char *tail, http_answer *out)
{
    char path[128];
    http_call call = {.method = "GET",
                      .path = net_path(t, tail, path, sizeof path)};
    int code = http_do(&t->service, &call, out);
    return code ? code : out->code == 200 ? CLI_OK : http_refused(out);
}

int net_fetch_task(net_task *t)
{
    http_answer answer;
    kith_error err = {0};
    kith_task_facts facts;
    int code = net_get(t, "", &answer);
    if (!code)
        code = cli_status(
            kith_task_load(answer.body, answer.count, &t->task, &err), &err);
    http_answer_free(&answer);
    if (code)
        return code;
    kith_task_describe(kith_task_get_view(t->task), &facts);
    if (memcmp(facts.id, t->id, sizeof t->id) != 0)
        return cli_fail(CLI_INPUT, "the service sends another task file than "
                                   "the one that is named: do not use it");
    return CLI_OK;
}

static int nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

int net_hex(const char *text, uint8_t out[32])
{
    if (!text || strlen(text) != 64)
        return 0;
    for (int i = 0; i < 32; i++) {
        int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        out[i] = (uint8_t)(16 * high + low);
    }
    return 1;
}

int net_get_status(const net_task *t, int wait, net_status *out)
{
    char path[128], prefer[32], match[120];
    http_answer answer;
    http_call call = {.method = "GET",
                      .path = net_path(t, "/status", path, sizeof path)};
    snprintf(prefer, sizeof prefer, "Prefer: wait=%d", wait);
    snprintf(match, sizeof match, "If-None-Match: %s", out->etag);
    if (wait && out->etag[0]) {
        call.headers[0] = prefer;
        call.headers[1] = match;
    }
    int code = http_do(&t->service, &call, &answer);
    if (!code && answer.code == 304) {
        http_answer_free(&answer);
        return CLI_OK;
    }
    if (!code && answer.code != 200)
        code = http_refused(&answer);
    json_t *json = code ? NULL : json_loadb(answer.body, answer.count, 0, NULL);
    const char *state = json_string_value(json_object_get(json, "state"));
    json_t *round = json_object_get(json, "round");
    const char *digest = json_string_value(json_object_get(json, "digest"));
    if (!code &&
        (!state || (json_is_integer(round) && !net_hex(digest, out->digest))))
        code = cli_fail(CLI_INPUT, "the service's status makes no sense");
    if (!code) {
        snprintf(out->state, sizeof out->state, "%s", state ? state : "");
        out->round =
            json_is_integer(round) ? (long)json_integer_value(round) : -1;
        snprintf(out->etag, sizeof out->etag, "%s", answer.etag);
    }
    json_decref(json);
    http_answer_free(&answer);
    return code;
}

uint64_t net_seconds(const char *text)
{
    char *end;
    double n = strtod(text, &end);
    uint64_t unit = strcmp(end, "d") == 0                ? 86400
                    : strcmp(end, "h") == 0              ? 3600
                    : strcmp(end, "m") == 0              ? 60
                    : strcmp(end, "s") == 0 || *end == 0 ? 1
                                                         : 0;
    return n > 0 && n < 1e9 ? (uint64_t)(n * (double)unit) : 0;
}

/* The digest of the newest round, as the operator's view has it. */
static int newest_digest(const net_task *t, char match[96])
{
    http_answer answer = {0};
    int code = net_get(t, "/operator", &answer);
    json_t *json = code ? NULL : json_loadb(answer.body, answer.count, 0, NULL);
    json_t *rounds = json_object_get(json, "rounds");
    size_t count = json_array_size(rounds);
    const char *digest = count
                             ? json_string_value(json_object_get(
                                   json_array_get(rounds, count - 1), "digest"))
                             : "none";
    snprintf(match, 96, "If-Match: \"%s\"", digest ? digest : "none");
    json_decref(json);
    http_answer_free(&answer);
    return code;
}

/* match: the header with the round's digest. */
static int change(const net_task *t, const char *action, json_t *body,
                  const char *match, http_answer *answer)
{
    char tail[32], path[128];
    char *text = json_dumps(body, JSON_COMPACT);
    snprintf(tail, sizeof tail, "/%s", action);
    http_call call = {.method = "POST",
                      .path = net_path(t, tail, path, sizeof path),
                      .type = "application/json",
                      .body = text,
                      .bytes = text ? strlen(text) : 0,
                      .headers = {match}};
    int code = http_do(&t->service, &call, answer);
    free(text);
    return code;
}

int net_operate(const net_task *t, const char *action, json_t *body)
{
    char match[96];
    http_answer answer = {0};
    int code = newest_digest(t, match);
    if (!code)
        code = change(t, action, body, match, &answer);
    if (!code && answer.code != 200)
        code = http_refused(&answer);
    http_answer_free(&answer);
    json_decref(body);
    return code;
}

int net_close_round(const net_task *t, const uint8_t digest[32])
{
    char match[96] = "If-Match: \"";
    http_answer answer = {0};
    json_t *body = json_object();
    for (int i = 0; i < 32; i++)
        snprintf(match + 11 + 2 * i, 4, "%02x%s", digest[i],
                 i < 31 ? "" : "\"");
    int code = change(t, "close", body, match, &answer);
    if (!code && answer.code != 200 && answer.code != 412)
        code = http_refused(&answer);
    http_answer_free(&answer);
    json_decref(body);
    return code;
}
