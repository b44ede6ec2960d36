/* Collection of a local deployment (libkith-collect): tasks are published,
 * devices enrol and report, rounds close and are counted, a model comes out.
 * What kithd puts HTTP around; a server of your own can embed it instead.
 *
 * The service is trusted for nothing but usefulness: what a person's answer
 * reveals was decided by her device (kith/device.h). What it promises in turn:
 * a report that was acknowledged is on disk and is counted once, whatever
 * crashes when, and a round is advanced once, whoever else tries.
 *
 * Functions may be called by many threads. They answer with the name of a
 * problem (docs/service_api.md), or KITH_COLLECT_OK. NULL where something is
 * needed is KITH_COLLECT_NO_TASK in functions about a task, else
 * KITH_COLLECT_FAILED; without `done` nothing is done. */
#ifndef KITH_COLLECT_H
#define KITH_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "kith/device.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_outcome {
    KITH_COLLECT_OK = 0,
    KITH_COLLECT_DUPLICATE, /* a success: counted before                    */
    KITH_COLLECT_BAD_REPORT,
    KITH_COLLECT_BAD_TOKEN,
    KITH_COLLECT_ROUND_CLOSED,
    KITH_COLLECT_WRONG_ROUND,
    KITH_COLLECT_WRONG_GROUP,
    KITH_COLLECT_TASK_OVER,
    KITH_COLLECT_NO_TASK,
    KITH_COLLECT_NOT_PUBLISHED,
    KITH_COLLECT_NOT_FINISHED,
    KITH_COLLECT_BAD_TASK,
    KITH_COLLECT_CANNOT_WORK,
    KITH_COLLECT_WRONG_STATE,
    KITH_COLLECT_MOVED_ON,
    KITH_COLLECT_INVITATION_NEEDED,
    KITH_COLLECT_INVITATION_USED,
    KITH_COLLECT_BUSY,
    KITH_COLLECT_STORE_DOWN,
    KITH_COLLECT_DISK_FULL,
    KITH_COLLECT_FAILED, /* memory, or a bug: err says which                */
    KITH_COLLECT_OUTCOMES
} kith_outcome;

/* "bad_report" and so on; never NULL. */
KITH_API const char *kith_outcome_name(kith_outcome outcome);

typedef struct kith_collect kith_collect;

typedef struct kith_collect_options {
    size_t size;           /* set by _init; fields are only appended          */
    const char *database;  /* "sqlite:FILE" or "postgresql://..."             */
    uint64_t queue_bytes;  /* of reports that wait; default: 64 MiB           */
    uint64_t disk_floor;   /* free bytes, or no report is taken; default:     */
                           /* 64 MiB                                          */
    uint32_t threads;      /* to count with; 0: all processors                */
    int migrate;           /* bring an older schema up to date                */
    uint64_t dedupe_bytes; /* a group, for early duplicates; beyond it they  */
                           /* are found when it is counted; default: 1 GiB   */
    const uint8_t *seal;   /* 32 secret bytes that seal task keys in the     */
                           /* database, or NULL                              */
    /* Nullable: a task's state or round changed. By any thread; must not call
     * back. */
    void (*changed)(void *arg, const uint8_t task[16]);
    void *arg;
} kith_collect_options;

KITH_API void kith_collect_options_init(kith_collect_options *opt, size_t size);
/* KITH_ERR_STORE: the database cannot be used, and the message says why. */
KITH_API KITH_CHECKED kith_status kith_collect_open(
    const kith_collect_options *opt, kith_collect **out, kith_error *err);
/* Waits until what was accepted is committed. NULL is fine. */
KITH_API void kith_collect_close(kith_collect *collect);

/* ---- what devices need --------------------------------------------------- */

/* Texts: kith_text_free. digest: of a task file or round. */
KITH_API kith_outcome kith_collect_task(kith_collect *collect,
                                        const uint8_t task[16], char **json,
                                        size_t *bytes);
KITH_API kith_outcome kith_collect_round(kith_collect *collect,
                                         const uint8_t task[16],
                                         uint32_t number, char **json,
                                         size_t *bytes, uint8_t digest[32]);
KITH_API kith_outcome kith_collect_result(kith_collect *collect,
                                          const uint8_t task[16], char **model);
KITH_API kith_outcome kith_collect_chain(kith_collect *collect,
                                         const uint8_t task[16], char **json);

typedef enum kith_task_state {
    KITH_TASK_ENROLLING = 1,
    KITH_TASK_RUNNING,
    KITH_TASK_PAUSED,
    KITH_TASK_FINISHED,
    KITH_TASK_ABORTED,
    KITH_TASK_STUCK
} kith_task_state;
KITH_API const char *kith_task_state_name(kith_task_state state);

typedef struct kith_task_status {
    kith_task_state state;
    int64_t round; /* published last; -1: none */
    uint8_t digest[32];
    int64_t closes_at; /* ms since 1970; 0: not open */
    uint64_t enrolled;
    int enrol_invitation, enrol_backend;
} kith_task_status;
KITH_API kith_outcome kith_collect_status(kith_collect *collect,
                                          const uint8_t task[16],
                                          kith_task_status *out);

