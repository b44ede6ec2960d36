/* Users of a simulation that is to equal a deployment, report for report: their
 * secrets come from one key, and group, nonce and frame are those of devices
 * with these secrets (device/draw.h, device/frame.c). */
#ifndef KITH_DRAWN_USER_H
#define KITH_DRAWN_USER_H

#include "device/draw.h"
#include "device/task.h"

typedef struct kith_i_drawing {
    uint8_t task_key[32]; /* of the service's half */
    uint8_t run_key[32];  /* of the users' secrets */
    kith_i_frame frame;
} kith_i_drawing;

typedef struct kith_i_drawn_user {
    uint8_t r[KITH_I_DRAW_BYTES], tag[KITH_I_DRAW_BYTES];
    uint8_t seed[KITH_I_SHA256_BYTES];
} kith_i_drawn_user;

/* r of a user. */
void kith_i_drawn_secret(const uint8_t run_key[32], uint64_t user,
                         uint8_t r[KITH_I_DRAW_BYTES]);
void kith_i_drawn_user_make(const kith_i_drawing *drawing,
                            const uint8_t task[KITH_I_TASK_BYTES],
                            uint64_t user, kith_i_drawn_user *out);

#endif
