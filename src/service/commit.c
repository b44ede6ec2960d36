/* Group commit: one thread takes all that waits, writes one segment a group,
 * commits, and tells everybody. While a commit runs the next gathers: no timer.
 * Nobody is told before the disk has it. */
#include <string.h>
#include <time.h>

#include "device/little_endian.h"
#include "service_i.h"

/* ---- a batch ---- */

/* Reports of one group, packed, of all bodies of the batch. */
typedef struct {
    kith_i_live *live;
    int64_t round;
    uint16_t group;
    size_t each, count, room;
    uint8_t *packed;
} segment;

typedef struct {
    kith_collect *c;
    kith_i_db *db;
    kith_i_body *bodies;
    segment *segments;
    size_t count, room;
    kith_i_nonce_set once; /* fingerprints of this batch */
    int64_t first;         /* sequence of the first segment */
} batch;

static segment *segment_of(batch *b, kith_i_live *live, int64_t round,
                           uint16_t group)
{
    for (size_t i = b->count; i-- > 0;)
        if (b->segments[i].live == live && b->segments[i].round == round &&
            b->segments[i].group == group)
            return &b->segments[i];
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 8;
        segment *more = kith_i_resize(b->segments, b->room, room, sizeof *more);
        if (!more)
            return NULL;
        b->segments = more;
        b->room = room;
    }
    segment *s = &b->segments[b->count++];
    *s = (segment){.live = live, .round = round, .group = group};
    s->each = round == KITH_I_ENROLMENT
                  ? 16
                  : KITH_I_NONCE_BYTES + live->groups[group].payload;
    return s;
}

static int segment_add(segment *s, const uint8_t *packed)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        uint8_t *more = kith_i_resize(s->packed, s->room, room, s->each);
        if (!more)
            return 0;
        s->packed = more;
        s->room = room;
    }
    memcpy(s->packed + s->count++ * s->each, packed, s->each);
    return 1;
}

static uint64_t print_of(const uint8_t *packed)
{
    return kith_i_nonce_fingerprint(kith_i_load64(packed),
                                    kith_i_load64(packed + 8));
}

/* New to this batch and to what was stored before? */
static int is_new(batch *b, const kith_i_nonce_set *seen, const uint8_t *packed)
{
    uint64_t print = print_of(packed);
    if (kith_i_nonce_has(seen, print) || kith_i_nonce_has(&b->once, print))
        return 0;
    kith_i_nonce_put(&b->once, print);
    return 1;
}

/* 0: memory is short. */
static int gather_body(batch *b, kith_i_body *body)
{
    kith_i_live *live = body->live;
    if (!kith_i_nonce_reserve(&b->once, body->count))
        return 0;
    for (size_t i = 0; i < body->count; i++) {
        int enrolment = body->round == KITH_I_ENROLMENT;
        const uint8_t *packed =
            enrolment ? body->commitments + 16 * i : body->reports[i].packed;
        uint16_t group = enrolment ? 0 : body->reports[i].group;
        if (!is_new(b, enrolment ? &live->enrolled : &live->groups[group].seen,
                    packed)) {
            body->receipt.duplicates++;
            continue;
        }
        segment *s = segment_of(b, live, body->round, group);
        if (!s || !segment_add(s, packed))
            return 0;
        body->receipt.stored++;
    }
    return 1;
}

/* Only what the open round of memory has; the store is asked again later. */
static void refuse_body(kith_i_body *body, kith_outcome why)
{
    body->receipt.failed = why;
    body->receipt.stored = body->receipt.duplicates = 0;
}

static void gather(batch *b)
{
    for (kith_i_body *body = b->bodies; body; body = body->next) {
        kith_i_live *live = body->live;
        pthread_rwlock_rdlock(&live->lock);
        if (body->receipt.failed)
            ; /* its code was spent by somebody else */
        else if (body->round != KITH_I_ENROLMENT &&
                 (live->number != body->round ||
                  live->round_state != KITH_I_ROUND_COLLECTING))
            refuse_body(body, KITH_COLLECT_ROUND_CLOSED);
        else if (!gather_body(b, body))
            refuse_body(body, KITH_COLLECT_BUSY);
        pthread_rwlock_unlock(&live->lock);
    }
}

