/* A service over HTTP. */
#include "http_client.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli.h"
#include "curl_late.h"

/* ---- one transfer -------------------------------------------------------- */

typedef struct {
    CURL *curl;
    struct curl_slist *headers;
    http_answer answer;
    char url[1024];
    /* of a fleet */
    void *job;
    http_call call;
    int busy, again;
    double wait, due;
} transfer;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t take_body(char *data, size_t size, size_t count, void *arg)
{
    http_answer *a = arg;
    size_t more = size * count;
    char *body = realloc(a->body, a->count + more + 1);
    if (!body)
        return 0;
    memcpy(body + a->count, data, more);
    a->body = body;
    a->count += more;
    a->body[a->count] = 0;
    return more;
}

static size_t take_header(char *data, size_t size, size_t count, void *arg)
{
    http_answer *a = arg;
    size_t n = size * count;
    if (n > 6 && strncasecmp(data, "ETag: ", 6) == 0) {
        size_t m = n - 6;
        while (m && strchr("\r\n", data[6 + m - 1]))
            m--;
        snprintf(a->etag, sizeof a->etag, "%.*s", (int)m, data + 6);
    }
    return n;
}

static int prepare(const http_service *s, const http_call *call, transfer *t)
{
    char authorization[128];
    if (!t->curl)
        t->curl = curl.easy_init();
    if (!t->curl)
        return 0;
    http_answer_free(&t->answer);
    curl.slist_free_all(t->headers);
    t->headers = curl.slist_append(NULL, "Expect:");
    if (call->type) {
        char type[96];
        snprintf(type, sizeof type, "Content-Type: %s", call->type);
        t->headers = curl.slist_append(t->headers, type);
    }
    for (int i = 0; i < 4 && call->headers[i]; i++)
        t->headers = curl.slist_append(t->headers, call->headers[i]);
    if (s->token) {
        snprintf(authorization, sizeof authorization,
                 "Authorization: Bearer %s", s->token);
        t->headers = curl.slist_append(t->headers, authorization);
    }
    snprintf(t->url, sizeof t->url, "%s%s", s->server, call->path);
    curl.easy_reset(t->curl);
    curl.easy_setopt(t->curl, CURLOPT_URL, t->url);
    curl.easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
    curl.easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(t->curl, CURLOPT_TIMEOUT, 90L);
    curl.easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, 10L);
    curl.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
    curl.easy_setopt(t->curl, CURLOPT_WRITEDATA, &t->answer);
    curl.easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl.easy_setopt(t->curl, CURLOPT_HEADERDATA, &t->answer);
    curl.easy_setopt(t->curl, CURLOPT_PRIVATE, t);
    if (strcmp(call->method, "POST") == 0) {
        curl.easy_setopt(t->curl, CURLOPT_POST, 1L);
        curl.easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE, (long)call->bytes);
        curl.easy_setopt(t->curl, CURLOPT_POSTFIELDS,
                         call->bytes ? call->body : "");
    } else if (strcmp(call->method, "GET") != 0) {
        curl.easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, call->method);
    }
    return 1;
}

/* The name and words of a problem. */
static void read_problem(http_answer *a)
{
    json_t *json = a->code >= 400 && a->count
                       ? json_loadb(a->body, a->count, 0, NULL)
                       : NULL;
    const char *type = json_string_value(json_object_get(json, "type"));
    const char *detail = json_string_value(json_object_get(json, "detail"));
    const char *name = type ? strrchr(type, '/') : NULL;
    snprintf(a->problem, sizeof a->problem, "%s", name ? name + 1 : "");
    snprintf(a->detail, sizeof a->detail, "%s", detail ? detail : "");
    json_decref(json);
}

static void settle(transfer *t, CURLcode how)
{
    t->answer.code = 0;
    if (how == CURLE_OK)
        curl.easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->answer.code);
    else
        snprintf(t->answer.detail, sizeof t->answer.detail, "%s",
                 curl.easy_strerror(how));
    curl.easy_getinfo(t->curl, CURLINFO_TOTAL_TIME, &t->answer.seconds);
    if (t->answer.code >= 400)
        read_problem(&t->answer);
}

static void close_transfer(transfer *t)
{
    curl.slist_free_all(t->headers);
    if (t->curl)
        curl.easy_cleanup(t->curl);
    http_answer_free(&t->answer);
}

