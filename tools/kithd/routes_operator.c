/* What operators may ask, with a token. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

static int may(request *r)
{
    int scopes = tokens_scopes(request_header(r, "Authorization"));
    int needed = strcmp(r->method, "GET") == 0 ? SCOPE_READ : SCOPE_OPERATE;
    if (!scopes)
        answer_problem(r, 0, "token_needed", NULL);
    else if (!(scopes & needed))
        answer_problem(r, 0, "wrong_scope", NULL);
    return scopes & needed;
}

/* The operator's view, after something was done. */
static void view(request *r, unsigned code)
{
    char *text = NULL;
    kith_outcome outcome =
        kith_collect_view(r->server->collect, r->task, &text);
    if (outcome)
        answer_outcome(r, outcome, NULL);
    else
        answer_text(r, code, "application/json", text, strlen(text));
}

/* An object, or nothing; NULL: neither, and the answer says so. */
static json_t *object_of(request *r)
{
    json_t *json = r->body_count ? json_loadb(r->body, r->body_count, 0, NULL)
                                 : json_object();
    if (json_is_object(json))
        return json;
    json_decref(json);
    answer_problem(r, 0, "bad_request", NULL);
    return NULL;
}

static uint64_t query_number(const request *r, const char *name)
{
    const char *text =
        MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* ---- routes -------------------------------------------------------------- */

/* With ?invited=N: does the forecast say that it cannot work? */
static int hopeless(const request *r)
{
    kith_task *task = NULL;
    kith_local_forecast forecast = {.works = 1};
    uint64_t invited = query_number(r, "invited");
    if (!invited || query_number(r, "force") ||
        kith_task_load(r->body, r->body_count, &task, NULL))
        return 0;
    if (kith_task_predict(task, invited, &forecast, NULL))
        forecast.works = 1;
    kith_task_free(task);
    return forecast.works == 0;
}

static void create(request *r)
{
    kith_error err = {0};
    int created = 0;
    if (hopeless(r)) {
        answer_problem(r, 0, "cannot_work", NULL);
        return;
    }
    kith_outcome outcome = kith_collect_create(
        r->server->collect, r->body, r->body_count, r->task, &created, &err);
    if (outcome) {
        answer_outcome(r, outcome,
                       outcome == KITH_COLLECT_BAD_TASK ? err.message : NULL);
        return;
    }
    char name[23];
    kith_task_name(r->task, name);
    snprintf(r->location, sizeof r->location, "/v1/tasks/%s", name);
    answer_json(r, created ? 201 : 200, json_pack("{s:s}", "task", name));
}

static void start(request *r)
{
    kith_error err = {0};
    json_t *body = object_of(r);
    if (!body)
        return;
    json_t *invited = json_object_get(body, "invited"),
           *response = json_object_get(body, "response");
    uint64_t n = json_is_integer(invited) && json_integer_value(invited) > 0
                     ? (uint64_t)json_integer_value(invited)
                     : 0;
    double part = json_number_value(response);
    int fine = (!invited || n > 0) && (!response || (part > 0 && part <= 1));
    json_decref(body);
    if (!fine) {
        answer_problem(r, 0, "bad_request",
                       "invited is a number above 0, response above 0 and at "
                       "most 1");
        return;
    }
    kith_outcome outcome =
        kith_collect_start(r->server->collect, r->task, n, part, &err);
    if (outcome)
        answer_outcome(r, outcome, err.message);
    else
        view(r, 200);
}

static int nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* "digest" or "none" in quotes; 0: neither. */
static int match_of(const request *r, uint8_t digest[32], int *none)
{
    const char *text = request_header(r, "If-Match");
    if (!text)
        return 0;
    *none = strcmp(text, "\"none\"") == 0;
    if (*none)
        return 1;
    if (strlen(text) != 66 || text[0] != '"' || text[65] != '"')
        return 0;
    for (int i = 0; i < 32; i++) {
        int high = nibble(text[1 + 2 * i]), low = nibble(text[2 + 2 * i]);
        if (high < 0 || low < 0)
            return 0;
        digest[i] = (uint8_t)(16 * high + low);
    }
    return 1;
}

static void change(request *r)
{
    kith_error err = {0};
    uint8_t digest[32];
    int none = 0;
    if (!match_of(r, digest, &none)) {
        answer_problem(r, 0, "match_needed", NULL);
        return;
    }
    json_t *body = object_of(r);
    if (!body)
        return;
    json_int_t seconds = json_integer_value(json_object_get(body, "seconds"));
    kith_change_request asked = {
        .what = r->change,
        .digest = none ? NULL : digest,
        .seconds = seconds > 0 ? (uint64_t)seconds : 0,
        .reason = json_string_value(json_object_get(body, "reason"))};
    kith_outcome outcome =
        kith_collect_change(r->server->collect, r->task, &asked, &err);
    json_decref(body);
    if (outcome)
        answer_outcome(r, outcome, err.message);
    else
        view(r, 200);
}

static void invite(request *r)
{
    enum { MOST = 10000 };
    json_t *body = object_of(r);
    if (!body)
        return;
    json_int_t count = json_integer_value(json_object_get(body, "count"));
    json_decref(body);
    if (count < 1 || count > MOST) {
        answer_problem(r, 0, "bad_request", "count is from 1 to 10,000");
        return;
    }
    char(*codes)[23] = calloc((size_t)count, sizeof *codes);
    kith_outcome outcome =
        codes ? kith_collect_invite(r->server->collect, r->task,
                                    (uint32_t)count, codes)
              : KITH_COLLECT_FAILED;
    json_t *list = json_array();
    for (json_int_t i = 0; !outcome && i < count; i++)
        json_array_append_new(list, json_string(codes[i]));
    free(codes);
    if (outcome) {
        json_decref(list);
        answer_outcome(r, outcome, NULL);
    } else {
        answer_json(r, 200, json_pack("{s:o}", "codes", list));
    }
}

static void archive(request *r)
{
    kith_error err = {0};
    char *bytes = NULL;
    size_t count = 0;
    kith_outcome outcome =
        kith_collect_archive(r->server->collect, r->task, &bytes, &count, &err);
    if (outcome)
        answer_outcome(r, outcome, err.message);
    else
        answer_text(r, 200, "application/vnd.kith.archive", bytes, count);
}

static void list(request *r)
{
    char *text = NULL;
    kith_outcome outcome = kith_collect_list(r->server->collect, &text);
    if (outcome)
        answer_outcome(r, outcome, NULL);
    else
        answer_text(r, 200, "application/json", text, strlen(text));
}

void operator_run(request *r)
{
    kith_outcome outcome;
    if (!may(r))
        return;
    switch (r->route) {
    case ROUTE_CREATE:
        create(r);
        return;
    case ROUTE_LIST:
        list(r);
        return;
    case ROUTE_START:
        start(r);
        return;
    case ROUTE_CHANGE:
        change(r);
        return;
    case ROUTE_INVITE:
        invite(r);
        return;
    case ROUTE_ARCHIVE:
        archive(r);
        return;
    case ROUTE_FORGET:
        outcome = kith_collect_forget(r->server->collect, r->task);
        if (outcome)
            answer_outcome(r, outcome, NULL);
        else
            answer_copy(r, 204, NULL, "");
        return;
    default:
        view(r, 200);
    }
}
