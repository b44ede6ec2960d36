/* What is due: rounds that close or are extended, counts for the operator,
 * reports that are old enough to go. */
#include <time.h>

#include "service_i.h"

static int64_t monotonic_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The store's clock against the monotonic one: when they part, deadlines wait
 * until they agree again, or somebody resumes. */
static int clock_is_sane(kith_collect *c, int64_t now)
{
    enum { MINUTE = 60000 };
    int64_t offset = now - monotonic_ms();
    if (!c->clock_known) {
        c->clock_known = 1;
        c->clock_offset = offset;
    }
    int64_t drift = offset - c->clock_offset;
    c->clock_jumped = drift > MINUTE || drift < -MINUTE;
    return !c->clock_jumped;
}

static void look_at_round(kith_collect *c, kith_i_live *live)
{
    int64_t now = kith_i_collect_now(c);
    kith_i_rule_numbers n = {.groups = live->group_count,
                             .now = clock_is_sane(c, now) ? now : 0,
                             .closes_at = live->closes_at,
                             .extended = live->extended};
    uint64_t minimum = live->task->view->minimum;
    pthread_rwlock_rdlock(&live->lock);
    for (uint32_t g = 0; g < live->group_count; g++) {
        n.at_target +=
            kith_i_group_count(&live->groups[g]) >= live->groups[g].target;
        n.at_minimum += kith_i_group_count(&live->groups[g]) >= minimum;
    }
    pthread_rwlock_unlock(&live->lock);
    kith_i_rule rule = kith_i_rule_of(&n);
    kith_status status = KITH_OK;
    if (rule == KITH_I_RULE_CLOSE)
        status = kith_i_round_close(c, live, NULL);
    else if (rule == KITH_I_RULE_EXTEND)
        status = kith_i_round_extend(c, live, live->task->view->closes, NULL);
    if (status)
        kith_i_outcome_of(c, c->db);
}

static void flush_counts(kith_collect *c, kith_i_live *live)
{
    for (int i = KITH_COLLECT_DUPLICATE; i < KITH_COLLECT_OUTCOMES; i++) {
        uint64_t total = live->counted[i];
        if (total == live->flushed[i])
            continue;
        if (!KITH_I_DB_RUN(
                c->db, KITH_I_COUNTER_ADD, NULL, NULL, NULL,
                kith_i_bytes_cell(live->id, 16), kith_i_number_cell(c->process),
                kith_i_text_cell(kith_outcome_name((kith_outcome)i)),
                kith_i_number_cell((int64_t)(total - live->flushed[i]))))
            live->flushed[i] = total;
    }
}

static void clean_up(kith_collect *c, kith_i_live *live)
{
    int64_t keep = (int64_t)live->task->view->keep_days * 86400000;
    if (live->ended && kith_i_collect_now(c) > live->ended + keep)
        (void)KITH_I_DB_RUN(c->db, KITH_I_SEGMENT_DROP, NULL, NULL, NULL,
                            kith_i_bytes_cell(live->id, 16));
}

static void step_task(kith_collect *c, kith_i_live *live)
{
    kith_status status = KITH_OK;
    int shared = c->ingest != c->db; /* others may have moved it */
    pthread_mutex_lock(&c->lock);
    if (shared)
        status = kith_i_live_refresh(c, live, NULL);
    if (shared && !status)
        status = kith_i_live_news(c, live, NULL);
    if (status)
        kith_i_outcome_of(c, c->db);
    else if (shared)
        atomic_store(&c->down, 0);
    if (!status && live->state == KITH_TASK_RUNNING &&
        live->round_state == KITH_I_ROUND_COLLECTING)
        look_at_round(c, live);
    flush_counts(c, live);
    clean_up(c, live);
    pthread_mutex_unlock(&c->lock);
    if (!status && live->state == KITH_TASK_RUNNING &&
        live->round_state == KITH_I_ROUND_CLOSED)
        kith_i_advance(c, live);
}

void kith_collect_step(kith_collect *c)
{
    if (!c)
        return;
    if (c->ingest != c->db) {
        pthread_mutex_lock(&c->lock);
        if (kith_i_live_load(c, NULL))
            kith_i_outcome_of(c, c->db);
        pthread_mutex_unlock(&c->lock);
    }
    for (size_t i = 0;; i++) {
        pthread_rwlock_rdlock(&c->tasks_lock);
        kith_i_live *live = i < c->task_count ? c->tasks[i] : NULL;
        pthread_rwlock_unlock(&c->tasks_lock);
        if (!live)
            return;
        step_task(c, live);
    }
}
