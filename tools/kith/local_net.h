/* local_net: the parts of `kith local` that talk to a service. */
#ifndef KITH_TOOL_LOCAL_NET_H
#define KITH_TOOL_LOCAL_NET_H

#include <jansson.h>
#include <kith/kith.h>

#include "args.h"
#include "http_client.h"

/* A task at a service. */
typedef struct net_task {
    http_service service;
    char name[23];
    uint8_t id[16];
    kith_task *task; /* after net_fetch_task */
} net_task;

/* --server, --task, --token-file. Exit code; close in any case. */
int net_open(net_task *t, const args *a);
void net_close(net_task *t);
/* The file, whose digest is the id. Exit code. */
int net_fetch_task(net_task *t);

/* A path below /v1/tasks/NAME, in a buffer of the caller's. */
char *net_path(const net_task *t, const char *tail, char *out, size_t room);
/* GET, and the answer must be a success. Exit code. */
int net_get(const net_task *t, const char *tail, http_answer *out);

typedef struct net_status {
    char state[16];
    long round; /* -1: none */
    uint8_t digest[32];
    char etag[80];
} net_status;
/* wait: seconds to hold on while nothing changes since `out->etag`. */
int net_get_status(const net_task *t, int wait, net_status *out);

/* What an operator does: start, close, extend, ... body: taken. Exit code. */
int net_operate(const net_task *t, const char *action, json_t *body);
/* Close this round and no other; where it is closed already that will do. */
int net_close_round(const net_task *t, const uint8_t digest[32]);

int net_hex(const char *text, uint8_t out[32]); /* 1: fine */
/* "7d", "12h", "90m", "30s" or seconds; 0: it is none of these. */
uint64_t net_seconds(const char *text);

extern const arg_option net_options[];
extern const size_t net_option_count;
extern const arg_command local_create_command, local_serve_command,
    local_respond_command, local_status_command, local_advance_command,
    local_result_command, local_archive_command, local_replay_command,
    local_verify_command, local_invite_command;
void local_net_prepare(void);

#endif
