/* A task's states: made, started, closed, extended, ended. Every move is a
 * conditional UPDATE: whoever comes second changes nothing. */
#include <math.h>
#include <string.h>

#include "kith/version.h"
#include "noise/secret.h"
#include "service_i.h"

int64_t kith_i_collect_now(kith_collect *c)
{
    int64_t now = 0;
    if (c->db->driver->now(c->db, &now, NULL))
        return 0;
    return now;
}

kith_status kith_i_event(kith_collect *c, const kith_i_live *live,
                         const char *who, const char *what, const char *detail,
                         kith_error *err)
{
    return KITH_I_DB_RUN(c->db, KITH_I_EVENT_ADD, NULL, NULL, err,
                         kith_i_bytes_cell(live->id, 16),
                         kith_i_number_cell(kith_i_collect_now(c)),
                         kith_i_text_cell(who), kith_i_text_cell(what),
                         kith_i_text_cell(detail ? detail : ""));
}

/* ---- creating ---- */

static kith_status draw_key(const kith_task *task, uint8_t key[32],
                            kith_error *err)
{
    if (!task->view->test)
        return kith_i_secret_bytes(key, 32, err);
    kith_i_task_test_key(task, key);
    return KITH_OK;
}

kith_outcome kith_collect_create(kith_collect *c, const char *json,
                                 size_t bytes, uint8_t task[16], int *created,
                                 kith_error *err)
{
    kith_task *made = NULL;
    uint8_t key[32], sealed[KITH_I_SEALED_BYTES];
    size_t sealed_bytes = 0;
    if (!c || !task || !created) {
        (void)kith_i_fail_place(err);
        return KITH_COLLECT_FAILED;
    }
    kith_status status = kith_task_load(json, bytes, &made, err);
    if (status)
        return status == KITH_ERR_MEMORY ? KITH_COLLECT_FAILED
                                         : KITH_COLLECT_BAD_TASK;
    memcpy(task, made->view->id, 16);
    status = draw_key(made, key, err);
    if (!status)
        status = kith_i_seal(c, key, sealed, &sealed_bytes, err);
    kith_task_free(made);
    if (status)
        return KITH_COLLECT_FAILED;
    pthread_mutex_lock(&c->lock);
    status = KITH_I_DB_RUN(
        c->db, KITH_I_TASK_ADD, NULL, NULL, err, kith_i_bytes_cell(task, 16),
        kith_i_bytes_cell(json, bytes), kith_i_bytes_cell(sealed, sealed_bytes),
        kith_i_number_cell(kith_i_collect_now(c)));
    *created = !status && c->db->changed > 0;
    if (!status)
        status = kith_i_live_load(c, err);
    kith_i_live *live = status ? NULL : kith_i_live_find(c, task);
    if (*created && live)
        status = kith_i_event(c, live, "operator", "create", "", err);
    kith_outcome outcome =
        status ? kith_i_outcome_of(c, c->db) : KITH_COLLECT_OK;
    pthread_mutex_unlock(&c->lock);
    kith_i_wipe(key, sizeof key);
    kith_i_wipe(sealed, sizeof sealed);
    return outcome;
}

/* ---- moving ---- */

kith_status kith_i_task_move(kith_collect *c, kith_i_live *live,
                             kith_task_state to, const char *reason, int *moved,
                             kith_error *err)
{
    int ends = to == KITH_TASK_FINISHED || to == KITH_TASK_ABORTED;
    kith_status status = KITH_I_DB_RUN(
        c->db, KITH_I_TASK_MOVE, NULL, NULL, err, kith_i_number_cell(to),
        kith_i_text_cell(reason ? reason : ""),
        ends ? kith_i_number_cell(kith_i_collect_now(c)) : (kith_i_cell){0},
        kith_i_bytes_cell(live->id, 16), kith_i_number_cell(live->state));
    *moved = !status && c->db->changed > 0;
    if (!status && *moved)
        status = kith_i_event(c, live, "service", kith_task_state_name(to),
                              reason, err);
    return status ? status : kith_i_live_refresh(c, live, err);
}

