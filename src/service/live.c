/* Tasks in memory, as they were last seen in the store. */
#include <string.h>

#include "device/little_endian.h"
#include "service_i.h"

enum { NEWS = 500 }; /* segments in one look */

/* ---- which ---- */

kith_i_live *kith_i_live_find(kith_collect *c, const uint8_t task[16])
{
    kith_i_live *found = NULL;
    if (!c || !task)
        return NULL;
    pthread_rwlock_rdlock(&c->tasks_lock);
    for (size_t i = 0; !found && i < c->task_count; i++)
        if (memcmp(c->tasks[i]->id, task, 16) == 0)
            found = c->tasks[i];
    pthread_rwlock_unlock(&c->tasks_lock);
    return found;
}

static void groups_free(kith_i_live *live)
{
    for (uint32_t g = 0; g < live->group_count; g++)
        kith_i_free(live->groups[g].seen.slots);
    kith_i_free(live->groups);
    kith_i_round_free(live->round);
    live->groups = NULL;
    live->group_count = 0;
    live->round = NULL;
}

static void live_free(kith_i_live *live)
{
    groups_free(live);
    kith_i_free(live->enrolled.slots);
    kith_task_free(live->task);
    pthread_rwlock_destroy(&live->lock);
    kith_i_wipe_free(live, sizeof *live);
}

void kith_i_live_free_all(kith_collect *c)
{
    for (size_t i = 0; i < c->task_count; i++)
        live_free(c->tasks[i]);
    kith_i_free(c->tasks);
    c->tasks = NULL;
    c->task_count = c->task_room = 0;
}

/* ---- a task's row ---- */

enum {
    T_ID,
    T_JSON,
    T_KEY,
    T_STATE,
    T_INVITED,
    T_CREATED,
    T_STARTED,
    T_ENDED,
    T_REASON
};

static kith_status live_add(kith_collect *c, const kith_i_cell *row,
                            kith_i_live **out, kith_error *err)
{
    kith_i_live *live = kith_i_alloc(1, sizeof *live);
    if (!live)
        return kith_i_fail_memory(err);
    pthread_rwlock_init(&live->lock, NULL);
    live->number = -1;
    memcpy(live->id, row[T_ID].bytes, sizeof live->id);
    kith_status status = kith_i_unseal(c, &row[T_KEY], live->key, err);
    if (!status)
        status = kith_task_load(row[T_JSON].bytes, row[T_JSON].count,
                                &live->task, err);
    if (!status)
        status = kith_i_nonce_open(&live->enrolled, err);
    if (status) {
        live_free(live);
        return status;
    }
    pthread_rwlock_wrlock(&c->tasks_lock);
    if (c->task_count == c->task_room) {
        size_t room = c->task_room ? 2 * c->task_room : 16;
        /* NOLINTNEXTLINE: pointers are what is kept */
        size_t each = sizeof(kith_i_live *);
        kith_i_live **more = kith_i_resize(c->tasks, c->task_room, room, each);
        if (more) {
            c->tasks = more;
            c->task_room = room;
        } else {
            status = kith_i_fail_memory(err);
        }
    }
    if (!status)
        c->tasks[c->task_count++] = live;
    pthread_rwlock_unlock(&c->tasks_lock);
    if (status)
        live_free(live);
    else
        *out = live;
    return status;
}

typedef struct {
    kith_collect *c;
    kith_i_live *live;
    int found, moved;
} task_reader;

static kith_status read_task(void *arg, const kith_i_cell *row, kith_error *err)
{
    task_reader *r = arg;
    r->live = NULL;
    if (row[T_ID].count != 16)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "a task in the store is damaged");
    kith_i_live *live = kith_i_live_find(r->c, row[T_ID].bytes);
    if (!live) {
        kith_status status = live_add(r->c, row, &live, err);
        if (status)
            return status;
    }
    size_t words = row[T_REASON].count;
    words = words < sizeof live->reason ? words : sizeof live->reason - 1;
    pthread_rwlock_wrlock(&live->lock);
    r->moved |= live->state != (kith_task_state)row[T_STATE].number;
    live->state = (kith_task_state)row[T_STATE].number;
    live->invited = (uint64_t)row[T_INVITED].number;
    live->created = row[T_CREATED].number;
    live->started = row[T_STARTED].number;
    live->ended = row[T_ENDED].number;
    memcpy(live->reason, words ? row[T_REASON].bytes : "", words);
    live->reason[words] = 0;
    pthread_rwlock_unlock(&live->lock);
    r->live = live;
    r->found = 1;
    return KITH_OK;
}

/* ---- the newest round ---- */

