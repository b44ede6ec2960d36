/* An archive, written; and replayed. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "device/little_endian.h"

static const char MAGIC[8] = {'K', 'I', 'T', 'H', 'A', 'R', 'C', '1'};

/* ---- writing ---- */

static uint8_t *more(kith_i_archive *a, size_t count)
{
    if (a->failed)
        return NULL;
    if (a->count + count > a->room) {
        size_t room = 2 * (a->count + count);
        uint8_t *bytes = kith_i_resize(a->bytes, a->room, room, 1);
        if (!bytes) {
            a->failed = 1;
            return NULL;
        }
        a->bytes = bytes;
        a->room = room;
    }
    a->count += count;
    return a->bytes + a->count - count;
}

static void put(kith_i_archive *a, const void *bytes, size_t count)
{
    uint8_t *to = more(a, count);
    if (to)
        memcpy(to, bytes, count);
}

void kith_i_archive_number(kith_i_archive *a, uint64_t number, int bytes)
{
    uint8_t to[8];
    kith_i_store(number, to, 8);
    put(a, to, (size_t)bytes);
}

void kith_i_archive_text(kith_i_archive *a, const void *text, size_t bytes)
{
    kith_i_archive_number(a, bytes, 4);
    put(a, text, bytes);
}

void kith_i_archive_begin(kith_i_archive *a, uint64_t invited,
                          const kith_task *task, const char *collected)
{
    *a = (kith_i_archive){0};
    put(a, MAGIC, sizeof MAGIC);
    kith_i_archive_number(a, invited, 8);
    kith_i_archive_text(a, task->json, task->bytes);
    kith_i_archive_text(a, collected, strlen(collected));
}

static int by_nonce(const void *a, const void *b)
{
    return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b,
                  KITH_I_NONCE_BYTES);
}

/* Of two payloads under one nonce the first stored counts: pointers into one
 * array keep their order where the nonces are the same. */
static int by_nonce_then_place(const void *a, const void *b)
{
    int order = by_nonce(a, b);
    const uint8_t *x = *(uint8_t *const *)a, *y = *(uint8_t *const *)b;
    return order ? order : x < y ? -1 : x > y;
}

void kith_i_archive_group(kith_i_archive *a, uint8_t *packed, size_t count,
                          size_t each)
{
    uint8_t **order = kith_i_alloc(count, sizeof *order);
    size_t kept = 0;
    if (!order) {
        a->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = packed + i * each;
    qsort(order, count, sizeof *order, by_nonce_then_place);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_nonce(&order[kept - 1], &order[i]) != 0)
            order[kept++] = order[i];
    kith_i_archive_number(a, each, 4);
    kith_i_archive_number(a, kept, 8);
    for (size_t i = 0; i < kept; i++)
        put(a, order[i], each);
    kith_i_free(order);
}

kith_status kith_i_archive_end(kith_i_archive *a, uint8_t **bytes,
                               size_t *count, kith_error *err)
{
    uint8_t digest[32];
    if (!a->failed)
        kith_i_digest(a->bytes, a->count, digest);
    put(a, digest, sizeof digest);
    *bytes = a->failed ? NULL : a->bytes;
    *count = a->count;
    if (!a->failed)
        return KITH_OK;
    kith_i_free(a->bytes);
    return kith_i_fail_memory(err);
}

/* ---- replay ---- */

typedef struct {
    const uint8_t *at, *end;
    int flaw;
} reader;

static uint64_t read_number(reader *r, int bytes)
{
    uint8_t all[8] = {0};
    if (r->end - r->at < bytes) {
        r->flaw = 1;
        return 0;
    }
    memcpy(all, r->at, (size_t)bytes);
    r->at += bytes;
    return kith_i_load64(all);
}

static const uint8_t *read_bytes(reader *r, uint64_t count)
{
    const uint8_t *from = r->at;
    if ((uint64_t)(r->end - r->at) < count) {
        r->flaw = 1;
        return from;
    }
    r->at += count;
    return from;
}

enum { ROUNDS = 64 };

typedef struct {
    uint64_t invited;
    const uint8_t *task, *collected;
    size_t task_bytes, collected_bytes;
    uint32_t rounds;
    const uint8_t *json[ROUNDS], *groups[ROUNDS]; /* of the first group */
    size_t bytes[ROUNDS];
    uint32_t counts[ROUNDS];
} opened;

