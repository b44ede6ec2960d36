/* Two listeners, and the life of a request. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

enum { HEADERS = 32 << 10 };

int64_t monotonic_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

const char *request_header(const request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

int request_suspend(request *r)
{
    server *s = r->server;
    atomic_fetch_add(&s->suspended, 1);
    if (atomic_load(&s->closing)) { /* nobody would wake it up */
        atomic_fetch_sub(&s->suspended, 1);
        return 0;
    }
    atomic_store(&r->state, REQUEST_WAITING);
    MHD_suspend_connection(r->connection);
    return 1;
}

void request_resume(request *r)
{
    server *s = r->server; /* r may be gone when the next line is through */
    MHD_resume_connection(r->connection);
    atomic_fetch_sub(&s->suspended, 1);
}

/* ---- the answer ---------------------------------------------------------- */

/* One of the list, from end to end: "https://a" is not "https://a.org". */
static int is_listed(const char *list, const char *origin)
{
    static const char between[] = ", ";
    size_t n = strlen(origin);
    while (*(list += strspn(list, between))) {
        size_t word = strcspn(list, between);
        if (word == n && memcmp(list, origin, n) == 0)
            return 1;
        list += word;
    }
    return 0;
}

static void add_cors(const request *r, struct MHD_Response *response)
{
    const char *origins = r->server->config.origins;
    const char *origin = request_header(r, "Origin");
    if (r->admin)
        return;
    if (strcmp(origins, "*") == 0)
        MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
    else if (origin && is_listed(origins, origin)) {
        MHD_add_response_header(response, "Access-Control-Allow-Origin",
                                origin);
        MHD_add_response_header(response, "Vary", "Origin");
    }
    MHD_add_response_header(response, "Access-Control-Expose-Headers",
                            "ETag, Retry-After");
}

static void add_headers(const request *r, struct MHD_Response *response)
{
    char number[16];
    if (r->type)
        MHD_add_response_header(response, "Content-Type", r->type);
    if (r->etag[0])
        MHD_add_response_header(response, "ETag", r->etag);
    if (r->location[0])
        MHD_add_response_header(response, "Location", r->location);
    if (r->retry_after) {
        snprintf(number, sizeof number, "%d", r->retry_after);
        MHD_add_response_header(response, "Retry-After", number);
    }
    MHD_add_response_header(response, "Cache-Control",
                            r->immutable && r->code == 200
                                ? "public, max-age=31536000, immutable"
                                : "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    if (atomic_load(&r->server->draining))
        MHD_add_response_header(response, "Connection", "close");
    if (r->code == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (r->route == ROUTE_PAGE)
        MHD_add_response_header(
            response, "Content-Security-Policy",
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
            "object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    add_cors(r, response);
}

static enum MHD_Result send_answer(request *r)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        r->answer_count, r->answer ? r->answer : (char *)"",
        MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_headers(r, response);
    enum MHD_Result done = MHD_queue_response(r->connection, r->code, response);
    MHD_destroy_response(response);
    int class = (int)r->code / 100;
    server *s = r->server;
    atomic_fetch_add(&s->codes[r->route][class < 6 ? class : 5], 1);
    return done;
}

static enum MHD_Result send_preflight(struct MHD_Connection *connection,
                                      request *r)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (char *)"", MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_cors(r, response);
    MHD_add_response_header(response, "Access-Control-Allow-Methods",
                            "GET, POST");
    MHD_add_response_header(
        response, "Access-Control-Allow-Headers",
        "Content-Type, If-None-Match, Prefer, Kith-Invitation");
    MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
    enum MHD_Result done = MHD_queue_response(connection, 204, response);
    MHD_destroy_response(response);
    return done;
}

/* ---- a request ----------------------------------------------------------- */

static request *request_new(server *s, int admin, const char *method,
                            const char *path, struct MHD_Connection *connection)
{
    request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->server = s;
    r->admin = admin;
    r->connection = connection;
    r->method = method;
    r->path = path;
    r->began = monotonic_ms();
    atomic_fetch_add(&s->in_flight, 1);
    return r;
}

/* The first call: headers only. */
static enum MHD_Result begin(request *r)
{
    if (!r)
        return MHD_NO;
    if (strcmp(r->method, "OPTIONS") == 0 && !r->admin)
        return send_preflight(r->connection, r);
    if (!route_find(r) || !route_check(r))
        return send_answer(r);
    return MHD_YES;
}

static enum MHD_Result go_on(request *r, const char *data, size_t *count)
{
    if (*count) {
        if (r->body_count + *count > r->body_room)
            return MHD_NO; /* longer than it said */
        memcpy(r->body + r->body_count, data, *count);
        r->body_count += *count;
        *count = 0;
        return MHD_YES;
    }
    if (atomic_load(&r->state) == REQUEST_READING) {
        if (r->body_count != r->body_room)
            return MHD_NO;
        route_run(r);
    }
    return atomic_load(&r->state) == REQUEST_READY ? send_answer(r) : MHD_YES;
}

static enum MHD_Result handle_public(void *arg,
                                     struct MHD_Connection *connection,
                                     const char *path, const char *method,
                                     const char *version, const char *data,
                                     size_t *count, void **mine)
{
    (void)version;
    if (*mine)
        return go_on(*mine, data, count);
    return begin(*mine = request_new(arg, 0, method, path, connection));
}

static enum MHD_Result handle_admin(void *arg,
                                    struct MHD_Connection *connection,
                                    const char *path, const char *method,
                                    const char *version, const char *data,
                                    size_t *count, void **mine)
{
    (void)version;
    if (*mine)
        return go_on(*mine, data, count);
    return begin(*mine = request_new(arg, 1, method, path, connection));
}

static void completed(void *arg, struct MHD_Connection *connection, void **mine,
                      enum MHD_RequestTerminationCode how)
{
    server *s = arg;
    request *r = *mine;
    (void)connection;
    (void)how;
    if (!r)
        return;
    int64_t took = monotonic_ms() - r->began;
    atomic_fetch_add(&s->seen[r->route], 1);
    atomic_fetch_add(&s->nanoseconds[r->route], (uint64_t)took * 1000000);
    if (s->config.log_requests) {
        char code[8], ms[24], who[SENDER_NAME] = "";
        if (s->config.log_addresses)
            sender_name(r, who);
        snprintf(code, sizeof code, "%u", r->code);
        snprintf(ms, sizeof ms, "%lld", (long long)took);
        log_event("info", "request", "route", route_name(r->route), "code",
                  code, "ms", ms, who[0] ? "from" : NULL, who, NULL);
    }
    if (r->from_library)
        kith_text_free(r->answer);
    else if (!r->is_static)
        free(r->answer);
    free(r->body);
    free(r);
    *mine = NULL;
    atomic_fetch_sub(&s->in_flight, 1);
}

/* ---- listeners ----------------------------------------------------------- */

/* "ADDRESS:PORT", "[ADDRESS]:PORT"; 0: it is neither. */
static int resolve(const char *text, struct sockaddr_storage *out)
{
    char host[128];
    const char *colon = strrchr(text, ':');
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM},
                    *found = NULL;
    if (!colon || (size_t)(colon - text) >= sizeof host)
        return 0;
    size_t n = (size_t)(colon - text), skip = text[0] == '[';
    if (n < 2 * skip + 1)
        return 0;
    memcpy(host, text + skip, n - 2 * skip);
    host[n - 2 * skip] = 0;
    if (strcmp(host, "localhost") == 0)
        memcpy(host, "127.0.0.1", 10);
    if (getaddrinfo(host, colon + 1, &hints, &found) || !found)
        return 0;
    memcpy(out, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 1;
}

static int is_loopback(const struct sockaddr_storage *a)
{
    if (a->ss_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >>
                24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr) !=
           0;
}

/* 0: cannot be used, and why was logged. */
static int listen_on(server *s, const char *address, int admin,
                     struct MHD_Daemon **out)
{
    const config *c = &s->config;
    struct sockaddr_storage at = {0};
    if (!resolve(address, &at)) {
        log_event("error", "listen", "detail",
                  "an address is IP:PORT or [IP6]:PORT", "address", address,
                  NULL);
        return 0;
    }
    if (!is_loopback(&at) && !c->tls_certificate && !c->behind_proxy) {
        log_event("error", "listen", "detail",
                  "plain HTTP is for loopback: give --tls-certificate and "
                  "--tls-key, or --behind-proxy ADDRESS",
                  "address", address, NULL);
        return 0;
    }
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (at.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0u) |
                     (c->tls_certificate ? MHD_USE_TLS : 0u);
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, certificate_giver()},
        {MHD_OPTION_END, 0, NULL}};
    *out = MHD_start_daemon(
        flags, 0, NULL, NULL, admin ? handle_admin : handle_public, s,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
        MHD_OPTION_NOTIFY_COMPLETED, completed, s, MHD_OPTION_CONNECTION_LIMIT,
        admin ? 200u : c->connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        admin ? 0u : c->connections_each, MHD_OPTION_CONNECTION_TIMEOUT,
        c->timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS,
        MHD_OPTION_THREAD_POOL_SIZE, admin ? 0u : c->threads,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        1024u, MHD_OPTION_ARRAY, c->tls_certificate ? tls : tls + 1,
        MHD_OPTION_END);
    if (!*out)
        log_event("error", "listen", "detail",
                  "the port is taken, or not allowed: choose another",
                  "address", address, NULL);
    return *out != NULL;
}

