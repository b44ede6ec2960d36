/* What runs on a user's device (libkith-device): a person's record goes in, one
 * noisy report comes out, once, in an envelope of 80 bytes. No allocation, no
 * I/O, no clock; the same source is compiled to WebAssembly (web/kith-device).
 *
 * The promise rests on this code alone. Task and rounds come from a service
 * that may lie; it can make a report useless, not more revealing than the
 * epsilon that was charged, and it cannot get a second one.
 *
 *   join, send the commitment, enrolled with what comes back;
 *   for each round: open, read; if asked: explain, answer, save, and only then
 *   envelope and send. A retry sends the envelope of the saved bytes again.
 *
 * Before `save` nothing has happened. The envelope is taken from saved bytes,
 * so that saving comes first: a crash can lose an answer, never repeat one.
 * Answering the same round twice with fresh coins would cost twice; a device
 * that has answered refuses to. */
#ifndef KITH_DEVICE_H
#define KITH_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KITH_DEVICE_BYTES   256u /* of a saved device */
#define KITH_ENVELOPE_BYTES 80u  /* of what is sent, whatever is asked */
#define KITH_TASK_ID_BYTES  16u
#define KITH_TASK_MAX       (64u << 10) /* bytes of a task file */
#define KITH_ROUND_MAX      (4u << 20)  /* bytes of a round */
/* Epsilon in whole units: 2^50 of them are 1. */
#define KITH_LOSS_UNIT (UINT64_C(1) << 50)

/* NULL where something is needed: KITH_ERR_ARGUMENT, and nothing has happened;
 * functions without a status do nothing, or answer 0 or "". */

/* Fill `count` bytes that nobody can guess; 0 when that was done. */
typedef int kith_random_fn(void *arg, void *bytes, size_t count);

/* What the owner of the device allows, and where its coins come from. */
typedef struct kith_device_host {
    double wallet;  /* epsilon of all tasks together; init: 8              */
    uint64_t spent; /* by all other tasks, in units: the sum of            */
                    /* kith_device_spent over their saved records          */
    uint64_t least_group; /* users in a group, and reports; init: 50      */
    int test_tasks;       /* answer tasks marked as tests; init: no       */
    kith_random_fn *coins;
    void *coins_arg;
} kith_device_host;

KITH_API void kith_device_host_init(kith_device_host *host,
                                    kith_random_fn *coins, void *arg);

/* ---- what is published --------------------------------------------------- */

/* Views of a task file and of a round: strict, and read-only afterwards, so one
 * serves many devices. They live in the arena (aligned to 8) and die with it;
 * kith_view_room(bytes) is always enough. KITH_ERR_INPUT: refused; why
 * (nullable) says what is wrong. */
typedef struct kith_task_view kith_task_view;
typedef struct kith_round_view kith_round_view;

KITH_API size_t kith_view_room(size_t bytes);
KITH_API KITH_CHECKED kith_status kith_task_open(const void *json, size_t bytes,
                                                 void *arena, size_t room,
                                                 const kith_task_view **out,
                                                 const char **why);
KITH_API KITH_CHECKED kith_status kith_round_open(const void *json,
                                                  size_t bytes, void *arena,
                                                  size_t room,
                                                  const kith_round_view **out,
                                                  const char **why);

/* What a task says, for people. Borrowed from the view. */
typedef struct kith_task_facts {
    const char *title, *purpose, *operator_name, *contact;
    double epsilon;
    uint32_t features, clusters;
    int test;
    uint8_t id[KITH_TASK_ID_BYTES];
} kith_task_facts;
typedef struct kith_task_feature {
    const char *name, *unit;
    double lower, upper;
} kith_task_feature;
/* KITH_ERR_ARGUMENT, and out is empty, when there is no such task or feature,
 * from 0. */
KITH_API kith_status kith_task_describe(const kith_task_view *task,
                                        kith_task_facts *out);
