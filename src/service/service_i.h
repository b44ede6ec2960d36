/* Inside the service: tasks in memory, what waits to be committed. */
#ifndef KITH_SERVICE_I_H
#define KITH_SERVICE_I_H

#include <pthread.h>
#include <stdatomic.h>

#include "collect/tally_i.h"
#include "db.h"
#include "device/draw.h"
#include "kith/collect.h"
#include "simulate/stored_collector.h"

typedef enum kith_i_round_state {
    KITH_I_ROUND_DRAFT,
    KITH_I_ROUND_COLLECTING,
    KITH_I_ROUND_CLOSED,
    KITH_I_ROUND_DONE /* answered */
} kith_i_round_state;

/* Segments of this round number hold commitments. */
enum { KITH_I_ENROLMENT = -1 };

/* A group of the open round. */
typedef struct kith_i_open_group {
    kith_i_range range;
    kith_i_randomizer kind;
    uint64_t outputs;
    uint32_t payload; /* bytes */
    uint64_t expected, target;
    kith_i_nonce_set seen; /* a hint: the fold decides */
    uint64_t unseen;       /* stored without a look: there was no room for it */
    uint64_t stored;       /* reports, duplicates included */
} kith_i_open_group;

/* A task as it was last seen in the store. */
typedef struct kith_i_live {
    uint8_t id[16];
    kith_task *task;
    uint8_t key[32];
    pthread_rwlock_t lock; /* of all that follows */
    kith_task_state state;
    uint64_t invited;
    int64_t created, started, ended;
    char reason[256];
    int64_t number; /* of the newest round, drafts included; -1: none */
    kith_i_round_state round_state;
    kith_i_round *round;
    uint8_t digest[32];
    int64_t published, closes_at, extended;
    kith_i_open_group *groups;
    uint32_t group_count;
    kith_i_nonce_set enrolled;
    int64_t seen_segment, seen_enrolment; /* ids that were looked at */
    int attempts;                         /* to advance, in vain */
    atomic_uint_fast64_t counted[KITH_COLLECT_OUTCOMES];
    uint64_t flushed[KITH_COLLECT_OUTCOMES];
} kith_i_live;

/* A good report that waits. */
typedef struct kith_i_waiting {
    uint16_t group;
    uint8_t packed[KITH_I_STORED_MAX];
} kith_i_waiting;

/* A body that waits for its commit. */
typedef struct kith_i_body {
    struct kith_i_body *next;
    kith_i_live *live;
    int64_t round; /* or KITH_I_ENROLMENT */
    size_t count;
    kith_i_waiting *reports;
    uint8_t *commitments, *tags; /* of an enrolment */
    int64_t serial;              /* of an invitation; -1: none */
    kith_receipt_of_reports receipt;
    kith_collect_done_fn *done;
    void *arg;
} kith_i_body;

struct kith_collect {
    kith_collect_options opt;
    char *database;
    uint8_t seal[32]; /* where opt.seal points */
    kith_i_db *db;    /* under `lock`; ingest has one of its own, or this */
    kith_i_db *ingest;
    pthread_mutex_t lock, *ingest_lock, own_lock;
    int64_t process, sequence;
    pthread_rwlock_t tasks_lock;
    kith_i_live **tasks;
    size_t task_count, task_room;
    /* what waits */
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_filled, due;
    kith_i_body *queue, **queue_end;
    uint64_t queue_bytes;
    int stop, something_due;
    pthread_t committer;
    int committing;
    /* numbers for metrics */
    atomic_uint_fast64_t commits, committed, commit_ns, advances, advance_ns,
        advance_failures, divergences, store_errors;
    _Atomic(int) down;    /* the store, when last tried */
    int64_t clock_offset; /* store's clock less the monotonic one, ms */
    int clock_known, clock_jumped;
};

/* ---- live.c: tasks in memory ---- */

/* NULL: there is no such task. Never freed before the service closes. */
kith_i_live *kith_i_live_find(kith_collect *c, const uint8_t task[16]);
/* Read all tasks; then one again, after a change. c->lock is held. */
kith_status kith_i_live_load(kith_collect *c, kith_error *err);
kith_status kith_i_live_refresh(kith_collect *c, kith_i_live *live,
                                kith_error *err);
/* What other processes stored since. */
kith_status kith_i_live_news(kith_collect *c, kith_i_live *live,
                             kith_error *err);
void kith_i_live_free_all(kith_collect *c);
/* Reports of a group as far as this process knows: without duplicates, while
 * there is room to tell them. */