/* ---- the transaction ---- */

kith_status kith_i_read_number(void *arg, const kith_i_cell *row,
                               kith_error *err)
{
    (void)err;
    *(int64_t *)arg = row[0].number;
    return KITH_OK;
}

/* The round is open in the store too, and stays so until the commit. */
static kith_status hold_round(batch *b, const segment *s, int *open,
                              kith_error *err)
{
    int64_t state = -1;
    uint64_t thing = kith_i_thing_of(s->live->id, s->round);
    kith_status status = b->db->driver->lock(b->db, thing, 0, err);
    if (!status)
        status = KITH_I_DB_RUN(b->db, KITH_I_ROUND_STATE, kith_i_read_number,
                               &state, err, kith_i_bytes_cell(s->live->id, 16),
                               kith_i_number_cell(s->round));
    *open = state == KITH_I_ROUND_COLLECTING;
    return status;
}

static kith_status write_segment(batch *b, segment *s, int64_t now,
                                 kith_error *err)
{
    kith_collect *c = b->c;
    int64_t sequence = ++c->sequence;
    return KITH_I_DB_RUN(
        b->db, KITH_I_SEGMENT_ADD, NULL, NULL, err,
        kith_i_bytes_cell(s->live->id, 16), kith_i_number_cell(s->round),
        kith_i_number_cell(s->group), kith_i_number_cell(c->process),
        kith_i_number_cell(sequence), kith_i_number_cell((int64_t)s->count),
        kith_i_number_cell((int64_t)s->each),
        kith_i_bytes_cell(s->packed, s->count * s->each),
        kith_i_number_cell(now));
}

/* Bodies of a round that has been closed by somebody else. */
static void close_out(batch *b, const segment *s)
{
    for (kith_i_body *body = b->bodies; body; body = body->next)
        if (body->live == s->live && body->round == s->round &&
            !body->receipt.failed)
            refuse_body(body, KITH_COLLECT_ROUND_CLOSED);
}

static kith_status read_commitment(void *arg, const kith_i_cell *row,
                                   kith_error *err)
{
    (void)err;
    if (row[0].count == 16)
        memcpy(arg, row[0].bytes, 16);
    return KITH_OK;
}

/* A code is spent by its first commitment. */
static kith_status spend(batch *b, kith_i_body *body, int64_t now,
                         kith_error *err)
{
    uint8_t first[16] = {0};
    kith_status status = KITH_I_DB_RUN(
        b->db, KITH_I_INVITATION_SPEND, NULL, NULL, err,
        kith_i_bytes_cell(body->live->id, 16), kith_i_number_cell(body->serial),
        kith_i_bytes_cell(body->commitments, 16), kith_i_number_cell(now));
    if (!status)
        status =
            KITH_I_DB_RUN(b->db, KITH_I_INVITATION_GET, read_commitment, first,
                          err, kith_i_bytes_cell(body->live->id, 16),
                          kith_i_number_cell(body->serial));
    if (!status && memcmp(first, body->commitments, 16) != 0)
        refuse_body(body, KITH_COLLECT_INVITATION_USED);
    return status;
}

/* Codes first: a body whose code is gone adds nothing, not even to the number
 * of those who enrolled. */
static kith_status write_all(batch *b, kith_error *err)
{
    int64_t now = 0;
    kith_status status = b->db->driver->now(b->db, &now, err);
    for (kith_i_body *body = b->bodies; !status && body; body = body->next)
        if (body->serial >= 0 && !body->receipt.failed)
            status = spend(b, body, now, err);
    if (!status)
        gather(b);
    b->first = b->c->sequence + 1;
    for (size_t i = 0; !status && i < b->count; i++) {
        segment *s = &b->segments[i];
        int open = 1;
        if (s->round != KITH_I_ENROLMENT)
            status = hold_round(b, s, &open, err);
        if (!status && open)
            status = write_segment(b, s, now, err);
        else if (!status) {
            close_out(b, s);
            s->count = 0;
        }
    }
    return status;
}