static kith_status open_groups(kith_i_live *live, kith_i_round *round,
                               kith_error *err)
{
    kith_i_open_group *groups = kith_i_alloc(round->count, sizeof *groups);
    kith_status status = groups ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t g = 0; !status && g < round->count; g++) {
        const kith_i_mechanism *m = &round->mechanisms[g];
        kith_i_range range = kith_i_circle_range(&round->questions[g]);
        groups[g].range = range;
        groups[g].kind = m->kind;
        groups[g].outputs = m->outputs;
        groups[g].payload =
            (uint32_t)(kith_i_report_bytes(m) - KITH_I_HEADER_BYTES);
        groups[g].expected = kith_i_rule_expected(range, live->invited);
        groups[g].target = kith_i_rule_target(range, live->invited,
                                              live->task->view->fraction);
        status = kith_i_nonce_open(&groups[g].seen, err);
    }
    if (status) {
        kith_i_free(groups);
        return status;
    }
    groups_free(live);
    live->round = round;
    live->groups = groups;
    live->group_count = round->count;
    live->seen_segment = 0;
    memcpy(live->digest, round->digest, sizeof live->digest);
    return KITH_OK;
}

enum {
    R_NUMBER,
    R_JSON,
    R_DIGEST,
    R_PREVIOUS,
    R_STATE,
    R_PUBLISHED,
    R_CLOSES,
    R_EXTENDED
};

static kith_status read_round(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    task_reader *r = arg;
    kith_i_live *live = r->live;
    kith_i_round *round = NULL;
    kith_status status = KITH_OK;
    int fresh = live->number != row[R_NUMBER].number;
    if (fresh)
        status = kith_i_round_read(row[R_JSON].bytes, row[R_JSON].count, &round,
                                   err);
    if (status)
        return status;
    pthread_rwlock_wrlock(&live->lock);
    if (fresh)
        status = open_groups(live, round, err);
    if (!status) {
        kith_i_round_state state = (kith_i_round_state)row[R_STATE].number;
        r->moved |= fresh || live->round_state != state ||
                    live->closes_at != row[R_CLOSES].number;
        live->number = row[R_NUMBER].number;
        live->round_state = state;
        live->published = row[R_PUBLISHED].number;
        live->closes_at = row[R_CLOSES].number;
        live->extended = row[R_EXTENDED].number;
    }
    pthread_rwlock_unlock(&live->lock);
    if (status)
        kith_i_round_free(round);
    return status;
}

/* ---- segments ---- */

uint64_t kith_i_group_count(const kith_i_open_group *group)
{
    return group->seen.count + group->unseen;
}

/* 0: memory is short. */
static int put_all(kith_i_nonce_set *set, const uint8_t *packed, size_t count,
                   size_t each)
{
    if (!kith_i_nonce_reserve(set, count))
        return 0;
    for (size_t i = 0; i < count; i++, packed += each) {
        uint64_t print = kith_i_nonce_fingerprint(kith_i_load64(packed),
                                                  kith_i_load64(packed + 8));
        if (!kith_i_nonce_has(set, print))
            kith_i_nonce_put(set, print);
    }
    return 1;
}

void kith_i_group_saw(const kith_collect *c, kith_i_open_group *group,
                      const uint8_t *packed, size_t count, size_t each)
{
    enum { SLOT = 32 }; /* bytes a report may take, half of the slots empty */
    group->stored += count;
    if ((group->seen.count + count) * SLOT > c->opt.dedupe_bytes ||
        !put_all(&group->seen, packed, count, each))
        group->unseen += count;
}

typedef struct {
    const kith_collect *c;
    kith_i_live *live;
    int enrolment;
    uint64_t rows;
} news_reader;

enum { N_ID, N_GROUP, N_COUNT, N_WIDTH, N_REPORTS };

/* Not counting what is there already, nor what cannot be. */
static kith_status read_news(void *arg, const kith_i_cell *row, kith_error *err)
{
    news_reader *r = arg;
    kith_i_live *live = r->live;
    size_t each = (size_t)row[N_WIDTH].number;
    size_t count = (size_t)row[N_COUNT].number;
    uint64_t g = (uint64_t)row[N_GROUP].number;
    r->rows++;
    if (each < 16 || each > KITH_I_STORED_MAX ||
        row[N_REPORTS].count != each * count ||
        (!r->enrolment && g >= live->group_count))
        return kith_i_fail(err, KITH_ERR_STORE,
                           "a segment in the store is damaged");
    pthread_rwlock_wrlock(&live->lock);
    int room = 1;
    if (r->enrolment)
        room = put_all(&live->enrolled, row[N_REPORTS].bytes, count, each);
    else
        kith_i_group_saw(r->c, &live->groups[g], row[N_REPORTS].bytes, count,
                         each);
    *(r->enrolment ? &live->seen_enrolment : &live->seen_segment) =
        row[N_ID].number;
    pthread_rwlock_unlock(&live->lock);
    return room ? KITH_OK : kith_i_fail_memory(err);
}

