/* A closed round becomes answers and the next round, or the result: in one
 * transaction, once, whoever tries. The script is run from the top on what is
 * stored; a crash at any instruction leaves the round closed and unanswered, or
 * answered with its successor. */
#include <string.h>
#include <time.h>

#include "base/digest.h"
#include "kith/model.h"
#include "kith/version.h"
#include "shelf.h"

enum { ATTEMPTS = 5 };

/* ---- writing ---- */

static kith_status write_answer(kith_i_store_shelf *s,
                                const kith_i_kept_answer *k, kith_error *err)
{
    uint8_t digest[32];
    size_t bytes = k->head.count * sizeof *k->values;
    kith_i_cell task = kith_i_bytes_cell(s->live->id, 16),
                question = kith_i_number_cell((int64_t)k->head.question);
    if (k->head.keys_digest)
        return KITH_I_DB_RUN(s->c->db, KITH_I_AGAIN_ADD, NULL, NULL, err, task,
                             question, kith_i_bytes_cell(k->keys, 32),
                             kith_i_bytes_cell(k->values, bytes));
    kith_i_digest(k->values, bytes, digest);
    return KITH_I_DB_RUN(
        s->c->db, KITH_I_ANSWER_ADD, NULL, NULL, err, task, question,
        kith_i_number_cell(k->head.round), kith_i_number_cell(k->head.group),
        kith_i_number_cell((int64_t)k->head.received),
        kith_i_number_cell((int64_t)k->head.duplicates),
        kith_i_bytes_cell(k->values, bytes), kith_i_bytes_cell(digest, 32));
}

static kith_status write_round(kith_i_store_shelf *s,
                               const kith_i_published *next, kith_error *err)
{
    int64_t now = kith_i_collect_now(s->c);
    const struct kith_task_view *v = s->live->task->view;
    int draft = v->release[0] == 'm';
    kith_i_cell opens = {0}, closes = {0}; /* of a draft: not yet */
    if (!draft) {
        opens = kith_i_number_cell(now);
        closes = kith_i_number_cell(now + (int64_t)v->closes * 1000);
    }
    return KITH_I_DB_RUN(s->c->db, KITH_I_ROUND_ADD, NULL, NULL, err,
                         kith_i_bytes_cell(s->live->id, 16),
                         kith_i_number_cell(next->round->number),
                         kith_i_bytes_cell(next->json, next->bytes),
                         kith_i_bytes_cell(next->round->digest, 32),
                         kith_i_bytes_cell(next->round->previous, 32),
                         kith_i_number_cell(draft ? KITH_I_ROUND_DRAFT
                                                  : KITH_I_ROUND_COLLECTING),
                         opens, closes, kith_i_text_cell(kith_version()));
}

static kith_status write_result(kith_i_store_shelf *s, const char *model,
                                const char *collected, kith_error *err)
{
    uint8_t digest[32];
    int64_t now = kith_i_collect_now(s->c);
    kith_i_digest(model, strlen(model), digest);
    kith_status status =
        KITH_I_DB_RUN(s->c->db, KITH_I_RESULT_ADD, NULL, NULL, err,
                      kith_i_bytes_cell(s->live->id, 16),
                      kith_i_bytes_cell(model, strlen(model)),
                      kith_i_bytes_cell(digest, 32), kith_i_number_cell(now),
                      kith_i_bytes_cell(collected, strlen(collected)));
    if (!status)
        status = KITH_I_DB_RUN(s->c->db, KITH_I_TASK_MOVE, NULL, NULL, err,
                               kith_i_number_cell(KITH_TASK_FINISHED),
                               kith_i_text_cell(""), kith_i_number_cell(now),
                               kith_i_bytes_cell(s->live->id, 16),
                               kith_i_number_cell(KITH_TASK_RUNNING));
    if (!status)
        status = kith_i_event(s->c, s->live, "service", "finished", "", err);
    return status;
}

/* What comes of a closed round. */
typedef struct {
    int64_t number; /* of the round */
    const kith_i_published *next;
    const char *model, *collected;
} outcome;