uint64_t kith_i_group_count(const kith_i_open_group *group);
/* Remember what was stored. live->lock is held for writing. */
void kith_i_group_saw(const kith_collect *c, kith_i_open_group *group,
                      const uint8_t *packed, size_t count, size_t each);
/* Distinct commitments, counted from the store. c->lock is held. */
kith_status kith_i_live_count_enrolled(kith_collect *c, kith_i_live *live,
                                       uint64_t *out, kith_error *err);

/* ---- seal.c: task keys in a database that others can read ---- */

enum { KITH_I_SEALED_BYTES = 24 + 16 + 32 };

/* *bytes: 32, or KITH_I_SEALED_BYTES. */
kith_status kith_i_seal(const kith_collect *c, const uint8_t key[32],
                        uint8_t out[KITH_I_SEALED_BYTES], size_t *bytes,
                        kith_error *err);
kith_status kith_i_unseal(const kith_collect *c, const kith_i_cell *stored,
                          uint8_t key[32], kith_error *err);

/* ---- check_report.c ---- */

/* Is this envelope one of the open round? live->lock is held for reading. */
kith_outcome kith_i_check_report(const kith_i_live *live,
                                 const uint8_t envelope[KITH_ENVELOPE_BYTES],
                                 kith_i_waiting *out);

/* ---- queue.c, commit.c ---- */

kith_status kith_i_commit_start(kith_collect *c, kith_error *err);
void kith_i_commit_stop(kith_collect *c);
/* Takes the body. */
void kith_i_commit_queue(kith_collect *c, kith_i_body *body);
void kith_i_body_finish(kith_i_body *body); /* tell, and free */
void kith_i_wake(kith_collect *c);
/* Writes all bodies of the list, and tells them. */
void kith_i_commit_batch(kith_collect *c, kith_i_body *bodies);

/* ---- invitations.c ---- */

void kith_i_invitation_make(const kith_i_live *live, uint32_t serial,
                            char code[23]);
/* The serial of a genuine code; -1. */
int64_t kith_i_invitation_serial(const kith_i_live *live, const char *code);

/* ---- life.c, step.c, advance.c ---- */

kith_outcome kith_i_outcome_of(kith_collect *c, const kith_i_db *db);
int kith_i_disk_is_low(const kith_collect *c, kith_i_db *db);
int64_t kith_i_collect_now(kith_collect *c); /* c->lock is held */
/* A row of one number into an int64_t. */
kith_i_row_fn kith_i_read_number;
kith_status kith_i_event(kith_collect *c, const kith_i_live *live,
                         const char *who, const char *what, const char *detail,
                         kith_error *err);
/* Move a task from the state it has; *moved: it had it. In a transaction of its
 * own. */
kith_status kith_i_task_move(kith_collect *c, kith_i_live *live,
                             kith_task_state to, const char *reason, int *moved,
                             kith_error *err);
/* Of the newest round; whoever comes second changes nothing. c->lock is held.
 */
kith_status kith_i_round_close(kith_collect *c, kith_i_live *live,
                               kith_error *err);
kith_status kith_i_round_extend(kith_collect *c, kith_i_live *live,
                                uint64_t seconds, kith_error *err);
/* A closed round is counted and its successor, or the result, committed. */
void kith_i_advance(kith_collect *c, kith_i_live *live);
/* The first round of a task that starts. */
kith_outcome kith_i_publish_first(kith_collect *c, kith_i_live *live,
                                  uint64_t invited, kith_error *err);
/* "collected" of the model; fresh: reports and duplicates that are not in the
 * store's answers yet. c->lock is held. kith_text_free. */
kith_status kith_i_collected_text(kith_collect *c, kith_i_live *live,
                                  const uint64_t fresh[2], char **text,
                                  kith_error *err);
uint64_t kith_i_thing_of(const uint8_t task[16], int64_t round);

/* Points at which tests kill the process; nothing happens here. */
void kith_i_point(const char *name);

/* ---- rules.c: when does a round close? ---- */

typedef enum kith_i_rule {
    KITH_I_RULE_WAIT,
    KITH_I_RULE_EXTEND,
    KITH_I_RULE_CLOSE
} kith_i_rule;

typedef struct kith_i_rule_numbers {
    uint32_t groups;
    uint32_t at_target, at_minimum; /* so many groups */
    int64_t now, closes_at, extended;
} kith_i_rule_numbers;

kith_i_rule kith_i_rule_of(const kith_i_rule_numbers *numbers);
/* Reports that close a group; users that a range means. */
uint64_t kith_i_rule_expected(kith_i_range range, uint64_t invited);
uint64_t kith_i_rule_target(kith_i_range range, uint64_t invited,
                            uint64_t fraction_ppm);

#endif
