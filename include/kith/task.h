/* A deployment of local clustering: its task file, what it would publish in a
 * simulation, and its rows played by real devices. kithd (kith/collect.h)
 * collects; kith/device.h answers; docs/protocol.md has the bytes. */
#ifndef KITH_TASK_FILE_H
#define KITH_TASK_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "kith/data.h"
#include "kith/device.h"
#include "kith/local.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the task file ------------------------------------------------------- */

/* What people read, and how it is run. Borrowed; start from
 * kith_task_options_init. Texts: no quotes, backslashes, control characters. */
typedef struct kith_task_options {
    size_t size; /* set by _init; fields are only appended */
    const char *title, *purpose, *operator_name, *contact;
    const char *const *names; /* of the features; NULL: x1, x2, ...       */
    const char *const *units; /* NULL: none                               */
    const char *enrol;        /* "invitation" (default), "backend", "open" */
    const char *release;      /* "auto" (default), "manual"               */
    uint64_t minimum;         /* reports of a group; default: 50          */
    uint64_t closes;          /* seconds a round is open; default: 7 days */
    double fraction;    /* of a group that closes it; default: 0.95;      */
                        /* 0: time alone, or the operator, closes a round */
    uint32_t keep_days; /* reports after the end; default: 30             */
    int test;           /* for tests: promises nothing, and devices refuse */
} kith_task_options;

KITH_API void kith_task_options_init(kith_task_options *opt, size_t size);

/* The file, and its id: a digest. Pure epsilon only; bounds without
 * normalize. json: kith_text_free. */
KITH_API KITH_CHECKED kith_status
kith_task_text(const kith_task_options *task, const kith_local_options *local,
               uint32_t dimension, const kith_bounds *bounds, char **json,
               uint8_t id[KITH_TASK_ID_BYTES], kith_error *err);

/* The id as it is in links: 22 characters and a zero. Is this such a name? */
KITH_API void kith_task_name(const uint8_t id[KITH_TASK_ID_BYTES],
                             char out[23]);
KITH_API int kith_task_named(const char *name, uint8_t id[KITH_TASK_ID_BYTES]);

/* A task file in memory of its own. */
typedef struct kith_task kith_task;
KITH_API KITH_CHECKED kith_status kith_task_load(const void *json, size_t bytes,
                                                 kith_task **out,
                                                 kith_error *err);
KITH_API const kith_task_view *kith_task_get_view(const kith_task *task);
/* The bounds, to read rows with; borrowed. */
KITH_API void kith_task_get_bounds(const kith_task *task, kith_bounds *out);
/* What the noise would do to so many users (kith_local_predict). */
KITH_API KITH_CHECKED kith_status kith_task_predict(const kith_task *task,
                                                    uint64_t invited,
                                                    kith_local_forecast *out,
                                                    kith_error *err);
KITH_API void kith_task_free(kith_task *task); /* NULL is fine */

/* Where a round is in its chain. KITH_ERR_INPUT: devices refuse it. */
typedef struct kith_round_facts {
    uint8_t task[KITH_TASK_ID_BYTES], digest[32], previous[32];
    uint32_t number, groups;
    uint64_t invited;
} kith_round_facts;
KITH_API KITH_CHECKED kith_status kith_round_describe(const void *json,
                                                      size_t bytes,
                                                      kith_round_facts *out,
                                                      kith_error *err);

/* ---- simulation ---------------------------------------------------------- */

/* The model that a service would publish if each row of data, read with the
 * task's bounds, was a device of kith_players with this seed that enrolled
 * before the start. For tasks marked as tests. model: kith_text_free. */
KITH_API KITH_CHECKED kith_status kith_task_simulate(
    const kith_task *task, const kith_dataset *data, uint64_t seed,
    uint32_t threads, char **model, kith_error *err);

/* The model of a deployment, computed again from its archive (`kith local
 * archive`): byte for byte the one that was published. model:
 * kith_text_free. */
KITH_API KITH_CHECKED kith_status kith_archive_replay(const void *bytes,
                                                      size_t count,
                                                      uint32_t threads,
                                                      char **model,
                                                      kith_error *err);

/* ---- rows as devices ----------------------------------------------------- */

/* One real device for each row. Whoever plays them holds the rows: for tests,
 * kiosks and load. Their secrets come from one key of 32 bytes: drawn by the
 * system, or from a seed (tasks marked as tests only). Not for use by several
 * threads at once. data, task: borrowed until closed. */
typedef struct kith_players kith_players;

typedef struct kith_players_options {
    size_t size; /* set by _init */
    int insecure;
    uint64_t insecure_seed;
    const uint8_t *key; /* 32 bytes, to go on; NULL: a fresh one */
    uint32_t threads;   /* 0: all processors */
    double wallet;      /* of each; default: 20 */
} kith_players_options;

KITH_API void kith_players_options_init(kith_players_options *opt, size_t size);
KITH_API KITH_CHECKED kith_status kith_players_open(
    const kith_task *task, const kith_dataset *data,
    const kith_players_options *opt, kith_players **out, kith_error *err);
KITH_API uint64_t kith_players_count(const kith_players *players);
KITH_API void kith_players_key(const kith_players *players, uint8_t out[32]);
/* 16 bytes each of devices first .. first + count - 1. KITH_ERR_ARGUMENT, and
 * nothing is written, when there are not so many. */
KITH_API kith_status kith_players_commitments(const kith_players *players,
                                              uint64_t first, uint64_t count,
                                              uint8_t *out);
/* Their tags, and where the task was (kith_device_enrolled). The same. */
KITH_API KITH_CHECKED kith_status kith_players_enrolled(
    kith_players *players, uint64_t first, uint64_t count, const uint8_t *tags,
    uint32_t round, const uint8_t *digest, kith_error *err);
/* Go on from a saved device that has answered. */
KITH_API KITH_CHECKED kith_status
kith_players_restore(kith_players *players, uint64_t row,
                     const uint8_t saved[KITH_DEVICE_BYTES], kith_error *err);

/* The devices that a round asked, after they paid and answered: to be saved
 * before an envelope is made of them. */
typedef struct kith_played {
    uint64_t count;
    uint64_t *rows;
    uint8_t (*saved)[KITH_DEVICE_BYTES];
} kith_played;

/* Every device reads the round; who is asked answers. Rounds in order, from the
 * first that is not older than the enrolment. out NULL: it has closed, nobody
 * answers. KITH_ERR_PRIVACY: the devices refuse it. */
KITH_API KITH_CHECKED kith_status kith_players_round(kith_players *players,
                                                     const char *json,
                                                     size_t bytes,
                                                     kith_played *out,
                                                     kith_error *err);
KITH_API void kith_played_free(kith_played *played);
KITH_API void kith_players_close(kith_players *players); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
