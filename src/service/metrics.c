/* What this process has seen, in the text format of Prometheus. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kith/version.h"
#include "views.h"

typedef struct {
    char *text;
    size_t count, room;
} page;

static void add(page *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(page *p, const char *format, ...)
{
    enum { LINE = 512 };
    va_list list;
    if (p->room - p->count < LINE) {
        size_t room = 2 * p->room + 4 * LINE;
        char *text = kith_i_resize(p->text, p->room, room, 1);
        if (!text)
            return;
        p->text = text;
        p->room = room;
    }
    va_start(list, format);
    int n = vsnprintf(p->text + p->count, LINE, format, list);
    va_end(list);
    p->count += n > 0 && n < LINE ? (size_t)n : 0;
}

static void add_groups(page *p, kith_i_live *live)
{
    char name[23];
    kith_task_name(live->id, name);
    pthread_rwlock_rdlock(&live->lock);
    for (uint32_t g = 0; g < live->group_count; g++) {
        const kith_i_open_group *group = &live->groups[g];
        add(p,
            "kith_group_received{task=\"%s\",round=\"%lld\",group=\"%u\"} "
            "%llu\n",
            name, (long long)live->number, g,
            (unsigned long long)kith_i_group_count(group));
        add(p,
            "kith_group_expected{task=\"%s\",round=\"%lld\",group=\"%u\"} "
            "%llu\n",
            name, (long long)live->number, g,
            (unsigned long long)group->expected);
    }
    if (live->round_state == KITH_I_ROUND_COLLECTING && live->number >= 0)
        add(p, "kith_round_closes_at{task=\"%s\"} %.3f\n", name,
            (double)live->closes_at / 1000);
    add(p, "kith_enrolled_total{task=\"%s\"} %llu\n", name,
        (unsigned long long)live->enrolled.count);
    pthread_rwlock_unlock(&live->lock);
}

kith_outcome kith_collect_metrics(kith_collect *c, char **text)
{
    page p = {0};
    uint64_t results[KITH_COLLECT_OUTCOMES] = {0};
    if (!c || !text)
        return KITH_COLLECT_FAILED;
    pthread_rwlock_rdlock(&c->tasks_lock);
    for (size_t i = 0; i < c->task_count; i++) {
        add_groups(&p, c->tasks[i]);
        for (int r = 0; r < KITH_COLLECT_OUTCOMES; r++)
            results[r] += c->tasks[i]->counted[r];
    }
    pthread_rwlock_unlock(&c->tasks_lock);
    for (int r = 0; r < KITH_COLLECT_OUTCOMES; r++)
        if (r < 2 || results[r])
            add(&p, "kith_reports_total{result=\"%s\"} %llu\n",
                kith_outcome_name((kith_outcome)r),
                (unsigned long long)results[r]);
    pthread_mutex_lock(&c->queue_lock);
    add(&p, "kith_queue_bytes %llu\n", (unsigned long long)c->queue_bytes);
    pthread_mutex_unlock(&c->queue_lock);
    add(&p, "kith_commit_seconds_sum %.6f\nkith_commit_seconds_count %llu\n",
        (double)c->commit_ns * 1e-9, (unsigned long long)c->commits);
    add(&p, "kith_commit_reports_sum %llu\nkith_commit_reports_count %llu\n",
        (unsigned long long)c->committed, (unsigned long long)c->commits);
    add(&p, "kith_advance_seconds_sum %.6f\nkith_advance_seconds_count %llu\n",
        (double)c->advance_ns * 1e-9, (unsigned long long)c->advances);
    add(&p,
        "kith_advance_total{result=\"ok\"} %llu\n"
        "kith_advance_total{result=\"failed\"} %llu\n",
        (unsigned long long)(c->advances - c->advance_failures),
        (unsigned long long)c->advance_failures);
    add(&p, "kith_advance_divergence_total %llu\n",
        (unsigned long long)c->divergences);
    add(&p, "kith_store_errors_total %llu\n",
        (unsigned long long)c->store_errors);
    add(&p, "kith_clock_jumped %d\n", c->clock_jumped);
    int64_t room = c->db->driver->room(c->db);
    if (room >= 0)
        add(&p, "kith_disk_free_bytes %lld\n", (long long)room);
    int64_t log = c->db->driver->log_bytes(c->db);
    if (log >= 0)
        add(&p, "kith_wal_bytes %lld\n", (long long)log);
    add(&p, "kith_build_info{version=\"%s\",store=\"%s\"} 1\n", kith_version(),
        c->db->driver->name);
    *text = p.text;
    return p.text ? KITH_COLLECT_OK : KITH_COLLECT_FAILED;
}
