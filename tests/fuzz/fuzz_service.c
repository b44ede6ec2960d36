/* Fuzz target: what a service reads from strangers. The first byte says which
 * door, the rest comes in by it:
 *
 *   0  an envelope (task, tag and nonce are written over where bits 1 to 3 of
 *      the second byte say so, so that the fuzzer need not guess MACs);
 *   1  an archive (its SHA-256 is written over);
 *   2  an invitation's code;
 *   3  a task file to create;
 *   4  commitments, with a genuine code where bit 1 of the second byte says so.
 *
 * Nothing may crash; an envelope that is accepted is of the open round and of
 * a group that its sender was drawn into, and its number is possible. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "collect/task_text.h"
#include "kith/model.h"
#include "service/service_i.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_service: %s\n", what);
        abort();
    }
}

static kith_collect *collect;
static kith_i_live *live;

static void stop(void)
{
    kith_collect_close(collect);
}

static void start(void)
{
    static const double low = -1, high = 1;
    static char folder[] = "/tmp/kith_fuzz_XXXXXX", database[64];
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_task_options task;
    kith_local_options local;
    kith_collect_options opt;
    kith_error err = {0};
    char *json = NULL, command[64];
    uint8_t id[16];
    int created;
    kith_task_options_init(&task, sizeof task);
    kith_local_options_init(&local, sizeof local);
    kith_collect_options_init(&opt, sizeof opt);
    task.test = 1;
    local.clusters = 3;
    local.epsilon = 2;
    require(mkdtemp(folder) != NULL, "no folder");
    snprintf(database, sizeof database, "sqlite:%s/k.db", folder);
    opt.database = database;
    require(!kith_task_text(&task, &local, 5, &bounds, &json, id, &err) &&
                !kith_collect_open(&opt, &collect, &err) &&
                !kith_collect_create(collect, json, strlen(json), id, &created,
                                     &err) &&
                !kith_collect_start(collect, id, 100000, 0, &err),
            err.message);
    live = kith_i_live_find(collect, id);
    kith_text_free(json);
    snprintf(command, sizeof command, "rm -r %s", folder);
    require(system(command) == 0, "no folder"); /* it is open: it stays */
    atexit(stop);
}

static void envelope(uint8_t how, const uint8_t *bytes, size_t count)
{
    uint8_t e[80] = {1, 41}, c[16], seed[32];
    kith_i_waiting out;
    memcpy(e, bytes, count < 80 ? count : 80);
    if (how & 2)
        memcpy(e + 40, live->id, 16);
    if (how & 4) {
        kith_i_draw_commit(live->id, e + 4, c);
        kith_i_task_tag(live->key, live->id, c, e + 20);
    }
    kith_i_draw_seed(e + 20, e + 4, seed);
    if (how & 8)
        kith_i_draw_nonce(seed, live->digest,
                          (uint16_t)(e[58] | (unsigned)e[59] << 8), e + 60);
    if (kith_i_check_report(live, e, &out))
        return;
    require((how & 4) && out.group < live->group_count, "no such sender");
    require(kith_i_circle_has(live->groups[out.group].range,
                              kith_i_draw_point(seed)),
            "another group");
    uint64_t number = 0;
    memcpy(&number, out.packed + 16, live->groups[out.group].payload);
    require(number < live->groups[out.group].outputs, "an impossible number");
}

static void archive(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count + 40);
    char *model = NULL;
    kith_error err = {0};
    require(copy != NULL, "memory");
    memcpy(copy, "KITHARC1", 8);
    memcpy(copy + 8, bytes, count);
    kith_i_digest(copy, count + 8, copy + count + 8);
    if (kith_archive_replay(copy, count + 40, 1, &model, &err))
        require(err.message[0] != 0, "a refusal has a message");
    kith_text_free(model);
    free(copy);
}

static void enrolled(void *arg, const kith_receipt_of_reports *receipt)
{
    require(receipt->failed || receipt->tags, "no tags");
    atomic_store((atomic_int *)arg, receipt->failed ? 1 : 2);
}

static void commitments(uint8_t how, const uint8_t *bytes, size_t count)
{
    char code[23];
    atomic_int done = 0;
    kith_i_invitation_make(live, how, code);
    kith_enrolment e = {.commitments = bytes,
                        .count = count / 16 < 1000 ? count / 16 : 1000,
                        .invitation = how & 2 ? code : NULL};
    if (e.count == 0)
        return; /* refused at the door */
    kith_collect_enrol(collect, live->id, &e, enrolled, &done);
    while (!atomic_load(&done))
        sched_yield();
    require(atomic_load(&done) == 1 || (e.count == 1 && (how & 2)),
            "enrolled without a code");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char text[64] = "";
    kith_error err = {0};
    uint8_t id[16];
    int created;
    if (count < 2)
        return 0;
    if (!collect)
        start();
    switch (bytes[0] % 5) {
    case 0:
        envelope(bytes[1], bytes + 2, count - 2);
        break;
    case 1:
        archive(bytes + 1, count - 1);
        break;
    case 2:
        memcpy(text, bytes + 1, count - 1 < 63 ? count - 1 : 63);
        (void)kith_i_invitation_serial(live, text);
        break;
    case 4:
        commitments(bytes[1], bytes + 2, count - 2);
        break;
    default:
        if (kith_collect_create(collect, (const char *)bytes + 1, count - 1, id,
                                &created, &err))
            require(err.message[0] != 0, "a refusal has a message");
    }
    return 0;
}
