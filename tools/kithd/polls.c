/* Those who wait for a task to change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { MOST = 2000, LONGEST = 60 };

/* 0: there is no such task, and the answer says so. */
static int status_now(request *r, kith_task_status *status)
{
    kith_outcome outcome =
        kith_collect_status(r->server->collect, r->task, status);
    if (outcome) {
        answer_outcome(r, outcome, NULL);
        return 0;
    }
    char hex[65];
    hex_of(status->digest, 8, hex);
    snprintf(r->etag, sizeof r->etag, "\"%d-%lld-%s-%lld\"", status->state,
             (long long)status->round, hex, (long long)status->closes_at);
    return 1;
}

static void answer_status(request *r, const kith_task_status *s)
{
    char hex[65];
    const config *c = &r->server->config;
    uint64_t wait = s->enrolled / (c->poll_rate ? c->poll_rate : 200);
    hex_of(s->digest, 32, hex);
    json_t *json = json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:I}", "state",
        kith_task_state_name(s->state), "round",
        s->round < 0 ? json_null() : json_integer(s->round), "digest",
        s->round < 0 ? json_null() : json_string(hex), "closes_at",
        s->closes_at ? json_integer(s->closes_at) : json_null(), "spread",
        (json_int_t)c->spread, "wait", (json_int_t)(wait > 60 ? wait : 60));
    answer_json(r, 200, json);
}

/* Answers now, unless nothing has changed. 1: answered. */
static int look(request *r)
{
    kith_task_status status;
    if (!status_now(r, &status))
        return 1;
    if (strcmp(r->etag, r->match) == 0)
        return 0;
    answer_status(r, &status);
    return 1;
}

void status_answer(request *r)
{
    if (!look(r))
        answer_copy(r, 304, NULL, "");
}

static int wanted_wait(const request *r)
{
    const char *prefer = request_header(r, "Prefer");
    const char *wait = prefer ? strstr(prefer, "wait=") : NULL;
    long seconds = wait ? strtol(wait + 5, NULL, 10) : 0;
    return seconds < 0 ? 0 : seconds > LONGEST ? LONGEST : (int)seconds;
}

void poll_status(request *r)
{
    server *s = r->server;
    const char *match = request_header(r, "If-None-Match");
    int seconds = wanted_wait(r);
    snprintf(r->match, sizeof r->match, "%s", match ? match : "");
    if (!match || seconds == 0 || atomic_load(&s->draining) ||
        atomic_load(&s->waiting) >= MOST) {
        status_answer(r);
        return;
    }
    pthread_mutex_lock(&s->wait_lock);
    if (look(r)) {
        pthread_mutex_unlock(&s->wait_lock);
        return;
    }
    if (!request_suspend(r)) {
        pthread_mutex_unlock(&s->wait_lock);
        status_answer(r);
        return;
    }
    r->deadline = monotonic_ms() + 1000 * seconds;
    r->next = s->polls;
    s->polls = r;
    atomic_fetch_add(&s->waiting, 1);
    pthread_mutex_unlock(&s->wait_lock);
}

static void go_through(server *s, int all)
{
    int64_t now = monotonic_ms();
    pthread_mutex_lock(&s->wait_lock);
    for (request **at = &s->polls; *at;) {
        request *r = *at;
        int done = look(r);
        if (!done && (all || now >= r->deadline)) {
            answer_copy(r, 304, NULL, "");
            done = 1;
        }
        if (!done) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        atomic_fetch_sub(&s->waiting, 1);
        request_resume(r);
    }
    pthread_mutex_unlock(&s->wait_lock);
}

void polls_look(server *s)
{
    go_through(s, 0);
}

void polls_end(server *s)
{
    go_through(s, 1);
}
