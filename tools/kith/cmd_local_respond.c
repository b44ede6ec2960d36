/* `kith local respond`: one real device for each row, over HTTP. Enrols them,
 * reads rounds as they are published, answers, saves, sends; can be killed and
 * started again. Whoever runs it holds the rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "device_file.h"
#include "local_net.h"
#include "source.h"

enum { REASONS = 16, ENROL_BATCH = 1000, TIMES = 1 << 20 };

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
    } reasons[REASONS];
    float *times;
    size_t time_count;
    double sending;
} responder;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note_reason(responder *r, const char *name, uint64_t count)
{
    for (int i = 0; i < REASONS; i++)
        if (!r->reasons[i].count || strcmp(r->reasons[i].name, name) == 0) {
            snprintf(r->reasons[i].name, sizeof r->reasons[i].name, "%s", name);
            r->reasons[i].count += count;
            return;
        }
}

static void note_time(responder *r, double seconds)
{
    if (r->times && r->time_count < TIMES)
        r->times[r->time_count++] = (float)seconds;
}

/* Worth another try? */
static int try_again(const http_answer *a)
{
    return a->code == 0 || a->code == 408 || a->code == 429 || a->code >= 500;
}

/* ---- enrolment ----------------------------------------------------------- */

typedef struct {
    responder *r;
    uint64_t next, rows;
    uint8_t (*commitments)[16], (*tags)[16];
    uint32_t size;
    char (*codes)[64];
    int failed;
} enrolment;

static int next_enrolment(void *arg, http_call *call, void **job)
{
    static char path[128];
    enrolment *e = arg;
    if (e->next >= e->rows || e->failed)
        return 0;
    uint64_t first = e->next;
    uint64_t count = e->rows - first < e->size ? e->rows - first : e->size;
    e->next += count;
    call->path = net_path(&e->r->net, "/enrolments", path, sizeof path);
    call->type = "application/vnd.kith.commitments";
    call->body = e->commitments[first];
    call->bytes = 16 * count;
    if (e->codes)
        call->headers[0] = e->codes[first];
    *job = (void *)(uintptr_t)first;
    return 1;
}

static int enrolled(void *arg, void *job, const http_answer *a)
{
    enrolment *e = arg;
    uint64_t first = (uintptr_t)job;
    uint64_t count = e->rows - first < e->size ? e->rows - first : e->size;
    if (a->code == 200 && a->count == 16 * count) {
        memcpy(e->tags[first], a->body, a->count);
        return 0;
    }
    if (try_again(a)) {
        e->r->failed_calls++;
        return 1;
    }
    if (!e->failed)
        e->failed = http_refused(a);
    return 0;
}

static int read_codes(enrolment *e)
{
    e->codes = calloc(e->rows, sizeof *e->codes);
    if (!e->codes)
        return cli_no_memory();
    for (uint64_t i = 0; i < e->rows; i++) {
        char line[64];
        if (!fgets(line, sizeof line, e->r->codes))
            return cli_fail(CLI_INPUT, "there are fewer invitations than rows");
        line[strcspn(line, "\r\n")] = 0;
        snprintf(e->codes[i], sizeof e->codes[i], "Kith-Invitation: %.40s",
                 line);
    }
    return CLI_OK;
}

static int enrol_all(responder *r, const net_status *at)
{
    uint64_t rows = kith_players_count(r->players), first = r->file.enrolled;
    const uint8_t *digest = at->round >= 0 ? at->digest : NULL;
    uint32_t round = at->round >= 0 ? (uint32_t)at->round : 0;
    enrolment e = {.r = r, .next = first, .rows = rows, .size = ENROL_BATCH};
    if (first >= rows)
        return CLI_OK;
    e.commitments = calloc(rows, 16);
    e.tags = calloc(rows, 16);
    int code = e.commitments && e.tags ? CLI_OK : cli_no_memory();
    if (!code && r->codes) {
        e.size = 1;
        code = read_codes(&e);
    }
    if (!code) {
        http_fleet fleet = {&r->net.service, r->connections, next_enrolment,
                            enrolled, &e};
        kith_players_commitments(r->players, 0, rows, e.commitments[0]);
        code = http_fleet_run(&fleet);
    }
    if (!code)
        code = e.failed;
    for (uint64_t i = first; !code && i < rows; i += ENROL_BATCH) {
        kith_error err = {0};
        uint32_t count =
            (uint32_t)(rows - i < ENROL_BATCH ? rows - i : ENROL_BATCH);
        code = cli_status(kith_players_enrolled(r->players, i, count, e.tags[i],
                                                round, digest, &err),
                          &err);
        if (!code)
            code =
                device_file_tags(&r->file, i, count, e.tags[i], round, digest);
    }
    if (first == 0)
        r->file.round = round;
    r->file.enrolled = rows;
    free(e.commitments);
    free(e.tags);
    free(e.codes);
    if (!code && !r->quiet)
        cli_note("enrolled %llu devices", (unsigned long long)(rows - first));
    return code;
}

