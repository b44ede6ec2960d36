/* kithd: HTTP around kith/collect.h. A request is read, routed, answered; while
 * a commit or a long poll is awaited its connection is suspended. */
#ifndef KITHD_SERVER_H
#define KITHD_SERVER_H

#include <jansson.h>
#include <kith/collect.h>
#include <kith/kith.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* ---- config.c ------------------------------------------------------------ */

typedef struct config {
    const char *listen, *admin_listen, *database;
    const char *tls_certificate, *tls_key, *operator_tokens;
    const char *behind_proxy; /* address that may set X-Forwarded-For */
    const char *origins;      /* of CORS; "*" */
    const char *key_file;     /* seals task keys in the database */
    const char *backup, *new_token, *task;
    uint32_t threads, connections, connections_each, timeout, poll_rate, spread;
    uint32_t disk_floor, dedupe_mb; /* MiB */
    int log_requests, log_addresses, limit_loopback, check, migrate, demo;
    char *text; /* of the file: values point into it */
} config;

/* Exit code; -1: go on. */
int config_read(config *c, int argc, char **argv);
void config_free(config *c);

/* ---- operators.c ---- */

enum { SCOPE_READ = 1, SCOPE_OPERATE = 2, SCOPE_ENROL = 4 };

/* Read the file of tokens, also again. 0: it cannot be used, why was logged,
 * and what was known before stays so. */
int tokens_load(const char *path);
void tokens_add(int scopes, const char *digest);
/* Scopes of "Bearer TOKEN"; 0: none. */
int tokens_scopes(const char *authorization);
int tokens_parse_scopes(const char *words);

/* ---- certificate.c ---- */

/* Read both files, also again. 0: they cannot be used, and why was logged; what
 * was in use before stays so. */
int certificate_load(const config *c);
/* For MHD_OPTION_HTTPS_CERT_CALLBACK. */
void *certificate_giver(void);
/* When no listener is left. */
void certificate_forget(void);

/* ---- log.c --------------------------------------------------------------- */

/* One line of JSON on standard error; pairs of names and words, NULL ends. */
void log_event(const char *level, const char *what, ...);

/* ---- server.c ------------------------------------------------------------ */

typedef struct server server;
typedef struct request request;

/* Routes, for the table, the metrics and the limits. */
typedef enum route {
    ROUTE_NONE,
    ROUTE_TASK,
    ROUTE_ENROL,
    ROUTE_STATUS,
    ROUTE_ROUND,
    ROUTE_CHAIN,
    ROUTE_REPORTS,
    ROUTE_RESULT,
    ROUTE_PAGE,
    ROUTE_HEALTH,
    ROUTE_READY,
    ROUTE_CREATE,
    ROUTE_LIST,
    ROUTE_OPERATOR,
    ROUTE_START,
    ROUTE_CHANGE,
    ROUTE_INVITE,
    ROUTE_ARCHIVE,
    ROUTE_FORGET,
    ROUTE_METRICS,
    ROUTES
} route;

typedef enum request_state {
    REQUEST_READING,
    REQUEST_WAITING, /* suspended */
    REQUEST_READY    /* has its answer */
} request_state;

struct request {
    server *server;
    struct MHD_Connection *connection;
    int admin; /* came by the operator's listener */
    route route;
    const char *method, *path;
    uint8_t task[16];
    uint32_t number;         /* of a round */
    kith_task_change change; /* of ROUTE_CHANGE */
    const char *file;        /* of ROUTE_PAGE */
    char *body;
    size_t body_count, body_room;
    _Atomic(int) state;
    /* the answer */
    unsigned code;
    const char *type;
    char *answer; /* free, or kith_text_free where from_library */
    size_t answer_count;
    int from_library, immutable, retry_after, is_static;
    char etag[80], location[64];
    int64_t deadline; /* of a long poll, monotonic ms */
    char match[80];
    request *next; /* among those that wait */
    int64_t began;
};

struct server {
    config config;
    kith_collect *collect;
    struct MHD_Daemon *daemon, *admin;
    atomic_int draining, closing, in_flight, waiting, suspended;
    pthread_mutex_t wait_lock;
    pthread_cond_t changed;
    request *polls;
    int changes;
    atomic_uint_fast64_t codes[ROUTES][6], nanoseconds[ROUTES], seen[ROUTES];
};

int64_t monotonic_ms(void);
int server_start(server *s);
/* Answer everything that was accepted, within ten seconds. 0: the store did
 * not, and listeners are left to the end of the process. */
int server_stop(server *s);

/* It waits for its answer; it has it. 0: the service is about to stop. */
int request_suspend(request *r);
void request_resume(request *r);
const char *request_header(const request *r, const char *name);

/* ---- answers.c ----------------------------------------------------------- */

/* text: taken when `library`, else copied. */
void answer_text(request *r, unsigned code, const char *type, char *text,
                 size_t count);
void answer_copy(request *r, unsigned code, const char *type, const char *text);
void answer_json(request *r, unsigned code, json_t *json); /* taken */
void answer_problem(request *r, unsigned code, const char *name,
                    const char *detail);
void answer_outcome(request *r, kith_outcome outcome, const char *detail);
const char *problem_title(const char *name);
void set_digest_tag(request *r, const uint8_t *digest);
void hex_of(const uint8_t *bytes, size_t count, char *out);

/* ---- routes -------------------------------------------------------------- */

/* Which route is this; 0: none, and the answer says so. */
int route_find(request *r);
/* Before the body is read: type and length. 0: refused. */
int route_check(request *r);
void route_run(request *r);
void public_run(request *r);
void operator_run(request *r);
void metrics_run(request *r);
const char *route_name(route which);

/* ---- polls.c: those who wait for a change -------------------------------- */

void poll_status(request *r);
/* Look at all that wait: changed, or overdue. */
void polls_look(server *s);
void polls_end(server *s);
void status_answer(request *r);

/* ---- limits.c ------------------------------------------------------------ */

/* Who sent it: the peer, or whom a trusted proxy names last. */
enum { SENDER_NAME = 46 };
void sender_name(const request *r, char out[SENDER_NAME]);

typedef enum limit { LIMIT_ENROL, LIMIT_REPORTS, LIMIT_READS } limit;
/* Take `cost` from the bucket of whoever sent this; 0: too much. */
int limit_take(const request *r, limit which, double cost);

/* ---- static_files.c (made by scripts/embed_files.py) --------------------- */

typedef struct static_file {
    const char *name; /* "take-part.html", "kith-device/index.js" */
    const unsigned char *bytes;
    size_t count;
} static_file;
extern const static_file static_files[];

#endif
