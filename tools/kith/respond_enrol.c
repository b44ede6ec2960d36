/* Devices enrol: commitments up, tags down, kept before anything else. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "responder.h"

enum { ENROL_BATCH = 1000 };

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
    if (respond_try_again(a)) {
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

int respond_enrol(responder *r, const net_status *at)
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