/* ---- reports ------------------------------------------------------------- */

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
        note_reason(r, json_string_value(json_array_get(reason, 1)), 1);
    json_decref(json);
}

static int sent(void *arg, void *job, const http_answer *a)
{
    sending *s = arg;
    responder *r = s->r;
    note_time(r, a->seconds);
    if (a->code == 204)
        r->stored++;
    else if (a->code == 200)
        read_receipt(r, a);
    else if (try_again(a)) {
        r->failed_calls++;
        return 1;
    } else {
        r->refused += (uintptr_t)job;
        note_reason(r, a->problem[0] ? a->problem : "refused", (uintptr_t)job);
    }
    return 0;
}

static int send_envelopes(responder *r, sending *s)
{
    http_fleet fleet = {&r->net.service, r->connections, next_body, sent, s};
    double began = now();
    int code = http_fleet_run(&fleet);
    r->sending += now() - began;
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

/* What was answered in a round (-1: ever), once more. */
static int send_again(responder *r, long round)
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

static int send_played(responder *r, const kith_played *played)
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

/* A service that does not answer may come back: again, for five minutes; for
 * five seconds at the start. */
static int patiently(responder *r, int (*call)(responder *r, void *arg),
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

static int operate(responder *r, void *arg)
{
    net_task admin = r->net;
    admin.service = r->operate;
    return net_operate(&admin, arg, json_object());
}

static int fetch_task(responder *r, void *arg)
{
    (void)arg;
    return net_fetch_task(&r->net);
}

static int fetch_status(responder *r, void *arg)
{
    return net_get_status(&r->net, 0, arg);
}

/* Close what all have answered; somebody else may have. */
static int close_round(responder *r, void *arg)
{
    net_status at = {0};
    int code = net_get_status(&r->net, 0, &at);
    if (code || at.round != *(long *)arg || strcmp(at.state, "running") != 0)
        return code;
    return operate(r, (void *)(uintptr_t) "close");
}

/* Read round n; answer it when it is the newest. */
static int play_round(responder *r, long n, int newest)
{
    fetched round = {0};
    kith_played played = {0};
    kith_error err = {0};
    snprintf(round.tail, sizeof round.tail, "/rounds/%ld", n);
    int code = patiently(r, fetch_round, &round);
    double began = now();
    if (!code)
        code = cli_status(kith_players_round(r->players, round.answer.body,
                                             round.answer.count,
                                             newest ? &played : NULL, &err),
                          &err);
    http_answer_free(&round.answer);
    if (!code && newest)
        code = device_file_saved(&r->file, &played);
    double answered = now() - began;
    if (!code && newest)
        code = send_played(r, &played);
    if (!code && newest && !r->quiet)
        cli_note("round %ld: %llu devices answered in %.2f s", n,
                 (unsigned long long)played.count, answered);
    kith_played_free(&played);
    if (!code && newest && r->operate.server)
        code = patiently(r, close_round, &n);
    return code;
}

/* After a start with a file: what was answered and perhaps not sent. */
static int resume(responder *r, const net_status *at)
{
    return r->file.file && !r->file.fresh && at->round >= 0
               ? send_again(r, at->round)
               : CLI_OK;
}

static int play_all(responder *r, net_status *at)
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

/* ---- the command --------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void print_figures(responder *r)
{
    uint64_t reports = r->stored + r->duplicates;
    printf("{\"stored\": %llu, \"duplicates\": %llu, \"refused\": %llu, "
           "\"retries\": %llu, \"seconds\": %.3f, \"reports_per_second\": "
           "%.0f",
           (unsigned long long)r->stored, (unsigned long long)r->duplicates,
           (unsigned long long)r->refused, (unsigned long long)r->failed_calls,
           r->sending, r->sending > 0 ? (double)reports / r->sending : 0);
    if (r->time_count) {
        qsort(r->times, r->time_count, sizeof *r->times, compare_times);
        printf(", \"p50_ms\": %.2f, \"p99_ms\": %.2f",
               1000 * (double)r->times[r->time_count / 2],
               1000 * (double)r->times[r->time_count * 99 / 100]);
    }
    printf(", \"reasons\": {");
    for (int i = 0; i < REASONS && r->reasons[i].count; i++)
        printf("%s\"%s\": %llu", i ? ", " : "", r->reasons[i].name,
               (unsigned long long)r->reasons[i].count);
    printf("}}\n");
}

static int open_players(responder *r, const args *a)
{
    kith_error err = {0};
    kith_bounds box;
    kith_players_options opt;
    uint8_t key[32];
    uint64_t seed = 0;
    kith_task_get_bounds(r->net.task, &box);
    int code = source_parse(&r->source, a);
    if (!code)
        code = source_fix_rows(&r->source, 1);
    if (!code)
        code = args_whole(a, "insecure-seed", 0, INT64_MAX, &seed);
    if (!code)
        code = cli_status(kith_dataset_open(a->operands, a->operand_count,
                                            &r->source.options, &box, &r->data,
                                            &err),
                          &err);
    if (code)
        return code;
    kith_players_options_init(&opt, sizeof opt);
    opt.insecure = args_value(a, "insecure-seed") != NULL;
    opt.insecure_seed = seed;
    opt.threads = r->source.threads;
    /* How many rows is known when they are open: open, then look. */
    code = cli_status(
        kith_players_open(r->net.task, r->data, &opt, &r->players, &err), &err);
    if (!code)
        code = device_file_open(&r->file, args_value(a, "state"), r->net.id,
                                kith_players_count(r->players));
    if (!code && !r->file.fresh) {
        kith_players_close(r->players);
        r->players = NULL;
        opt.key = r->file.key;
        code = cli_status(
            kith_players_open(r->net.task, r->data, &opt, &r->players, &err),
            &err);
        return code ? code : device_file_load(&r->file, r->players);
    }
    if (code)
        return code;
    kith_players_key(r->players, key);
    return device_file_begin(&r->file, r->net.id,
                             kith_players_count(r->players), key);
}

static int parse(responder *r, const args *a)
{
    r->connections = 8;
    r->batch = 1000;
    r->quiet = args_value(a, "quiet") != NULL;
    if (!a->operand_count)
        return cli_usage("no input file: whose devices?");
    int code = args_count(a, "connections", 1, 4096, &r->connections);
    if (!code)
        code = args_count(a, "batch", 1, 10000, &r->batch);
    const char *codes = args_value(a, "invitations");
    if (!code && codes && !(r->codes = fopen(codes, "r")))
        code = cli_fail(CLI_INPUT, "%s: cannot be read", codes);
    return code;
}

static int respond_main(const args *a)
{
    responder r = {0};
    net_status at = {.round = -1};
    r.times = calloc(TIMES, sizeof *r.times);
    int code = parse(&r, a);
    if (!code)
        code = net_open(&r.net, a);
    if (!code)
        code = patiently(&r, fetch_task, NULL);
    if (!code)
        code = open_players(&r, a);
    if (!code)
        code = patiently(&r, fetch_status, &at);
    if (!code && args_value(a, "operate"))
        code = http_open(&r.operate, args_value(a, "operate"),
                         args_value(a, "token-file"));
    if (!code)
        code = enrol_all(&r, &at);
    if (!code && r.operate.server && !args_value(a, "enrol-only") &&
        strcmp(at.state, "enrolling") == 0) {
        code = patiently(&r, operate, (void *)(uintptr_t) "start");
        if (!code)
            code = patiently(&r, fetch_status, &at);
    }
    if (!code && args_value(a, "again"))
        code = send_again(&r, -1);
    else if (!code && !args_value(a, "enrol-only")) {
        code = resume(&r, &at);
        if (!code)
            code = play_all(&r, &at);
    }
    if (!code)
        print_figures(&r);
    device_file_close(&r.file);
    kith_players_close(r.players);
    kith_dataset_free(r.data);
    source_free(&r.source);
    net_close(&r.net);
    http_close(&r.operate);
    if (r.codes)
        fclose(r.codes);
    free(r.times);
    return code;
}

static const arg_option respond_options[] = {
    {"state", 0, "F",
     "keep the devices here, so that a run that was killed can go on"},
    {"connections", 0, "C", "at a time (default: 8)"},
    {"batch", 0, "B", "reports in one body (default: 1000; 1: each alone)"},
    {"invitations", 0, "F", "a file with one code a line, one for each row"},
    {"enrol-only", 0, NULL, "enrol and stop; go on later with --state"},
    {"operate", 0, "URL",
     "the operator's address, with --token-file: start when all have enrolled, "
     "close each round when all have answered"},
    {"again", 0, NULL, "send all that was answered once more, and stop"},
    {"insecure-seed", 0, "S",
     "draw the devices' coins from a seed; for tasks marked as tests"},
    {"quiet", 0, NULL, "print errors and the figures only"},
};

static arg_group respond_groups[] = {
    {"Service", net_options, 0},
    {"Devices", respond_options,
     sizeof respond_options / sizeof *respond_options},
    {"Input", source_options, 0},
};

void local_net_prepare(void)
{
    respond_groups[0].count = net_option_count;
    respond_groups[2].count = source_option_count;
}

const arg_command local_respond_command = {
    .name = "local respond",
    .summary = "Play one real device for each row, over HTTP.",
    .usage = "--server URL --task ID [OPTION]... INPUT...",
    .notes = "Enrols every row, answers rounds as they are published, and ends "
             "with the task.\nWhoever runs this holds the rows: it is for "
             "tests, kiosks and load. Prints figures\nas JSON.\n",
    .groups = respond_groups,
    .group_count = 3,
    .run = respond_main,
};
