/* From a method and a path to a route; what a body may be. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { BODY_MAX = 1 << 20 };

static const char *const names[ROUTES] = {
    [ROUTE_NONE] = "none",          [ROUTE_TASK] = "task",
    [ROUTE_ENROL] = "enrolments",   [ROUTE_STATUS] = "status",
    [ROUTE_ROUND] = "round",        [ROUTE_CHAIN] = "chain",
    [ROUTE_REPORTS] = "reports",    [ROUTE_RESULT] = "result",
    [ROUTE_PAGE] = "page",          [ROUTE_HEALTH] = "healthz",
    [ROUTE_READY] = "readyz",       [ROUTE_CREATE] = "create",
    [ROUTE_LIST] = "tasks",         [ROUTE_OPERATOR] = "operator",
    [ROUTE_START] = "start",        [ROUTE_CHANGE] = "change",
    [ROUTE_INVITE] = "invitations", [ROUTE_ARCHIVE] = "archive",
    [ROUTE_FORGET] = "forget",      [ROUTE_METRICS] = "metrics"};

const char *route_name(route which)
{
    return which < ROUTES ? names[which] : "none";
}

/* What comes after /v1/tasks/{t}. */
static const struct {
    const char *tail;
    int admin;
    const char *method;
    route route;
    int change;
} tails[] = {
    {"", 0, "GET", ROUTE_TASK, 0},
    {"/enrolments", 0, "POST", ROUTE_ENROL, 0},
    {"/status", 0, "GET", ROUTE_STATUS, 0},
    {"/chain", 0, "GET", ROUTE_CHAIN, 0},
    {"/reports", 0, "POST", ROUTE_REPORTS, 0},
    {"/result", 0, "GET", ROUTE_RESULT, 0},
    /* public as well; the operator's page draws them */
    {"", 1, "GET", ROUTE_TASK, 0},
    {"/result", 1, "GET", ROUTE_RESULT, 0},
    {"", 1, "DELETE", ROUTE_FORGET, 0},
    {"/operator", 1, "GET", ROUTE_OPERATOR, 0},
    {"/start", 1, "POST", ROUTE_START, 0},
    {"/invitations", 1, "POST", ROUTE_INVITE, 0},
    {"/archive", 1, "GET", ROUTE_ARCHIVE, 0},
    {"/close", 1, "POST", ROUTE_CHANGE, KITH_TASK_CLOSE},
    {"/publish", 1, "POST", ROUTE_CHANGE, KITH_TASK_PUBLISH},
    {"/extend", 1, "POST", ROUTE_CHANGE, KITH_TASK_EXTEND},
    {"/abort", 1, "POST", ROUTE_CHANGE, KITH_TASK_ABORT},
    {"/resume", 1, "POST", ROUTE_CHANGE, KITH_TASK_RESUME},
};

/* HEAD is GET without its body. */
static int is_method(const request *r, const char *method)
{
    return strcmp(r->method, method) == 0 ||
           (strcmp(method, "GET") == 0 && strcmp(r->method, "HEAD") == 0);
}

static int take(request *r, route which, const char *method)
{
    if (!is_method(r, method)) {
        answer_problem(r, 0, "wrong_method", NULL);
        return 0;
    }
    r->route = which;
    return 1;
}

static int find_task_route(request *r, const char *tail)
{
    int known = 0;
    char *end;
    if (!r->admin && strncmp(tail, "/rounds/", 8) == 0 && tail[8] >= '0' &&
        tail[8] <= '9') {
        unsigned long n = strtoul(tail + 8, &end, 10);
        if (*end == 0 && n < 65536) {
            r->number = (uint32_t)n;
            return take(r, ROUTE_ROUND, "GET");
        }
    }
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        if (strcmp(tails[i].tail, tail) != 0 || tails[i].admin != r->admin)
            continue;
        known = 1;
        if (!is_method(r, tails[i].method))
            continue;
        r->route = tails[i].route;
        r->change = (kith_task_change)tails[i].change;
        return 1;
    }
    answer_problem(r, 0, known ? "wrong_method" : "no_route", NULL);
    return 0;
}