/* ---- once ---------------------------------------------------------------- */

int http_open(http_service *s, const char *server, const char *token_file)
{
    *s = (http_service){.server = server};
    if (!server)
        return cli_usage("--server URL is needed: where is the service?");
    int code = curl_load();
    if (code || !token_file)
        return code;
    FILE *file = fopen(token_file, "r");
    char line[128] = "";
    if (!file || !fgets(line, sizeof line, file)) {
        if (file)
            fclose(file);
        return cli_fail(CLI_INPUT, "%s: there is no token in it", token_file);
    }
    fclose(file);
    line[strcspn(line, " \r\n")] = 0;
    s->token = strdup(line);
    return s->token ? CLI_OK : cli_no_memory();
}

void http_close(http_service *s)
{
    free(s->token);
    s->token = NULL;
}

void http_answer_free(http_answer *a)
{
    free(a->body);
    *a = (http_answer){0};
}

int http_do(const http_service *s, const http_call *call, http_answer *out)
{
    transfer t = {0};
    *out = (http_answer){0};
    if (!prepare(s, call, &t)) {
        close_transfer(&t);
        return cli_no_memory();
    }
    settle(&t, curl.easy_perform(t.curl));
    *out = t.answer;
    t.answer = (http_answer){0};
    close_transfer(&t);
    if (out->code)
        return CLI_OK;
    return cli_fail(CLI_STORE, "%s does not answer: %s", s->server,
                    out->detail);
}

int http_refused(const http_answer *a)
{
    int code = a->code >= 500 || a->code == 429 ? CLI_STORE : CLI_INPUT;
    return cli_fail(code, "%s (%ld)%s%s",
                    a->problem[0] ? a->problem : "refused", a->code,
                    a->detail[0] ? ": " : "", a->detail);
}

/* ---- many ---------------------------------------------------------------- */

static void start(const http_fleet *f, CURLM *multi, transfer *t)
{
    if (prepare(f->service, &t->call, t)) {
        t->busy = 1;
        t->again = 0;
        curl.multi_add_handle(multi, t->curl);
    }
}

/* 0: nothing is left for this one. */
static int feed(const http_fleet *f, CURLM *multi, transfer *t)
{
    t->call = (http_call){.method = "POST"};
    t->wait = .1;
    if (!f->next(f->arg, &t->call, &t->job))
        return 0;
    start(f, multi, t);
    return 1;
}

static void finish_one(const http_fleet *f, CURLM *multi, transfer *t,
                       CURLcode how)
{
    enum { LONGEST = 30 };
    curl.multi_remove_handle(multi, t->curl);
    settle(t, how);
    t->busy = 0;
    if (f->done(f->arg, t->job, &t->answer)) {
        t->again = 1;
        t->due =
            seconds_now() + t->wait * (.5 + .5 * (double)(clock() % 997) / 997);
        t->wait = t->wait * 2 > LONGEST ? LONGEST : t->wait * 2;
    }
}

/* Start what can be started; how many are under way or will be. */
static unsigned refill(const http_fleet *f, CURLM *multi, transfer *all,
                       int *dry)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < f->connections; i++) {
        transfer *t = &all[i];
        if (!t->busy && t->again && seconds_now() >= t->due)
            start(f, multi, t);
        else if (!t->busy && !t->again && !*dry)
            *dry = !feed(f, multi, t);
        busy += t->busy || t->again;
    }
    return busy;
}

int http_fleet_run(const http_fleet *f)
{
    CURLM *multi = curl.multi_init();
    transfer *all = calloc(f->connections, sizeof *all);
    int dry = 0, code = multi && all ? CLI_OK : cli_no_memory();
    while (!code && all && refill(f, multi, all, &dry)) {
        int running = 0, left;
        CURLMsg *message;
        curl.multi_perform(multi, &running);
        while ((message = curl.multi_info_read(multi, &left)))
            if (message->msg == CURLMSG_DONE) {
                transfer *t = NULL;
                curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
                                  (char **)&t);
                finish_one(f, multi, t, message->data.result);
            }
        curl.multi_poll(multi, NULL, 0, 20, NULL);
    }
    for (unsigned i = 0; all && i < f->connections; i++)
        close_transfer(&all[i]);
    free(all);
    if (multi)
        curl.multi_cleanup(multi);
    return code;
}