/* The connection broke inside COMMIT: is the first segment there? */
static int was_committed(batch *b)
{
    int64_t found = 0;
    for (int attempt = 0; attempt < 50; attempt++) {
        kith_status status = KITH_I_DB_RUN(
            b->db, KITH_I_SEGMENT_FIND, kith_i_read_number, &found, NULL,
            kith_i_number_cell(b->c->process), kith_i_number_cell(b->first));
        if (!status)
            return found > 0;
        struct timespec pause = {.tv_nsec = 200000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}

static kith_outcome write_batch(batch *b)
{
    kith_collect *c = b->c;
    kith_error err;
    if (kith_i_disk_is_low(c, b->db))
        return KITH_COLLECT_DISK_FULL; /* room is left for closing rounds */
    kith_status status = b->db->driver->begin(b->db, &err);
    if (!status)
        status = write_all(b, &err);
    if (!status) {
        kith_i_point("before commit");
        status = b->db->driver->commit(b->db, &err);
        if (status && b->db->trouble == KITH_I_DB_UNKNOWN && b->count &&
            was_committed(b))
            status = KITH_OK;
    } else {
        kith_i_db_trouble trouble = b->db->trouble;
        b->db->driver->rollback(b->db);
        b->db->trouble = trouble;
    }
    if (!status) {
        kith_i_point("after commit");
        atomic_store(&c->down, 0);
        return KITH_COLLECT_OK;
    }
    return kith_i_outcome_of(c, b->db);
}

/* ---- afterwards ---- */

static void remember(batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        segment *s = &b->segments[i];
        kith_i_live *live = s->live;
        b->c->committed += s->count;
        pthread_rwlock_wrlock(&live->lock);
        if (s->round == KITH_I_ENROLMENT) {
            for (size_t j = 0; j < s->count; j++) {
                uint64_t print = print_of(s->packed + j * s->each);
                if (!kith_i_nonce_has(&live->enrolled, print) &&
                    kith_i_nonce_reserve(&live->enrolled, 1))
                    kith_i_nonce_put(&live->enrolled, print);
            }
        } else if (live->number == s->round) {
            kith_i_open_group *g = &live->groups[s->group];
            kith_i_group_saw(b->c, g, s->packed, s->count, s->each);
            if (kith_i_group_count(g) >= g->target)
                kith_i_wake(b->c);
        }
        pthread_rwlock_unlock(&live->lock);
    }
}

static void tell(batch *b, kith_outcome outcome)
{
    while (b->bodies) {
        kith_i_body *body = b->bodies;
        b->bodies = body->next;
        if (outcome)
            refuse_body(body,
                        body->receipt.failed ? body->receipt.failed : outcome);
        if (body->receipt.failed)
            body->live->counted[body->receipt.failed] += body->count;
        else {
            body->live->counted[KITH_COLLECT_OK] += body->receipt.stored;
            body->live->counted[KITH_COLLECT_DUPLICATE] +=
                body->receipt.duplicates;
        }
        kith_i_body_finish(body);
    }
}

void kith_i_commit_batch(kith_collect *c, kith_i_body *bodies)
{
    batch b = {.c = c, .db = c->ingest, .bodies = bodies};
    struct timespec from, to;
    kith_outcome outcome = KITH_COLLECT_BUSY;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!kith_i_nonce_open(&b.once, NULL)) {
        pthread_mutex_lock(c->ingest_lock);
        outcome = write_batch(&b);
        pthread_mutex_unlock(c->ingest_lock);
        if (!outcome)
            remember(&b);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    c->commits++;
    c->commit_ns += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 +
                               (to.tv_nsec - from.tv_nsec));
    tell(&b, outcome);
    for (size_t i = 0; i < b.count; i++)
        kith_i_free(b.segments[i].packed);
    kith_i_free(b.segments);
    kith_i_free(b.once.slots);
}
