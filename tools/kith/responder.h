/* `kith local respond`: many devices of one process. */
#ifndef KITH_RESPONDER_H
#define KITH_RESPONDER_H

#include <stdio.h>

#include "device_file.h"
#include "local_net.h"
#include "source.h"

enum { RESPOND_REASONS = 16, RESPOND_TIMES = 1 << 20 };

typedef struct {
    net_task net;
    http_service operate; /* server NULL: somebody else operates */
    device_file file;
    kith_players *players;
    kith_dataset *data;
    source source;
    uint32_t connections, batch;
    int quiet;
    FILE *codes; /* invitations, one a line */
    /* what happened */
    uint64_t stored, duplicates, refused, failed_calls;
    struct {
        char name[64];
        uint64_t count;
    } reasons[RESPOND_REASONS];
    float *times;
    size_t time_count;
    double sending;
} responder;

/* ---- respond_figures.c: what happened ------------------------------------ */

double respond_now(void);
void respond_note_reason(responder *r, const char *name, uint64_t count);
void respond_note_time(responder *r, double seconds);
/* Worth another try? */
int respond_try_again(const http_answer *a);
void respond_print(responder *r);

/* ---- respond_enrol.c, respond_send.c ------------------------------------- */

int respond_enrol(responder *r, const net_status *at);
/* What was answered in a round (-1: ever), once more. */
int respond_send_again(responder *r, long round);
int respond_send_played(responder *r, const kith_played *played);

/* ---- respond_play.c: rounds as they are published ------------------------ */

/* A service that does not answer may come back: again, for five minutes; for
 * five seconds at the start. */
int respond_patiently(responder *r, int (*call)(responder *r, void *arg),
                      void *arg);
int respond_fetch_task(responder *r, void *unused);
int respond_fetch_status(responder *r, void *status);
int respond_operate(responder *r, void *name); /* as the operator */
/* After a start with a file: what was answered and perhaps not sent. */
int respond_resume(responder *r, const net_status *at);
int respond_play(responder *r, net_status *at);

#endif