static void read_round(reader *r, opened *o, uint32_t n)
{
    o->bytes[n] = read_number(r, 4);
    o->json[n] = read_bytes(r, o->bytes[n]);
    o->counts[n] = (uint32_t)read_number(r, 4);
    o->groups[n] = r->at;
    for (uint32_t g = 0; !r->flaw && g < o->counts[n]; g++) {
        uint64_t each = read_number(r, 4), count = read_number(r, 8);
        if (each <= KITH_I_NONCE_BYTES || each > KITH_I_STORED_MAX ||
            count > (uint64_t)(r->end - r->at) / each)
            r->flaw = 1;
        else
            read_bytes(r, count * each);
    }
}

static kith_status open_archive(const uint8_t *bytes, size_t count, opened *o,
                                kith_error *err)
{
    uint8_t digest[32];
    *o = (opened){0};
    if (count < sizeof MAGIC + sizeof digest ||
        memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return kith_i_fail(err, KITH_ERR_INPUT, "this is not an archive");
    kith_i_digest(bytes, count - sizeof digest, digest);
    if (memcmp(digest, bytes + count - sizeof digest, sizeof digest) != 0)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the archive is damaged: its digest is another");
    reader r = {.at = bytes + sizeof MAGIC, .end = bytes + count - 32};
    o->invited = read_number(&r, 8);
    o->task_bytes = read_number(&r, 4);
    o->task = read_bytes(&r, o->task_bytes);
    o->collected_bytes = read_number(&r, 4);
    o->collected = read_bytes(&r, o->collected_bytes);
    o->rounds = (uint32_t)read_number(&r, 4);
    for (uint32_t n = 0; !r.flaw && n < o->rounds && n < ROUNDS; n++)
        read_round(&r, o, n);
    if (r.flaw || r.at != r.end || o->rounds > ROUNDS)
        return kith_i_fail(err, KITH_ERR_INPUT, "the archive is malformed");
    return KITH_OK;
}

static kith_status shelf_round(void *arg, uint32_t n, const char **json,
                               size_t *bytes, int *closed, kith_error *err)
{
    const opened *o = arg;
    (void)err;
    *json = n < o->rounds ? (const char *)o->json[n] : NULL;
    *bytes = n < o->rounds ? o->bytes[n] : 0;
    *closed = n < o->rounds;
    return KITH_OK;
}

static kith_status
shelf_reports(void *arg, uint32_t n, uint32_t group,
              kith_status (*take)(void *to, const uint8_t *packed, size_t count,
                                  kith_error *err),
              void *to, kith_error *err)
{
    const opened *o = arg;
    if (n >= o->rounds || group >= o->counts[n])
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the archive has no such group");
    reader r = {.at = o->groups[n], .end = o->groups[n] + SIZE_MAX / 4};
    for (uint32_t g = 0;; g++) {
        uint64_t each = read_number(&r, 4), count = read_number(&r, 8);
        if (g == group)
            return take(to, r.at, (size_t)count, err);
        r.at += each * count;
    }
}

static kith_status replay(const opened *o, const kith_task *task,
                          uint32_t threads, char **model, kith_error *err)
{
    kith_i_shelf shelf = {.arg = (void *)(uintptr_t)o,
                          .round = shelf_round,
                          .reports = shelf_reports};
    kith_i_stored *stored = NULL;
    kith_i_task_run run = {0};
    char *collected = kith_i_alloc(o->collected_bytes + 1, 1);
    kith_status status = collected ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        memcpy(collected, o->collected, o->collected_bytes);
        status =
            kith_i_stored_open(task, o->invited, threads, &shelf, &stored, err);
    }
    if (!status)
        status =
            kith_i_task_script(task, kith_i_stored_face(stored), &run, err);
    if (status == KITH_I_PENDING)
        status = kith_i_fail(err, KITH_ERR_INPUT,
                             "the archive ends before the task did");
    if (!status)
        status = kith_i_task_model(task, &run, collected, model, err);
    kith_i_task_run_close(&run);
    kith_i_stored_close(stored);
    kith_i_free(collected);
    return status;
}

kith_status kith_archive_replay(const void *bytes, size_t count,
                                uint32_t threads, char **model, kith_error *err)
{
    opened o;
    kith_task *task = NULL;
    if (!bytes || !model)
        return kith_i_fail_place(err);
    *model = NULL;
    kith_status status = open_archive(bytes, count, &o, err);
    if (!status)
        status = kith_task_load(o.task, o.task_bytes, &task, err);
    if (!status)
        status = replay(&o, task, threads, model, err);
    kith_task_free(task);
    return status;
}