/* *won: this process did it. c->lock is held. */
static kith_status commit_outcome(kith_i_store_shelf *s, const outcome *o,
                                  int *won, kith_error *err)
{
    kith_i_db *db = s->c->db;
    kith_status status = db->driver->begin(db, err);
    *won = 0;
    if (!status)
        status = db->driver->lock(db, kith_i_thing_of(s->live->id, o->number),
                                  1, err);
    if (!status)
        status = KITH_I_DB_RUN(db, KITH_I_ROUND_ANSWERED, NULL, NULL, err,
                               kith_i_number_cell(kith_i_collect_now(s->c)),
                               kith_i_bytes_cell(s->live->id, 16),
                               kith_i_number_cell(o->number));
    if (!status && db->changed == 0) { /* another process was first */
        db->driver->rollback(db);
        return KITH_OK;
    }
    for (size_t i = 0; !status && i < s->kept_count; i++)
        status = write_answer(s, &s->kept[i], err);
    kith_i_point("before advance");
    if (!status && o->next)
        status = write_round(s, o->next, err);
    if (!status && o->model)
        status = write_result(s, o->model, o->collected, err);
    kith_i_point("inside advance");
    if (!status)
        status = db->driver->commit(db, err);
    else
        db->driver->rollback(db);
    kith_i_point("after advance");
    *won = !status;
    return status;
}

/* ---- running ---- */

/* Did any group of the newest round reach the minimum? */
static int anybody(const kith_i_store_shelf *s, int64_t number)
{
    uint64_t minimum = s->live->task->view->minimum;
    int asked = 0;
    for (size_t i = 0; i < s->kept_count; i++) {
        const kith_i_fresh *f = &s->kept[i].head;
        if (f->keys_digest || f->round != number)
            continue;
        asked = 1;
        if (f->received >= minimum)
            return 1;
    }
    return !asked;
}

/* A loser whose answers are not the winner's raises the alarm. */
typedef struct {
    const kith_i_store_shelf *s;
    int differs;
} judge;

static kith_status compare_answer(void *arg, const kith_i_cell *row,
                                  kith_error *err)
{
    judge *j = arg;
    (void)err;
    for (size_t i = 0; i < j->s->kept_count; i++) {
        const kith_i_kept_answer *k = &j->s->kept[i];
        uint8_t digest[32];
        if (k->head.keys_digest || (int64_t)k->head.question != row[0].number)
            continue;
        kith_i_digest(k->values, k->head.count * sizeof *k->values, digest);
        j->differs |= memcmp(digest, row[5].bytes, 32) != 0;
    }
    return KITH_OK;
}

static void judge_winner(kith_i_store_shelf *s)
{
    judge j = {.s = s};
    if (!KITH_I_DB_RUN(s->c->db, KITH_I_ANSWER_ALL, compare_answer, &j, NULL,
                       kith_i_bytes_cell(s->live->id, 16)) &&
        j.differs)
        s->c->divergences++;
}

static void settle(kith_i_store_shelf *s, const outcome *o)
{
    kith_error err = {0};
    int won = 0, moved = 0;
    kith_collect *c = s->c;
    pthread_mutex_lock(&c->lock);
    kith_status status;
    if (!anybody(s, o->number))
        status = kith_i_task_move(
            c, s->live, KITH_TASK_PAUSED,
            "no group of the round reached its minimum: extend it, or abort",
            &moved, &err);
    else {
        status = commit_outcome(s, o, &won, &err);
        if (!status && !won)
            judge_winner(s);
    }
    if (status)
        kith_i_outcome_of(c, c->db);
    (void)kith_i_live_refresh(c, s->live, NULL);
    pthread_mutex_unlock(&c->lock);
}

static void give_up(kith_i_store_shelf *s, int differs, const kith_error *err)
{
    kith_collect *c = s->c;
    int moved = 0;
    c->advance_failures++;
    if (!differs && ++s->live->attempts < ATTEMPTS)
        return;
    pthread_mutex_lock(&c->lock);
    (void)kith_i_task_move(c, s->live, KITH_TASK_STUCK, err->message, &moved,
                           NULL);
    pthread_mutex_unlock(&c->lock);
}

static void advance_with(kith_i_store_shelf *s, kith_i_stored *stored,
                         int64_t number)
{
    kith_i_task_run run;
    kith_error err = {0};
    char *model = NULL, *collected = NULL;
    outcome o = {.number = number};
    kith_status status = kith_i_task_script(
        s->live->task, kith_i_stored_face(stored), &run, &err);
    if (!status) {
        uint64_t fresh[2] = {0, 0};
        for (size_t i = 0; i < s->kept_count; i++)
            if (!s->kept[i].head.keys_digest) {
                fresh[0] += s->kept[i].head.received;
                fresh[1] += s->kept[i].head.duplicates;
            }
        pthread_mutex_lock(&s->c->lock);
        status = kith_i_collected_text(s->c, s->live, fresh, &collected, &err);
        pthread_mutex_unlock(&s->c->lock);
        if (!status)
            status =
                kith_i_task_model(s->live->task, &run, collected, &model, &err);
        o.model = model;
        o.collected = collected;
    }
    o.next = kith_i_stored_next(stored);
    if (!status || (status == KITH_I_PENDING && o.next)) {
        s->live->attempts = 0;
        settle(s, &o);
    } else if (status != KITH_I_PENDING) {
        give_up(s, kith_i_stored_differs(stored), &err);
    }
    kith_i_task_run_close(&run);
    kith_text_free(model);
    kith_text_free(collected);
}

