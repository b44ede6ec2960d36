/* task: the file that a person agrees to. Its digest is the task's id and part
 * of the link that was followed, so neither bounds nor epsilon nor purpose can
 * be changed under a device that has joined. Canonical JSON, reals as base64.
 */
#ifndef KITH_TASK_H
#define KITH_TASK_H

#include "respond.h"

#define KITH_I_TASK_VERSION 1

struct kith_task_view {
    const char *title, *purpose, *operator_name, *contact;
    const char *method, *objective; /* as in the command */
    const char *enrol;              /* invitation, backend, open */
    const char *release;            /* auto, manual */
    uint32_t d, k;
    const char **names, **units; /* d each */
    const double *lower, *upper, *center;
    double radius;
    uint64_t epsilon; /* of a user, 2^-50 */
    uint64_t public_seed, minimum;
    uint64_t closes;   /* seconds after publication */
    uint64_t fraction; /* of a group that closes it, in millionths */
    uint32_t keep_days;
    int test;
    uint8_t id[KITH_I_TASK_BYTES]; /* set by open */
};

/* NULL, or what is wrong. */
const char *kith_i_task_open(const char *json, size_t bytes, void *arena,
                             size_t room, struct kith_task_view **out);

/* ---- frame.c ---- */

/* A record in the units that rounds are written in: moved into the bounds, then
 * (x - center) / radius, no longer than 1. What is not a number is taken for
 * the centre. */
typedef struct kith_i_frame {
    uint32_t d;
    const double *lower, *upper; /* NULL: no box */
    const double *center;
    double radius;
} kith_i_frame;

void kith_i_frame_record(const kith_i_frame *frame, const double *x,
                         double *out);

#endif
