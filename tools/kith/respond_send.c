/* Saved envelopes go out, and again until somebody says what became of them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "responder.h"

typedef struct {
    responder *r;
    uint8_t (*envelopes)[KITH_ENVELOPE_BYTES];
    uint64_t next, count;
    long only; /* reports of this round; -1: of all */
} sending;

static int next_body(void *arg, http_call *call, void **job)
{
    static char path[128];
    sending *s = arg;
    if (s->next >= s->count)
        return 0;
    uint64_t first = s->next, batch = s->r->batch;
    uint64_t some = s->count - first < batch ? s->count - first : batch;
    s->next += some;
    call->path = net_path(&s->r->net, "/reports", path, sizeof path);
    call->type = batch > 1 ? "application/vnd.kith.reports"
                           : "application/vnd.kith.report";
    call->body = s->envelopes[first];
    call->bytes = some * KITH_ENVELOPE_BYTES;
    *job = (void *)(uintptr_t)some;
    return 1;
}

static void read_receipt(responder *r, const http_answer *a)
{
    json_t *json = json_loadb(a->body, a->count, 0, NULL), *reason;
    size_t i;
    uint64_t stored =
        (uint64_t)json_integer_value(json_object_get(json, "stored"));
    uint64_t duplicates =
        (uint64_t)json_integer_value(json_object_get(json, "duplicates"));
    uint64_t refused =
        (uint64_t)json_integer_value(json_object_get(json, "refused"));
    r->stored += stored;
    r->duplicates += duplicates;
    r->refused += refused;
    json_array_foreach(json_object_get(json, "reasons"), i, reason)
        respond_note_reason(r, json_string_value(json_array_get(reason, 1)), 1);
    json_decref(json);
}

static int sent(void *arg, void *job, const http_answer *a)
{
    sending *s = arg;
    responder *r = s->r;
    respond_note_time(r, a->seconds);
    if (a->code == 204)
        r->stored++;
    else if (a->code == 200)
        read_receipt(r, a);
    else if (respond_try_again(a)) {
        r->failed_calls++;
        return 1;
    } else {
        r->refused += (uintptr_t)job;
        respond_note_reason(r, a->problem[0] ? a->problem : "refused",
                            (uintptr_t)job);
    }
    return 0;
}

static int send_envelopes(responder *r, sending *s)
{
    http_fleet fleet = {&r->net.service, r->connections, next_body, sent, s};
    double began = respond_now();
    int code = http_fleet_run(&fleet);
    r->sending += respond_now() - began;
    return code;
}

static int add_envelope(void *arg, uint64_t row,
                        const uint8_t saved[KITH_DEVICE_BYTES])
{
    sending *s = arg;
    (void)row;
    uint8_t *envelope = s->envelopes[s->count];
    if (kith_device_envelope(saved, envelope))
        return cli_fail(CLI_INPUT, "a saved device is damaged");
    s->count += s->only < 0 || s->only == (envelope[56] | envelope[57] << 8);
    return CLI_OK;
}

int respond_send_again(responder *r, long round)
{
    sending s = {.r = r, .only = round};
    uint64_t rows = kith_players_count(r->players);
    s.envelopes = calloc(rows + 1, KITH_ENVELOPE_BYTES);
    int code = s.envelopes ? device_file_each(&r->file, add_envelope, &s)
                           : cli_no_memory();
    if (!code)
        code = send_envelopes(r, &s);
    free(s.envelopes);
    return code;
}

int respond_send_played(responder *r, const kith_played *played)
{
    sending s = {.r = r, .only = -1};
    s.envelopes = calloc(played->count + 1, KITH_ENVELOPE_BYTES);
    int code = s.envelopes ? CLI_OK : cli_no_memory();
    for (uint64_t i = 0; !code && i < played->count; i++)
        code = add_envelope(&s, played->rows[i], played->saved[i]);
    if (!code)
        code = send_envelopes(r, &s);
    free(s.envelopes);
    return code;
}