KITH_API kith_status kith_task_feature_at(const kith_task_view *task,
                                          uint32_t i, kith_task_feature *out);

/* ---- a device ------------------------------------------------------------ */

typedef struct kith_device {
    uint64_t inside[40]; /* use the functions */
} kith_device;

/* Why the last call on this device refused, in words; "" when it did not. */
KITH_API const char *kith_device_why(const kith_device *device);

/* Begin: draws the secret half of the draw that decides group and nonce.
 * KITH_ERR_PRIVACY: the task is a test, or its groups may be too small.
 * KITH_ERR_BUDGET: the wallet has not enough left. */
KITH_API KITH_CHECKED kith_status kith_device_join(kith_device *device,
                                                   const kith_device_host *host,
                                                   const kith_task_view *task);
/* What the service gets to see of that secret: 16 bytes. */
KITH_API void kith_device_commitment(const kith_device *device,
                                     uint8_t out[16]);
/* The service's half, and where the task is: the number of its current round
 * and that round's digest (NULL and 0: none is published yet). A service that
 * draws again is refused. */
KITH_API KITH_CHECKED kith_status kith_device_enrolled(kith_device *device,
                                                       const uint8_t tag[16],
                                                       uint32_t round,
                                                       const uint8_t *digest);

/* Does the round follow what this device has seen, and is it within its
 * limits? *asked: it is put to this device, and not answered yet. A round that
 * is refused leaves the device as it was. */
KITH_API KITH_CHECKED kith_status kith_device_read(kith_device *device,
                                                   const kith_device_host *host,
                                                   const kith_round_view *round,
                                                   int *asked);

/* Bytes of scratch (aligned to 8) that an answer needs. */
KITH_API size_t kith_device_scratch(const kith_round_view *round);
/* Pay, then draw the report from a record x of the task's features, in their
 * own units; values outside of the bounds are moved to them. The round was read
 * and asks this device. KITH_ERR_BUDGET: answered before, or too dear. */
KITH_API KITH_CHECKED kith_status
kith_device_answer(kith_device *device, const kith_device_host *host,
                   const kith_task_view *task, const kith_round_view *round,
                   const double *x, void *scratch);

/* All that a device is, to be kept until its owner forgets the task. */
KITH_API void kith_device_save(const kith_device *device,
                               uint8_t out[KITH_DEVICE_BYTES]);
KITH_API KITH_CHECKED kith_status
kith_device_load(kith_device *device, const uint8_t saved[KITH_DEVICE_BYTES]);
/* What was charged, in units; for the wallet. */
KITH_API KITH_CHECKED kith_status
kith_device_spent(const uint8_t saved[KITH_DEVICE_BYTES], uint64_t *spent);
/* What to send. From bytes that were saved, and the same every time. */
KITH_API KITH_CHECKED kith_status kith_device_envelope(
    const uint8_t saved[KITH_DEVICE_BYTES], uint8_t out[KITH_ENVELOPE_BYTES]);
/* Wipe it. */
KITH_API void kith_device_forget(kith_device *device);

/* ---- in words ------------------------------------------------------------ */

/* What an answer to this round would be, before it is given. */
typedef struct kith_device_words {
    double epsilon;    /* of the report                                      */
    double left;       /* in the wallet, after it                            */
    uint64_t numbers;  /* the report is one number below this              */
    uint64_t favoured; /* so many of them are favoured by a record        */
    double likely, unlikely; /* chance of a favoured one, of another one  */
    char text[1024];
} kith_device_words;

/* The round was read and asks this device. */
KITH_API KITH_CHECKED kith_status
kith_device_explain(const kith_device *device, const kith_device_host *host,
                    const kith_round_view *round, kith_device_words *out);
/* The envelope of an answer to this round, but for its number: out[1] - 40
 * bytes at 76, here 0, which are not drawn before the answer. */
KITH_API KITH_CHECKED kith_status
kith_device_preview(const kith_device *device, const kith_round_view *round,
                    uint8_t out[KITH_ENVELOPE_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
