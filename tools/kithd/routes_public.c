/* What devices and people may ask. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* ---- pages --------------------------------------------------------------- */

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".svg", "image/svg+xml"},
        {".json", "application/json"},
        {".png", "image/png"}};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t m = strlen(types[i][0]);
        if (n > m && strcmp(name + n - m, types[i][0]) == 0)
            return types[i][1];
    }
    return "application/octet-stream";
}

static void page(request *r)
{
    for (const static_file *f = static_files; f->name; f++)
        if (strcmp(f->name, r->file) == 0) {
            r->code = 200;
            r->type = type_of(f->name);
            r->answer = (char *)(uintptr_t)f->bytes;
            r->answer_count = f->count;
            r->is_static = 1;
            atomic_store(&r->state, REQUEST_READY);
            return;
        }
    answer_problem(r, 0, "no_route", NULL);
}

static void ready(request *r)
{
    const char *why = atomic_load(&r->server->draining)
                          ? "stopping"
                          : kith_collect_ready(r->server->collect);
    if (why)
        answer_json(
            r, 503,
            json_pack("{s:s, s:s}", "status", "not ready", "reason", why));
    else
        answer_copy(r, 200, "application/json", "{\"status\":\"ok\"}");
}

/* ---- texts --------------------------------------------------------------- */

static void task(request *r)
{
    char *json = NULL;
    size_t bytes = 0;
    kith_outcome outcome =
        kith_collect_task(r->server->collect, r->task, &json, &bytes);
    if (outcome) {
        answer_outcome(r, outcome, NULL);
        return;
    }
    char name[23];
    kith_task_name(r->task, name);
    r->etag[0] = '"';
    memcpy(r->etag + 1, name, 22);
    memcpy(r->etag + 23, "\"", 2);
    r->immutable = 1;
    answer_text(r, 200, "application/json", json, bytes);
}

static void round_text(request *r)
{
    char *json = NULL;
    size_t bytes = 0;
    uint8_t digest[32];
    kith_outcome outcome = kith_collect_round(r->server->collect, r->task,
                                              r->number, &json, &bytes, digest);
    if (outcome) {
        answer_outcome(r, outcome, NULL);
        r->retry_after = outcome == KITH_COLLECT_NOT_PUBLISHED ? 60 : 2;
        return;
    }
    set_digest_tag(r, digest);
    r->immutable = 1;
    answer_text(r, 200, "application/json", json, bytes);
}

static void text_of(request *r, kith_outcome outcome, char *text)
{
    if (outcome)
        answer_outcome(r, outcome, NULL);
    else
        answer_text(r, 200, "application/json", text, strlen(text));
}

/* ---- bodies -------------------------------------------------------------- */

static json_t *reasons_of(const kith_receipt_of_reports *receipt)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < receipt->reason_count; i++)
        json_array_append_new(
            list, json_pack("[I, s]", (json_int_t)receipt->reasons[i].at,
                            kith_outcome_name(receipt->reasons[i].why)));
    return list;
}

/* By the committer's thread, mostly. */
static void reports_done(void *arg, const kith_receipt_of_reports *receipt)
{
    request *r = arg;
    const char *type = request_header(r, "Content-Type");
    int many = strncmp(type, "application/vnd.kith.reports", 28) == 0;
    if (receipt->failed)
        answer_outcome(r, receipt->failed, NULL);
    else if (many)
        answer_json(r, 200,
                    json_pack("{s:I, s:I, s:I, s:o}", "stored",
                              (json_int_t)receipt->stored, "duplicates",
                              (json_int_t)receipt->duplicates, "refused",
                              (json_int_t)receipt->refused, "reasons",
                              reasons_of(receipt)));
    else if (receipt->refused)
        answer_outcome(r, receipt->reasons[0].why, NULL);
    else
        answer_copy(r, 204, NULL, "");
    request_resume(r);
}

static void reports(request *r)
{
    const char *type = request_header(r, "Content-Type");
    int many = strncmp(type, "application/vnd.kith.reports", 28) == 0;
    size_t count = r->body_count / KITH_ENVELOPE_BYTES;
    if (r->body_count % KITH_ENVELOPE_BYTES != 0 || count == 0 ||
        count > (many ? 10000 : 1)) {
        answer_problem(r, 0, "bad_report", NULL);
        return;
    }
    if (!limit_take(r, LIMIT_REPORTS, (double)count)) {
        answer_problem(r, 0, "too_many", NULL);
        return;
    }
    if (!request_suspend(r)) {
        answer_problem(r, 0, "draining", NULL);
        return;
    }
    kith_collect_add(r->server->collect, r->task, (const uint8_t *)r->body,
                     count, reports_done, r);
}

static void enrol_done(void *arg, const kith_receipt_of_reports *receipt)
{
    request *r = arg;
    if (receipt->failed)
        answer_outcome(r, receipt->failed, NULL);
    else {
        r->code = 200;
        r->type = "application/vnd.kith.tags";
        r->answer = malloc(r->body_count);
        r->answer_count = r->answer ? r->body_count : 0;
        if (r->answer)
            memcpy(r->answer, receipt->tags, r->body_count);
        atomic_store(&r->state, REQUEST_READY);
    }
    request_resume(r);
}

static void enrol(request *r)
{
    size_t count = r->body_count / 16;
    int trusted =
        tokens_scopes(request_header(r, "Authorization")) & SCOPE_ENROL;
    if (r->body_count % 16 != 0 || count == 0 || count > 1000) {
        answer_problem(r, 0, "bad_commitments", NULL);
        return;
    }
    if (!trusted && !limit_take(r, LIMIT_ENROL, (double)count)) {
        answer_problem(r, 0, "too_many", NULL);
        return;
    }
    if (!request_suspend(r)) {
        answer_problem(r, 0, "draining", NULL);
        return;
    }
    kith_enrolment enrolment = {.commitments = (const uint8_t *)r->body,
                                .count = count,
                                .invitation =
                                    request_header(r, "Kith-Invitation"),
                                .trusted = trusted};
    kith_collect_enrol(r->server->collect, r->task, &enrolment, enrol_done, r);
}

void public_run(request *r)
{
    kith_collect *c = r->server->collect;
    kith_outcome outcome;
    char *text = NULL;
    if (r->route != ROUTE_REPORTS && r->route != ROUTE_ENROL &&
        r->route < ROUTE_HEALTH && !limit_take(r, LIMIT_READS, 1)) {
        answer_problem(r, 0, "too_many", NULL);
        return;
    }
    switch (r->route) {
    case ROUTE_TASK:
        task(r);
        return;
    case ROUTE_ENROL:
        enrol(r);
        return;
    case ROUTE_STATUS:
        poll_status(r);
        return;
    case ROUTE_ROUND:
        round_text(r);
        return;
    case ROUTE_CHAIN:
        outcome = kith_collect_chain(c, r->task, &text);
        text_of(r, outcome, text);
        return;
    case ROUTE_REPORTS:
        reports(r);
        return;
    case ROUTE_RESULT:
        outcome = kith_collect_result(c, r->task, &text);
        text_of(r, outcome, text);
        return;
    case ROUTE_HEALTH:
        answer_copy(r, 200, "application/json", "{\"status\":\"ok\"}");
        return;
    case ROUTE_READY:
        ready(r);
        return;
    default:
        page(r);
    }
}
