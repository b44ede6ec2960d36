/* Rounds are read as they are published, answered, saved, and sent. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "responder.h"

int respond_patiently(responder *r, int (*call)(responder *r, void *arg),
                      void *arg)
{
    int code = CLI_STORE;
    int tries = r->players ? 1500 : 25;
    for (int i = 0; code == CLI_STORE && i < tries; i++) {
        struct timespec pause = {.tv_nsec = 200000000};
        if (i)
            nanosleep(&pause, NULL);
        code = call(r, arg);
    }
    return code;
}

typedef struct {
    char tail[32];
    http_answer answer;
} fetched;

static int fetch_round(responder *r, void *arg)
{
    fetched *f = arg;
    return net_get(&r->net, f->tail, &f->answer);
}

int respond_operate(responder *r, void *arg)
{
    net_task admin = r->net;
    admin.service = r->operate;
    return net_operate(&admin, arg, json_object());
}

int respond_fetch_task(responder *r, void *arg)
{
    (void)arg;
    return net_fetch_task(&r->net);
}

int respond_fetch_status(responder *r, void *arg)
{
    return net_get_status(&r->net, 0, arg);
}

/* Close what all have answered, and not the next round if an answer to "close"
 * was lost. Of several processes one may not know the round yet: later, then.
 */
static int close_round(responder *r, void *arg)
{
    net_status at = {0};
    int code = net_get_status(&r->net, 0, &at);
    if (!code && at.round < *(long *)arg)
        return CLI_STORE;
    if (code || at.round != *(long *)arg || strcmp(at.state, "running") != 0)
        return code;
    net_task admin = r->net;
    admin.service = r->operate;
    return net_close_round(&admin, at.digest);
}

/* Read round n; answer it when it is the newest. */
static int play_round(responder *r, long n, int newest)
{
    fetched round = {0};
    kith_played played = {0};
    kith_error err = {0};
    snprintf(round.tail, sizeof round.tail, "/rounds/%ld", n);
    int code = respond_patiently(r, fetch_round, &round);
    double began = respond_now();
    if (!code)
        code = cli_status(kith_players_round(r->players, round.answer.body,
                                             round.answer.count,
                                             newest ? &played : NULL, &err),
                          &err);
    http_answer_free(&round.answer);
    if (!code && newest)
        code = device_file_saved(&r->file, &played);
    double answered = respond_now() - began;
    if (!code && newest)
        code = respond_send_played(r, &played);
    if (!code && newest && !r->quiet)
        cli_note("round %ld: %llu devices answered in %.2f s", n,
                 (unsigned long long)played.count, answered);
    kith_played_free(&played);
    if (!code && newest && r->operate.server)
        code = respond_patiently(r, close_round, &n);
    return code;
}

int respond_resume(responder *r, const net_status *at)
{
    return r->file.file && !r->file.fresh && at->round >= 0
               ? respond_send_again(r, at->round)
               : CLI_OK;
}

int respond_play(responder *r, net_status *at)
{
    long next = (long)r->file.round;
    int code = CLI_OK, over = 0;
    /* Devices begin with the round that was open when they enrolled. */
    while (!code && !over) {
        over = strcmp(at->state, "finished") == 0 ||
               strcmp(at->state, "aborted") == 0;
        for (; !code && !over && next <= at->round; next++)
            code = play_round(r, next, next == at->round);
        if (!code && !over)
            code = net_get_status(&r->net, 25, at);
        if (code == CLI_STORE) { /* it may come back */
            sleep(1);
            code = CLI_OK;
        }
    }
    if (!code && !r->quiet)
        cli_note("the task is %s", at->state);
    return code;
}