/* Ids are given out in order and committed in any: whoever holds the round to
 * themselves for a moment knows that up to `last` all have arrived. */
static kith_status wait_for_stragglers(kith_collect *c, const kith_i_live *live,
                                       int64_t round, kith_error *err)
{
    kith_i_db *db = c->db;
    kith_status status = db->driver->begin(db, err);
    if (!status)
        status = db->driver->lock(db, kith_i_thing_of(live->id, round), 1, err);
    if (!status)
        return db->driver->commit(db, err);
    db->driver->rollback(db);
    return status;
}

/* What others stored since the last look. What this process stores it notes by
 * itself; commitments are asked for all the same: noting one twice is none. */
static kith_status read_segments(kith_collect *c, kith_i_live *live,
                                 int enrolment, kith_error *err)
{
    news_reader r = {.c = c, .live = live, .enrolment = enrolment};
    int64_t *seen = enrolment ? &live->seen_enrolment : &live->seen_segment;
    int64_t round = enrolment ? KITH_I_ENROLMENT : live->number, last = 0;
    int64_t mine = enrolment ? -1 : c->process;
    kith_status status = KITH_I_DB_RUN(
        c->db, KITH_I_SEGMENT_LAST, kith_i_read_number, &last, err,
        kith_i_bytes_cell(live->id, 16), kith_i_number_cell(round),
        kith_i_number_cell(*seen), kith_i_number_cell(mine));
    if (!status && last > 0 && !enrolment)
        status = wait_for_stragglers(c, live, round, err);
    for (r.rows = NEWS; !status && *seen < last && r.rows == NEWS;) {
        r.rows = 0;
        status = KITH_I_DB_RUN(
            c->db, KITH_I_SEGMENT_NEWS, read_news, &r, err,
            kith_i_bytes_cell(live->id, 16), kith_i_number_cell(round),
            kith_i_number_cell(*seen), kith_i_number_cell(last),
            kith_i_number_cell(mine), kith_i_number_cell(NEWS));
    }
    return status;
}

kith_status kith_i_live_news(kith_collect *c, kith_i_live *live,
                             kith_error *err)
{
    kith_status status = KITH_OK;
    if (live->state == KITH_TASK_ENROLLING || live->seen_enrolment == 0)
        status = read_segments(c, live, 1, err);
    if (!status && live->number >= 0 &&
        live->round_state <= KITH_I_ROUND_CLOSED)
        status = read_segments(c, live, 0, err);
    return status;
}

kith_status kith_i_live_count_enrolled(kith_collect *c, kith_i_live *live,
                                       uint64_t *out, kith_error *err)
{
    live->seen_enrolment = 0; /* everything, once more: what is there is kept */
    kith_status status = read_segments(c, live, 1, err);
    *out = live->enrolled.count;
    return status;
}

/* ---- all of it ---- */

static kith_status refresh(kith_collect *c, kith_i_live *live, int *moved,
                           kith_error *err)
{
    task_reader r = {.c = c, .live = live};
    int64_t before = live->number;
    kith_status status = KITH_I_DB_RUN(c->db, KITH_I_TASK_ONE, read_task, &r,
                                       err, kith_i_bytes_cell(live->id, 16));
    r.live = live;
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_ROUND_NEWEST, read_round, &r, err,
                               kith_i_bytes_cell(live->id, 16));
    if (!status && live->number != before)
        status = kith_i_live_news(c, live, err);
    *moved = r.moved;
    return status;
}

kith_status kith_i_live_refresh(kith_collect *c, kith_i_live *live,
                                kith_error *err)
{
    int moved = 0;
    kith_status status = refresh(c, live, &moved, err);
    if (moved && c->opt.changed)
        c->opt.changed(c->opt.arg, live->id);
    return status;
}

kith_status kith_i_live_load(kith_collect *c, kith_error *err)
{
    task_reader r = {.c = c};
    size_t had = c->task_count;
    kith_status status =
        c->db->driver->run(c->db, KITH_I_TASK_ALL, NULL, 0, read_task, &r, err);
    for (size_t i = had; !status && i < c->task_count; i++) {
        status = kith_i_live_refresh(c, c->tasks[i], err);
        if (!status)
            status = kith_i_live_news(c, c->tasks[i], err);
    }
    return status;
}