int server_start(server *s)
{
    return (!s->config.tls_certificate || certificate_load(&s->config)) &&
           listen_on(s, s->config.listen, 0, &s->daemon) &&
           listen_on(s, s->config.admin_listen, 1, &s->admin);
}

/* No new connections. Not MHD_quiesce_daemon(): it takes the socket out of
 * epoll sets while their threads may do the same, and who comes second aborts
 * the process. A socket that is shut down only fails to accept. */
static void stop_listening(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *at =
        daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_LISTEN_FD) : NULL;
    if (at)
        shutdown(at->listen_fd, SHUT_RDWR);
}

/* Until nobody is left, or it takes too long. */
static void drain(server *s, const atomic_int *left, int64_t until)
{
    for (;;) {
        polls_end(s);
        if (atomic_load(left) == 0 || monotonic_ms() >= until)
            return;
        struct timespec pause = {.tv_nsec = 10000000};
        nanosleep(&pause, NULL);
    }
}

int server_stop(server *s)
{
    enum { PATIENCE = 10000 };
    int64_t until = monotonic_ms() + PATIENCE;
    atomic_store(&s->draining, 1);
    stop_listening(s->daemon);
    stop_listening(s->admin);
    drain(s, &s->in_flight, until);
    /* Who kept a connection may ask again: at once, or not at all. */
    atomic_store(&s->closing, 1);
    drain(s, &s->suspended, until + 1000);
    if (atomic_load(&s->suspended)) { /* libmicrohttpd would abort */
        log_event("error", "draining", "detail",
                  "the store did not answer in time; devices will try again",
                  NULL);
        return 0;
    }
    if (s->daemon)
        MHD_stop_daemon(s->daemon);
    if (s->admin)
        MHD_stop_daemon(s->admin);
    certificate_forget();
    return 1;
}
