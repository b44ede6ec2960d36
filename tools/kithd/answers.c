/* Answers, and problems as RFC 9457 has them. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

void answer_text(request *r, unsigned code, const char *type, char *text,
                 size_t count)
{
    r->code = code;
    r->type = type;
    r->answer = text;
    r->answer_count = count;
    r->from_library = 1;
    atomic_store(&r->state, REQUEST_READY);
}

void answer_copy(request *r, unsigned code, const char *type, const char *text)
{
    r->code = code;
    r->type = type;
    r->answer = strdup(text);
    r->answer_count = r->answer ? strlen(text) : 0;
    atomic_store(&r->state, REQUEST_READY);
}

void answer_json(request *r, unsigned code, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    r->code = text ? code : 500;
    r->type = "application/json";
    r->answer = text;
    r->answer_count = text ? strlen(text) : 0;
    atomic_store(&r->state, REQUEST_READY);
}

/* name, code, title, what to do. */
static const struct {
    const char *name;
    unsigned code;
    const char *title, *detail;
} problems[] = {
    {"bad_report", 400, "Not a report",
     "The bytes are not an envelope of this task's reports. Do not send them "
     "again."},
    {"bad_token", 403, "Not enrolled here",
     "The tag was not made by this service. Enrol again."},
    {"round_closed", 409, "Too late",
     "The round has closed. Nothing is to be done: nobody is asked again."},
    {"wrong_round", 409, "Another round",
     "The report is not for the round that is open now."},
    {"wrong_group", 409, "Another group",
     "The draw did not put this device into that group."},
    {"task_over", 410, "The task has ended", "It takes no more."},
    {"no_task", 404, "No such task",
     "Check the link: the task's name is its digest."},
    {"not_published", 404, "Not published yet", "Look again later."},
    {"not_finished", 404, "Not finished yet", "There is no result so far."},
    {"bad_task", 400, "Not a task file", "Devices would refuse it."},
    {"cannot_work", 422, "This cannot work",
     "Noise would hide the answer: invite more, or ask for less."},
    {"wrong_state", 409, "Not now", "The task's state does not allow that."},
    {"moved_on", 412, "The task has moved on",
     "The newest round is another than you named: look first."},
    {"invitation_needed", 403, "An invitation is needed",
     "Send a genuine code in Kith-Invitation, one device at a time; or, from "
     "an app's own server, a token of scope enrol."},
    {"invitation_used", 409, "The invitation was used",
     "Another device has enrolled with this code."},
    {"busy", 503, "Busy", "Send the same bytes again a little later."},
    {"store_down", 503, "The store cannot be reached",
     "Send the same bytes again a little later."},
    {"disk_full", 507, "The disk is full",
     "Send the same bytes again later; the operator must make room."},
    {"failed", 500, "Something went wrong", "Please report it."},
    {"bad_commitments", 400, "Not commitments",
     "Send n times 16 bytes, n from 1 to 1,000."},
    {"bad_request", 400, "Not understood", "The body is not what it must be."},
    {"length_needed", 411, "How long is it?", "Send a Content-Length."},
    {"too_long", 413, "Too long", "A body has at most 1 MiB."},
    {"wrong_type", 415, "Another content type",
     "The page of the API names the type of each body."},
    {"wrong_method", 405, "Another method", "This path knows other methods."},
    {"no_route", 404, "There is nothing here", "Check the path."},
    {"too_many", 429, "Too many requests", "Wait a little."},
    {"token_needed", 401, "Who are you?",
     "Send Authorization: Bearer with an operator's token."},
    {"wrong_scope", 403, "Not allowed", "The token has another scope."},
    {"match_needed", 428, "Which round do you mean?",
     "Send If-Match with the digest of the newest round."},
    {"draining", 503, "Stopping", "Another instance will answer."},
};

static size_t find(const char *name)
{
    size_t count = sizeof problems / sizeof *problems;
    for (size_t i = 0; i < count; i++)
        if (strcmp(problems[i].name, name) == 0)
            return i;
    return find("failed");
}

void answer_problem(request *r, unsigned code, const char *name,
                    const char *detail)
{
    size_t i = find(name);
    char type[64] = "/problems/";
    strncat(type, name, sizeof type - 12);
    answer_json(r, code ? code : problems[i].code,
                json_pack("{s:s, s:s, s:i, s:s}", "type", type, "title",
                          problems[i].title, "status",
                          (int)(code ? code : problems[i].code), "detail",
                          detail && *detail ? detail : problems[i].detail));
    r->type = "application/problem+json";
    if (r->code == 503 || r->code == 507 || r->code == 429)
        r->retry_after = r->code == 429 ? 10 : 2;
}

void answer_outcome(request *r, kith_outcome outcome, const char *detail)
{
    answer_problem(r, 0, kith_outcome_name(outcome), detail);
}

void hex_of(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

void set_digest_tag(request *r, const uint8_t *digest)
{
    r->etag[0] = '"';
    hex_of(digest, 32, r->etag + 1);
    r->etag[65] = '"';
    r->etag[66] = 0;
}