kith_outcome kith_collect_start(kith_collect *c, const uint8_t task[16],
                                uint64_t invited, double response,
                                kith_error *err)
{
    kith_i_live *live = kith_i_live_find(c, task);
    uint64_t enrolled = 0;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    pthread_mutex_lock(&c->lock);
    kith_outcome outcome = KITH_COLLECT_OK;
    kith_status status = kith_i_live_refresh(c, live, err);
    if (!status)
        status = kith_i_live_count_enrolled(c, live, &enrolled, err);
    if (status)
        outcome = kith_i_outcome_of(c, c->db);
    else if (live->state == KITH_TASK_RUNNING)
        outcome = KITH_COLLECT_OK; /* done already */
    else if (live->state != KITH_TASK_ENROLLING) {
        outcome = KITH_COLLECT_WRONG_STATE;
        kith_i_fail(err, KITH_ERR_ARGUMENT, "the task is %s",
                    kith_task_state_name(live->state));
    } else {
        if (invited == 0)
            invited = (uint64_t)floor((double)enrolled *
                                      (response > 0 ? response : 1));
        outcome = kith_i_publish_first(c, live, invited, err);
    }
    pthread_mutex_unlock(&c->lock);
    return outcome;
}

kith_status kith_i_round_close(kith_collect *c, kith_i_live *live,
                               kith_error *err)
{
    kith_i_db *db = c->db;
    kith_status status = db->driver->begin(db, err);
    kith_i_point("before close");
    if (!status)
        status = db->driver->lock(db, kith_i_thing_of(live->id, live->number),
                                  1, err);
    if (!status)
        status = KITH_I_DB_RUN(db, KITH_I_ROUND_CLOSE, NULL, NULL, err,
                               kith_i_number_cell(kith_i_collect_now(c)),
                               kith_i_bytes_cell(live->id, 16),
                               kith_i_number_cell(live->number));
    if (!status)
        status = db->driver->commit(db, err);
    else
        db->driver->rollback(db);
    kith_i_point("after close");
    return status ? status : kith_i_live_refresh(c, live, err);
}

kith_status kith_i_round_extend(kith_collect *c, kith_i_live *live,
                                uint64_t seconds, kith_error *err)
{
    int64_t now = kith_i_collect_now(c);
    int64_t from = live->closes_at > now ? live->closes_at : now;
    kith_status status = KITH_I_DB_RUN(
        c->db, KITH_I_ROUND_EXTEND, NULL, NULL, err,
        kith_i_number_cell(from + (int64_t)seconds * 1000),
        kith_i_bytes_cell(live->id, 16), kith_i_number_cell(live->number),
        kith_i_number_cell(live->round_state));
    return status ? status : kith_i_live_refresh(c, live, err);
}

static kith_status publish_draft(kith_collect *c, kith_i_live *live,
                                 kith_error *err)
{
    int64_t now = kith_i_collect_now(c);
    kith_status status = KITH_I_DB_RUN(
        c->db, KITH_I_ROUND_PUBLISH, NULL, NULL, err, kith_i_number_cell(now),
        kith_i_number_cell(now + (int64_t)live->task->view->closes * 1000),
        kith_i_bytes_cell(live->id, 16), kith_i_number_cell(live->number));
    return status ? status : kith_i_live_refresh(c, live, err);
}

/* What applies, from the states; *status: of doing it. */
static int apply(kith_collect *c, kith_i_live *live,
                 const kith_change_request *r, kith_status *status,
                 kith_error *err)
{
    int moved = 0, running = live->state == KITH_TASK_RUNNING,
        paused = live->state == KITH_TASK_PAUSED,
        over = live->state == KITH_TASK_FINISHED ||
               live->state == KITH_TASK_ABORTED;
    kith_i_round_state round = live->round_state;
    *status = KITH_OK;
    switch (r->what) {
    case KITH_TASK_CLOSE:
        if (running && round == KITH_I_ROUND_COLLECTING)
            *status = kith_i_round_close(c, live, err);
        return running && round != KITH_I_ROUND_DRAFT;
    case KITH_TASK_PUBLISH:
        if (running && round == KITH_I_ROUND_DRAFT)
            *status = publish_draft(c, live, err);
        return running;
    case KITH_TASK_EXTEND:
        if ((!running || round != KITH_I_ROUND_COLLECTING) &&
            (!paused || round != KITH_I_ROUND_CLOSED))
            return 0;
        *status = kith_i_round_extend(
            c, live, r->seconds ? r->seconds : live->task->view->closes, err);
        if (!*status && paused)
            *status =
                kith_i_task_move(c, live, KITH_TASK_RUNNING, "", &moved, err);
        return 1;
    case KITH_TASK_ABORT:
        if (!over)
            *status = kith_i_task_move(c, live, KITH_TASK_ABORTED, r->reason,
                                       &moved, err);
        return !over || live->state == KITH_TASK_ABORTED;
    case KITH_TASK_RESUME:
        c->clock_jumped = 0;
        c->clock_known = 0;
        live->attempts = 0;
        if (paused && round == KITH_I_ROUND_CLOSED)
            *status =
                kith_i_round_extend(c, live, live->task->view->closes, err);
        if (!*status && (paused || live->state == KITH_TASK_STUCK))
            *status =
                kith_i_task_move(c, live, KITH_TASK_RUNNING, "", &moved, err);
        return running || paused || live->state == KITH_TASK_RUNNING;
    }
    return 0;
}