/* /NAME... where NAME has 22 characters. */
static const char *task_in(const char *path, uint8_t id[16])
{
    char name[23];
    size_t n = strcspn(path, "/");
    if (n != 22)
        return NULL;
    memcpy(name, path, 22);
    name[22] = 0;
    return kith_task_named(name, id) ? path + 22 : NULL;
}

static int take_page(request *r, const char *file)
{
    r->file = file;
    return take(r, ROUTE_PAGE, "GET");
}

static int find_page(request *r, const char *path)
{
    const char *tail;
    if (strncmp(path, "/static/", 8) == 0)
        return take_page(r, path + 8);
    if (strcmp(path, "/") == 0)
        return take_page(r, r->admin ? "operator.html" : "index.html");
    if (!r->admin && strncmp(path, "/problems/", 10) == 0)
        return take_page(r, "problem.html");
    if (strncmp(path, "/tasks/", 7) == 0 &&
        (tail = task_in(path + 7, r->task))) {
        if (*tail == 0)
            return take_page(r, r->admin ? "operator.html" : "result.html");
        if (!r->admin && strcmp(tail, "/take-part") == 0)
            return take_page(r, "take-part.html");
    }
    answer_problem(r, 0, "no_route", NULL);
    return 0;
}

int route_find(request *r)
{
    const char *path = r->path, *tail;
    if (strcmp(path, "/healthz") == 0)
        return take(r, ROUTE_HEALTH, "GET");
    if (strcmp(path, "/readyz") == 0)
        return take(r, ROUTE_READY, "GET");
    if (r->admin && strcmp(path, "/metrics") == 0)
        return take(r, ROUTE_METRICS, "GET");
    if (r->admin && strcmp(path, "/v1/tasks") == 0) {
        if (is_method(r, "GET"))
            return take(r, ROUTE_LIST, "GET");
        return take(r, ROUTE_CREATE, "POST");
    }
    if (strncmp(path, "/v1/tasks/", 10) == 0) {
        tail = task_in(path + 10, r->task);
        if (tail)
            return find_task_route(r, tail);
        answer_problem(r, 0, "no_task", NULL);
        return 0;
    }
    return find_page(r, path);
}

static int type_is(const request *r, const char *type)
{
    const char *given = request_header(r, "Content-Type");
    size_t n = strlen(type);
    return given && strncmp(given, type, n) == 0 &&
           (given[n] == 0 || given[n] == ';' || given[n] == ' ');
}

/* Does this route's body have the right type? */
static int body_type(const request *r)
{
    switch (r->route) {
    case ROUTE_ENROL:
        return type_is(r, "application/vnd.kith.commitments");
    case ROUTE_REPORTS:
        return type_is(r, "application/vnd.kith.report") ||
               type_is(r, "application/vnd.kith.reports");
    case ROUTE_CREATE:
        return type_is(r, "application/json");
    default:
        return 1;
    }
}

int route_check(request *r)
{
    const char *length = request_header(r, "Content-Length");
    if (strcmp(r->method, "POST") != 0)
        return 1;
    if (!body_type(r)) {
        answer_problem(r, 0, "wrong_type", NULL);
        return 0;
    }
    if (!length) {
        answer_problem(r, 0, "length_needed", NULL);
        return 0;
    }
    char *end;
    unsigned long long n = strtoull(length, &end, 10);
    if (*end || n > BODY_MAX) {
        answer_problem(r, 0, "too_long", NULL);
        return 0;
    }
    r->body_room = (size_t)n;
    r->body = malloc(r->body_room + 1);
    if (!r->body) {
        answer_problem(r, 0, "busy", NULL);
        return 0;
    }
    return 1;
}

void route_run(request *r)
{
    if (r->route == ROUTE_METRICS)
        metrics_run(r);
    else if (r->route >= ROUTE_CREATE)
        operator_run(r);
    else
        public_run(r);
}