/* What became of a body. */
enum { KITH_RECEIPT_REASONS = 100 };
typedef struct kith_receipt_of_reports {
    kith_outcome failed; /* not OK: of the whole body, nothing is stored     */
    uint64_t stored, duplicates, refused;
    uint32_t reason_count;
    struct {
        uint32_t at;
        kith_outcome why;
    } reasons[KITH_RECEIPT_REASONS];
    const uint8_t *tags; /* of an enrolment: 16 bytes each, borrowed         */
} kith_receipt_of_reports;

/* Called exactly once, by any thread, when all is committed or refused;
 * perhaps before the function that was given it returns. */
typedef void kith_collect_done_fn(void *arg,
                                  const kith_receipt_of_reports *receipt);

/* count envelopes of 80 bytes; copied. */
KITH_API void kith_collect_add(kith_collect *collect, const uint8_t task[16],
                               const uint8_t *envelopes, size_t count,
                               kith_collect_done_fn *done, void *arg);
/* Devices that want to take part. */
typedef struct kith_enrolment {
    const uint8_t *commitments; /* of 16 bytes each; copied                  */
    size_t count;
    const char *invitation; /* a code of 22 characters, or NULL              */
    int trusted;            /* the caller vouches for them (enrol = backend) */
} kith_enrolment;
KITH_API void kith_collect_enrol(kith_collect *collect, const uint8_t task[16],
                                 const kith_enrolment *enrolment,
                                 kith_collect_done_fn *done, void *arg);

/* ---- what operators need ------------------------------------------------- */

/* created: 0 when the same file was there already. */
KITH_API kith_outcome kith_collect_create(kith_collect *collect,
                                          const char *json, size_t bytes,
                                          uint8_t task[16], int *created,
                                          kith_error *err);
/* invited = 0: those who enrolled, times response (0: 1). */
KITH_API kith_outcome kith_collect_start(kith_collect *collect,
                                         const uint8_t task[16],
                                         uint64_t invited, double response,
                                         kith_error *err);

typedef enum kith_task_change {
    KITH_TASK_CLOSE = 1,
    KITH_TASK_PUBLISH,
    KITH_TASK_EXTEND,
    KITH_TASK_ABORT,
    KITH_TASK_RESUME
} kith_task_change;
/* digest: of the newest round, as whoever asks knows it; NULL: none is
 * published. seconds: of an extension. reason: of an end. */
typedef struct kith_change_request {
    kith_task_change what;
    const uint8_t *digest;
    uint64_t seconds;
    const char *reason;
} kith_change_request;
KITH_API kith_outcome kith_collect_change(kith_collect *collect,
                                          const uint8_t task[16],
                                          const kith_change_request *request,
                                          kith_error *err);
/* codes: count of 23 bytes, 22 characters and a zero each. */
KITH_API kith_outcome kith_collect_invite(kith_collect *collect,
                                          const uint8_t task[16],
                                          uint32_t count, char (*codes)[23]);
/* JSON: all tasks; one of them in full. */
KITH_API kith_outcome kith_collect_list(kith_collect *collect, char **json);
KITH_API kith_outcome kith_collect_view(kith_collect *collect,
                                        const uint8_t task[16], char **json);
/* bytes: kith_text_free. Of a task that has ended. */
KITH_API kith_outcome kith_collect_archive(kith_collect *collect,
                                           const uint8_t task[16], char **bytes,
                                           size_t *count, kith_error *err);
/* The reports of a task that has ended. */
KITH_API kith_outcome kith_collect_forget(kith_collect *collect,
                                          const uint8_t task[16]);

/* A secret for an operator, 43 characters and a zero. What is kept of it: its
 * SHA-256 in hexadecimal. */
KITH_API KITH_CHECKED kith_status kith_collect_new_token(char token[44],
                                                         kith_error *err);
KITH_API void kith_collect_token_digest(const char *token, char hex[65]);

/* ---- what somebody must do now and then ---------------------------------- */

/* Close what is due, count, publish what comes next, clean up. Call it in a
 * loop with the wait below. */
KITH_API void kith_collect_step(kith_collect *collect);
/* Until something may be due, at most ms. */
KITH_API void kith_collect_wait(kith_collect *collect, uint32_t ms);

/* NULL: ready. Else why not. */
KITH_API const char *kith_collect_ready(kith_collect *collect);
/* Prometheus text of what this process has seen. kith_text_free. */
KITH_API kith_outcome kith_collect_metrics(kith_collect *collect, char **text);
/* A copy of an SQLite database, by any process, also while it is used. path
 * must not exist. */
KITH_API KITH_CHECKED kith_status kith_collect_backup(const char *database,
                                                      const char *path,
                                                      kith_error *err);

#ifdef __cplusplus
}
#endif

#endif