static const char *change_name(kith_task_change what)
{
    static const char *const names[] = {"",       "close", "publish",
                                        "extend", "abort", "resume"};
    return what <= KITH_TASK_RESUME ? names[what] : "";
}

kith_outcome kith_collect_change(kith_collect *c, const uint8_t task[16],
                                 const kith_change_request *request,
                                 kith_error *err)
{
    kith_i_live *live = request ? kith_i_live_find(c, task) : NULL;
    kith_outcome outcome = KITH_COLLECT_OK;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    pthread_mutex_lock(&c->lock);
    kith_status status = kith_i_live_refresh(c, live, err);
    if (status)
        outcome = kith_i_outcome_of(c, c->db);
    else if (request->digest ? live->number < 0 || memcmp(request->digest,
                                                          live->digest, 32) != 0
                             : live->number >= 0)
        outcome = KITH_COLLECT_MOVED_ON;
    else if (!apply(c, live, request, &status, err)) {
        outcome = KITH_COLLECT_WRONG_STATE;
        kith_i_fail(err, KITH_ERR_ARGUMENT, "the task is %s",
                    kith_task_state_name(live->state));
    } else if (status)
        outcome = kith_i_outcome_of(c, c->db);
    else
        (void)kith_i_event(c, live, "operator", change_name(request->what),
                           request->reason, NULL);
    pthread_mutex_unlock(&c->lock);
    kith_i_wake(c);
    return outcome;
}

kith_outcome kith_collect_forget(kith_collect *c, const uint8_t task[16])
{
    kith_i_live *live = kith_i_live_find(c, task);
    kith_status status = KITH_OK;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    if (live->state != KITH_TASK_FINISHED && live->state != KITH_TASK_ABORTED)
        return KITH_COLLECT_WRONG_STATE;
    uint64_t gone = 1;
    while (!status && gone) {
        pthread_mutex_lock(&c->lock);
        status = KITH_I_DB_RUN(c->db, KITH_I_SEGMENT_DROP, NULL, NULL, NULL,
                               kith_i_bytes_cell(live->id, 16));
        gone = c->db->changed;
        pthread_mutex_unlock(&c->lock);
    }
    return status ? kith_i_outcome_of(c, c->db) : KITH_COLLECT_OK;
}

kith_outcome kith_collect_invite(kith_collect *c, const uint8_t task[16],
                                 uint32_t count, char (*codes)[23])
{
    kith_i_live *live = codes ? kith_i_live_find(c, task) : NULL;
    int64_t last = 0;
    if (!live)
        return KITH_COLLECT_NO_TASK;
    if (live->task->view->enrol[0] != 'i')
        return KITH_COLLECT_WRONG_STATE;
    pthread_mutex_lock(&c->lock);
    kith_status status = c->db->driver->begin(c->db, NULL);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_TASK_INVITE, NULL, NULL, NULL,
                               kith_i_number_cell(count),
                               kith_i_bytes_cell(live->id, 16));
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_TASK_INVITED, kith_i_read_number,
                               &last, NULL, kith_i_bytes_cell(live->id, 16));
    if (!status)
        status = c->db->driver->commit(c->db, NULL);
    else
        c->db->driver->rollback(c->db);
    kith_outcome outcome =
        status ? kith_i_outcome_of(c, c->db) : KITH_COLLECT_OK;
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; !outcome && i < count; i++)
        kith_i_invitation_make(live, (uint32_t)(last - count + i), codes[i]);
    return outcome;
}