void kith_i_advance(kith_collect *c, kith_i_live *live)
{
    struct timespec from, to;
    kith_i_stored *stored = NULL;
    kith_error err = {0};
    kith_i_store_shelf s = {.c = c, .live = live};
    int64_t number = live->number;
    uint64_t thing = kith_i_thing_of(live->id, -2);
    pthread_mutex_lock(&c->lock);
    int mine = c->db->driver->lease(c->db, thing, 1);
    pthread_mutex_unlock(&c->lock);
    if (!mine)
        return;
    clock_gettime(CLOCK_MONOTONIC, &from);
    kith_i_shelf face = kith_i_store_shelf_face(&s);
    kith_status status = kith_i_store_shelf_open(&s, &err);
    if (!status && s.round_count == (size_t)number + 1 &&
        s.rounds[number].state == KITH_I_ROUND_CLOSED)
        status = kith_i_stored_open(live->task, live->invited, c->opt.threads,
                                    &face, &stored, &err);
    if (stored)
        advance_with(&s, stored, number);
    else if (status)
        give_up(&s, 0, &err);
    kith_i_stored_close(stored);
    kith_i_store_shelf_close(&s);
    clock_gettime(CLOCK_MONOTONIC, &to);
    c->advances++;
    c->advance_ns += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 +
                                (to.tv_nsec - from.tv_nsec));
    pthread_mutex_lock(&c->lock);
    c->db->driver->lease(c->db, thing, 0);
    pthread_mutex_unlock(&c->lock);
    kith_i_wake(c);
}

/* ---- the first round ---- */

/* Users of the smallest group. */
static uint64_t smallest_group(const kith_i_round *round)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t g = 0; g < round->count; g++) {
        uint64_t users = kith_i_rule_expected(
            kith_i_circle_range(&round->questions[g]), round->invited);
        least = users < least ? users : least;
    }
    return least;
}

static kith_status commit_first(kith_i_store_shelf *s, uint64_t invited,
                                const kith_i_published *next, kith_error *err)
{
    kith_i_db *db = s->c->db;
    kith_status status = db->driver->begin(db, err);
    if (!status)
        status = KITH_I_DB_RUN(db, KITH_I_TASK_START, NULL, NULL, err,
                               kith_i_number_cell((int64_t)invited),
                               kith_i_number_cell(kith_i_collect_now(s->c)),
                               kith_i_bytes_cell(s->live->id, 16));
    if (!status && db->changed == 0) {
        db->driver->rollback(db); /* somebody else started it */
        return KITH_OK;
    }
    if (!status)
        status = write_round(s, next, err);
    if (!status)
        status = kith_i_event(s->c, s->live, "operator", "start", "", err);
    kith_i_point("before start");
    if (!status)
        status = db->driver->commit(db, err);
    else
        db->driver->rollback(db);
    return status;
}

kith_outcome kith_i_publish_first(kith_collect *c, kith_i_live *live,
                                  uint64_t invited, kith_error *err)
{
    kith_i_store_shelf s = {.c = c, .live = live};
    kith_i_shelf face = kith_i_store_shelf_face(&s);
    kith_i_stored *stored = NULL;
    kith_i_task_run run = {0};
    kith_outcome result = KITH_COLLECT_OK;
    kith_status status = kith_i_stored_open(live->task, invited, c->opt.threads,
                                            &face, &stored, err);
    if (!status)
        status = kith_i_task_script(live->task, kith_i_stored_face(stored),
                                    &run, err);
    const kith_i_published *next =
        stored && status == KITH_I_PENDING ? kith_i_stored_next(stored) : NULL;
    if (!next) {
        result = KITH_COLLECT_CANNOT_WORK;
    } else if (smallest_group(next->round) < live->task->view->minimum) {
        kith_i_fail(err, KITH_ERR_ARGUMENT,
                    "with so few invited a group would stay below the "
                    "minimum of %llu: wait for more to enrol",
                    (unsigned long long)live->task->view->minimum);
        result = KITH_COLLECT_CANNOT_WORK;
    } else {
        status = commit_first(&s, invited, next, err);
        if (!status)
            status = kith_i_live_refresh(c, live, err);
        if (status)
            result = kith_i_outcome_of(c, c->db);
    }
    if (stored)
        kith_i_task_run_close(&run);
    kith_i_stored_close(stored);
    kith_i_store_shelf_close(&s);
    return result;
}
