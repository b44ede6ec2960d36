/* http_client: a service over HTTP, by libcurl; one call after the other, or
 * many at a time with retries. */
#ifndef KITH_TOOL_HTTP_CLIENT_H
#define KITH_TOOL_HTTP_CLIENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct http_answer {
    long code; /* 0: nobody answered */
    char *body;
    size_t count;
    char etag[80];
    char problem[64]; /* the problem's name; "" when there is none */
    char detail[256];
    double seconds;
} http_answer;

typedef struct http_call {
    const char *method; /* "GET", "POST", "DELETE" */
    const char *path;   /* after the server */
    const char *type;   /* of the body; NULL: none */
    const void *body;
    size_t bytes;
    const char *headers[4]; /* "Name: value" */
} http_call;

typedef struct http_service {
    const char *server; /* "http://127.0.0.1:8080" */
    char *token;        /* of an operator, or NULL */
} http_service;

/* Exit code. */
int http_open(http_service *s, const char *server, const char *token_file);
void http_close(http_service *s);

/* Once. Exit code 5 when nobody answers; any code of HTTP is fine. */
int http_do(const http_service *s, const http_call *call, http_answer *out);
void http_answer_free(http_answer *a);
/* An answer that is not a success, as an exit code and a message. */
int http_refused(const http_answer *a);

/* Many at a time. next: the next call; 0: there is none left. done: how it
 * went; nonzero: again later (with *wait seconds). */
typedef struct http_fleet {
    const http_service *service;
    unsigned connections;
    int (*next)(void *arg, http_call *call, void **job);
    int (*done)(void *arg, void *job, const http_answer *answer);
    void *arg;
} http_fleet;

/* Exit code: the service was not reachable for a day, or no memory. */
int http_fleet_run(const http_fleet *fleet);

#endif
